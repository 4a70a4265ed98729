//! Geoms from meshes: the mesh itself, or a primitive fitted to it.

use super::BuiltMesh;
use crate::compiler::pose::Pose;
use crate::compiler::work::BuiltGeom;
use crate::model::kinds::GeomShape;
use crate::model::spec::GeomSpec;
use saltus_math::Vec3;

impl BuiltMesh {
    fn half(&self) -> Vec3 {
        Vec3::new(self.aabb[3], self.aabb[4], self.aabb[5])
    }
    fn centre(&self) -> Vec3 {
        Vec3::new(self.aabb[0], self.aabb[1], self.aabb[2])
    }

    /// Half sizes of the box with the principal moments of the mesh.
    fn inertia_box(&self) -> Vec3 {
        let m = self.moments;
        let twice = Vec3::new(m.y + m.z - m.x, m.x + m.z - m.y, m.x + m.y - m.z);
        let half = |x: f64| (1.5 * x.max(0.0)).sqrt();
        Vec3::new(half(twice.x), half(twice.y), half(twice.z))
    }

    /// Completes a geom whose shape is this mesh.
    pub fn shape_geom(&self, spec: &GeomSpec, geom: &mut BuiltGeom) {
        geom.frame = geom.frame.then(self.frame);
        geom.size = self.reach().to_array();
        geom.aabb = self.aabb;
        geom.bound_radius = self.reach().length();
        geom.mass = spec.mass.unwrap_or(spec.density * self.measure);
        geom.moments = self.moments * geom.mass;
    }

    /// Largest distance from the origin along each axis.
    pub fn reach(&self) -> Vec3 {
        self.centre().abs() + self.half()
    }

    /// Replaces the mesh by a primitive of the geom's shape: with the same inertia box, or
    /// enclosing the bounding box.
    pub fn fit_geom(&self, scale: f64, fit_aabb: bool, geom: &mut BuiltGeom) {
        let mut frame = self.frame;
        let size = if fit_aabb {
            frame = frame.then(Pose::new(self.centre(), saltus_math::Quat::IDENTITY));
            fit_to_bounds(geom.shape, self.half())
        } else {
            fit_to_inertia(geom.shape, self.inertia_box())
        };
        geom.frame = geom.frame.then(frame);
        geom.size = size.map(|s| s * scale);
    }
}

fn fit_to_inertia(shape: GeomShape, b: Vec3) -> [f64; 3] {
    match shape {
        GeomShape::Sphere => [(b.x + b.y + b.z) / 3.0, 0.0, 0.0],
        GeomShape::Capsule => {
            let radius = (b.x + b.y) / 2.0;
            [radius, (b.z - radius / 2.0).max(0.0), 0.0]
        }
        GeomShape::Cylinder => [(b.x + b.y) / 2.0, b.z, 0.0],
        _ => b.to_array(),
    }
}

fn fit_to_bounds(shape: GeomShape, b: Vec3) -> [f64; 3] {
    match shape {
        GeomShape::Sphere => [b.max_element(), 0.0, 0.0],
        GeomShape::Capsule => {
            let radius = b.x.max(b.y);
            [radius, (b.z - radius).max(0.0), 0.0]
        }
        GeomShape::Cylinder => [b.x.max(b.y), b.z, 0.0],
        _ => b.to_array(),
    }
}
