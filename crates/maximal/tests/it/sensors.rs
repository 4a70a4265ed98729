//! Sensors of accelerations and forces, against generalized coordinates and against statics.

use crate::scene::{model, scene};
use saltus_maximal::{Options, Simulation};
use saltus_sim::{Data, step};

/// An arm with a wrist that weighs things, without contact.
const ARM: &str = r#"<mujoco><compiler angle="radian"/><option timestep="0.0001"><flag contact="disable"/></option><worldbody>
  <body name="upper" pos="0 0 1"><joint name="s" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
    <body name="lower" pos="0.3 0 0"><joint name="e" axis="0 1 0.2" range="-0.2 0.1" limited="true"/><geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02"/>
      <site name="wrist" pos="0.1 0 0" euler="0.1 0.2 0.3"/>
      <body name="tool" pos="0.2 0 0"><geom type="box" size="0.03 0.02 0.01"/><site name="tip"/></body></body></body></worldbody>
  <actuator><motor name="m" joint="e" gear="0.7"/></actuator>
  <sensor><accelerometer site="wrist"/><force site="wrist"/><torque site="wrist"/><framelinacc objtype="site" objname="tip"/>
    <frameangacc objtype="body" objname="lower"/><actuatorfrc actuator="m"/><jointactuatorfrc joint="e"/></sensor></mujoco>"#;

#[test]
fn accelerations_and_forces_are_those_of_generalized_coordinates() {
    let model = model(ARM);
    let mut data = Data::new(&model);
    data.state.v.copy_from_slice(&[0.7, -0.4]);
    data.input.ctrl[0] = 0.3;
    let mut other = data.clone();
    step(&model, &mut other).unwrap();
    for options in [Options::tree(), Options { iterations: 2000, inertia_reduction: 0.0, ..Options::default() }] {
        let mut simulation = Simulation::new(&model, options).unwrap();
        let mut data = data.clone();
        simulation.step(&model, &mut data).unwrap();
        let scale = other.sensor.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        for (i, (a, b)) in data.sensor.iter().zip(&other.sensor).enumerate() {
            // The damper is implicit in both; velocity products differ by O(h).
            assert!((a - b).abs() < 2e-3 * scale, "{i}: {a} {b}");
        }
        for (a, b) in data.acceleration.a.iter().zip(&other.acceleration.a) {
            assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{a} {b}");
        }
    }
}

/// A box that rests on a floor and on a scale, and hangs from a weld: what sensors say is its
/// weight.
#[test]
fn weights_are_felt() {
    let xml = r#"<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 1"/>
      <body name="box" pos="0 0 0.1"><freejoint/><geom name="g" type="box" size="0.1 0.1 0.1" mass="2"/>
        <site name="pad" type="box" size="0.2 0.2 0.2"/></body>
      <body name="shelf" pos="1 0 1"><geom size="0.05" mass="1"/><joint type="slide" axis="0 0 1" limited="true" range="0 1"/>
        <body name="tray" pos="0 0 0.2"><geom size="0.05" mass="3"/><site name="seam"/></body></body>
      <body name="hung" pos="2 0 1"><freejoint/><geom size="0.1" mass="4"/><body name="hook" pos="0 0 0.3"><geom size="0.05" mass="1"/>
        <site name="hook"/></body></body></worldbody>
      <equality><weld body1="hung"/></equality>
      <sensor><touch site="pad"/><jointlimitfrc joint="rail"/><force site="seam"/><force site="hook"/></sensor></mujoco>"#
        .replace("<joint type=\"slide\"", "<joint name=\"rail\" type=\"slide\"");
    for options in [Options::tree(), Options { smoothing: 0.0, ..Options::default() }] {
        let mut scene = scene(&xml, options);
        scene.run(500);
        let s = &scene.data.sensor;
        let g = 9.81;
        assert!((s[0] / (2.0 * g) - 1.0).abs() < 1e-4, "{s:?}");
        assert!((s[1] / (4.0 * g) - 1.0).abs() < 1e-4, "{s:?}");
        // What bodies above exert on those below them: 3 kg, and 1 kg on the hook.
        assert!((s[4] / (3.0 * g) - 1.0).abs() < 1e-4 && s[2].abs() + s[3].abs() < 1e-6, "{s:?}");
        assert!((s[7] / g - 1.0).abs() < 1e-4, "{s:?}");
    }
}

/// What the user applies to bodies is as before after sensors were read.
#[test]
fn reading_sensors_changes_no_input() {
    let mut scene = scene(ARM, Options::tree());
    scene.data.input.body_force[1][0].x = 2.5;
    let before = scene.data.input.body_force.clone();
    scene.run(3);
    assert_eq!(before, scene.data.input.body_force);
}
