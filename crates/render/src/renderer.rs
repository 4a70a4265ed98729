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
    eye: Eye,
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
        let view = self.view(scene, camera, size, true)?;
        view.draw::<SAMPLES, 3, u8>(image, |tile, at, x, y| {
            let colour = view.pixel(&tile.id[at..at + SAMPLES], x as f32 + 0.5, y as f32 + 0.5);
            colour.map(|c| (255.0 * c.clamp(0.0, 1.0) + 0.5) as u8)
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
        let view = self.view(scene, camera, size, false)?;
        view.draw::<1, 1, f32>(image, |tile, at, _, _| [view.eye.distance(tile.nearness[at])]);
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
        let view = self.view(scene, camera, size, false)?;
        let seen = |id: u32| if id == NOTHING { -1 } else { view.geometry.owner(id).instance as i32 };
        view.draw::<1, 1, i32>(image, |tile, at, _, _| [seen(tile.id[at])]);
        Ok(())
    }

    /// Projects the scene, and draws the shadow maps if the picture needs light.
    fn view<'a>(
        &'a mut self,
        scene: &'a Scene,
        camera: &Camera,
        size: Size,
        is_lit: bool,
    ) -> Result<View<'a>, RenderError> {
        let eye = camera.eye(size)?;
        if is_lit {
            self.light(scene, &eye);
        }
        self.geometry.update(scene, &eye, |_| true);
        Ok(View { scene, eye, geometry: &self.geometry, lamps: &self.lamps, shadows: &self.shadows })
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
    /// Draws all tiles and computes each pixel, `N` numbers, from its `S` samples: the tile, the
    /// index of the first sample, and the place of the pixel in the picture.
    fn draw<const S: usize, const N: usize, T: Copy + Default + Send>(
        &self,
        image: &mut Vec<T>,
        pixel: impl Fn(&Tile<S>, usize, usize, usize) -> [T; N] + Sync,
    ) {
        let (eye, columns) = (&self.eye, self.eye.width.div_ceil(TILE));
        image.resize(eye.width * eye.height * N, T::default());
        let row_of_tiles = |tile: &mut Tile<S>, (row, out): (usize, &mut [T])| {
            for column in 0..columns {
                tile.start(column, row, eye.farthest());
                self.geometry.draw(tile, row * columns + column);
                let (x0, y0) = (column * TILE, row * TILE);
                let (x1, y1) = ((x0 + TILE).min(eye.width), (y0 + TILE).min(eye.height));
                for (y, x) in (y0..y1).flat_map(|y| (x0..x1).map(move |x| (y, x))) {
                    let at = ((y - y0) * TILE + x - x0) * S;
                    let to = ((y - y0) * eye.width + x) * N;
                    out[to..to + N].copy_from_slice(&pixel(tile, at, x, y));
                }
            }
        };
        image.par_chunks_mut(eye.width * TILE * N).enumerate().for_each_init(Tile::<S>::default, row_of_tiles);
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
