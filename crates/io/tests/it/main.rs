mod binary;
mod hfield;
mod mesh;
mod urdf;
mod write;
