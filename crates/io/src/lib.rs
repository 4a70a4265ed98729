//! Model files: MJCF, URDF, meshes, height fields → [`ModelSpec`](saltus_sim::ModelSpec).

pub mod binary;
pub mod error;
pub mod hfield;
pub mod mesh;
pub mod mjcf;
pub mod source;
pub mod urdf;

pub use error::ReadError;
pub use source::Source;
