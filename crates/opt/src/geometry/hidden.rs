//! Shapes that nothing can touch, because they are behind a plane.
//!
//! Height fields below a floor are common in files of benchmarks, which raise them by program. Each
//! of their triangles would be a contact of its own, and carry a part of the weight where contact
//! acts at a distance.

use saltus_math::Vec3;
use saltus_sim::model::kinds::GeomShape;
use saltus_sim::{Data, Model};

/// Whether the whole of a shape is behind one of the planes among the `surfaces`.
pub fn is_hidden(model: &Model, nominal: &Data, shape: usize, surfaces: &[usize]) -> bool {
    let kind = &model.geoms.shape;
    if kind[shape] == GeomShape::Plane {
        return false;
    }
    let (center, half) = extent(model, shape);
    let (place, turn) = (nominal.position.p_WG[shape], nominal.position.R_WG[shape]);
    surfaces.iter().filter(|&&p| kind[p] == GeomShape::Plane).any(|&plane| {
        let normal = nominal.position.R_WG[plane].col(2);
        let own = turn.transpose() * normal;
        let top = normal.dot(place - nominal.position.p_WG[plane]) + own.dot(center) + own.abs().dot(half);
        top <= 0.0
    })
}

/// Centre and half sides of a box around a shape, in its own frame. That of a height field ends
/// where its highest point is, not where one could be.
fn extent(model: &Model, shape: usize) -> (Vec3, Vec3) {
    let [x, y, z, a, b, c] = model.geoms.aabb[shape];
    let (mut center, mut half) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
    if let (GeomShape::Hfield, Some(field)) = (model.geoms.shape[shape], model.geoms.data[shape]) {
        let (fields, field) = (&model.hfields, field as usize);
        let (start, count) = (fields.start[field] as usize, (fields.nrow[field] * fields.ncol[field]) as usize);
        let highest = fields.data[start..start + count].iter().copied().fold(0.0, f32::max);
        let [_, _, top, base] = fields.size[field];
        let (low, high) = (-base, top * f64::from(highest));
        (center.z, half.z) = (0.5 * (low + high), 0.5 * (high - low));
    }
    (center, half)
}
