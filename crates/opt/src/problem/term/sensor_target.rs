//! The reading of a sensor is close to a target.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_sim::derivative::{Workspace, sensor_slopes};
use saltus_sim::model::kinds::SensorKind;
use saltus_sim::options::Disable;
use saltus_sim::sensor::update_sensors;
use saltus_sim::{Data, Model, NoCallbacks, Stage, forward};

/// r = w (s − target), component by component. Sensors of accelerations have no rows at a last
/// state, which has no acceleration.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorTarget {
    /// The sensor.
    pub sensor: usize,
    /// Target for each component of the sensor.
    pub target: Vec<f64>,
    /// 0: free.
    pub weights: Vec<f64>,
}

/// Why a sensor cannot be used in a term; `None` if it can.
pub fn sensor_obstacle(model: &Model, sensor: usize) -> Option<&'static str> {
    use SensorKind::*;
    if model.options.disable.has(Disable::SENSOR) {
        return Some("the model disables its sensors");
    }
    match model.sensors.kind[sensor] {
        ActuatorFrc => return Some("forces of actuators are unknowns of a plan: use the terms effort or control"),
        FrameQuat | BallQuat => return Some("quaternions have two signs: use the term orientation"),
        _ => {}
    }
    let mut data = Data::new(model);
    forward(model, &mut data);
    let known = matches!(sensor_slopes(model, &data, sensor, &mut Workspace::default()), Ok(Some(_)));
    (!known).then_some("sensors of this kind have no exact derivatives")
}

impl Term for SensorTarget {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let (model, s) = (knot.model, self.sensor);
        let stage = model.sensors.stage[s];
        if stage == Stage::Acceleration && !knot.has_force {
            return;
        }
        let mut data = knot.data.clone();
        data.acceleration.a.copy_from_slice(knot.a);
        update_sensors(model, &mut data, stage, &mut NoCallbacks);
        let (nv, start) = (model.size.nv, model.sensors.start[s] as usize);
        let mut work = Workspace::default();
        debug_assert!(data.stage() >= Stage::Velocity, "knots have positions and velocities");
        let slopes = if out.wants_jacobian() { sensor_slopes(model, &data, s, &mut work).ok().flatten() } else { None };
        for (r, (&target, &w)) in self.target.iter().zip(&self.weights).enumerate() {
            if w == 0.0 {
                continue;
            }
            out.row(w * (data.sensor[start + r] - target));
            if let Some(slopes) = slopes {
                let own = r * nv..(r + 1) * nv;
                out.add_all(Part::Q, w, &slopes.by_q[own.clone()]);
                out.add_all(Part::V, w, &slopes.by_v[own.clone()]);
                out.add_all(Part::A, w, &slopes.by_a[own]);
            }
        }
    }
}
