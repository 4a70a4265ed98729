//! Derivatives of smooth forces with respect to velocity, analytic.
//!
//! Damping matrices are D = −∂τ/∂v: positive where a force resists motion.

mod passive;

pub(crate) use passive::{calc_dof_damping, has_dof_damping};
