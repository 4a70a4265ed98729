//! One picture after another of a scene.

use crate::camera::Camera;
use crate::error::RenderError;
use crate::eye::Eye;
use crate::frame::Geometry;
use crate::raster::{NOTHING, TILE, Tile};
use crate::scene::Scene;
use crate::shade::{Lamp, Point, ShadowMap, shade};
use crate::vector::{V3, add, cross, dot, scale, sub, unit};
use rayon::prelude::*;

/// Width and height of a picture in pixels.
pub type Size = [usize; 2];

/// Samples of a pixel in colour pictures.
const SAMPLES: usize = 4;

/// Draws scenes. Memory is used again from picture to picture.
#[derive(Debug, Default)]
pub struct Renderer {
    geometry: Geometry,
    shadows: Vec<ShadowMap>,
    lamps: Vec<Lamp>,
}

/// Everything that the tiles of a picture share.
struct View<'a> {
    scene: &'a Scene,
    eye: &'a Eye,
    geometry: &'a Geometry,
    lamps: &'a [Lamp],
    shadows: &'a [ShadowMap],
}

impl Renderer {
    /// A renderer without memory of earlier pictures.
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws the scene in colour: rows from the top, three bytes (red, green, blue) per pixel.
    pub fn colour(
        &mut self,
        scene: &Scene,
        camera: &Camera,
        size: Size,
        image: &mut Vec<u8>,
    ) -> Result<(), RenderError> {
        let eye = camera.eye(size)?;
        self.light(scene, &eye);
        self.geometry.update(scene, &eye, |_| true);
        image.clear();
        image.resize(eye.width * eye.height * 3, 0);
        let view = View { scene, eye: &eye, geometry: &self.geometry, lamps: &self.lamps, shadows: &self.shadows };
        view.draw::<SAMPLES, u8>(image, 3, |tile, at, x, y, pixel| {
            let colour = view.pixel(&tile.id[at..at + SAMPLES], x as f32 + 0.5, y as f32 + 0.5);
            pixel.copy_from_slice(&colour.map(|c| (255.0 * c.clamp(0.0, 1.0) + 0.5) as u8));
        });
        Ok(())
    }

    /// Distances along the viewing axis in metres, rows from the top; what is beyond the far end of
    /// the camera is at that distance. Surfaces count as opaque.
    pub fn depth(
        &mut self,
        scene: &Scene,
        camera: &Camera,
        size: Size,
        image: &mut Vec<f32>,
    ) -> Result<(), RenderError> {
        let eye = camera.eye(size)?;
        self.geometry.update(scene, &eye, |_| true);
        image.clear();
        image.resize(eye.width * eye.height, 0.0);
        let view = View { scene, eye: &eye, geometry: &self.geometry, lamps: &[], shadows: &[] };
        view.draw::<1, f32>(image, 1, |tile, at, _, _, pixel| pixel[0] = eye.distance(tile.nearness[at]));
        Ok(())
    }

    /// What is seen in each pixel, rows from the top: the number of the instance in the scene, and
    /// −1 where there is none.
    pub fn instances(
        &mut self,
        scene: &Scene,
        camera: &Camera,
        size: Size,
        image: &mut Vec<i32>,
    ) -> Result<(), RenderError> {
        let eye = camera.eye(size)?;
        self.geometry.update(scene, &eye, |_| true);
        image.clear();
        image.resize(eye.width * eye.height, -1);
        let view = View { scene, eye: &eye, geometry: &self.geometry, lamps: &[], shadows: &[] };
        view.draw::<1, i32>(image, 1, |tile, at, _, _, pixel| {
            if tile.id[at] != NOTHING {
                pixel[0] = view.geometry.owner(tile.id[at]).instance as i32;
            }
        });
        Ok(())
    }

