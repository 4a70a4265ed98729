//! Rigid-body algebra and small linear algebra, independent of models and files.
//!
//! Vectors are `glam`'s `DVec3`. Quaternions (w first) and 3×3 matrices (row major) are our own,
//! because their memory layout is the one that robotics users see as numpy arrays, without a copy.
//! Transcendental functions come from the `libm` crate only: the same bits on every machine.

pub mod block_arrow;
pub mod cholesky;
pub mod gram;
mod inertia;
mod kernel;
pub mod ldl;
mod mat3;
mod mat6;
mod quat;
mod random;
pub mod real;
pub mod run_ldl;
mod spatial;
mod tile;
mod tree_lu;

pub use inertia::SpatialInertia;
pub use kernel::dot;
pub use mat3::Mat3;
pub use mat6::Mat6;
pub use quat::Quat;
pub use random::Random;
pub use spatial::{Force, Motion};
pub use tree_lu::TreeMatrix;

/// Three-vector of `f64`.
pub type Vec3 = glam::DVec3;

/// Smallest divisor: directions and masses below this magnitude are taken as zero.
pub const MIN_VAL: f64 = 1e-15;

/// `v / |v|`, and `|v|`; a vector shorter than [`MIN_VAL`] becomes the x axis, with length 0.
#[inline]
pub fn normalize(v: Vec3) -> (Vec3, f64) {
    let n = v.length();
    if n < MIN_VAL { (Vec3::X, 0.0) } else { (v / n, n) }
}
