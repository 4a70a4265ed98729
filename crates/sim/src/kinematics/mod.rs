//! Positions, velocities and Jacobians of bodies and the objects attached to them.

mod com;
pub mod coordinates;
mod forward;
pub mod jacobian;
mod object;
mod velocity;
mod view;

pub use com::update_com;
pub use forward::update_kinematics;
pub use object::{Frame, ObjectFrame, calc_object_acceleration, calc_object_velocity, object_frame};
pub use velocity::update_body_velocity;
pub use view::update_views;
