//! Every compiled model is valid, and damage to a table is found.

use saltus_sim::model::Model;
use saltus_sim::model::kinds::{JointKind, ObjectKind, SensorKind};
use saltus_sim::model::spec::{
    ActuatorSpec, BodySpec, EqualityKind, EqualitySpec, GeomSpec, JointSpec, SensorSpec, SiteSpec, TendonPath,
    TendonSpec, TransmissionSpec, WrapSpec,
};
use saltus_sim::{ModelSpec, compile};

/// Two chains, a tendon between them, a motor on each, a sensor, an equality.
fn model() -> Model {
    let mut spec = ModelSpec::new("test");
    let world = spec.world();
    for side in ["l", "r"] {
        let mut parent = world;
        for (k, kind) in [JointKind::Ball, JointKind::Hinge, JointKind::Slide].into_iter().enumerate() {
            let geom = GeomSpec { size: [0.1, 0.0, 0.0], pos: saltus_math::Vec3::X * 0.3, ..GeomSpec::default() };
            let body = BodySpec {
                name: format!("{side}{k}"),
                pos: saltus_math::Vec3::Y,
                joints: vec![JointSpec { name: format!("j{side}{k}"), kind, ..JointSpec::default() }],
                geoms: vec![geom],
                sites: vec![SiteSpec { name: format!("s{side}{k}"), ..SiteSpec::default() }],
                ..BodySpec::default()
            };
            parent = spec.add_body(parent, body);
        }
    }
    let path = vec![WrapSpec::Site("sl2".into()), WrapSpec::Site("sr1".into())];
    spec.tendons.push(TendonSpec::new("t", TendonPath::Spatial(path)));
    spec.actuators.push(ActuatorSpec::motor("m", TransmissionSpec::Joint("jl1".into())));
    spec.actuators.push(ActuatorSpec::motor("n", TransmissionSpec::Tendon("t".into())));
    spec.sensors.push(SensorSpec::new(SensorKind::Gyro, ObjectKind::Site, "sl2"));
    let kind = EqualityKind::Joint { first: "jl1".into(), second: None, poly: [0.0, 1.0, 0.0, 0.0, 0.0] };
    spec.equalities.push(EqualitySpec::new(kind));
    compile(&spec).unwrap()
}

#[test]
fn a_compiled_model_is_valid() {
    assert_eq!(model().validate(), Ok(()));
}

#[test]
fn damage_is_found() {
    let damages: &[fn(&mut Model)] = &[
        |m| m.bodies.parent[2].0 = 5,
        |m| m.bodies.root[2].0 = 0,
        |m| m.trees.dofs[0].len -= 1,
        |m| m.trees.dofs[1].start = 0,
        |m| m.trees.bodies[1].len -= 1,
        |m| m.tendons.tree_num[0] = 1,
        |m| m.tendons.tree[0][1] = None,
        |m| m.options.override_friction[1] = f64::NAN,
        |m| m.statistic.mean_inertia = f64::INFINITY,
        |m| m.bodies.joints[1].len = 9,
        |m| m.bodies.quat[1].w = 2.0,
        |m| m.bodies.mass[1] = -1.0,
        |m| m.bodies.mass.push(1.0),
        |m| m.joints.kind[1] = JointKind::Free,
        |m| m.joints.q_start[1] = 77,
        |m| m.dofs.parent[3] = None,
        |m| m.dofs.damping[3] = f64::NAN,
        |m| m.q0.truncate(1),
        |m| m.mass_pattern.col[3] = 99,
        |m| m.mass_pattern.row_start[2] = 0,
        |m| m.geoms.body[0].0 = 2,
        |m| m.geoms.data[0] = Some(0),
        |m| m.tendons.jac_col[0] = 1000,
        |m| m.tendons.jac_col[1] = 0,
        |m| m.wraps.object[0] = 1000,
        |m| m.actuators.target[0][0] = Some(99),
        |m| m.actuators.ctrl[0].len = 2,
        |m| m.actuators.moment_col[0] = 0,
        |m| m.sensors.object[0] = Some(99),
        |m| m.sensors.dim[0] = 4,
        |m| m.equalities.object1[0] = 0,
        |m| m.size.nv = 3,
        |m| m.size.nsensordata = 1 << 40,
        |m| m.keys.time.push(0.0),
        |m| m.options.timestep = 0.0,
    ];
    for (i, damage) in damages.iter().enumerate() {
        let mut m = model();
        damage(&mut m);
        assert!(m.validate().is_err(), "damage {i} was not found");
    }
}

/// What the compiler says of a hinge with a ball on it, changed by `change`.
fn refused(change: impl FnOnce(&mut ModelSpec)) -> String {
    let mut spec = ModelSpec::new("odd");
    let joint = JointSpec { name: "knee".into(), kind: JointKind::Hinge, ..JointSpec::default() };
    let geom = GeomSpec { name: "ball".into(), size: [0.1, 0.0, 0.0], ..GeomSpec::default() };
    spec.add_body(spec.world(), BodySpec { joints: vec![joint], geoms: vec![geom], ..BodySpec::default() });
    compile(&spec).unwrap();
    change(&mut spec);
    compile(&spec).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn numbers_that_no_step_can_compute_with_are_refused_with_their_place() {
    for h in [-0.01, 0.0, f64::NAN, f64::INFINITY] {
        let error = refused(|s| s.options.timestep = h);
        assert!(error.contains("timestep: expected a positive number of seconds"), "{error}");
    }
    let nan = f64::NAN;
    type Change = fn(&mut ModelSpec, f64);
    let cases: [(Change, &[&str]); 9] = [
        (|s, x| s.bodies[1].geoms[0].friction[1] = x, &["\"ball\"", "friction"]),
        (|s, x| s.bodies[1].geoms[0].margin = x, &["\"ball\"", "margin"]),
        (|s, x| s.bodies[1].geoms[0].solref[0] = x, &["\"ball\"", "solref"]),
        (|s, x| s.bodies[1].geoms[0].solimp[4] = x, &["\"ball\"", "solimp"]),
        (|s, x| s.bodies[1].joints[0].range[1] = x, &["\"knee\"", "joint"]),
        (|s, x| s.bodies[1].joints[0].armature = x, &["\"knee\"", "armature"]),
        (|s, x| s.bodies[1].joints[0].margin = x, &["\"knee\"", "margin"]),
        (|s, x| s.options.gravity.z = x, &["gravity"]),
        (|s, x| s.options.override_solref[0] = x, &["o_solref"]),
    ];
    for (change, words) in cases {
        let error = refused(|spec| change(spec, nan));
        assert!(words.iter().all(|word| error.contains(word)), "{error} {words:?}");
    }
}

#[test]
fn a_failed_step_names_the_number_of_the_model_that_is_not_finite() {
    let mut model = model();
    model.bodies.mass[2] = f64::NAN;
    let mut data = saltus_sim::Data::new(&model);
    let error = saltus_sim::step(&model, &mut data).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("body 2 \"l1\": mass must be finite, found NaN"), "{error}");
}
