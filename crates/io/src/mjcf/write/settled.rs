//! Models joined from files with different compiler settings. An MJCF document has one set of
//! settings, so the inertias are written as they were compiled.

use saltus_math::Vec3;
use saltus_sim::model::spec::{BodySpec, CompilerSpec, InertiaFromGeom, InertialSpec};
use saltus_sim::{ModelSpec, compile};
use std::borrow::Cow;

/// The model, in which no body needs compiler settings of its own. A model that does not compile
/// stays as it is.
pub(super) fn with_settled_inertias(spec: &ModelSpec) -> Cow<'_, ModelSpec> {
    let differs = |own: &CompilerSpec| {
        let all = &spec.compiler;
        own.balance_inertia != all.balance_inertia
            || own.inertia_as_given != all.inertia_as_given
            || own.bound_mass != all.bound_mass
            || own.bound_inertia != all.bound_inertia
            || own.inertia_from_geom != all.inertia_from_geom
            || own.inertia_group_range != all.inertia_group_range
            || own.align_free != all.align_free
    };
    let given = |b: &BodySpec| b.compiler.as_deref().unwrap_or(&spec.compiler).inertia_as_given;
    if !spec.bodies.iter().flat_map(|b| &b.compiler).any(|own| differs(own)) {
        return Cow::Borrowed(spec);
    }
    let mut settled = spec.clone();
    settled.compiler.fuse_static = false;
    settled.compiler.discard_visual = false;
    let mut unaligned = settled.clone();
    for joint in unaligned.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        joint.align = Some(false);
    }
    let Ok(model) = compile(&unaligned) else { return Cow::Borrowed(spec) };
    for (id, body) in spec.preorder().into_iter().enumerate().skip(1) {
        let (mass, diag) = (model.bodies.mass[id], model.bodies.inertia[id]);
        let body = settled.body_mut(body);
        let align_free = body.compiler.take().unwrap_or_else(|| Box::new(spec.compiler.clone())).align_free;
        body.joints.iter_mut().for_each(|joint| _ = joint.align.get_or_insert(align_free));
        let nothing = mass == 0.0 && diag == Vec3::ZERO && body.geoms.is_empty();
        let (pos, quat) = (model.bodies.inertial_pos[id], model.bodies.inertial_quat[id]);
        body.inertial = (!nothing).then_some(InertialSpec { mass, pos, quat, diag, full: None });
    }
    settled.compiler = CompilerSpec {
        fuse_static: spec.compiler.fuse_static,
        discard_visual: spec.compiler.discard_visual,
        balance_inertia: false,
        bound_mass: 0.0,
        bound_inertia: 0.0,
        inertia_from_geom: InertiaFromGeom::Auto,
        inertia_as_given: spec.bodies.iter().any(given),
        ..settled.compiler
    };
    Cow::Owned(settled)
}
