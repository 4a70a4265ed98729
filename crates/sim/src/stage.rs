//! How far the pipeline has come for the present state.

use serde::{Deserialize, Serialize};

/// Stages of the computation, in order. A stage is valid only if all before it are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(i32)]
pub enum Stage {
    /// Nothing is computed.
    #[default]
    None = 0,
    /// What depends on q: kinematics, inertia, tendons, transmissions, contacts.
    Position = 1,
    /// What depends on q and v: velocities, bias, passive forces.
    Velocity = 2,
    /// What depends on q, v, controls and forces: accelerations.
    Acceleration = 3,
}
