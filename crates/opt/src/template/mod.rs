//! Templates: problems for robots that were never seen before.

pub mod gait;
pub mod pose;
pub mod robot;
pub mod symmetry;
