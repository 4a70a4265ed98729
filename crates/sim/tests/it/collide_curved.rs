//! Contacts with cylinders and ellipsoids: exact, and the deepest ones.

use saltus_math::{Quat, Vec3};
use saltus_sim::collide::narrow::{Scratch, Settings, Touch, collide};
use saltus_sim::collide::shape::Shape;
use saltus_sim::model::kinds::GeomShape as G;

/// Numbers between −1 and 1 that look random.
fn numbers(seed: u32) -> impl FnMut() -> f64 {
    let mut x = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
    move || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(x >> 8) / f64::from(1u32 << 23) - 1.0
    }
}

fn random_shape(kind: G, next: &mut impl FnMut() -> f64) -> Shape<'static> {
    let mut size = || 0.05 + 0.15 * next().abs();
    let size = Vec3::new(size(), size(), size());
    let q = Quat { w: next(), x: next(), y: next(), z: next() }.normalized();
    Shape::primitive(kind, size, Vec3::new(next(), next(), next()) * 0.3, q.to_mat3())
}

fn touch(a: &Shape, b: &Shape) -> Touch {
    let settings = Settings { multiple: false, ..Settings::default() };
    let mut out = Vec::new();
    collide(a, b, 10.0, &settings, &mut Scratch::default(), &mut out);
    assert_eq!(out.len(), 1);
    out[0]
}

/// How far `p` is from the points of a shape that are farthest along `n`: from one point, or from
/// the line or face through it.
fn off_farthest(shape: &Shape, n: Vec3, p: Vec3) -> f64 {
    let (d, x) = (shape.R.tmul(n), shape.to_local(p));
    let level = 1e-12;
    let s = shape.size;
    let foot = match shape.kind {
        G::Capsule if d.z.abs() < level => Vec3::new(d.x * s.x, d.y * s.x, x.z.clamp(-s.y, s.y)),
        G::Capsule => d * s.x + Vec3::Z * s.y.copysign(d.z),
        G::Ellipsoid => s * (s * d) / (s * d).length(),
        G::Cylinder => {
            let (across, beside) = (d.truncate().length(), x.truncate());
            let z = if d.z.abs() < level { x.z.clamp(-s.y, s.y) } else { s.y.copysign(d.z) };
            let rim = d.truncate() * (s.x / across);
            (if across < level { beside.clamp_length_max(s.x) } else { rim }).extend(z)
        }
        G::Box => {
            let mut foot = s.copysign(d);
            for i in (0..3).filter(|&i| d[i].abs() < level) {
                foot[i] = x[i].clamp(-s[i], s[i]);
            }
            foot
        }
        _ => unreachable!("not a shape of this test"),
    };
    (foot - x).length()
}

/// How far a shape reaches along `n`.
fn reach(shape: &Shape, n: Vec3) -> f64 {
    let (d, s) = (shape.R.tmul(n), shape.size);
    let local = match shape.kind {
        G::Capsule => s.x + s.y * d.z.abs(),
        G::Ellipsoid => (s * d).length(),
        G::Cylinder => s.x * d.truncate().length() + s.y * d.z.abs(),
        G::Box => s.dot(d.abs()),
        _ => unreachable!("not a shape of this test"),
    };
    n.dot(shape.p) + local
}

/// The largest gap between tangent planes that a search finds: directions all over the sphere, then
/// around the best ever more closely.
fn largest_gap(a: &Shape, b: &Shape) -> f64 {
    let gap = |n: Vec3| -reach(a, n) - reach(b, -n);
    let mut starts: Vec<(f64, Vec3)> = (0..4000)
        .map(|k| {
            let (z, turn) = (1.0 - (2 * k + 1) as f64 / 4000.0, k as f64 * 2.399_963_229_728_653);
            let across = (1.0 - z * z).sqrt();
            let n = Vec3::new(across * turn.cos(), across * turn.sin(), z);
            (gap(n), n)
        })
        .collect();
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    let climb = |(mut best, mut n): (f64, Vec3)| {
        let mut next = numbers(7);
        let (mut width, mut failed) = (0.1, 0);
        while width > 1e-9 {
            let trial = (n + Vec3::new(next(), next(), next()) * width).normalize();
            if gap(trial) > best {
                (best, n, failed) = (gap(trial), trial, 0);
            } else {
                failed += 1;
            }
            if failed > 60 {
                (width, failed) = (0.7 * width, 0);
            }
        }
        best
    };
    starts.into_iter().take(5).map(climb).fold(f64::NEG_INFINITY, f64::max)
}

/// Moved apart along the normal by the distance the shapes touch in one point; there both have this
/// normal. In first order, so that normals and points are exact, not only the distance.
#[test]
fn normals_and_points_of_curved_shapes_are_exact() {
    let pairs = [
        (G::Capsule, G::Cylinder),
        (G::Ellipsoid, G::Cylinder),
        (G::Cylinder, G::Cylinder),
        (G::Cylinder, G::Box),
        (G::Capsule, G::Ellipsoid),
        (G::Ellipsoid, G::Box),
    ];
    for (first, second) in pairs {
        let (mut deep, mut largest) = (0, 0.0_f64);
        for seed in 0..1000 {
            let mut next = numbers(seed);
            let (a, b) = (random_shape(first, &mut next), random_shape(second, &mut next));
            let t = touch(&a, &b);
            deep += usize::from(t.dist < 0.0);
            for (shape, sign) in [(&a, 1.0), (&b, -1.0)] {
                let off = off_farthest(shape, t.normal * sign, t.pos - t.normal * (0.5 * sign * t.dist));
                largest = largest.max(off);
                assert!(off < 1e-11, "{first:?} {second:?} {seed}: {t:?} is off by {off:e}");
            }
        }
        println!("{first:?} {second:?}: {deep} of 1000 overlap, off by at most {largest:.1e}");
        assert!(deep > 100, "{deep}");
    }
}

#[test]
fn distances_of_curved_shapes_are_the_largest_gaps() {
    for (first, second) in [(G::Capsule, G::Cylinder), (G::Ellipsoid, G::Cylinder), (G::Cylinder, G::Cylinder)] {
        for seed in 0..100 {
            let mut next = numbers(seed);
            let (a, b) = (random_shape(first, &mut next), random_shape(second, &mut next));
            let found = touch(&a, &b);
            let gap = -reach(&a, found.normal) - reach(&b, -found.normal);
            assert!((found.dist - gap).abs() < 1e-13, "{first:?} {second:?} {seed}: {found:?} has a gap of {gap}");
            let larger = largest_gap(&a, &b) - gap;
            assert!(larger < 1e-13, "{first:?} {second:?} {seed}: {found:?} has a gap that is {larger} too small");
        }
    }
}