    /// Draws the shadow maps.
    fn light(&mut self, scene: &Scene, eye: &Eye) {
        self.lamps.clear();
        let mut used = 0;
        for light in &scene.lights {
            let mut shadow = None;
            if light.casts_shadow {
                if self.shadows.len() == used {
                    self.shadows.push(ShadowMap::new());
                }
                if self.shadows[used].update(light, scene, eye) {
                    shadow = Some(used);
                    used += 1;
                }
            }
            self.lamps.push(Lamp::new(light, eye, shadow));
        }
    }
}

impl View<'_> {
    /// Draws all tiles and computes each pixel, `width` numbers, from its samples: the tile, the
    /// index of the first sample, and the place of the pixel in the picture.
    fn draw<const S: usize, T: Send>(
        &self,
        image: &mut [T],
        width: usize,
        pixel: impl Fn(&Tile<S>, usize, usize, usize, &mut [T]) + Sync,
    ) {
        let (eye, columns) = (self.eye, self.eye.width.div_ceil(TILE));
        let row_of_tiles = |tile: &mut Tile<S>, (row, out): (usize, &mut [T])| {
            for column in 0..columns {
                tile.start(column, row, eye.farthest());
                self.geometry.draw(tile, row * columns + column);
                let (x0, y0) = (column * TILE, row * TILE);
                let (x1, y1) = ((x0 + TILE).min(eye.width), (y0 + TILE).min(eye.height));
                for (y, x) in (y0..y1).flat_map(|y| (x0..x1).map(move |x| (y, x))) {
                    let at = ((y - y0) * TILE + x - x0) * S;
                    let to = ((y - y0) * eye.width + x) * width;
                    pixel(tile, at, x, y, &mut out[to..to + width]);
                }
            }
        };
        image.par_chunks_mut(eye.width * TILE * width).enumerate().for_each_init(Tile::<S>::default, row_of_tiles);
    }

    /// Mean colour of the samples of a pixel; each triangle is shaded once.
    #[inline]
    fn pixel(&self, ids: &[u32], x: f32, y: f32) -> V3 {
        let mut sum = [0.0; 3];
        for (k, &id) in ids.iter().enumerate() {
            if ids[..k].contains(&id) {
                continue;
            }
            let count = ids[k..].iter().filter(|&&other| other == id).count();
            let colour = if id == NOTHING { [0.0; 3] } else { self.surface(id, x, y) };
            sum = add(sum, scale(colour, count as f32 / ids.len() as f32));
        }
        sum
    }

    /// Colour of a triangle at a place of the picture.
    #[inline]
    fn surface(&self, id: u32, x: f32, y: f32) -> V3 {
        let owner = self.geometry.owner(id);
        let instance = &self.scene.instances[owner.instance];
        let mesh = &self.scene.meshes[instance.mesh];
        let corners = mesh.triangle[id as usize - owner.triangle];
        let [a, b, c] = self.geometry.corners(owner, corners);
        let (origin, ray) = self.eye.ray(x, y);
        // Barycentric coordinates of where the ray meets the plane of the triangle [Möller,
        // Trumbore], limited to the triangle: the middle of the pixel may be outside.
        let (e1, e2, from) = (sub(b, a), sub(c, a), sub(origin, a));
        let p = cross(ray, e2);
        let q = cross(from, e1);
        let det = dot(e1, p);
        let inverse = if det == 0.0 { 0.0 } else { 1.0 / det };
        let u = (dot(from, p) * inverse).clamp(0.0, 1.0);
        let v = (dot(ray, q) * inverse).clamp(0.0, 1.0 - u);
        let mix = |[a, b, c]: [V3; 3]| add(scale(a, 1.0 - u - v), add(scale(b, u), scale(c, v)));
        let normal = mix(corners.map(|k| mesh.normal[k as usize]));
        let mut normal = unit(owner.normals.apply(normal));
        if det < 0.0 {
            normal = scale(normal, -1.0);
        }
        let point = Point {
            at: mix([a, b, c]),
            normal,
            colour: [instance.surface.rgba[0], instance.surface.rgba[1], instance.surface.rgba[2]],
        };
        shade(&point, &instance.surface, self.lamps, self.shadows, self.eye.parallel)
    }
}
