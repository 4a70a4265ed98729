//! Where pictures are taken from.

use crate::eye::Eye;
use saltus_math::{Mat3, Vec3, real};

/// A camera in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    pub position: Vec3,
    /// Axes: right, up, backwards.
    pub axes: Mat3,
    /// Vertical field of view in degrees, or the height of the picture in metres in parallel
    /// projection.
    pub fovy: f64,
    pub parallel: bool,
    pub near: f64,
    pub far: f64,
}

impl Camera {
    /// A camera that looks at a point from a distance. Azimuth and elevation of the viewing
    /// direction are in degrees: 0, 0 looks along x; an elevation of −90 looks down.
    pub fn orbit(target: Vec3, distance: f64, azimuth: f64, elevation: f64, extent: f64) -> Self {
        let (a, e) = (azimuth.to_radians(), elevation.to_radians());
        let forward = Vec3::new(real::cos(e) * real::cos(a), real::cos(e) * real::sin(a), real::sin(e));
        let right = Vec3::new(real::sin(a), -real::cos(a), 0.0);
        Self {
            position: target - forward * distance,
            axes: Mat3::from_cols(right, right.cross(forward), forward * -1.0),
            fovy: 45.0,
            parallel: false,
            near: 0.01 * extent,
            far: 50.0 * extent,
        }
    }

    /// The projection for a picture of this size.
    pub(crate) fn eye(&self, width: usize, height: usize) -> Eye {
        let half = 0.5 * height as f64;
        let focal = if self.parallel {
            2.0 * half / self.fovy
        } else {
            let angle = 0.5 * self.fovy.to_radians();
            half * real::cos(angle) / real::sin(angle)
        };
        Eye {
            position: self.position,
            axes: self.axes,
            focal: [focal as f32; 2],
            centre: [0.5 * width as f32, half as f32],
            near: self.near as f32,
            far: self.far as f32,
            parallel: self.parallel,
            width,
            height,
        }
    }
}
