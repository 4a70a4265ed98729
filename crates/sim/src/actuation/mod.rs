//! Actuators: transmissions, activation dynamics, forces.

mod activation;
mod force;
mod muscle;
mod parameter;
mod slope;
mod transmission;

pub use activation::calc_next_activation;
pub(crate) use activation::{calc_activation_after, pid_state as pid_layout};
pub use force::update_actuation;
pub(crate) use force::{is_disabled, wrapped_set_point};
pub(crate) use parameter::{calc_parameter_slope, is_wrapped};
pub(crate) use slope::{
    ControlView, Slope, calc_gain, calc_slope, calc_slope_changes, is_saturated, muscle_rate_slope,
};
pub(crate) use transmission::calc_unit_transmission;
pub use transmission::{update_actuator_velocity, update_adhesion, update_transmission};
