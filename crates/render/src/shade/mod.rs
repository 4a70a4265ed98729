//! The colour of a point of a surface, by the equations of Blinn and Phong.

mod shadow;

pub use shadow::ShadowMap;

use crate::eye::Eye;
use crate::scene::{Light, Surface};
use crate::vector::{V3, add, dot, power, scale, sub, times, unit};

/// A light in camera coordinates, with its shadow.
#[derive(Clone, Debug)]
pub struct Lamp {
    light: Light,
    position: V3,
    /// Towards the light, if it is directional; the axis of a spot otherwise.
    towards: V3,
    /// Index of its shadow map.
    shadow: Option<usize>,
}

impl Lamp {
    pub fn new(light: &Light, eye: &Eye, shadow: Option<usize>) -> Self {
        let direction = if light.head { [0.0, 0.0, -1.0] } else { unit(eye.direction(light.direction)) };
        Self { light: *light, position: eye.point(light.position), towards: scale(direction, -1.0), shadow }
    }

    /// Ambient light, and diffuse and highlight factors with the light that comes: what a surface
    /// at `at` with this normal reflects towards the camera.
    #[inline]
    fn reflect(&self, surface: &Surface, colour: V3, at: V3, normal: V3, view: V3, lit: impl Fn(usize) -> f32) -> V3 {
        let light = &self.light;
        let (towards, fading) = if light.directional {
            (self.towards, 1.0)
        } else {
            let way = sub(self.position, at);
            let distance = dot(way, way).sqrt();
            let [constant, linear, quadratic] = light.attenuation;
            let towards = scale(way, 1.0 / distance.max(1e-9));
            let axis = dot(towards, self.towards);
            let spot = if light.cutoff <= -1.0 {
                1.0
            } else if axis < light.cutoff {
                0.0
            } else {
                power(axis.max(0.0), light.exponent)
            };
            (towards, spot / (constant + linear * distance + quadratic * distance * distance).max(1e-9))
        };
        let ambient = scale(times(light.ambient, colour), fading);
        let facing = dot(normal, towards);
        if facing <= 0.0 || fading <= 0.0 {
            return ambient;
        }
        let share = fading * self.shadow.map_or(1.0, &lit);
        if share <= 0.0 {
            return ambient;
        }
        let halfway = unit(add(towards, view));
        let shine = surface.specular * power(dot(normal, halfway).max(0.0), 128.0 * surface.shininess);
        let diffuse = scale(times(light.diffuse, colour), share * facing);
        add(ambient, add(diffuse, scale(light.specular, share * shine)))
    }
}

/// A point of a surface, in camera coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub at: V3,
    /// Unit normal.
    pub normal: V3,
    /// Colour of the surface there.
    pub colour: V3,
}

/// Colour of the light that a point sends to the camera.
#[inline]
pub fn shade(point: &Point, surface: &Surface, lamps: &[Lamp], shadows: &[ShadowMap], parallel: bool) -> V3 {
    let view = if parallel { [0.0, 0.0, 1.0] } else { unit(scale(point.at, -1.0)) };
    let mut sum = scale(point.colour, surface.emission);
    for lamp in lamps {
        let lit = |map: usize| shadows[map].share(point.at, point.normal);
        sum = add(sum, lamp.reflect(surface, point.colour, point.at, point.normal, view, lit));
    }
    sum
}
