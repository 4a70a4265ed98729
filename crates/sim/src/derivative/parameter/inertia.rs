//! Derivatives with respect to masses, moments of inertia, centres of mass, and gravity.
//!
//! Newton–Euler is linear in the inertia of a body: ∂F = ∂I A + V ×f ∂I V, with gravity in A. A
//! displacement δ of the centre of mass c changes the first moment by m δ and the moments about the
//! origin by m (2 c · δ 1 − c δᵀ − δ cᵀ).

use super::product::{BiasPart, Implicit, Vector};
use super::{Parameter, Point, Quantity};
use crate::derivative::{Inexact, Report};
use crate::dynamics::fluid::{FluidShape, for_each_shape};
use crate::options::Disable;
use saltus_math::{Force, Mat3, Motion, SpatialInertia, Vec3};

fn unit(k: usize) -> Vec3 {
    [Vec3::X, Vec3::Y, Vec3::Z][k.min(2)]
}

/// From the origin of the c-frame to the centre of mass.
fn centre(point: &Point<'_>, b: usize) -> Vec3 {
    point.at.data.position.p_WI[b] - point.at.data.position.com[point.at.model.bodies.root[b].idx()]
}

/// ∂I.
fn inertia_change(point: &Point<'_>, Parameter { quantity, element: b, component: k }: Parameter) -> SpatialInertia {
    let (position, c) = (&point.at.data.position, centre(point, b));
    match quantity {
        Quantity::BodyMass => SpatialInertia::from_principal(Vec3::ZERO, &Mat3::IDENTITY, c, 1.0),
        Quantity::BodyInertia => SpatialInertia::from_principal(unit(k), &position.R_WI[b], Vec3::ZERO, 0.0),
        _ => {
            let (d, m) = (position.R_WB[b].col(k), point.at.model.bodies.mass[b]);
            SpatialInertia {
                diag: (Vec3::splat(c.dot(d)) - c * d) * (2.0 * m),
                off: Vec3::new(c.x * d.y + c.y * d.x, c.x * d.z + c.z * d.x, c.y * d.z + c.z * d.y) * -m,
                mc: d * m,
                mass: 0.0,
            }
        }
    }
}

/// ∂F at acceleration A and velocity V.
fn inertial(I: &SpatialInertia, A: Motion, V: Motion) -> Force {
    I.mul(A) + V.cross_force(I.mul(V))
}

pub(super) fn add(point: &Point<'_>, parameter: Parameter, column: &mut [f64], report: &mut Report) {
    let b = parameter.element;
    point.project(
        b,
        inertial(&inertia_change(point, parameter), point.at.chain.A[b], point.at.chain.V[b]),
        1.0,
        column,
    );
    // Forces at the centre of mass.
    let (c, bodies) = (centre(point, b), &point.at.model.bodies);
    let lift = -point.at.model.options.gravity * bodies.gravcomp[b];
    let d = point.at.data.position.R_WB[b].col(parameter.component);
    if bodies.gravcomp[b] != 0.0 && !point.off(Disable::GRAVITY) {
        let wrench = match parameter.quantity {
            Quantity::BodyMass => Force::new(c.cross(lift), lift),
            Quantity::BodyInertialPos => Force::new(d.cross(lift * bodies.mass[b]), Vec3::ZERO),
            _ => Force::ZERO,
        };
        point.project_gravcomp(b, wrench, -1.0, column);
    }
    let applied = point.at.data.input.body_force[b][0];
    if parameter.quantity == Quantity::BodyInertialPos && point.forces.applied {
        point.project(b, Force::new(d.cross(applied), Vec3::ZERO), -1.0, column);
    }
    if point.passive() {
        for_each_shape(point.at.model, |shape| {
            if shape == FluidShape::Box(b) {
                report.add(Inexact::Model("the dependence of fluid forces on body inertias is neglected"));
            }
        });
    }
}

/// Effect of gravity along axis `k` on laws that are scaled by the magnitude of gravity.
pub(super) fn add_gravity_of_law(point: &Point<'_>, k: usize, column: &mut [f64]) {
    let gravity = point.at.model.options.gravity;
    let share = gravity[k.min(2)] / gravity.length();
    if share == 0.0 || !share.is_finite() {
        return;
    }
    if let Some(mut force) = point.answers.by_gravity(point.at.model) {
        force.iter_mut().for_each(|f| *f *= -share);
        point.at.data.constraints.add_transposed(&force, column);
    }
}

/// Gravity along axis `k`, as an acceleration −g of the world.
pub(super) fn add_gravity(point: &Point<'_>, k: usize, column: &mut [f64]) {
    add_gravity_of_law(point, k, column);
    if point.off(Disable::GRAVITY) {
        return;
    }
    let (model, position) = (point.at.model, &point.at.data.position);
    let fall = Motion::new(Vec3::ZERO, -unit(k));
    for (j, x) in column.iter_mut().enumerate() {
        *x += position.S[j].dot(position.I_composite[model.dofs.body[j].idx()].mul(fall));
    }
    for b in (1..model.nbody()).filter(|&b| model.bodies.gravcomp[b] != 0.0) {
        let lift = -unit(k) * (model.bodies.mass[b] * model.bodies.gravcomp[b]);
        point.project_gravcomp(b, Force::new(centre(point, b).cross(lift), lift), -1.0, column);
    }
}

/// ∂M y.
pub(super) fn add_product(point: &Point<'_>, y: &Vector<'_>, parameter: Parameter, column: &mut [f64]) {
    let b = parameter.element;
    point.project(b, inertia_change(point, parameter).mul(y.motion[b]), 1.0, column);
}

/// h ∂(∂c/∂v) x, if the bias is implicit.
pub(super) fn add_implicit(point: &Point<'_>, implicit: &Implicit<'_>, parameter: Parameter, column: &mut [f64]) {
    if let Some(bias) = &implicit.bias {
        let (b, I) = (parameter.element, inertia_change(point, parameter));
        for BiasPart { chain, weight, .. } in &bias.parts {
            point.project(b, inertial(&I, chain.A[b], chain.V[b]), *weight, column);
        }
    }
}
