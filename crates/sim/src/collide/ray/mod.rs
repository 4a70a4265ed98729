//! Rays against geoms.
//!
//! A ray is x = p + t v, t ≥ 0; v need not have unit length, and t is in units of |v|. Rays hit
//! surfaces from outside and, from inside a shape, the surface where they leave it. Planes are hit
//! from their front side only.

mod field;
mod mesh;
mod primitive;

use super::shape::Shape;
use crate::data::Data;
use crate::ids::{BodyId, GeomId};
use crate::model::Model;
use crate::model::kinds::GeomShape as G;
use saltus_math::Vec3;

/// Intersection of a ray with a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Ray parameter, in units of the direction's length.
    pub t: f64,
    /// Outward normal of the surface, world.
    pub normal: Vec3,
}

/// Which geoms a ray can hit.
#[derive(Clone, Copy, Debug, Default)]
pub struct RayFilter {
    /// Visible groups, by number (0–5); None: all.
    pub groups: Option<[bool; 6]>,
    /// Ignore geoms fixed to the world.
    pub skip_static: bool,
    /// Ignore geoms of this body.
    pub exclude: Option<BodyId>,
}

/// The nearest visible geom on a ray. Needs kinematics. Geoms and materials with zero alpha are
/// invisible.
pub fn ray(model: &Model, data: &Data, p: Vec3, v: Vec3, filter: &RayFilter) -> Option<(GeomId, Hit)> {
    let mut nearest: Option<(GeomId, Hit)> = None;
    for g in 0..model.ngeom() {
        let before = nearest.map_or(f64::INFINITY, |(_, best)| best.t);
        if misses_bounds(data.position.p_WG[g], model.geoms.bound_radius[g], p, v, before) || !visible(model, g, filter)
        {
            continue;
        }
        let shape = Shape::of_geom(model, &data.position, g);
        let Some(hit) = ray_shape(model, g, &shape, p, v) else { continue };
        if nearest.is_none_or(|(_, best)| hit.t < best.t) {
            nearest = Some((GeomId::new(g), hit));
        }
    }
    nearest
}

/// Intersection of a ray with one geom. Needs kinematics. None for an invalid id.
pub fn ray_geom(model: &Model, data: &Data, geom: GeomId, p: Vec3, v: Vec3) -> Option<Hit> {
    if geom.idx() >= model.ngeom() {
        return None;
    }
    let shape = Shape::of_geom(model, &data.position, geom.idx());
    ray_shape(model, geom.idx(), &shape, p, v)
}

/// Intersection of a ray with the surface of a shape, in the frame of the shape. None for meshes
/// and height fields.
pub fn ray_primitive(kind: G, size: Vec3, p: Vec3, v: Vec3) -> Option<Hit> {
    primitive::ray(kind, size, p, v)
}

fn visible(model: &Model, g: usize, filter: &RayFilter) -> bool {
    let geoms = &model.geoms;
    let body = geoms.body[g];
    let alpha = match geoms.material[g] {
        Some(material) if geoms.rgba[g] == [0.5, 0.5, 0.5, 1.0] || geoms.rgba[g][3] == 0.0 => {
            model.materials.rgba.get(material.idx()).map_or(1.0, |c| c[3])
        }
        _ => geoms.rgba[g][3],
    };
    let group = geoms.group[g].clamp(0, 5) as usize;
    alpha != 0.0
        && filter.exclude != Some(body)
        && !(filter.skip_static && model.bodies.weld[body.idx()].0 == 0)
        && filter.groups.is_none_or(|groups| groups[group])
}

/// Whether the ray, up to the parameter `before`, certainly misses a bounding sphere. Radius 0
/// means unbounded.
fn misses_bounds(centre: Vec3, radius: f64, p: Vec3, v: Vec3, before: f64) -> bool {
    if radius <= 0.0 {
        return false;
    }
    let (offset, square) = (centre - p, v.length_squared());
    let t = (offset.dot(v) / square).max(0.0).min(before);
    (offset - v * t).length_squared() > radius * radius * (1.0 + 1e-9)
}

fn ray_shape(model: &Model, g: usize, shape: &Shape, p: Vec3, v: Vec3) -> Option<Hit> {
    if v.length_squared() == 0.0 {
        return None;
    }
    let (local_p, local_v) = (shape.to_local(p), shape.R.tmul(v));
    let hit = match shape.kind {
        G::Mesh => {
            let mesh = model.geoms.data[g]? as usize;
            let faces = &model.meshes.face[model.meshes.faces[mesh].range()];
            mesh::ray(&shape.mesh?, faces, model.meshes.face_tree.get(mesh), local_p, local_v)
        }
        G::Hfield => field::ray(&shape.field?, local_p, local_v),
        _ => primitive::ray(shape.kind, shape.size, local_p, local_v),
    }?;
    Some(Hit { t: hit.t, normal: shape.R * hit.normal })
}
