//! Rangefinders: the first hit of a ray along a site's z axis, or of one ray per pixel of a camera.

use super::object;
use crate::collide::{RayFilter, ray};
use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::ObjectKind;
use saltus_math::{Mat3, Vec3, normalize, real};

/// Number of values of each field of a rangefinder, by bit number.
const SIZES: [usize; 6] = [1, 3, 3, 3, 3, 1];

pub(super) fn read(model: &Model, data: &Data, s: usize, out: &mut [f64]) {
    let fields = model.sensors.int_prm[s][0];
    let size = (0..6).filter(|bit| fields & (1 << bit) != 0).map(|bit| SIZES[bit]).sum::<usize>().max(1);
    let id = object(model, s);
    let x = &data.position;
    if model.sensors.object_kind[s] != ObjectKind::Camera {
        let view = View { p: x.p_WS[id], axis: x.R_WS[id].col(2), direction: x.R_WS[id].col(2) };
        let filter = RayFilter { exclude: Some(model.sites.body[id]), ..RayFilter::default() };
        return measure(model, data, &view, &filter, fields, out);
    }
    let filter = RayFilter { exclude: Some(model.cameras.body[id]), ..RayFilter::default() };
    let image = Image::new(model, id);
    let (p, R) = (x.p_WC[id], &x.R_WC[id]);
    for (k, values) in out.chunks_exact_mut(size).enumerate() {
        let view = image.pixel(p, R, k % image.width, k / image.width);
        measure(model, data, &view, &filter, fields, values);
    }
}

/// A ray, and the direction along which depth is measured.
struct View {
    p: Vec3,
    /// Unit vector.
    direction: Vec3,
    axis: Vec3,
}

/// Writes the fields of one ray, in the order of their bits.
fn measure(model: &Model, data: &Data, view: &View, filter: &RayFilter, fields: i32, out: &mut [f64]) {
    let hit = if view.direction.is_finite() { ray(model, data, view.p, view.direction, filter) } else { None };
    let hit = hit.map(|(_, hit)| hit);
    let mut rest = out;
    let mut put = |bit: usize, values: &[f64]| {
        if fields & (1 << bit) != 0 && rest.len() >= values.len() {
            let (now, later) = core::mem::take(&mut rest).split_at_mut(values.len());
            now.copy_from_slice(values);
            rest = later;
        }
    };
    let seen = |v: Vec3| if hit.is_some() { v.to_array() } else { [0.0; 3] };
    let t = hit.map_or(0.0, |hit| hit.t);
    put(0, &[hit.map_or(-1.0, |hit| hit.t)]);
    put(1, &seen(view.direction));
    put(2, &view.p.to_array());
    put(3, &seen(view.p + view.direction * t));
    put(4, &hit.map_or([0.0; 3], |hit| hit.normal.to_array()));
    put(5, &[hit.map_or(-1.0, |hit| hit.t * view.direction.dot(view.axis))]);
}

/// Mapping from the pixels of a camera to rays, in the camera frame: it looks along −z, y is up, x
/// to the right.
struct Image {
    width: usize,
    height: usize,
    lens: Lens,
}

enum Lens {
    /// Parallel rays; side length of the square that they cover.
    Parallel(f64),
    /// Focal lengths and principal point in pixels, from the upper left corner.
    Pinhole { focal: [f64; 2], centre: [f64; 2] },
}

impl Image {
    fn new(model: &Model, camera: usize) -> Self {
        let cameras = &model.cameras;
        let resolution = cameras.resolution[camera];
        let [width, height] = resolution.map(|n| n.max(1) as usize);
        let (sensor, intrinsic) = (cameras.sensor_size[camera], cameras.intrinsic[camera]);
        let lens = if cameras.orthographic[camera] {
            Lens::Parallel(cameras.fovy[camera])
        } else if sensor[0] > 0.0 && sensor[1] > 0.0 {
            // Single precision, as the parameters are stored.
            let pixels = |k: usize, i: usize| f64::from(intrinsic[k] / sensor[i] * resolution[i] as f32);
            Lens::Pinhole { focal: [pixels(0, 0), pixels(1, 1)], centre: [pixels(2, 0), pixels(3, 1)] }
        } else {
            let focal = 0.5 / real::tan(cameras.fovy[camera] * real::PI / 360.0) * height as f64;
            Lens::Pinhole { focal: [focal; 2], centre: [0.5 * width as f64, 0.5 * height as f64] }
        };
        Self { width, height, lens }
    }

    /// The ray through the centre of a pixel of a camera at `p`.
    fn pixel(&self, p: Vec3, R: &Mat3, column: usize, row: usize) -> View {
        let (u, v) = (column as f64 + 0.5, row as f64 + 0.5);
        let axis = -R.col(2);
        match self.lens {
            Lens::Parallel(side) => {
                let (x, y) = (side * (u / self.width as f64 - 0.5), side * (0.5 - v / self.height as f64));
                View { p: p + *R * Vec3::new(x, y, 0.0), direction: axis, axis }
            }
            Lens::Pinhole { focal: [fx, fy], centre: [cx, cy] } => {
                let local = Vec3::new((u - cx) / fx, -(v - cy) / fy, -1.0);
                View { p, direction: *R * normalize(local).0, axis }
            }
        }
    }
}
