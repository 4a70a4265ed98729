//! Actuators: transmissions, activation dynamics, forces.

mod activation;
mod force;
mod muscle;
mod slope;
mod transmission;

pub use activation::calc_next_activation;
pub(crate) use activation::{calc_activation_after, pid_state as pid_layout};
pub use force::update_actuation;
pub(crate) use force::{is_disabled, wrapped_set_point};
pub(crate) use slope::{
    ControlView, Slope, calc_gain, calc_slope, calc_slope_changes, is_saturated, muscle_rate_slope,
};
pub use transmission::{update_actuator_velocity, update_adhesion, update_transmission};
