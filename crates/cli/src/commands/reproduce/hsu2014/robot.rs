//! The two scenes of Figs. 3 to 5 with their controllers: a grasp and a pair of legs, our own models with published masses.

use super::Scene;
use anyhow::{Context, Result};
use saltus::math::{Vec3, real};
use saltus::maximal::{FixedBodies, Options, Report};

const GRASP: &str = include_str!("grasp.xml");
const LEGS: &str = include_str!("legs.xml");
pub const STEP: f64 = 1e-3;
/// Arm and legs begin to move after this time, s.
pub const SETTLED: f64 = 1.0;

/// Sine at half a hertz that begins when the scene has settled.
fn wave(time: f64) -> f64 {
    if time > SETTLED { real::sin(real::PI * (time - SETTLED)) } else { 0.0 }
}

/// The hand, with the pads of its fingers as links of their own: forces reach the object through 0.01 kg.
pub fn grasp(options: Options) -> Result<Scene> {
    Scene::new(GRASP, Options { fixed_bodies: FixedBodies::Rows, ..options })
}

/// Closes the fingers, moves the arm by ±2 cm.
pub fn step_grasp(scene: &mut Scene) -> Result<Report> {
    let time = scene.data.state.time;
    for (a, name) in scene.model.actuators.name.iter().enumerate() {
        scene.data.input.ctrl[a] = match name.rsplit(' ').next() {
            Some("knuckle") => 0.15,
            Some("middle") => 0.1,
            Some("tip") => 0.05,
            _ => 0.02 * wave(time),
        };
    }
    scene.step()
}

/// Height of the object relative to the arm: coordinate 2 of the last joint against that of the first.
pub fn slip(scene: &Scene) -> f64 {
    let q = &scene.data.state.q;
    q[q.len() - 5] - q[0]
}

/// Legs that stand on servos.
pub fn legs(options: Options) -> Result<Scene> {
    Scene::new(LEGS, options)
}

/// Shifts the weight from leg to leg by turning hips and ankles by `amplitude`, rad.
pub fn step_legs(scene: &mut Scene, amplitude: f64) -> Result<Report> {
    let sway = amplitude * wave(scene.data.state.time);
    for (a, name) in scene.model.actuators.name.iter().enumerate() {
        scene.data.input.ctrl[a] = match name.rsplit(' ').next() {
            Some("roll") => sway,
            Some("tilt") => -sway,
            _ => 0.0,
        };
    }
    scene.step()
}

/// Centre of mass of the left foot.
pub fn foot(scene: &Scene) -> Result<Vec3> {
    let body = scene.model.body("left foot").context("the built-in legs have a left foot")?;
    Ok(scene.data.position.p_WI[body.idx()])
}
