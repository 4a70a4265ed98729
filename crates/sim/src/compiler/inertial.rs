//! Mass and inertia of bodies: given, or summed over geoms.

use super::eigen::{EXACT, principal_axes};
use super::names::{Element, Outcome};
use super::pose::{Pose, symmetric};
use super::work::{BuiltGeom, Inertial, WorkBody};
use crate::data::Data;
use crate::model::Model;
use crate::model::spec::{CompilerSpec, InertiaFromGeom, InertialSpec};
use saltus_math::{MIN_VAL, Mat3, SpatialInertia, Vec3};

/// Sets the inertia of every body except the world.
pub(super) fn fill_inertials(bodies: &mut [WorkBody], compiler: &CompilerSpec) -> Outcome {
    for id in 1..bodies.len() {
        let body = &bodies[id];
        bodies[id].inertial = body_inertial(body, &body.element(id), body.compiler(compiler))?;
    }
    scale_total_mass(bodies, compiler.set_total_mass);
    check_moving(bodies, compiler)
}

/// Moments that violate A + B ≥ C by less than this fraction are those of a flat body.
const FLAT_EPS: f64 = 1e-14;

fn body_inertial(body: &WorkBody, element: &Element, compiler: &CompilerSpec) -> Outcome<Inertial> {
    let from_geoms = match compiler.inertia_from_geom {
        InertiaFromGeom::Always => true,
        InertiaFromGeom::Auto => body.spec.inertial.is_none(),
        InertiaFromGeom::Never => false,
    };
    // The inertial frame of a body without mass is arbitrary but defined: the pose of its own frame
    // in the parent.
    let none = Inertial { frame: body.frame(), ..Inertial::NONE };
    let geoms_counted = || {
        let range = compiler.inertia_group_range;
        let counted = body.spec.geoms.iter().zip(&body.geoms);
        let counted = counted.filter(move |(g, _)| (range[0]..=range[1]).contains(&g.group)).map(|(_, b)| b);
        counted.filter(|g| g.mass > MIN_VAL)
    };
    let of_geoms = if from_geoms { inertial_of_geoms(geoms_counted(), element, compiler.bound_inertia)? } else { None };
    let mut inertial = match (of_geoms, &body.spec.inertial) {
        (Some(inertial), _) => inertial,
        (None, Some(given)) => given_inertial(given, element, compiler)?,
        (None, None) => none,
    };
    inertial.mass = inertial.mass.max(compiler.bound_mass);
    if compiler.bound_inertia > 0.0 {
        inertial.moments = inertial.moments.max(Vec3::splat(compiler.bound_inertia));
    }
    let m = inertial.moments;
    // A flat body has A + B = C up to round-off.
    let less = |a: f64, b: f64, c: f64| a + b < c * (1.0 - FLAT_EPS);
    let unbalanced = less(m.x, m.y, m.z) || less(m.x, m.z, m.y) || less(m.y, m.z, m.x);
    if unbalanced && (compiler.balance_inertia || !compiler.inertia_as_given) {
        element.check(compiler.balance_inertia, || {
            format!("principal moments must satisfy A + B ≥ C, got {m}; balanceinertia repairs this")
        })?;
        inertial.moments = Vec3::splat((m.x + m.y + m.z) / 3.0);
    }
    Ok(inertial)
}

fn given_inertial(given: &InertialSpec, element: &Element, compiler: &CompilerSpec) -> Outcome<Inertial> {
    let any_moments = compiler.bound_inertia > 0.0 || compiler.inertia_as_given;
    element.check_finite("inertial mass", &[given.mass])?;
    element.check_finite("inertial pos", &given.pos.to_array())?;
    element.check_finite("inertial quat", &given.quat.to_array())?;
    let mut frame = Pose::new(given.pos, given.quat.normalized());
    let mut moments = given.diag;
    if let Some(full) = given.full {
        element.check_finite("fullinertia", &full)?;
        (moments, frame.quat) = principal_axes(&symmetric(full), EXACT);
        element.check(any_moments || moments.min_element() >= MIN_VAL, || {
            format!("fullinertia must be positive definite; its principal moments are {moments}")
        })?;
    }
    element.check_finite("inertia", &moments.to_array())?;
    element.check(given.mass >= 0.0 && (moments.min_element() >= 0.0 || any_moments), || {
        "mass and inertia must not be negative".into()
    })?;
    Ok(Inertial { frame, mass: given.mass, moments })
}

