pub mod hfield;
pub mod mesh;
