mod hfield;
mod mesh;
