//! Bad input gives errors that say what is wrong.

use crate::scene::{model, scene};
use saltus_maximal::{Error, Options, Simulation};
use saltus_sim::Data;

const BOX: &str = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"#;

#[test]
fn options_outside_of_their_range_are_refused() {
    let model = model(BOX);
    let bad = [
        Options { iterations: 0, ..Options::default() },
        Options { erp: 1.5, ..Options::default() },
        Options { cfm: -1.0, ..Options::default() },
        Options { cfm: f64::NAN, ..Options::default() },
        Options { inertia_reduction: 2.0, ..Options::default() },
        Options { smoothing: -0.1, ..Options::default() },
        Options { warm_start: f64::INFINITY, ..Options::default() },
        Options { relaxation: 2.0, ..Options::default() },
    ];
    let names = ["iterations", "erp", "cfm", "cfm", "inertia_reduction", "smoothing", "warm_start", "relaxation"];
    for (options, expected) in bad.into_iter().zip(names) {
        match Simulation::new(&model, options) {
            Err(Error::Option { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {:?}", other.err()),
        }
    }
}

#[test]
fn parts_that_have_no_rows_are_named() {
    let tendon = r#"<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1"/></body></worldbody>
        <tendon><fixed name="cord" limited="true" range="0 1"><joint joint="j" coef="1"/></fixed></tendon></mujoco>"#;
    let error = Simulation::new(&model(tendon), Options::default()).unwrap_err();
    assert!(error.to_string().contains("cord") && error.to_string().contains("limits of tendons"), "{error}");
    let parallel = r#"<mujoco><worldbody><body name="twice"><joint axis="0 1 0" armature="0.1"/><joint axis="0 1 0" armature="0.1"/>
        <geom size="0.1"/></body></worldbody></mujoco>"#;
    let error = Simulation::new(&model(parallel), Options::default()).unwrap_err();
    assert_eq!(error, Error::DependentAxes { body: "twice".into() });
}

#[test]
fn contradicting_loops_are_named() {
    let xml = r#"<mujoco><option gravity="0 0 0"/><worldbody><site name="here"/><site name="there" pos="0.2 0 0"/>
        <body><joint type="slide" axis="1 0 0"/><geom size="0.1"/><site name="own"/></body></worldbody>
        <equality><connect name="first" site1="own" site2="here"/><connect name="second" site1="own" site2="there"/></equality>
        </mujoco>"#;
    let mut scene = scene(xml, Options::tree());
    let before = scene.data.state.clone();
    match scene.simulation.step(&scene.model, &mut scene.data) {
        Err(Error::OverDetermined { constraint, residual, .. }) => {
            assert_eq!(constraint, "equality \"second\"");
            assert!((residual - 0.2).abs() < 1e-9, "{residual}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(before.time, scene.data.state.time);
    assert_eq!(before.q, scene.data.state.q);
}

#[test]
fn numbers_that_are_not_finite_are_found_before_they_spread() {
    let mut scene = scene(BOX, Options::default());
    scene.data.state.v[1] = f64::NAN;
    match scene.simulation.step(&scene.model, &mut scene.data) {
        Err(Error::Input { quantity: "v", index: 1, .. }) => {}
        other => panic!("{other:?}"),
    }
    scene.data.state.v[1] = 9e9;
    scene.data.state.v[2] = 9e9;
    let before = scene.data.state.clone();
    match scene.simulation.step(&scene.model, &mut scene.data) {
        Err(Error::Diverged { quantity: "velocity", body, .. }) => assert_eq!(body, "box"),
        other => panic!("{other:?}"),
    }
    assert_eq!(before, scene.data.state);
}

#[test]
fn data_of_another_model_is_refused() {
    let mut scene = scene(BOX, Options::default());
    let other = model("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>");
    let mut data = Data::new(&other);
    assert_eq!(scene.simulation.step(&other, &mut data).unwrap_err(), Error::Mismatch);
    let mut data = Data::new(&model(crate::scene::ZOO));
    assert_eq!(scene.simulation.step(&scene.model, &mut data).unwrap_err(), Error::Mismatch);
}
