//! How a problem is solved: Gauss–Newton or Newton steps on an augmented Lagrangian, along a path
//! of continuation from soft to hard contact.

pub(crate) mod assemble;
pub(crate) mod correction;
mod evaluator;
mod finite;
pub(crate) mod knot;
pub(crate) mod linearized;
pub(crate) mod minimize;
pub(crate) mod multiplier;
pub mod optimize;
pub(crate) mod pool;
pub mod report;
pub(crate) mod sqp;
#[cfg(test)]
mod tests;

pub use evaluator::{Evaluation, Evaluator};
pub use pool::PoolError;
