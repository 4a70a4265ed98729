//! Templates: problems for robots that were never seen before.

pub mod gait;
pub mod goal;
pub mod ground;
mod objects;
pub(crate) mod pose;
pub mod robot;
pub(crate) mod subject;
pub mod symmetry;
