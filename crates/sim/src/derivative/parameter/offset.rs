//! Derivatives with respect to positions of bodies in their parents.
//!
//! An offset acts as a fixed slide joint before all joints of the body: all descendants are
//! displaced by δ, and the derivative is the column of that dof in ∂ID/∂q. Terms that `sweep` does
//! not include are added here: gravity compensation, geoms of static bodies, and (in `stretch`)
//! tendons.

use super::contact::add_displaced;
use super::product::{BiasPart, Implicit, Vector};
use super::{Parameter, Point, stretch};
use crate::derivative::chain::Chain;
use crate::derivative::equation::Sums;
use crate::derivative::sweep::{ExtraDof, subtree};
use crate::derivative::{Inexact, Report};
use crate::kinematics::jacobian::dofs_of;
use crate::model::kinds::{EqualityType, ObjectKind, TransmissionKind};
use crate::options::Disable;
use saltus_math::{Force, Motion, Vec3};

/// The dof of an offset, with its motions in a chain.
pub(super) fn extra_dof(
    point: &Point<'_>,
    chain: &Chain,
    Parameter { element: body, component, .. }: Parameter,
) -> ExtraDof {
    let parent = point.at.model.bodies.parent[body].idx();
    let S = Motion::new(Vec3::ZERO, point.at.data.position.R_WB[parent].col(component));
    let S_dot = chain.V[parent].cross_motion(S);
    let eta = chain.A[parent].cross_motion(S) + chain.V[parent].cross_motion(S_dot);
    ExtraDof { body, S, S_dot, sigma: chain.Y[parent].cross_motion(S), eta }
}

/// Needs the sums of `sweep` and `terms`.
pub(super) fn add(point: &Point<'_>, sums: Sums<'_>, parameter: Parameter, column: &mut [f64], report: &mut Report) {
    let dof = extra_dof(point, point.at.chain, parameter);
    add_moved(point, sums, &dof, column, report);
    let behind = subtree(point.at.model, dof.body);
    for b in behind.clone() {
        if point.at.model.bodies.gravcomp[b] != 0.0 && !point.off(Disable::GRAVITY) {
            add_gravcomp(point, &dof, b, column);
        }
    }
    check(point, behind, report);
}

/// The same for rows only, for sums without inertia; their wrenches do not depend on the bodies'
/// accelerations A.
pub(super) fn add_rows(
    point: &Point<'_>,
    sums: Sums<'_>,
    parameter: Parameter,
    column: &mut [f64],
    report: &mut Report,
) {
    let dof = ExtraDof { eta: Motion::ZERO, ..extra_dof(point, point.at.chain, parameter) };
    add_moved(point, sums, &dof, column, report);
}

/// Contributions of sweeps, tendons and contacts of static bodies.
fn add_moved(point: &Point<'_>, sums: Sums<'_>, dof: &ExtraDof, column: &mut [f64], report: &mut Report) {
    let Sums { sweep, terms, tendons } = sums;
    sweep.add_column(point.at.model, point.at.data, terms, dof, column);
    stretch::add(point.at, tendons, &point.answers, point.answers.a, dof, column, report);
    let bodies = &point.at.model.bodies;
    for b in subtree(point.at.model, dof.body).filter(|&b| bodies.tree[b].is_none()) {
        bodies.geoms[b].range().for_each(|g| add_displaced(point, g, dof.S.lin, column, report));
    }
}

/// The force at the centre of mass of `b` moves with the offset, and so do the axes of the dofs
/// after it.
fn add_gravcomp(point: &Point<'_>, dof: &ExtraDof, b: usize, column: &mut [f64]) {
    let bodies = &point.at.model.bodies;
    let force = -point.at.model.options.gravity * (bodies.mass[b] * bodies.gravcomp[b]);
    // Dofs after the offset move along with the point.
    let mut moved = vec![0.0; column.len()];
    point.project_gravcomp(b, Force::new(dof.S.lin.cross(force), Vec3::ZERO), -1.0, &mut moved);
    dofs_of(point.at.model, bodies.parent[dof.body].idx()).for_each(|j| column[j] += moved[j]);
}

/// Reports elements whose length or moment changes in ways without a formula here.
fn check(point: &Point<'_>, behind: core::ops::Range<usize>, report: &mut Report) {
    let model = point.at.model;
    let apart = |bodies: &mut dyn Iterator<Item = usize>| {
        let mut inside = bodies.map(|b| behind.contains(&b));
        let first = inside.next();
        inside.any(|x| Some(x) != first)
    };
    for a in (0..model.nactuator()).filter(|_| point.actuated()) {
        let two = matches!(model.actuators.transmission[a], TransmissionKind::Site | TransmissionKind::SliderCrank);
        if let (true, [Some(s), Some(t)]) = (two, model.actuators.target[a])
            && apart(&mut [s, t].into_iter().map(|s| model.sites.body[s as usize].idx()))
        {
            report.add(Inexact::Actuator(a));
        }
    }
    for e in (0..model.nequality()).filter(|&e| point.at.data.state.equality_active[e]) {
        if !matches!(model.equalities.kind[e], EqualityType::Connect | EqualityType::Weld) {
            continue;
        }
        let site = model.equalities.object_kind[e] == ObjectKind::Site;
        let body = |o: u32| if site { model.sites.body[o as usize].idx() } else { o as usize };
        let ends = [Some(model.equalities.object1[e]), model.equalities.object2[e]];
        if ends.into_iter().flatten().map(body).any(|b| model.bodies.tree[b].is_none() && behind.contains(&b)) {
            report.add(Inexact::Equality(e));
        }
    }
}

/// ∂M y.
pub(super) fn add_product(point: &Point<'_>, y: &Vector<'_>, parameter: Parameter, column: &mut [f64]) {
    let (model, position) = (point.at.model, &point.at.data.position);
    let parent = model.bodies.parent[parameter.element].idx();
    let S = Motion::new(Vec3::ZERO, position.R_WB[parent].col(parameter.component));
    let eta = y.motion[parent].cross_motion(S);
    let mut force = Force::ZERO;
    for b in subtree(model, parameter.element) {
        force += position.I[b].mul(y.motion[b]);
        for j in model.bodies.dofs[b].range() {
            column[j] += eta.dot(position.I_composite[b].mul(position.S[j]));
        }
    }
    let change = S.cross_force(force) + position.I_composite[parameter.element].mul(eta);
    dofs_of(model, parent).for_each(|j| column[j] += position.S[j].dot(change));
}

/// ∂((M̂ − M) x + s h K v): contributions of tendons, and of the bias if it is implicit.
pub(super) fn add_implicit(
    point: &Point<'_>,
    implicit: &Implicit<'_>,
    parameter: Parameter,
    column: &mut [f64],
    report: &mut Report,
) {
    if implicit.lengths {
        let dof = extra_dof(point, point.at.chain, parameter);
        stretch::add(point.at, implicit.tendons, &point.answers, implicit.x, &dof, column, report);
    }
    if let Some(bias) = &implicit.bias {
        let mut own = vec![0.0; column.len()];
        for BiasPart { chain, sweep, terms, weight } in &bias.parts {
            own.fill(0.0);
            sweep.add_column(point.at.model, point.at.data, terms, &extra_dof(point, chain, parameter), &mut own);
            column.iter_mut().zip(&own).for_each(|(c, x)| *c += weight * x);
        }
    }
}
