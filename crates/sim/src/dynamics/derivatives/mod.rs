//! Derivatives of smooth forces with respect to velocity, analytic.
//!
//! Damping matrices are D = −∂τ/∂v: positive where a force resists motion. They are kept to the sparsity of a tree:
//! what couples dofs of different branches is left out.

mod actuation;
mod bias;
mod fluid;
mod passive;
#[cfg(test)]
mod tests;

pub(crate) use actuation::add_actuator_damping;
pub(crate) use bias::{BiasWork, add_bias_slope};
pub(crate) use fluid::add_fluid_damping;
pub(crate) use passive::{add_tendon_damping, calc_dof_damping, has_dof_damping};
