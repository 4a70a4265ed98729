//! Terms of trajectory optimization, one file each.

mod actuation;
mod bounds;
mod effort;
mod height;
mod posture;
mod slip;
mod smoothness;
mod torque;

pub use actuation::Unactuated;
pub use bounds::{Bound, JointBounds};
pub use effort::Effort;
pub use height::AboveGround;
pub use posture::Posture;
pub use slip::Slip;
pub use smoothness::Smoothness;
pub use torque::TorqueBounds;
