//! Terms of trajectory optimization, one file each.

mod actuation;
mod bounds;
mod effort;
mod posture;
mod smoothness;

pub use actuation::Unactuated;
pub use bounds::JointBounds;
pub use effort::Effort;
pub use posture::Posture;
pub use smoothness::Smoothness;
