//! Where pictures are taken from.

use crate::error::{MOST, RenderError};
use crate::eye::Eye;
use crate::scene::visual;
use saltus_math::{Mat3, Vec3, real};
use saltus_sim::ids::CameraId;
use saltus_sim::{Data, Model};

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
    /// The free camera of a model, which sees all of it: `<visual><global azimuth elevation fovy>`
    /// and `<statistic center extent>`.
    pub fn free(model: &Model) -> Self {
        Self::free_from(model, None, None, None)
    }

    /// The free camera, from another direction in degrees or another distance in metres.
    pub fn free_from(model: &Model, azimuth: Option<f64>, elevation: Option<f64>, distance: Option<f64>) -> Self {
        let extent = model.statistic.extent.max(1e-6);
        let setting = |section: &str, key: &str, usual: f32| f64::from(visual(&model.visual, section, key, [usual])[0]);
        let view = Self::orbit(
            model.statistic.center,
            distance.unwrap_or(1.5 * extent),
            azimuth.unwrap_or_else(|| setting("global", "azimuth", 90.0)),
            elevation.unwrap_or_else(|| setting("global", "elevation", -45.0)),
            extent,
        );
        Self {
            fovy: setting("global", "fovy", 45.0),
            near: setting("map", "znear", 0.01) * extent,
            far: setting("map", "zfar", 50.0) * extent,
            ..view
        }
    }

    /// A camera of the model, in the state of `data`, as after `forward_smooth`.
    pub fn of_model(model: &Model, data: &Data, camera: CameraId) -> Self {
        let c = camera.idx();
        Self {
            position: data.position.p_WC[c],
            axes: data.position.R_WC[c],
            fovy: model.cameras.fovy[c],
            parallel: model.cameras.orthographic[c],
            ..Self::free(model)
        }
    }

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
    pub(crate) fn eye(&self, [width, height]: [usize; 2]) -> Result<Eye, RenderError> {
        if !(1..=MOST).contains(&width) || !(1..=MOST).contains(&height) {
            return Err(RenderError::Size { width, height });
        }
        if !self.position.is_finite() || !(0..3).all(|k| self.axes.col(k).is_finite()) {
            return Err(RenderError::Camera("its place is not finite"));
        }
        if !(self.near > 0.0 && self.far > self.near && self.far.is_finite()) {
            return Err(RenderError::Camera("expected 0 < near < far"));
        }
        if !(self.fovy > 0.0 && (self.parallel || self.fovy < 180.0) && self.fovy.is_finite()) {
            return Err(RenderError::Camera("expected a field of view between 0 and 180 degrees"));
        }
        let half = 0.5 * height as f64;
        let focal = if self.parallel {
            2.0 * half / self.fovy
        } else {
            let angle = 0.5 * self.fovy.to_radians();
            half * real::cos(angle) / real::sin(angle)
        };
        Ok(Eye {
            position: self.position,
            axes: self.axes,
            focal: [focal as f32; 2],
            centre: [0.5 * width as f32, half as f32],
            near: self.near as f32,
            far: self.far as f32,
            parallel: self.parallel,
            width,
            height,
        })
    }
}
