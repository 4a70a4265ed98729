//! Shadows by a depth map as the light sees it.

use crate::eye::Eye;
use crate::frame::Geometry;
use crate::mesh::Mesh;
use crate::raster::{TILE, Tile};
use crate::scene::{Instance, Light, Scene};
use crate::vector::{M3, V3, add, scale};
use rayon::prelude::*;
use saltus_math::{Mat3, Vec3};

/// Width of a map in texels.
const SIZE: usize = 1024;
/// Distance along the normal by which points are moved before the map is asked, texels.
const OFFSET: f32 = 1.5;

/// The nearest surface along each ray of a light.
#[derive(Clone, Debug)]
pub struct ShadowMap {
    nearness: Vec<f32>,
    eye: Eye,
    /// From coordinates of the camera to those of the light.
    turn: M3,
    shift: V3,
    /// Width of a texel at unit distance, m.
    texel: f32,
    geometry: Geometry,
}

/// A box along the axes of a light that contains all that casts a shadow.
fn bounds(instances: &[Instance], meshes: &[Mesh], axes: &Mat3) -> Option<[Vec3; 2]> {
    let back = axes.transpose();
    let mut found: Option<[Vec3; 2]> = None;
    for instance in instances.iter().filter(|i| i.casts) {
        let widest = instance.scale.iter().fold(0.0f32, |m, s| m.max(s.abs()));
        let radius = Vec3::splat(f64::from(widest * meshes[instance.mesh].radius));
        let centre = back * instance.position;
        let [low, high] = found.unwrap_or([centre; 2]);
        found = Some([low.min(centre - radius), high.max(centre + radius)]);
    }
    found
}

/// Axes with the given one as the third.
fn axes_of(back: Vec3) -> Mat3 {
    let side = if back.z.abs() < 0.9 { Vec3::Z } else { Vec3::X };
    let (x, _) = saltus_math::normalize(side.cross(back));
    Mat3::from_cols(x, back.cross(x), back)
}

impl ShadowMap {
    /// An empty map.
    pub fn new() -> Self {
        let eye = Eye {
            position: Vec3::ZERO,
            axes: Mat3::IDENTITY,
            focal: [1.0; 2],
            centre: [0.5 * SIZE as f32; 2],
            near: 0.0,
            far: 1.0,
            parallel: true,
            width: SIZE,
            height: SIZE,
        };
        let nearness = vec![0.0; SIZE * SIZE];
        Self { nearness, eye, turn: M3::default(), shift: [0.0; 3], texel: 1.0, geometry: Geometry::default() }
    }

    /// Draws the map of a light. Returns false if nothing casts a shadow.
    pub fn update(&mut self, light: &Light, scene: &Scene, camera: &Eye) -> bool {
        if !self.aim(light, scene) {
            return false;
        }
        let back = self.eye.axes.transpose();
        self.turn = M3::from(&(back * camera.axes));
        self.shift = crate::vector::from(back * (camera.position - self.eye.position));
        self.geometry.update(scene, &self.eye, |instance| instance.casts);
        let columns = SIZE.div_ceil(TILE);
        let (geometry, eye) = (&self.geometry, &self.eye);
        self.nearness.par_chunks_mut(SIZE * TILE).enumerate().for_each_init(Tile::<1>::default, |tile, (row, out)| {
            for column in 0..columns {
                tile.start(column, row, eye.farthest());
                geometry.draw(tile, row * columns + column);
                for y in 0..TILE {
                    let at = y * SIZE + column * TILE;
                    out[at..at + TILE].copy_from_slice(&tile.nearness[y * TILE..(y + 1) * TILE]);
                }
            }
        });
        true
    }

    /// Points the light at all that casts a shadow.
    fn aim(&mut self, light: &Light, scene: &Scene) -> bool {
        let eye = &mut self.eye;
        if light.directional {
            eye.axes = axes_of(saltus_math::normalize(light.direction * -1.0).0);
            let Some([low, high]) = bounds(&scene.instances, &scene.meshes, &eye.axes) else { return false };
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
            let distance = half.z + 1.0;
            eye.position = eye.axes * Vec3::new(middle.x, middle.y, middle.z + distance);
            eye.parallel = true;
            eye.focal = [half.x, half.y].map(|h| (0.5 * SIZE as f64 - 4.0) as f32 / h.max(1e-6) as f32);
            (eye.near, eye.far) = (0.0, (2.0 * distance) as f32);
            self.texel = 1.0 / eye.focal[0].min(eye.focal[1]);
            return true;
        }
        let Some([low, high]) = bounds(&scene.instances, &scene.meshes, &Mat3::IDENTITY) else { return false };
        let (middle, radius) = (0.5 * (low + high), 0.5 * (high - low).length());
        let (back, distance) = saltus_math::normalize(light.position - middle);
        eye.axes = axes_of(back);
        eye.position = light.position;
        eye.parallel = false;
        // The tangent of the angle under which the light sees the ball around all; at most 60°.
        let sine = (radius / distance.max(1e-9)).min(0.866);
        let tangent = sine / (1.0 - sine * sine).sqrt();
        eye.focal = [((0.5 * SIZE as f64 - 4.0) / tangent) as f32; 2];
        (eye.near, eye.far) = ((0.01 * distance).max(1e-3) as f32, (distance + 2.0 * radius) as f32);
        self.texel = 1.0 / eye.focal[0];
        true
    }

    /// Share of the light that arrives at a point with this normal, camera coordinates.
    #[inline]
    pub fn share(&self, at: V3, normal: V3) -> f32 {
        let local = add(self.turn.apply(at), self.shift);
        let unit = self.texel * if self.eye.parallel { 1.0 } else { -local[2] };
        let p = add(local, scale(self.turn.apply(normal), OFFSET * unit));
        if -p[2] <= self.eye.near {
            return 1.0;
        }
        let h = self.eye.homogeneous(p);
        let (x, y) = (h[0] / h[2] - 0.5, h[1] / h[2] - 0.5);
        let most = (SIZE - 2) as f32;
        if !(x >= 1.0 && y >= 1.0 && x < most && y < most) {
            return 1.0;
        }
        // Half a texel nearer to the light.
        let near = if self.eye.parallel { p[2] + 0.5 * unit } else { -1.0 / (p[2] + 0.5 * unit) };
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f32, y - row as f32);
        let lit =
            |dx: usize, dy: usize| f32::from(u8::from(self.nearness[(row + dy - 1) * SIZE + column + dx - 1] <= near));
        // Three by three tests, weighted by where the point is between the texels.
        let (wx, wy) = ([1.0 - fx, 1.0, 1.0, fx], [1.0 - fy, 1.0, 1.0, fy]);
        let mut sum = 0.0;
        for dy in 0..4 {
            for dx in 0..4 {
                sum += wx[dx] * wy[dy] * lit(dx, dy);
            }
        }
        sum / 9.0
    }
}
