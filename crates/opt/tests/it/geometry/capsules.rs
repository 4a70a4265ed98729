//! Capsules around links: they hold the shapes, and their distance is what it should be.

use super::{model, parse, place, planning};
use saltus_math::Random;
use saltus_math::Vec3;
use saltus_opt::geometry::{CapsulePair, LinkCapsule, Planning, capsule_distance};
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::model::kinds::GeomShape;
use saltus_sim::update_position;
use saltus_sim::{Data, Model, compile};

fn built(name: &str) -> (Planning, Model) {
    let planning = planning(&model(name));
    let compiled = compile(&planning.spec).expect(name);
    (planning, compiled)
}

/// Distance of a point from the axis.
fn from_axis(c: &LinkCapsule, p: Vec3) -> f64 {
    let along = c.p1 - c.p0;
    let s = if along == Vec3::ZERO { 0.0 } else { ((p - c.p0).dot(along) / along.length_squared()).clamp(0.0, 1.0) };
    (p - c.p0 - along * s).length()
}

#[test]
fn capsules_hold_the_shapes_of_their_links() {
    for name in ["humanoid.xml", "hand.xml", "features/contacts.xml"] {
        let (planning, model) = built(name);
        for c in &planning.capsules {
            for g in model.bodies.geoms[c.body.idx()].range() {
                let (s, R) = (model.geoms.size[g], model.geoms.quat[g].to_mat3());
                let to_body = |p: Vec3| model.geoms.pos[g] + R * p;
                // Farthest points of the shape as balls.
                let (points, radius): (Vec<Vec3>, f64) = match model.geoms.shape[g] {
                    GeomShape::Sphere => (vec![Vec3::ZERO], s[0]),
                    GeomShape::Capsule => ([-s[1], s[1]].map(|z| Vec3::Z * z).to_vec(), s[0]),
                    GeomShape::Box => {
                        let sides = [-1.0, 1.0];
                        let corner =
                            |k: usize| Vec3::new(sides[k & 1] * s[0], sides[k >> 1 & 1] * s[1], sides[k >> 2] * s[2]);
                        ((0..8).map(corner).collect(), 0.0)
                    }
                    GeomShape::Ellipsoid | GeomShape::Cylinder => (vec![Vec3::Z * s[1].min(s[2])], 0.0),
                    _ => continue,
                };
                for p in points {
                    let out = from_axis(c, to_body(p)) + radius - c.radius;
                    assert!(out < 1e-9, "{name} {}: a shape sticks out by {out}", c.body_name);
                }
            }
        }
    }
}

#[test]
fn a_capsule_stays_what_it_is() {
    let spec = parse(
        r#"<mujoco><worldbody><body><freejoint/><geom type="capsule" fromto="0 0 0 0.3 0.1 0.2" size="0.04"/></body>
             <body><freejoint/><geom type="box" size="0.2 0.03 0.03" euler="10 20 30"/></body></worldbody></mujoco>"#,
    );
    let planning = planning(&spec);
    let c = &planning.capsules[0];
    let ends = [c.p0, c.p1].map(|p| p.length().min((p - Vec3::new(0.3, 0.1, 0.2)).length()));
    assert!(ends.iter().all(|d| *d < 1e-12) && c.radius == 0.04, "{c:?}");
    // The smallest capsule around a beam is as thick as its diagonal.
    let beam = &planning.capsules[1];
    assert!((beam.radius - 0.03 * 2f64.sqrt()).abs() < 1e-3, "{beam:?}");
}

#[test]
fn links_that_a_joint_cannot_separate_are_not_checked() {
    let (planning, model) = built("humanoid.xml");
    assert!(planning.capsule_pairs.len() > 50, "{}", planning.capsule_pairs.len());
    let named = |a: &str, b: &str| {
        let is = |p: &CapsulePair, x: &str, y: &str| p.capsules[0].body_name == x && p.capsules[1].body_name == y;
        planning.capsule_pairs.iter().any(|p| is(p, a, b) || is(p, b, a))
    };
    assert!(named("left_foot", "right_foot") && named("left_foot", "right_shin"));
    assert!(!named("left_foot", "left_shin") && !named("left_shin", "left_thigh"));
    let mut data = Data::new(&model);
    update_position(&model, &mut data);
    for p in &planning.capsule_pairs {
        assert!(capsule_distance(&model, &data, p, &mut []) > 0.0, "{p:?}");
        assert_eq!(p.capsules[0], planning.capsules[p.index[0]]);
    }
}

fn world(data: &Data, c: &LinkCapsule, s: f64) -> Vec3 {
    data.position.p_WB[c.body.idx()] + data.position.R_WB[c.body.idx()] * c.p0.lerp(c.p1, s)
}

