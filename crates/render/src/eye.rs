//! The projection of a camera or of a light.
//!
//! Camera coordinates: x to the right, y up, z backwards; w = −z is the distance along the viewing
//! axis. Pixels: x to the right, y down.
//!
//! Nearness, which decides what hides what, is linear over the picture: 1/w in perspective, −w in
//! parallel projection.

use crate::vector::{M3, V3, from};
use saltus_math::{Mat3, Vec3};

/// A projection with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Position in the world.
    pub position: Vec3,
    /// Axes in the world: right, up, backwards.
    pub axes: Mat3,
    /// Pixels per unit of x/w, or per metre in parallel projection.
    pub focal: [f32; 2],
    /// Pixel of the viewing axis.
    pub centre: [f32; 2],
    /// Nearest and farthest distance that is seen, m.
    pub near: f32,
    pub far: f32,
    /// Parallel instead of perspective projection.
    pub parallel: bool,
    /// Size of the picture in pixels.
    pub width: usize,
    pub height: usize,
}

impl Eye {
    /// The map from a frame with this pose to camera coordinates.
    pub fn map_from(&self, position: Vec3, axes: &Mat3) -> (M3, V3) {
        let back = self.axes.transpose();
        (M3::from(&(back * *axes)), from(back * (position - self.position)))
    }

    /// A direction of the world in camera coordinates.
    pub fn direction(&self, world: Vec3) -> V3 {
        from(self.axes.transpose() * world)
    }

    /// A point of the world in camera coordinates.
    pub fn point(&self, world: Vec3) -> V3 {
        from(self.axes.transpose() * (world - self.position))
    }

    /// Homogeneous pixel coordinates (x s, y s, s).
    #[inline(always)]
    pub fn homogeneous(&self, p: V3) -> V3 {
        let s = if self.parallel { 1.0 } else { -p[2] };
        [self.focal[0] * p[0] + self.centre[0] * s, self.centre[1] * s - self.focal[1] * p[1], s]
    }

    /// Nearness of a point.
    #[inline(always)]
    pub fn nearness(&self, p: V3) -> f32 {
        if self.parallel { p[2] } else { -1.0 / p[2] }
    }

    /// Distance along the viewing axis of a nearness.
    #[inline(always)]
    pub fn distance(&self, nearness: f32) -> f32 {
        if self.parallel { -nearness } else { 1.0 / nearness }
    }

    /// The nearness of what is at the far end: nothing beyond is seen.
    pub fn farthest(&self) -> f32 {
        if self.parallel { -self.far } else { 1.0 / self.far }
    }

    /// Start and direction of the ray through a point of the picture, camera coordinates; the
    /// direction goes 1 m along the viewing axis.
    #[inline(always)]
    pub fn ray(&self, x: f32, y: f32) -> (V3, V3) {
        let at = [(x - self.centre[0]) / self.focal[0], (self.centre[1] - y) / self.focal[1]];
        if self.parallel { ([at[0], at[1], 0.0], [0.0, 0.0, -1.0]) } else { ([0.0; 3], [at[0], at[1], -1.0]) }
    }

    /// Whether a ball, given by its centre in camera coordinates, can be in the picture.
    pub fn sees(&self, centre: V3, radius: f32) -> bool {
        let w = -centre[2];
        if w + radius < self.near || w - radius > self.far {
            return false;
        }
        let side = |focal: f32, offset: f32, size: usize, sign: f32, x: f32| {
            // The plane through the edge of the picture: sign·(focal x + offset s) ≤ limit s.
            let (low, high) = (offset, size as f32 - offset);
            let limit = if sign > 0.0 { high } else { low };
            let length = if self.parallel { focal } else { (focal * focal + limit * limit).sqrt() };
            let s = if self.parallel { 1.0 } else { w };
            sign * focal * x - limit * s <= radius * length
        };
        [1.0, -1.0].into_iter().all(|sign| {
            side(self.focal[0], self.centre[0], self.width, sign, centre[0])
                && side(self.focal[1], self.height as f32 - self.centre[1], self.height, sign, centre[1])
        })
    }
}
