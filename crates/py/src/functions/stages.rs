//! Single stages.

use super::args::{Readonly, numbers};
use crate::data::DataCore;
use crate::model::ModelCore;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::sim::callbacks::{Callbacks, NoCallbacks};
use saltus::sim::ids::ActuatorId;
use saltus::sim::{self, actuation as act, collide, constraint, dynamics, kinematics, law, sensor, tendon};
use saltus::{Data, Model, Stage};

/// Runs one stage, or one function of a stage, by name.
#[pyfunction]
pub fn stage(py: Python<'_>, model: &ModelCore, data: &mut DataCore, name: &str) -> PyResult<()> {
    type Run = fn(&Model, &mut Data);
    let run: Run = match name {
        "position" => sim::update_position,
        "kinematics" => kinematics::update_kinematics,
        "com" => kinematics::update_com,
        "views" => kinematics::update_views,
        "tendons" => tendon::update_tendons,
        "inertia" => dynamics::update_inertia,
        "factor" => dynamics::update_factor,
        "transmission" => |m, d| {
            act::update_transmission(m, d);
            act::update_adhesion(m, d);
        },
        "collision" => collide::update_contacts,
        "constraint" => constraint::update_constraints,
        "reference" => constraint::update_reference,
        "solve" => law::solve,
        "forward_position" => |m, d| {
            sim::update_position(m, d);
            collide::update_contacts(m, d);
            act::update_adhesion(m, d);
            constraint::update_constraints(m, d);
        },
        "velocity" => |m, d| sim::update_velocity(m, d, &mut NoCallbacks),
        "body_velocity" => kinematics::update_body_velocity,
        "passive" => dynamics::update_passive,
        "bias" => dynamics::update_bias,
        "momentum" => dynamics::update_momentum,
        "acceleration" => sim::update_smooth_acceleration,
        "post_constraint" => dynamics::update_post_constraint,
        "energy_position" => dynamics::update_potential_energy,
        "energy_velocity" => dynamics::update_kinetic_energy,
        "sensor_position" => |m, d| sensor::update_sensors(m, d, Stage::Position, &mut NoCallbacks),
        "sensor_velocity" => |m, d| sensor::update_sensors(m, d, Stage::Velocity, &mut NoCallbacks),
        "sensor_acceleration" => |m, d| sensor::update_sensors(m, d, Stage::Acceleration, &mut NoCallbacks),
        _ => return Err(PyValueError::new_err(format!("unknown stage {name:?}"))),
    };
    let model = model.for_step(py)?;
    let data = data.checked(py, &model)?;
    py.detach(|| run(&model, data));
    Ok(())
}

/// Values of user callbacks for each actuator.
struct UserActuation<'a> {
    rate: &'a [f64],
    gain: &'a [f64],
    bias: &'a [f64],
}
impl Callbacks for UserActuation<'_> {
    fn activation_rate(&mut self, _: &Model, _: &Data, a: ActuatorId) -> f64 {
        self.rate[a.idx()]
    }
    fn gain(&mut self, _: &Model, _: &Data, a: ActuatorId) -> f64 {
        self.gain[a.idx()]
    }
    fn bias(&mut self, _: &Model, _: &Data, a: ActuatorId) -> f64 {
        self.bias[a.idx()]
    }
}

/// Actuation with activation rates, gains and biases of user-defined actuators, one number per
/// actuator each.
#[pyfunction]
pub fn actuation(
    py: Python<'_>,
    model: &ModelCore,
    data: &mut DataCore,
    user: Option<(Readonly<'_>, Readonly<'_>, Readonly<'_>)>,
) -> PyResult<()> {
    let model = model.for_step(py)?;
    let data = data.checked(py, &model)?;
    let n = model.nactuator();
    match &user {
        None => act::update_actuation(&model, data, &mut NoCallbacks),
        Some((rate, gain, bias)) => {
            let (rate, gain, bias) = (numbers(rate, n, "rate")?, numbers(gain, n, "gain")?, numbers(bias, n, "bias")?);
            act::update_actuation(&model, data, &mut UserActuation { rate, gain, bias });
        }
    }
    Ok(())
}

/// Recomputes the constants that depend on the reference pose, after masses or the pose changed.
#[pyfunction]
pub fn set_const(py: Python<'_>, model: &ModelCore) -> PyResult<()> {
    model.edit(py, sim::compiler::update_reference)
}
