mod hfield;
mod mesh;
mod urdf;
