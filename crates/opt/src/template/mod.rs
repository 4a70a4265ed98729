//! Templates: problems for any robot, from a few settings.

pub mod gait;
pub mod goal;
pub mod ground;
mod objects;
pub(crate) mod pose;
pub mod robot;
pub(crate) mod subject;
pub mod symmetry;
