//! Primitive shapes: required sizes, volume, surface, principal moments and bounds.

use crate::model::kinds::GeomShape;
use saltus_math::{Vec3, real, real::PI};

/// Measure (volume, or area of a shell) and principal moments per unit mass, in the shape's own
/// frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solid {
    pub measure: f64,
    pub moments: Vec3,
}

impl Solid {
    const NONE: Solid = Solid { measure: 0.0, moments: Vec3::ZERO };

    /// From second moments ∫x², ∫y², ∫z² per unit mass.
    fn from_second_moments(measure: f64, j: Vec3) -> Self {
        Self { measure, moments: Vec3::new(j.y + j.z, j.x + j.z, j.x + j.y) }
    }
}

/// Number of sizes of a shape that must be positive.
pub(super) fn sizes_needed(shape: GeomShape) -> usize {
    match shape {
        GeomShape::Plane => 3,
        GeomShape::Hfield | GeomShape::Mesh => 0,
        GeomShape::Sphere => 1,
        GeomShape::Capsule | GeomShape::Cylinder => 2,
        GeomShape::Ellipsoid | GeomShape::Box => 3,
    }
}

/// Volume and inertia of a solid primitive; zero for planes, height fields and meshes.
pub(super) fn solid(shape: GeomShape, [a, b, c]: [f64; 3]) -> Solid {
    match shape {
        GeomShape::Sphere => Solid { measure: 4.0 * PI * a * a * a / 3.0, moments: Vec3::splat(2.0 * a * a / 5.0) },
        GeomShape::Ellipsoid => {
            Solid::from_second_moments(4.0 * PI * a * b * c / 3.0, Vec3::new(a * a, b * b, c * c) / 5.0)
        }
        GeomShape::Box => Solid::from_second_moments(8.0 * a * b * c, Vec3::new(a * a, b * b, c * c) / 3.0),
        GeomShape::Cylinder => {
            let height = 2.0 * b;
            let side = (3.0 * a * a + height * height) / 12.0;
            Solid { measure: PI * a * a * height, moments: Vec3::new(side, side, a * a / 2.0) }
        }
        GeomShape::Capsule => {
            let height = 2.0 * b;
            // A cylinder, and a sphere in two halves whose centres of mass are 3/8 r beyond the
            // cylinder's ends.
            let (cylinder, ball) = (PI * a * a * height, 4.0 * PI * a * a * a / 3.0);
            let measure = cylinder + ball;
            let (mc, mb) = (cylinder / measure, ball / measure);
            let side = mc * (3.0 * a * a + height * height) / 12.0
                + mb * (2.0 * a * a / 5.0 + height * (height / 4.0 + 3.0 * a / 8.0));
            let axial = mc * a * a / 2.0 + mb * 2.0 * a * a / 5.0;
            Solid { measure, moments: Vec3::new(side, side, axial) }
        }
        GeomShape::Plane | GeomShape::Hfield | GeomShape::Mesh => Solid::NONE,
    }
}

/// Area and inertia of a primitive whose mass is distributed uniformly over its surface.
pub(super) fn shell(shape: GeomShape, [a, b, c]: [f64; 3]) -> Solid {
    match shape {
        GeomShape::Sphere => Solid { measure: 4.0 * PI * a * a, moments: Vec3::splat(2.0 * a * a / 3.0) },
        GeomShape::Ellipsoid => ellipsoid_shell(a, b, c),
        GeomShape::Box => {
            // Pairs of faces normal to x, y, z: a plate has s²/3 along its sides and all of its
            // mass at ± normal.
            let areas = Vec3::new(8.0 * b * c, 8.0 * a * c, 8.0 * a * b);
            let measure = areas.x + areas.y + areas.z;
            let w = areas / measure;
            let sq = Vec3::new(a * a, b * b, c * c);
            let third = (Vec3::ONE - w) / 3.0;
            Solid::from_second_moments(measure, sq * (w + third))
        }
        GeomShape::Cylinder => {
            let height = 2.0 * b;
            let (side, discs) = (2.0 * PI * a * height, 2.0 * PI * a * a);
            let measure = side + discs;
            let (ms, md) = (side / measure, discs / measure);
            let axial = ms * a * a + md * a * a / 2.0;
            let across = ms * (6.0 * a * a + height * height) / 12.0 + md * (a * a / 4.0 + b * b);
            Solid { measure, moments: Vec3::new(across, across, axial) }
        }
        GeomShape::Capsule => {
            let height = 2.0 * b;
            let (side, ball) = (2.0 * PI * a * height, 4.0 * PI * a * a);
            let measure = side + ball;
            let (ms, mb) = (side / measure, ball / measure);
            let axial = ms * a * a + mb * 2.0 * a * a / 3.0;
            // The centre of mass of a hemispherical shell is r/2 beyond the cylinder's end.
            let across = ms * (6.0 * a * a + height * height) / 12.0
                + mb * (2.0 * a * a / 3.0 + height * (height / 4.0 + a / 2.0));
            Solid { measure, moments: Vec3::new(across, across, axial) }
        }
        GeomShape::Plane | GeomShape::Hfield | GeomShape::Mesh => Solid::NONE,
    }
}

/// Thickness of the layer whose inertia approximates that of an ellipsoid's surface.
const LAYER: f64 = 1e-6;

/// Area by Thomsen's formula; inertia of a thin layer of equal thickness, as the difference of two
/// ellipsoids.
fn ellipsoid_shell(a: f64, b: f64, c: f64) -> Solid {
    const P: f64 = 1.6075;
    let mean = (real::powf(a * b, P) + real::powf(a * c, P) + real::powf(b * c, P)) / 3.0;
    let measure = 4.0 * PI * real::powf(mean, 1.0 / P);
    let (outer, inner) =
        (solid(GeomShape::Ellipsoid, [a + LAYER, b + LAYER, c + LAYER]), solid(GeomShape::Ellipsoid, [a, b, c]));
    let moments = (outer.moments * outer.measure - inner.moments * inner.measure) / (outer.measure - inner.measure);
    Solid { measure, moments }
}

/// Half size of planes' bounding boxes, m.
const PLANE_EXTENT: f64 = 1e10;

/// Bounding box in the shape's frame: centre and half sizes.
pub(super) fn aabb(shape: GeomShape, [a, b, c]: [f64; 3]) -> [f64; 6] {
    let half = match shape {
        GeomShape::Sphere => [a, a, a],
        GeomShape::Capsule => [a, a, a + b],
        GeomShape::Cylinder => [a, a, b],
        GeomShape::Ellipsoid | GeomShape::Box => [a, b, c],
        // All of the half space below the surface.
        GeomShape::Plane => {
            let h = PLANE_EXTENT;
            return [0.0, 0.0, -h / 2.0, h, h, h / 2.0];
        }
        GeomShape::Hfield | GeomShape::Mesh => [0.0; 3],
    };
    [0.0, 0.0, 0.0, half[0], half[1], half[2]]
}

/// Radius of the bounding sphere about the origin; 0 for planes, which are unbounded.
pub(super) fn bound_radius(shape: GeomShape, [a, b, c]: [f64; 3]) -> f64 {
    match shape {
        GeomShape::Sphere => a,
        GeomShape::Capsule => a + b,
        GeomShape::Cylinder => (a * a + b * b).sqrt(),
        GeomShape::Ellipsoid => a.max(b).max(c),
        GeomShape::Box => (a * a + b * b + c * c).sqrt(),
        GeomShape::Plane | GeomShape::Hfield | GeomShape::Mesh => 0.0,
    }
}
