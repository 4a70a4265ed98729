//! Laws that hold for every pair of convex shapes, on random poses.

use saltus_math::Random;
use saltus_math::{Mat3, Vec3};
use saltus_sim::collide::narrow::{Scratch, Settings, Touch, collide};
use saltus_sim::collide::shape::{Field, Shape};
use saltus_sim::model::kinds::GeomShape as G;

const KINDS: [G; 5] = [G::Sphere, G::Capsule, G::Ellipsoid, G::Cylinder, G::Box];

fn size(kind: G) -> Vec3 {
    match kind {
        G::Sphere => Vec3::new(0.1, 0.0, 0.0),
        G::Capsule => Vec3::new(0.07, 0.12, 0.0),
        G::Ellipsoid => Vec3::new(0.08, 0.1, 0.14),
        G::Cylinder => Vec3::new(0.09, 0.11, 0.0),
        _ => Vec3::new(0.08, 0.1, 0.13),
    }
}

fn deepest(a: &Shape, b: &Shape, margin: f64) -> Option<Touch> {
    let mut out = Vec::new();
    collide(a, b, margin, &Settings { multiple: false, ..Settings::default() }, &mut Scratch::default(), &mut out);
    out.into_iter().min_by(|x, y| x.dist.total_cmp(&y.dist))
}

fn pairs() -> impl Iterator<Item = (G, G)> {
    KINDS.into_iter().enumerate().flat_map(|(i, a)| KINDS[i..].iter().map(move |b| (a, *b)))
}

fn random_pair(a: G, b: G, random: &mut Random) -> (Shape<'static>, Shape<'static>) {
    let first = Shape::primitive(a, size(a), random.vec3(0.1), random.quat().to_mat3());
    let second = Shape::primitive(b, size(b), first.p + random.vec3(0.2), random.quat().to_mat3());
    (first, second)
}

#[test]
fn moving_apart_by_the_depth_just_separates() {
    let mut random = Random(1);
    for (a, b) in pairs() {
        let mut tried = 0;
        for _ in 0..400 {
            let (first, mut second) = random_pair(a, b, &mut random);
            let Some(touch) = deepest(&first, &second, 0.05) else { continue };
            assert!((touch.normal.length() - 1.0).abs() < 1e-9);
            // Boxes prefer faces, spheres deep in boxes the nearest face: look at shallow contacts.
            if touch.dist < -0.03 {
                continue;
            }
            tried += 1;
            second.p -= touch.normal * touch.dist;
            let after = deepest(&first, &second, 0.05).map_or(f64::NAN, |t| t.dist);
            let tolerance = if (a, b) == (G::Box, G::Box) { 2e-3 } else { 1e-7 };
            assert!(after.abs() < tolerance, "{a:?} {b:?}: {after} after moving by {}", touch.dist);
        }
        assert!(tried > 10, "{a:?} {b:?}: too few contacts");
    }
}

#[test]
fn distance_does_not_depend_on_the_frame() {
    let mut random = Random(2);
    for (a, b) in pairs() {
        for _ in 0..50 {
            let (first, second) = random_pair(a, b, &mut random);
            let (R, p): (Mat3, Vec3) = (random.quat().to_mat3(), random.vec3(3.0));
            let moved = |s: &Shape<'static>| Shape { p: p + R * s.p, R: R * s.R, ..*s };
            let (here, there) = (deepest(&first, &second, 0.1), deepest(&moved(&first), &moved(&second), 0.1));
            match (here, there) {
                (Some(x), Some(y)) => assert!((x.dist - y.dist).abs() < 1e-9, "{a:?} {b:?}: {} {}", x.dist, y.dist),
                (x, y) => assert_eq!(x.is_some(), y.is_some(), "{a:?} {b:?}"),
            }
        }
    }
}

#[test]
fn round_ellipsoid_is_a_sphere() {
    let mut random = Random(3);
    for b in [G::Ellipsoid, G::Cylinder, G::Box] {
        for _ in 0..100 {
            let (first, second) = random_pair(G::Sphere, b, &mut random);
            let ball = Shape::primitive(G::Ellipsoid, Vec3::splat(0.1), first.p, first.R);
            let exact = deepest(&first, &second, 0.05);
            let convex = deepest(&ball, &second, 0.05);
            let (Some(x), Some(y)) = (exact, convex) else { continue };
            // Polytopes of two curved shapes that overlap deeply stop at the bound on iterations.
            assert!((x.dist - y.dist).abs() < 1e-6, "{b:?}: {} {}", x.dist, y.dist);
        }
    }
}

#[test]
fn boxes_overlap_along_the_normal_by_at_least_the_depth() {
    let mut random = Random(4);
    let mut out = Vec::new();
    for _ in 0..500 {
        let (first, second) = random_pair(G::Box, G::Box, &mut random);
        let Some(touch) = deepest(&first, &second, 0.0) else { continue };
        // Along any axis, boxes overlap by the sum of their reaches; the depth is that of one axis.
        let reach = |s: &Shape, d: Vec3| s.p.dot(d) + s.R.tmul(d).abs().dot(s.size);
        let overlap = reach(&first, touch.normal) + reach(&second, -touch.normal);
        assert!(-touch.dist <= overlap + 1e-9, "{} {overlap}", touch.dist);
        out.push(touch.dist);
    }
    assert!(out.len() > 50);
}

#[test]
fn broken_poses_neither_panic_nor_hang() {
    let mut random = Random(5);
    for (a, b) in pairs() {
        for bad in [f64::NAN, f64::INFINITY, 1e300] {
            let (first, mut second) = random_pair(a, b, &mut random);
            second.p.x = bad;
            deepest(&first, &second, 0.1);
            second.p.x = 0.0;
            second.R.r0.y = bad;
            deepest(&first, &second, 0.1);
        }
        // Flat and tiny shapes.
        for scale in [0.0, 1e-12] {
            let (mut first, second) = random_pair(a, b, &mut random);
            first.size *= scale;
            first.p = second.p;
            deepest(&first, &second, 0.1);
        }
    }
}

#[test]
fn deepest_points_of_boxes_in_height_fields_are_their_lowest() {
    let mut random = Random(5);
    let elevation: [f32; 42] = core::array::from_fn(|_| random.unit() as f32);
    let mut land = Shape::primitive(G::Hfield, Vec3::ZERO, Vec3::ZERO, Mat3::IDENTITY);
    land.field = Some(Field { nrow: 6, ncol: 7, size: [0.5, 0.4, 0.2, 0.1], data: &elevation });
    let half = Vec3::new(0.05, 0.1, 0.15);
    let mut tried = 0;
    for _ in 0..4000 {
        let p = Vec3::new(random.range(-0.4, 0.4), random.range(-0.3, 0.3), random.range(0.1, 0.3));
        let block = Shape::primitive(G::Box, half, p, random.quat().to_mat3());
        let mut found = Vec::new();
        collide(&land, &block, 0.0, &Settings::default(), &mut Scratch::default(), &mut found);
        for t in &found {
            let n = t.normal;
            let on_block = t.pos + n * (0.5 * t.dist);
            let lowest = n.dot(p) - block.R.tmul(n).abs().dot(half);
            assert!((n.dot(on_block) - lowest).abs() < 1e-9, "{} above {lowest} at {p}", n.dot(on_block));
            let inside = (block.to_local(on_block).abs() - half).max_element();
            assert!(inside < 1e-9, "{inside} outside the box at {p}");
        }
        tried += found.len();
    }
    assert!(tried > 4000, "{tried}");
}
