//! Simplification of the tree: bodies without joints are merged into their parents; visual geoms
//! are removed.

use super::inertial::{inertial_of_geoms, merged};
use super::names::{Element, Outcome};
use super::pose::Pose;
use super::referenced::Referenced;
use super::work::WorkBody;
use crate::model::spec::{CompilerSpec, InertiaFromGeom, ModelSpec};
use saltus_math::MIN_VAL;

/// Removes geoms that neither collide nor are referenced. Inertias must have been inferred before.
pub(super) fn discard_visual(spec: &ModelSpec, bodies: &mut [WorkBody]) -> Outcome<()> {
    let referenced = Referenced::new(spec);
    for (id, body) in bodies.iter_mut().enumerate() {
        let compiler = body.compiler(&spec.compiler);
        let infer = compiler.inertia_from_geom == InertiaFromGeom::Always;
        let [first, last] = compiler.inertia_group_range;
        let keep: Vec<bool> = body
            .spec
            .geoms
            .iter()
            .map(|g| {
                let collides = g.contype != 0 || g.conaffinity != 0;
                let named = !g.name.is_empty() && referenced.geoms.contains(g.name.as_str());
                collides || g.fluid_ellipsoid || named
            })
            .collect();
        for (k, geom) in body.spec.geoms.iter().enumerate() {
            let counts = id > 0 && infer && body.geoms[k].mass > 0.0 && (first..=last).contains(&geom.group);
            Element::new("geom", &geom.name, k, &geom.place).check(keep[k] || !counts, || {
                "discardvisual would change the inertia of its body, which inertiafromgeom \"true\" infers from geoms; \
                 use inertiafromgeom \"auto\""
                    .into()
            })?;
        }
        let mut flags = keep.iter();
        body.geoms.retain(|_| flags.next().copied().unwrap_or(true));
        let mut flags = keep.iter();
        body.spec.geoms.retain(|_| flags.next().copied().unwrap_or(true));
    }
    Ok(())
}

/// Merges bodies without joints into their parents, unless they are referenced.
pub(super) fn fuse_static(spec: &ModelSpec, bodies: Vec<WorkBody>) -> Outcome<Vec<WorkBody>> {
    let referenced = Referenced::new(spec);
    let in_fluid = spec.options.density > 0.0 || spec.options.viscosity > 0.0;
    let mut kept: Vec<WorkBody> = Vec::with_capacity(bodies.len());
    // For each body: the remaining body that it belongs to, and its frame there.
    let mut home: Vec<(usize, Pose)> = Vec::with_capacity(bodies.len());
    for (id, mut body) in bodies.into_iter().enumerate() {
        let (parent, frame) = if id == 0 { (0, Pose::IDENTITY) } else { home[body.parent] };
        let frame = frame.then(body.frame());
        let fuses = id > 0 && can_fuse(&body, &kept[parent], &referenced, in_fluid);
        if fuses {
            absorb(&mut kept[parent], body, frame, &spec.compiler, parent)?;
            home.push((parent, frame));
            continue;
        }
        home.push((kept.len(), Pose::IDENTITY));
        (body.parent, body.spec.pos, body.spec.quat) = (parent, frame.pos, frame.quat);
        kept.push(body);
    }
    Ok(kept)
}

fn can_fuse(body: &WorkBody, parent: &WorkBody, referenced: &Referenced, in_fluid: bool) -> bool {
    let has_mass = body.inertial.mass > MIN_VAL;
    let named = !body.spec.name.is_empty() && referenced.bodies.contains(body.spec.name.as_str());
    let measured = body.spec.sites.iter().any(|s| referenced.load_sites.contains(s.name.as_str()));
    let floats = has_mass && (body.spec.gravcomp != parent.spec.gravcomp || in_fluid);
    let swims = in_fluid && body.spec.geoms.iter().any(|g| g.fluid_ellipsoid);
    body.spec.joints.is_empty() && !body.spec.mocap && !named && !measured && !floats && !swims
}

/// Moves everything fixed to `body`, whose frame in `parent` is `frame`, to the parent.
fn absorb(parent: &mut WorkBody, body: WorkBody, frame: Pose, compiler: &CompilerSpec, id: usize) -> Outcome {
    let from_geoms = |b: &WorkBody| match b.compiler(compiler).inertia_from_geom {
        InertiaFromGeom::Always => true,
        InertiaFromGeom::Auto => b.spec.inertial.is_none(),
        InertiaFromGeom::Never => false,
    };
    let both_from_geoms = from_geoms(parent) && from_geoms(&body);
    let compiler = &parent.compiler(compiler).clone();
    parent.geoms.extend(body.geoms.into_iter().map(|mut g| {
        g.frame = frame.then(g.frame);
        g
    }));
    parent.sites.extend(body.sites.into_iter().map(|mut s| {
        s.frame = frame.then(s.frame);
        s
    }));
    parent.spec.geoms.extend(body.spec.geoms);
    parent.spec.sites.extend(body.spec.sites);
    parent.spec.cameras.extend(body.spec.cameras.into_iter().map(|mut c| {
        let moved = frame.then(Pose::new(c.pos, c.quat.normalized()));
        (c.pos, c.quat) = (moved.pos, moved.quat);
        c
    }));
    parent.spec.lights.extend(body.spec.lights.into_iter().map(|mut l| {
        l.pos = frame.pos + frame.quat.rotate(l.pos);
        l.dir = frame.quat.rotate(l.dir);
        l
    }));
    // The world has no inertia.
    if id == 0 {
        return Ok(());
    }
    let mut moved = body.inertial;
    moved.frame = frame.then(moved.frame);
    let summed = if both_from_geoms {
        let element = Element::new("body", &parent.spec.name, id, &parent.spec.place);
        let range = compiler.inertia_group_range;
        let counted = parent.spec.geoms.iter().zip(&parent.geoms);
        let counted = counted.filter(|(g, b)| (range[0]..=range[1]).contains(&g.group) && b.mass > MIN_VAL);
        inertial_of_geoms(counted.map(|(_, b)| b), &element, compiler.bound_inertia)?
    } else {
        None
    };
    parent.inertial = summed.unwrap_or_else(|| merged(&parent.inertial, &moved, compiler.inertia_as_given));
    Ok(())
}
