//! Lights, as MJCF describes them.

use crate::vector::V3;
use saltus_math::Vec3;

/// A light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    pub position: Vec3,
    /// Unit vector in which it shines.
    pub direction: Vec3,
    pub ambient: V3,
    pub diffuse: V3,
    pub specular: V3,
    /// Light from one direction; otherwise from `position`.
    pub directional: bool,
    /// Constant, linear and quadratic attenuation with distance.
    pub attenuation: V3,
    /// Cosine of the half angle of a spot; −1 for light to all sides.
    pub cutoff: f32,
    pub exponent: f32,
    pub casts_shadow: bool,
    /// Whether it is fixed to the camera, with its direction in camera coordinates.
    pub head: bool,
}
