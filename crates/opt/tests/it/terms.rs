//! Derivatives of all terms against central differences.

use saltus_io::read_file;
use saltus_math::{Quat, Vec3};
use saltus_opt::geometry::ContactBall;
use saltus_opt::geometry::{GeometryOptions, build_planning_spec};
use saltus_opt::problem::Term;
use saltus_opt::problem::rows::{Knot, Part, Rows};
use saltus_opt::problem::tangent::Rotations;
use saltus_opt::problem::term::*;
use saltus_opt::template::symmetry::find_mirror;
use saltus_sim::ids::BodyId;
use saltus_sim::{Model, compile};

const MODELS: [&str; 2] = ["humanoid.xml", "hand.xml"];

/// Calls `make` with each model and checks the term that it makes.
fn check<T: Term>(make: impl Fn(&Model) -> T) {
    for name in MODELS {
        let spec = read_file(format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"))).expect(name);
        let model = compile(&spec).expect(name);
        check_term(&model, &make(&model), 7).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

fn weights(model: &Model) -> Vec<(usize, f64)> {
    (0..model.size.nv).map(|i| (i, 0.3 + 0.1 * i as f64)).collect()
}

fn dense(model: &Model) -> Vec<f64> {
    weights(model).iter().map(|w| w.1).collect()
}

fn points(model: &Model) -> Vec<ContactBall> {
    let ball = |b: usize| ContactBall { body: BodyId::new(b), centre: Vec3::new(0.1, 0.2, -0.1), radius: 0.02 };
    (1..model.nbody()).map(ball).collect()
}

fn last_frame(model: &Model) -> Frame {
    let rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7);
    Frame { body: BodyId::new(model.nbody() - 1), position: Vec3::new(0.1, -0.2, 0.3), rotation }
}

#[test]
fn unactuated() {
    check(|m| Unactuated { rows: vec![vec![(0, 2.0)], vec![(1, 1.0), (m.size.nv - 1, -0.5)]] });
}

#[test]
fn effort_and_smoothness() {
    check(|m| Effort { weights: weights(m) });
    check(|m| Smoothness { weights: weights(m) });
}

#[test]
fn posture() {
    check(|m| Posture { target: m.q0.clone(), weights: dense(m) });
}

#[test]
fn symmetry() {
    let spec = read_file(format!("{}/../../models/humanoid.xml", env!("CARGO_MANIFEST_DIR"))).expect("humanoid");
    let model = compile(&spec).expect("humanoid");
    let mirror = find_mirror(&model, &vec![true; model.nbody()]).expect("left and right");
    let term = Symmetry { mirror: mirror.clone(), rotations: Rotations::new(&model), weights: dense(&model) };
    check_term(&model, &term, 7).unwrap_or_else(|why| panic!("{why}"));
    // It vanishes for what is its own mirror image and for nothing else: y, roll and yaw of the
    // base, and each pair of joints.
    let rows = |q: &[f64]| {
        let mut data = saltus_sim::Data::new(&model);
        data.state.q.copy_from_slice(q);
        let zero = vec![0.0; model.size.nv];
        let knot = Knot { model: &model, data: &data, t: 0, steps: 1, h: 0.01, has_force: true, a: &zero, tau: &zero };
        let mut rows = Rows::default();
        term.evaluate(&knot, &mut rows);
        rows.values().to_vec()
    };
    let mut q = model.q0.clone();
    (q[0], q[2], q[4], q[5], q[6]) = (0.3, 0.9, 0.0, 0.6, 0.0);
    q[3] = 0.8;
    assert!(rows(&q).iter().all(|r| r.abs() < 1e-15));
    for i in [1, 7, 10, model.size.nq - 1] {
        let mut moved = q.clone();
        moved[i] += 0.1;
        let by = rows(&moved).iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        let own = mirror.q[i] == (i, 1.0);
        assert_eq!(by < 1e-3, own, "coordinate {i}: {by}");
    }
}

#[test]
fn coordinates() {
    check(|m| Coordinates {
        from: m.q0.clone(),
        to: m.q0.iter().map(|x| x + 0.3).collect(),
        weights: (0..m.size.nq).map(|i| 0.3 + 0.1 * i as f64).collect(),
    });
}

#[test]
fn slip() {
    check(|m| {
        let rotations = Rotations::new(m);
        Slip { rotations, points: points(m), ground: 0.2, fade: 0.3, weight: 1.4 }
    });
}

#[test]
fn clearance() {
    check(|m| {
        let rotations = Rotations::new(m);
        Clearance { rotations, points: points(m), ground: 0.2, clearance: 0.1, weight: 1.4 }
    });
}

#[test]
fn transport() {
    check(|m| Transport { weights: weights(m), unit: 3.0, smooth: 0.05 });
}

/// Half of the square is the power of motors over weight times speed.
#[test]
fn cost_of_transport_is_power_over_weight_and_speed() {
    let spec = read_file(format!("{}/../../models/hopper.xml", env!("CARGO_MANIFEST_DIR"))).expect("hopper");
    let model = compile(&spec).expect("hopper");
    let mut data = saltus_sim::Data::new(&model);
    data.state.v.copy_from_slice(&[0.0, 0.0, 0.0, 2.0, -3.0]);
    let (zero, tau) = (vec![0.0; 5], [0.0, 0.0, 0.0, -5.0, -7.0]);
    let knot = Knot { model: &model, data: &data, t: 0, steps: 1, h: 0.01, has_force: true, a: &zero, tau: &tau };
    let mut rows = Rows::default();
    let term = Transport { weights: vec![(3, 1.0), (4, 1.0)], unit: 4.0, smooth: 1e-9 };
    term.evaluate(&knot, &mut rows);
    let cost: f64 = rows.values().iter().map(|r| 0.5 * r * r).sum();
    assert!((cost - (10.0 + 21.0) / 4.0).abs() < 1e-6, "{cost}");
}

#[test]
fn bounds() {
    check(|m| JointBounds {
        bounds: vec![Bound { coordinate: m.size.nq - 1, dof: m.size.nv - 1, lower: -0.3, upper: 0.4 }],
    });
    check(|m| TorqueBounds { bounds: vec![(0, -1.0, f64::INFINITY), (m.size.nv - 1, -0.2, 0.3)], unit: 2.0 });
}

#[test]
fn above_ground() {
    check(|m| AboveGround { points: points(m), ground: 0.1, allowed: 0.01, unit: 0.5 });
}

#[test]
fn level_soles() {
    let heel = |ball: &ContactBall| ContactBall {
        centre: Vec3::new(-0.2, 0.1, 0.05) - ball.centre,
        radius: 2.0 * ball.radius,
        ..*ball
    };
    check(|m| LevelSoles::new(&points(m).iter().flat_map(|p| [*p, heel(p)]).collect::<Vec<_>>(), 0.1, 0.7, 1.5));
}

#[test]
fn track_state() {
    check(|m| TrackState {
        q: vec![m.q0.clone(); 3],
        v: (0..3).map(|t| vec![0.1 * t as f64; m.size.nv]).collect(),
        weights: dense(m),
        velocity_weights: dense(m),
    });
}

#[test]
fn site_target() {
    let target = Vec3::new(0.3, 0.1, 0.2);
    check(|m| SiteTarget { frame: last_frame(m), target, weights: Vec3::new(1.0, 0.0, 2.0) });
}

#[test]
fn site_orientation() {
    let target = Quat::from_axis_angle(Vec3::Y, 0.4);
    check(|m| SiteOrientation { frame: last_frame(m), target, weights: Vec3::new(1.0, 0.5, 2.0) });
}

#[test]
fn site_velocity() {
    check(|m| SiteVelocity {
        rotations: Rotations::new(m),
        frame: last_frame(m),
        target: Vec3::new(0.3, 0.1, 0.2),
        angular_target: Vec3::new(-0.3, 0.1, 0.2),
        weights: Vec3::new(1.0, 0.5, 2.0),
        angular_weights: Vec3::new(0.7, 0.0, 0.4),
    });
}

#[test]
fn centre_of_mass() {
    let (target, weights) = (Vec3::new(0.3, 0.1, 0.2), Vec3::new(1.0, 0.5, 2.0));
    check(|m| CentreOfMass { bodies: moving_bodies(m, None), target, weights });
    check(|m| CentreOfMass { bodies: moving_bodies(m, Some(BodyId::new(3))), target, weights });
}

#[test]
fn momentum() {
    for root in [None, Some(BodyId::new(2))] {
        check(|m| Momentum {
            rotations: Rotations::new(m),
            bodies: moving_bodies(m, root),
            linear: Vec3::new(0.3, 0.1, 0.2),
            angular: Vec3::X,
            weights: Vec3::new(1.0, 0.5, 2.0),
            angular_weights: Vec3::new(3.0, 0.4, 1.0),
        });
    }
}

#[test]
fn velocity_power_and_control() {
    check(|m| Velocity { dofs: weights(m).iter().map(|&(i, w)| (i, w, 0.3)).collect() });
    check(|m| Power { weights: weights(m) });
    check(|m| ControlTrack { reference: vec![vec![0.4; m.size.nv]], weights: weights(m) });
}

#[test]
fn separation() {
    for name in MODELS {
        let spec = read_file(format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"))).expect(name);
        let planning = build_planning_spec(&spec, &GeometryOptions::default()).expect(name);
        let model = compile(&planning.spec).expect(name);
        assert!(!planning.capsule_pairs.is_empty());
        // Some pairs are farther apart than counts.
        let far = 0.3;
        let term = Separation { pairs: planning.capsule_pairs, margin: 0.02, far, unit: 0.5 };
        check_term(&model, &term, 7).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

#[test]
fn penetration_and_sliding() {
    for (name, between) in
        [("humanoid.xml", None), ("finger.xml", Some(("tip", "wheel"))), ("arm.xml", Some(("finger", "box")))]
    {
        let spec = read_file(format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"))).expect(name);
        let between: Vec<(String, String)> =
            between.iter().map(|(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned())).collect();
        let options = GeometryOptions { between: between.clone(), ..GeometryOptions::default() };
        let mut model = compile(&build_planning_spec(&spec, &options).expect(name).spec).expect(name);
        // All are in sight.
        model.options.laws.law = saltus_sim::options::law::Law::Invertible;
        model.options.laws.reach = 10.0;
        check_term(&model, &Penetration { allowed: 0.01, unit: 0.5 }, 7).unwrap_or_else(|why| panic!("{name}: {why}"));
        let sliding = Sliding { rotations: Rotations::new(&model), fade: 0.5, weight: 1.3 };
        if between.is_empty() {
            check_term(&model, &sliding, 7).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
}

/// Forces of contacts that act at a distance, so that every state has some.
#[test]
fn contact_forces() {
    let spec = read_file(format!("{}/../../models/humanoid.xml", env!("CARGO_MANIFEST_DIR"))).expect("humanoid");
    let mut model =
        compile(&build_planning_spec(&spec, &GeometryOptions::default()).expect("spec").spec).expect("model");
    model.options.laws.law = saltus_sim::options::law::Law::Invertible;
    model.options.laws.reach = 10.0;
    let law = &mut model.options.laws.invertible;
    (law.walls, law.smoothing, law.hover) = (false, 1.0, 0.3);
    let on: Vec<bool> = (0..model.nbody()).map(|b| b % 3 == 1).collect();
    for of in [Pressure::Normal, Pressure::Total] {
        let bounds = ContactForceBounds { on: on.clone(), of, least: 3.0, most: 1.0, unit: 300.0, only_beyond: false };
        check_term(&model, &bounds, 7).unwrap_or_else(|why| panic!("{of:?}: {why}"));
        // One bound holds where the other does not.
        let beyond = ContactForceBounds { least: 1e-9, only_beyond: true, ..bounds };
        check_term(&model, &beyond, 7).unwrap_or_else(|why| panic!("{of:?}, beyond: {why}"));
    }
}

/// Momentum as the engine sums it up.
#[test]
fn momentum_is_that_of_the_engine() {
    let spec = read_file(format!("{}/../../models/humanoid.xml", env!("CARGO_MANIFEST_DIR"))).expect("humanoid");
    let model = compile(&spec).expect("humanoid");
    let mut data = saltus_sim::Data::new(&model);
    data.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = saltus_math::real::sin(3.0 * i as f64));
    saltus_sim::forward_smooth(&model, &mut data);
    saltus_sim::dynamics::update_momentum(&model, &mut data);
    let term = Momentum {
        rotations: Rotations::new(&model),
        bodies: moving_bodies(&model, None),
        linear: Vec3::ZERO,
        angular: Vec3::ZERO,
        weights: Vec3::ONE,
        angular_weights: Vec3::ONE,
    };
    let zero = vec![0.0; model.size.nv];
    let knot = Knot { model: &model, data: &data, t: 0, steps: 1, h: 0.01, has_force: true, a: &zero, tau: &zero };
    let mut rows = Rows::default();
    term.evaluate(&knot, &mut rows);
    let root = 1;
    let (p, l) =
        (data.velocity.com_velocity[root] * model.bodies.subtree_mass[root], data.velocity.angular_momentum[root]);
    let expected = [p.x, l.x, p.y, l.y, p.z, l.z];
    for (found, expected) in rows.values().iter().zip(expected) {
        assert!((found - expected).abs() < 1e-10 * expected.abs().max(1.0), "{found} {expected}");
    }
}

/// A term with a wrong derivative is found out.
#[test]
fn the_checker_sees_errors() {
    #[derive(Debug)]
    struct Wrong;
    impl Term for Wrong {
        fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
            out.row(knot.v()[0] * knot.tau[1]);
            out.add(Part::V, 0, knot.tau[1]);
            out.add(Part::Tau, 1, knot.v()[0] * 1.0001);
        }
    }
    let spec = read_file(format!("{}/../../models/hand.xml", env!("CARGO_MANIFEST_DIR"))).expect("hand");
    let why = check_term(&compile(&spec).expect("hand"), &Wrong, 7).expect_err("a wrong derivative");
    assert!(why.contains("Tau of dof 1"), "{why}");
}

#[test]
fn sensors() {
    let kinds = r#"<jointpos joint="knee"/><jointvel joint="knee"/><framepos objtype="site" objname="tip"/>
        <framelinvel objtype="site" objname="tip"/><gyro site="tip"/><velocimeter site="tip"/><accelerometer site="tip"/>
        <subtreecom body="leg"/><subtreelinvel body="leg"/><frameangvel objtype="body" objname="leg"/>"#;
    let xml = format!(
        r#"<mujoco><worldbody><body name="trunk"><freejoint/><geom size="0.1" mass="2"/>
        <body name="leg" pos="0.1 0 0"><joint name="knee" axis="0 1 0.3"/><geom size="0.05" pos="0 0 -0.3" mass="1"/>
        <site name="tip" pos="0.02 0 -0.3" euler="20 30 40"/></body></body></worldbody><sensor>{kinds}</sensor></mujoco>"#
    );
    let model = compile(&saltus_io::read_str(&xml, &Default::default()).unwrap()).unwrap();
    for sensor in 0..model.nsensor() {
        assert_eq!(sensor_obstacle(&model, sensor), None);
        let dim = model.sensors.dim[sensor] as usize;
        let term = SensorTarget { sensor, target: vec![0.2; dim], weights: vec![0.7; dim] };
        check_term(&model, &term, 3).unwrap_or_else(|why| panic!("sensor {sensor}: {why}"));
    }
}