/// The distance by trying all points of both axes.
fn by_trial(data: &Data, pair: &CapsulePair) -> f64 {
    let [a, b] = &pair.capsules;
    let (mut low, mut high) = ([0.0; 2], [1.0; 2]);
    let mut best = (f64::INFINITY, [0.0; 2]);
    for _ in 0..6 {
        let at = |k: usize, i: usize| low[k] + (high[k] - low[k]) * i as f64 / 40.0;
        for (i, j) in (0..=40).flat_map(|i| (0..=40).map(move |j| (i, j))) {
            let point = [at(0, i), at(1, j)];
            let d = (world(data, a, point[0]) - world(data, b, point[1])).length();
            if d < best.0 {
                best = (d, point);
            }
        }
        for k in 0..2 {
            let half = 0.1 * (high[k] - low[k]);
            (low[k], high[k]) = ((best.1[k] - half).max(0.0), (best.1[k] + half).min(1.0));
        }
    }
    best.0 - a.radius - b.radius
}

#[test]
fn distance_agrees_with_trial_and_gradient_with_differences() {
    let mut random = Random(3);
    for name in ["humanoid.xml", "hand.xml"] {
        let (planning, model) = built(name);
        let (mut data, nv) = (Data::new(&model), model.size.nv);
        let mut grad = vec![0.0; nv];
        for state in 0..20 {
            place(&mut random, &model, &mut data, 0.8);
            update_position(&model, &mut data);
            let q = data.state.q.clone();
            for pair in planning.capsule_pairs.iter().skip(state % 7).step_by(7) {
                data.state.q.copy_from_slice(&q);
                update_position(&model, &mut data);
                let d = capsule_distance(&model, &data, pair, &mut grad);
                let trial = by_trial(&data, pair);
                let radii = pair.capsules[0].radius + pair.capsules[1].radius;
                let axes = (trial + radii).max(1e-3);
                // What the smoothing adds, by the bound of the module.
                let bound = 1e-6 + 1e-4 * 0.5 / (8.0 * axes) + (1e-3 * radii).powi(2) / (2.0 * axes);
                assert!(d > trial - 1e-6 && d < trial + bound, "{name}: {d} {trial} {bound}");
                let mut shifted = |i: usize, eps: f64| {
                    let unit: Vec<f64> = (0..nv).map(|k| f64::from(u8::from(k == i))).collect();
                    data.state.q.copy_from_slice(&q);
                    integrate(&model, &mut data.state.q, &unit, eps);
                    update_position(&model, &mut data);
                    capsule_distance(&model, &data, pair, &mut [])
                };
                for i in 0..nv {
                    let difference = (shifted(i, 1e-6) - shifted(i, -1e-6)) / 2e-6;
                    assert!((difference - grad[i]).abs() < 2e-5, "{name} dof {i}: {difference} {}", grad[i]);
                }
            }
        }
    }
}

#[test]
fn the_gradient_is_continuous_through_parallel_and_crossing_axes() {
    let spec = parse(
        r#"<mujoco><worldbody>
             <body name="a"><freejoint/><geom type="capsule" fromto="-0.2 0 0 0.2 0 0" size="0.03"/></body>
             <body name="b" pos="0 0 0.1"><freejoint/><geom type="capsule" fromto="-0.15 0 0 0.15 0 0" size="0.03"/></body>
           </worldbody></mujoco>"#,
    );
    let planning = planning(&spec);
    let model = compile(&planning.spec).expect("compiles");
    let (mut data, pair) = (Data::new(&model), &planning.capsule_pairs[0]);
    let mut at = |height: f64, tilt: f64| {
        data.reset(&model);
        data.state.q[9] = height;
        let mut by = [0.0; 12];
        by[10] = tilt;
        integrate(&model, &mut data.state.q, &by, 1.0);
        update_position(&model, &mut data);
        let mut grad = [0.0; 12];
        let d = capsule_distance(&model, &data, pair, &mut grad);
        (d, grad)
    };
    for (height, steps) in [(0.1, 200), (0.0, 200)] {
        for k in -steps..steps {
            // Parallel at k = 0; without smoothing the nearest points jump there from one end to
            // the other.
            let (one, two) = (at(height, 1e-9 * f64::from(k)), at(height, 1e-9 * f64::from(k + 1)));
            let change = one.1.iter().zip(&two.1).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!((one.0 - two.0).abs() < 1e-8 && change < 1e-3, "{height} {k}: {change}");
        }
    }
    // Through each other, from above to below.
    for k in -1000..1000 {
        let (one, two) = (at(1e-6 * f64::from(k), 0.3), at(1e-6 * f64::from(k + 1), 0.3));
        let change = one.1.iter().zip(&two.1).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!((one.0 - two.0).abs() < 1e-5 && change < 0.05, "{k}: {change}");
    }
}
