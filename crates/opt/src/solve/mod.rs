//! How a problem is solved: Gauss–Newton or Newton steps with multipliers, along a path of continuation in the hardness of contact.

pub mod assemble;
pub mod correction;
pub mod knot;
pub mod linearized;
pub mod minimize;
pub mod multiplier;
pub mod optimize;
pub mod pool;
pub mod report;
pub mod sqp;
