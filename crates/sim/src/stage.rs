//! The stages of the pipeline.

use serde::{Deserialize, Serialize};

/// Stages of the computation, in order. The results of a stage are valid only if those of all
/// earlier stages are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(i32)]
pub enum Stage {
    /// No results are valid.
    #[default]
    None = 0,
    /// Results that depend on q only: kinematics, inertia, tendons, transmissions, contacts.
    Position = 1,
    /// Results that depend on q and v: velocities, bias forces, passive forces.
    Velocity = 2,
    /// Results that depend on q, v, controls and applied forces: actuator forces, constraint
    /// forces, accelerations.
    Acceleration = 3,
}
