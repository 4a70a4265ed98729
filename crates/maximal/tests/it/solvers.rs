//! What the options of sweeps do.

use crate::scene::scene;
use crate::tree::{double_pendulum, out_of_plane};
use saltus_maximal::{FrictionBound, Options, Order};

/// (12): a row with the ERP and CFM of a spring and damper is that spring and damper.
#[test]
fn error_reduction_and_force_mixing_are_a_spring_and_a_damper() {
    let (kp, kd, h) = (120.0, 3.0, 0.004);
    let [erp, cfm] = Options::spring_damper(kp, kd, h);
    // Implicit Euler of m x'' = −k x − d x', and the row v⁺ + cfm f/h = −erp x/h.
    let (m, x, v) = (0.7, 0.03, -0.2);
    let implicit = (m * v - h * kp * x) / (m + h * kd + h * h * kp);
    let f = (-erp * x / h - v) / (1.0 / m + cfm / h);
    assert!((v + f / m - implicit).abs() < 1e-14);
}

/// A stiff damper on a light joint: explicit damping diverges, implicit damping stops the joint.
#[test]
fn implicit_damping_is_stable_where_explicit_damping_is_not() {
    let xml = r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body><joint axis="0 0 1" damping="1"/>
        <inertial pos="0 0 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/></body></worldbody></mujoco>"#;
    for options in [Options::default(), Options::tree()] {
        let mut scene = scene(xml, options);
        scene.data.state.v[0] = 1.0;
        scene.run(1);
        // v⁺ = v / (1 + h d / I).
        assert!((scene.data.state.v[0] - 1.0 / 1001.0).abs() < 1e-9, "{}", scene.data.state.v[0]);
        scene.run(20);
        assert!(scene.data.state.v[0].abs() < 1e-12);
    }
    let mut scene = scene(xml, Options { implicit_damping: false, ..Options::default() });
    scene.data.state.v[0] = 1.0;
    scene.run(1);
    assert!(scene.data.state.v[0] < -500.0);
}

/// The published pendulum and bound: sweeps alone lose the hinge plane, with inertias evened out
/// they keep it.
#[test]
fn inertia_reduction_keeps_the_plane_of_the_pendulum() {
    let worst = |options: Options| {
        let mut scene = scene(&double_pendulum(5.0), options);
        (0..2000).fold(0.0f64, |worst, _| {
            scene.run(1);
            worst.max(out_of_plane(&scene))
        })
    };
    let (plain, reduced) = (worst(Options::plain()), worst(Options { inertia_reduction: 0.5, ..Options::plain() }));
    assert!(plain > 0.1 && reduced < 0.001, "{plain:e} {reduced:e}");
}

/// All orders and bounds come to the same rest.
#[test]
fn orders_of_rows_agree_where_sweeps_converge() {
    let xml = r#"<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.15 0.1"/></body></worldbody></mujoco>"#;
    let mut rest = Vec::new();
    for order in [Order::Grouped, Order::AsMade, Order::Random { seed: 9 }] {
        for friction_bound in [FrictionBound::Present, FrictionBound::LastStep] {
            let mut scene = scene(xml, Options { order, friction_bound, ..Options::default() });
            scene.run(1000);
            rest.push(scene.data.state.q.clone());
        }
    }
    for q in &rest {
        for (a, b) in q.iter().zip(&rest[0]) {
            assert!((a - b).abs() < 1e-6, "{rest:?}");
        }
    }
}
