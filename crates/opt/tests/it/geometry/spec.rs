//! What stays of a model, what its filters allow, and what is refused.

use super::{model, parse, place, planning};
use saltus_math::Random;
use saltus_opt::geometry::{GeometryError, GeometryOptions, Touch, build_planning_spec};
use saltus_sim::update_position;
use saltus_sim::{Data, compile, forward};

const MODELS: &[&str] = &[
    "humanoid.xml",
    "hand.xml",
    "grasp.xml",
    "cubes.xml",
    "features/actuators.xml",
    "features/constraints.xml",
    "features/contacts.xml",
    "features/fluid.xml",
    "features/joints.xml",
    "features/ranges.xml",
    "features/sensors.xml",
    "features/tendons.xml",
];

#[test]
fn bodies_dofs_inertia_and_sensors_stay() {
    let mut random = Random(1);
    for name in MODELS {
        let spec = model(name);
        let (own, plan) = (compile(&spec).expect(name), compile(&planning(&spec).spec).expect(name));
        assert_eq!((own.size, own.nbody()), (plan.size, plan.nbody()), "{name}");
        assert_eq!((&own.q0, &own.keys), (&plan.q0, &plan.keys), "{name}");
        assert_eq!((&own.bodies.mass, &own.bodies.inertia), (&plan.bodies.mass, &plan.bodies.inertia), "{name}");
        let (mut a, mut b) = (Data::new(&own), Data::new(&plan));
        for _ in 0..5 {
            place(&mut random, &own, &mut a, 0.5);
            b.state.q.copy_from_slice(&a.state.q);
            update_position(&own, &mut a);
            update_position(&plan, &mut b);
            assert_eq!(a.inertia.M, b.inertia.M, "{name}");
            assert_eq!(a.position.tendon_length, b.position.tendon_length, "{name}");
        }
    }
}

#[test]
fn smooth_dynamics_are_the_same() {
    for name in ["humanoid.xml", "features/fluid.xml"] {
        let spec = model(name);
        let (own, plan) = (compile(&spec).expect(name), compile(&planning(&spec).spec).expect(name));
        let (mut a, mut b) = (Data::new(&own), Data::new(&plan));
        a.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64).sin());
        b.state.v.copy_from_slice(&a.state.v);
        saltus_sim::forward_smooth(&own, &mut a);
        saltus_sim::forward_smooth(&plan, &mut b);
        assert_eq!(a.acceleration.a, b.acceleration.a, "{name}");
    }
}

#[test]
fn filters_and_pairs_of_the_model_are_kept() {
    let spec = parse(
        r#"<mujoco><worldbody>
             <geom name="floor" type="plane" size="0 0 1" friction="0.3 0.005 0.0001"/>
             <geom name="wall" type="box" size="0.1 1 1" pos="2 0 0" contype="2" conaffinity="2"/>
             <body name="a"><freejoint/><geom name="a" size="0.1" friction="0.7 0.01 0.001" condim="4"/></body>
             <body name="b" pos="0 0 1"><freejoint/><geom name="b" size="0.1" contype="0" conaffinity="0"/></body>
             <body name="c" pos="0 0 2"><freejoint/><geom name="c" size="0.1" priority="1" friction="0.1 0 0"/></body>
             <body name="d" pos="0 0 3"><freejoint/><geom name="d" size="0.1"/></body>
           </worldbody>
           <contact>
             <pair geom1="b" geom2="wall" friction="0.9 0.8 0.1 0.1 0.1" margin="0.02"/>
             <exclude body1="world" body2="d"/>
           </contact></mujoco>"#,
    );
    let planning = planning(&spec);
    let pairs = &planning.spec.pairs;
    let found: Vec<(&str, &str)> = pairs.iter().map(|p| (p.geom1.as_str(), p.geom2.as_str())).collect();
    assert_eq!(found, [("plan:a:0", "floor"), ("plan:b:0", "wall"), ("plan:c:0", "floor")]);
    assert_eq!(pairs[0].friction.map(|f| f[0]), Some(0.7));
    assert_eq!(pairs[0].condim, Some(3));
    assert_eq!((pairs[1].friction.map(|f| f[1]), pairs[1].margin), (Some(0.8), Some(0.02)));
    assert_eq!(pairs[2].friction.map(|f| f[0]), Some(0.1));
    assert!(planning.report.notes.iter().any(|n| n.contains("condim")), "{}", planning.report);
    // Candidates find the contacts that the model would.
    let plan = compile(&planning.spec).expect("compiles");
    let mut data = Data::new(&plan);
    forward(&plan, &mut data);
    assert_eq!(data.contacts.len(), 1);
    assert!((data.contacts[0].dist + 0.1).abs() < 1e-12);
}

#[test]
fn unknown_names_and_bad_settings_are_refused() {
    let spec = model("humanoid.xml");
    let with = |change: fn(&mut GeometryOptions)| {
        let mut options = GeometryOptions::default();
        change(&mut options);
        build_planning_spec(&spec, &options).expect_err("must be refused")
    };
    let missing = with(|o| o.touch = Touch::Bodies(vec!["left_hoof".into()])).to_string();
    assert!(missing.contains("left_hoof") && missing.contains("left_foot"), "{missing}");
    let world = with(|o| o.touch = Touch::Bodies(vec!["world".into()]));
    assert!(matches!(world, GeometryError::Fixed { .. }), "{world}");
    let key = with(|o| o.nominal = Some("lying".into())).to_string();
    assert!(key.contains("squat"), "{key}");
    let same = with(|o| o.between = vec![("left_foot".into(), "left_foot".into())]);
    assert!(matches!(same, GeometryError::Apart { .. }), "{same}");
    let rounding = with(|o| o.rounding = f64::NAN).to_string();
    assert!(rounding.contains("rounding"), "{rounding}");
    assert!(with(|o| o.per_mesh = 3).to_string().contains("at least 4"));
}

#[test]
fn a_model_without_an_environment_is_said_to_touch_nothing() {
    let spec = parse(r#"<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#);
    let planning = planning(&spec);
    assert!(planning.report.nothing_touches && planning.candidates.is_empty());
}
