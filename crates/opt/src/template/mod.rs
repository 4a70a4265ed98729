//! Templates: problems for robots that were never seen before.

pub mod gait;
pub mod goal;
pub mod ground;
mod objects;
pub mod pose;
pub mod robot;
pub mod subject;
pub mod symmetry;
