//! Model files: MJCF, URDF, meshes, height fields → [`ModelSpec`](saltus_sim::ModelSpec).

pub mod error;
pub mod source;

pub use error::ReadError;
pub use source::Source;
