//! Shortest paths around spheres and cylinders against brute force.

use saltus_math::{Mat3, Random, Vec3};
use saltus_sim::tendon::{Obstacle, wrap};

type Point = [f64; 2];

fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// Shortest polyline p₁ → arc of the circle → p₂ that turns by `turn` (±1) around it, by trying end
/// points of the arc.
fn shortest_around(p1: Point, p2: Point, r: f64, turn: f64) -> f64 {
    let n = 1500;
    let at = |k: usize| {
        let angle = turn * std::f64::consts::TAU * k as f64 / n as f64;
        [r * angle.cos(), r * angle.sin()]
    };
    // A segment from p to a point x of the circle stays outside if p lies beyond the tangent at x.
    let sees = |p: Point, x: Point| p[0] * x[0] + p[1] * x[1] >= r * r;
    let seen = |p: Point| -> Vec<usize> { (0..n).filter(|&k| sees(p, at(k))).collect() };
    let (from, to) = (seen(p1), seen(p2));
    let mut best = f64::INFINITY;
    for &i in &from {
        for &j in &to {
            let arc = r * std::f64::consts::TAU * ((j + n - i) % n) as f64 / n as f64;
            best = best.min(distance(p1, at(i)) + arc + distance(at(j), p2));
        }
    }
    best
}

fn clear(p1: Point, p2: Point, r: f64) -> bool {
    (0..=2000).all(|k| {
        let t = k as f64 / 2000.0;
        let x = [p1[0] + t * (p2[0] - p1[0]), p1[1] + t * (p2[1] - p1[1])];
        x[0].hypot(x[1]) >= r
    })
}

/// A point outside the circle.
fn outside(random: &mut Random, r: f64) -> Point {
    loop {
        let p = [random.range(-1.0, 1.0), random.range(-1.0, 1.0)];
        if p[0].hypot(p[1]) > 1.05 * r {
            return p;
        }
    }
}

#[test]
fn path_around_a_cylinder_is_the_shortest() {
    let (mut touched, mut straight) = (0, 0);
    for seed in 0..60 {
        let random = &mut Random(seed);
        let r = random.range(0.1, 0.5);
        let (p1, p2) = (outside(random, r), outside(random, r));
        let (z1, z2) = (random.range(-1.0, 1.0), random.range(-1.0, 1.0));
        let (R, origin) = (random.quat().to_mat3(), random.vec3(1.0));
        let world = |p: Point, z: f64| origin + R * Vec3::new(p[0], p[1], z);
        let ends = [world(p1, z1), world(p2, z2)];
        let clear = clear(p1, p2, r);
        match wrap(Obstacle::Cylinder, r, origin, &R, ends, None) {
            None => {
                straight += 1;
                assert!(clear, "seed {seed}: the straight segment crosses the cylinder");
            }
            Some(path) => {
                touched += 1;
                assert!(!clear, "seed {seed}: the straight segment is shorter");
                let length = ends[0].distance(path.points[0]) + path.length + path.points[1].distance(ends[1]);
                let flat = shortest_around(p1, p2, r, 1.0).min(shortest_around(p1, p2, r, -1.0));
                let best = flat.hypot(z2 - z1);
                assert!(length <= best + 1e-9 && length >= best - 1e-4, "seed {seed}: {length} {best}");
            }
        }
    }
    assert!(touched > 10 && straight > 10, "{touched} {straight}");
}

#[test]
fn path_around_a_sphere_is_the_shortest() {
    let mut touched = 0;
    for seed in 0..60 {
        let random = &mut Random(seed);
        let r = random.range(0.2, 0.6);
        let (p1, p2) = (outside(random, r), outside(random, r));
        let (frame, origin) = (random.quat().to_mat3(), random.vec3(1.0));
        // The plane of the points has nothing to do with the orientation of the sphere's frame.
        let R = random.quat().to_mat3();
        let ends = [p1, p2].map(|p| origin + frame * Vec3::new(p[0], p[1], 0.0));
        if let Some(path) = wrap(Obstacle::Sphere, r, origin, &R, ends, None) {
            touched += 1;
            let length = ends[0].distance(path.points[0]) + path.length + path.points[1].distance(ends[1]);
            let best = shortest_around(p1, p2, r, 1.0).min(shortest_around(p1, p2, r, -1.0));
            assert!(length <= best + 1e-9 && length >= best - 1e-4, "seed {seed}: {length} {best}");
            path.points.iter().for_each(|x| assert!((x.distance(origin) - r).abs() < 1e-12, "on the surface"));
        } else {
            assert!(clear(p1, p2, r), "seed {seed}: the straight segment crosses the sphere");
        }
    }
    assert!(touched > 10, "{touched}");
}

#[test]
fn side_site_picks_the_way_around() {
    let (p1, p2) = (Vec3::new(-1.0, 0.1, 0.0), Vec3::new(1.0, 0.1, 0.0));
    for (side, turn) in [(Vec3::Y, -1.0), (-Vec3::Y, 1.0)] {
        let path = wrap(Obstacle::Cylinder, 0.5, Vec3::ZERO, &Mat3::IDENTITY, [p1, p2], Some(side)).unwrap();
        let length = p1.distance(path.points[0]) + path.length + path.points[1].distance(p2);
        let best = shortest_around([-1.0, 0.1], [1.0, 0.1], 0.5, turn);
        assert!((length - best).abs() < 1e-4, "{length} {best}");
        assert!(path.points.iter().all(|x| x.y * side.y > 0.0));
    }
}

#[test]
fn inside_path_touches_where_it_is_shortest() {
    let mut touched = 0;
    for seed in 0..60 {
        let random = &mut Random(seed);
        let r = random.range(0.1, 0.4);
        let (p1, p2) = (outside(random, r), outside(random, r));
        let ends = [p1, p2].map(|p| Vec3::new(p[0], p[1], 0.0));
        let through = wrap(Obstacle::Cylinder, r, Vec3::ZERO, &Mat3::IDENTITY, ends, Some(Vec3::ZERO));
        let Some(path) = through else {
            assert!(!clear(p1, p2, r), "seed {seed}: a path that misses the cylinder must be pulled to it");
            continue;
        };
        touched += 1;
        assert_eq!(path.length, 0.0);
        let length = ends[0].distance(path.points[0]) + path.points[1].distance(ends[1]);
        let best = (0..20_000)
            .map(|k| {
                let angle = std::f64::consts::TAU * f64::from(k) / 20_000.0;
                let x = [r * angle.cos(), r * angle.sin()];
                distance(p1, x) + distance(x, p2)
            })
            .fold(f64::INFINITY, f64::min);
        assert!(length <= best + 1e-12 && length >= best - 1e-6, "seed {seed}: {length} {best}");
    }
    assert!(touched > 10, "{touched}");
}
