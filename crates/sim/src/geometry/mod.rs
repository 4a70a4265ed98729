//! Meshes as tables hold them: convex hulls that are walked along their edges, and trees of faces
//! for rays. Knows no models.

mod face_tree;
mod hull;
mod outline;

pub use face_tree::FaceTree;
pub use hull::{Hull, HullGraph};
