//! Scales of the model, used as units by viewers and heuristics.

use super::names::{Element, Outcome};
use crate::data::Data;
use crate::model::kinds::{GeomShape, JointKind};
use crate::model::spec::ModelSpec;
use crate::model::{Model, Statistic};
use saltus_math::Vec3;

/// Statistics of a model without bodies or extent.
const DEFAULT: Statistic =
    Statistic { mean_inertia: 1.0, mean_mass: 1.0, mean_size: 0.2, extent: 2.0, center: Vec3::ZERO };
/// Smallest size of a body.
const MIN_SIZE: f64 = 1e-5;
/// Planes contribute a tenth of their size, infinite ones this value.
const PLANE_SCALE: f64 = 0.1;
const PLANE_SIZE: f64 = 0.01;

/// Fills the model's statistics, and the length scales of angular dofs: the sizes of their bodies.
pub(super) fn fill_statistic(spec: &ModelSpec, model: &mut Model, data: &Data) -> Outcome {
    let sizes = body_sizes(model, data);
    for d in 0..model.size.nv {
        let joint = model.dofs.joint[d].idx();
        let k = d - model.joints.dof_start[joint] as usize;
        let kind = model.joints.kind[joint];
        let linear = kind == JointKind::Slide || (kind == JointKind::Free && k < 3);
        model.dofs.length[d] = if linear { 1.0 } else { sizes[model.dofs.body[d].idx()] };
    }
    let mut stat = DEFAULT;
    let nv = model.size.nv;
    if nv > 0 {
        let trace: f64 = (0..nv).map(|d| data.inertia.M[model.mass_pattern.diag(d)]).sum();
        stat.mean_inertia = trace / nv as f64;
    }
    let moving = (model.nbody() - 1) as f64;
    if moving > 0.0 {
        stat.mean_mass = model.bodies.mass.iter().skip(1).sum::<f64>() / moving;
        stat.mean_size = sizes.iter().skip(1).sum::<f64>() / moving;
    }
    fill_extent(model, data, &mut stat);
    let given = &spec.statistic;
    stat.mean_inertia = given.mean_inertia.unwrap_or(stat.mean_inertia);
    stat.mean_mass = given.mean_mass.unwrap_or(stat.mean_mass);
    stat.mean_size = given.mean_size.unwrap_or(stat.mean_size);
    stat.extent = given.extent.unwrap_or(stat.extent);
    stat.center = given.center.unwrap_or(stat.center);
    let element = Element::new("statistic", &spec.name, 0, "");
    element.check(stat.extent > 0.0, || format!("extent must be positive, got {}", stat.extent))?;
    model.statistic = stat;
    Ok(())
}

/// Radius of each body about its centre of mass, from geoms, own joints, and joints of its
/// children.
fn body_sizes(model: &Model, data: &Data) -> Vec<f64> {
    let p = &data.position;
    let mut size = vec![0.0_f64; model.nbody()];
    for j in 0..model.njoint() {
        let b = model.joints.body[j].idx();
        for b in [b, model.bodies.parent[b].idx()] {
            size[b] = size[b].max(p.p_WI[b].distance(p.p_WJ[j]));
        }
    }
    for g in 0..model.ngeom() {
        let (b, radius) = (model.geoms.body[g].idx(), model.geoms.bound_radius[g]);
        if radius > 0.0 {
            size[b] = size[b].max(radius + p.p_WI[b].distance(p.p_WG[g]));
        }
    }
    for s in &mut size {
        *s = s.max(MIN_SIZE);
    }
    size
}

/// Bounding box of bodies, joints, sites and geoms.
fn fill_extent(model: &Model, data: &Data, stat: &mut Statistic) {
    let p = &data.position;
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let mut include = |point: Vec3, radius: f64| {
        low = low.min(point - Vec3::splat(radius));
        high = high.max(point + Vec3::splat(radius));
    };
    for b in 1..model.nbody() {
        include(p.p_WB[b], 0.0);
        include(p.p_WI[b], 0.0);
    }
    p.p_WJ.iter().for_each(|x| include(*x, 0.0));
    p.p_WS.iter().for_each(|x| include(*x, 0.0));
    for g in 0..model.ngeom() {
        let mut radius = model.geoms.bound_radius[g];
        if model.geoms.shape[g] == GeomShape::Plane {
            let [x, y, _] = model.geoms.size[g];
            let side = PLANE_SCALE * x.max(y);
            radius = if side > 0.0 { side } else { PLANE_SIZE };
        }
        include(p.p_WG[g], radius);
    }
    let side = high - low;
    if low.is_finite() {
        stat.center = (low + high) * 0.5;
        if side.min_element() > 0.0 {
            stat.extent = side.max_element();
        }
    }
    stat.extent = stat.extent.max(2.0 * stat.mean_size);
}