/// Sum over geoms, if there are any; a single geom keeps its frame.
pub(super) fn inertial_of_geoms<'a>(
    geoms: impl Iterator<Item = &'a BuiltGeom> + Clone,
    element: &Element,
    bound: f64,
) -> Outcome<Option<Inertial>> {
    let mut rest = geoms.clone();
    let Some(first) = rest.next() else { return Ok(None) };
    if rest.next().is_none() {
        return Ok(Some(Inertial { frame: first.frame, mass: first.mass, moments: first.moments }));
    }
    let (mut mass, mut moment) = (0.0, Vec3::ZERO);
    for g in geoms.clone() {
        mass += g.mass;
        moment += g.frame.pos * g.mass;
    }
    let com = moment / mass;
    let mut sum = SpatialInertia::ZERO;
    for g in geoms {
        sum += SpatialInertia::from_principal(g.moments, &g.frame.quat.to_mat3(), g.frame.pos - com, g.mass);
    }
    let (moments, quat) = principal_axes(&full_matrix(&sum), EXACT);
    element.check(bound > 0.0 || moments.min_element() >= MIN_VAL, || {
        format!("the inertia of its geoms is not positive definite; principal moments are {moments}")
    })?;
    Ok(Some(Inertial { frame: Pose::new(com, quat), mass, moments }))
}

fn full_matrix(i: &SpatialInertia) -> Mat3 {
    symmetric([i.diag.x, i.diag.y, i.diag.z, i.off.x, i.off.y, i.off.z])
}

/// Sum of two rigidly connected bodies, `b` given in the frame of `a`. The rotational inertia of a
/// massless `b` counts only if `as_given`.
pub(super) fn merged(a: &Inertial, b: &Inertial, as_given: bool) -> Inertial {
    let nothing = |i: &Inertial| i.mass < MIN_VAL && i.moments == Vec3::ZERO;
    if nothing(b) || (b.mass < MIN_VAL && !as_given) {
        return *a;
    }
    if nothing(a) {
        return *b;
    }
    let mass = a.mass + b.mass;
    let com = if mass < MIN_VAL { a.frame.pos } else { (a.frame.pos * a.mass + b.frame.pos * b.mass) / mass };
    let part =
        |i: &Inertial| SpatialInertia::from_principal(i.moments, &i.frame.quat.to_mat3(), i.frame.pos - com, i.mass);
    let (moments, quat) = principal_axes(&full_matrix(&(part(a) + part(b))), EXACT);
    Inertial { frame: Pose::new(com, quat), mass, moments }
}

fn scale_total_mass(bodies: &mut [WorkBody], total: f64) {
    let present: f64 = bodies.iter().map(|b| b.inertial.mass).sum();
    if total > 0.0 && present > MIN_VAL {
        let scale = total / present;
        for body in bodies.iter_mut().skip(1) {
            body.inertial.mass *= scale;
            body.inertial.moments *= scale;
        }
    }
}

fn has_inertia(body: &WorkBody) -> bool {
    body.inertial.mass >= MIN_VAL && body.inertial.moments.min_element() >= MIN_VAL
}

/// A moving body must have mass: its own or that of bodies fixed to it.
/// Inertias that are used as given are checked after summation, in `check_positive`.
fn check_moving(bodies: &[WorkBody], compiler: &CompilerSpec) -> Outcome {
    let mut carries: Vec<bool> = bodies.iter().map(has_inertia).collect();
    for id in (1..bodies.len()).rev() {
        let body = &bodies[id];
        if body.spec.joints.is_empty() {
            carries[body.parent] |= carries[id];
        } else if !carries[id] && !body.compiler(compiler).inertia_as_given {
            return Err(body.element(id).error(format!(
                "mass and inertia of a moving body must be positive, got mass {} and moments {}",
                body.inertial.mass, body.inertial.moments
            )));
        }
    }
    Ok(())
}

/// Pivots of the inertia matrix below this fraction of their diagonal entry count as zero.
const PIVOT_EPS: f64 = 1e-13;

/// In the reference pose every joint must move some inertia: the inertia matrix must be positive
/// definite. Its pivots are the inertias about each axis of the descendants, with their joints free
/// to move.
pub(super) fn check_positive(bodies: &[WorkBody], model: &Model, data: &Data) -> Outcome {
    let bad = (0..model.size.nv).rev().find(|&d| {
        let diagonal = data.inertia.M[model.mass_pattern.diag(d)];
        let pivot = 1.0 / data.inertia.D_inv[d];
        !(pivot > MIN_VAL && pivot > PIVOT_EPS * diagonal)
    });
    let Some(d) = bad else { return Ok(()) };
    let (b, joint) = (model.dofs.body[d].idx(), &model.joints.name[model.dofs.joint[d].idx()]);
    let Inertial { mass, moments, .. } = bodies[b].inertial;
    let why = if mass < MIN_VAL && moments.abs().max_element() < MIN_VAL {
        "it has no mass, and its descendants have no inertia along this motion".to_owned()
    } else {
        format!("its mass is {mass}, its principal moments are {moments}")
    };
    Err(bodies[b].element(b).error(format!("it moves by joint {joint:?} without a positive inertia: {why}")))
}
