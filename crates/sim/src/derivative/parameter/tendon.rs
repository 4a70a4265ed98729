//! Derivatives with respect to springs, dampers, dry friction and limits of tendons: forces along
//! their Jacobian.

use super::joint::{each_block, limit};
use super::product::Implicit;
use super::{Parameter, Point, Quantity};
use crate::data::RowKind;
use crate::derivative::implicit::is_inside;
use crate::derivative::{Inexact, Report};
use crate::dynamics::passive::{is_stretched, tendon_damper, tendon_spring, tendon_stretch};
use crate::options::Disable;

/// column += scale · Jᵀ.
pub(super) fn pull(point: &Point<'_>, t: usize, scale: f64, column: &mut [f64]) {
    let span = point.at.model.tendons.jac[t].range();
    for (&c, J) in point.at.model.tendons.jac_col[span.clone()].iter().zip(&point.at.data.position.tendon_jac[span]) {
        column[c as usize] += scale * J;
    }
}

/// J y.
pub(super) fn rate(point: &Point<'_>, t: usize, y: &[f64]) -> f64 {
    let span = point.at.model.tendons.jac[t].range();
    let cols = &point.at.model.tendons.jac_col[span.clone()];
    cols.iter().zip(&point.at.data.position.tendon_jac[span]).map(|(&c, J)| J * y[c as usize]).sum()
}

pub(super) fn add(point: &Point<'_>, Parameter { quantity, element: t, component: k }: Parameter, column: &mut [f64]) {
    let length = point.at.data.position.tendon_length[t];
    let stretch = tendon_stretch(point.at.model, t, length);
    match quantity {
        Quantity::TendonStiffness if !point.off(Disable::SPRING) => pull(point, t, stretch, column),
        Quantity::TendonSpringLength if !point.off(Disable::SPRING) => {
            let [lower, upper] = point.at.model.tendons.length_spring[t];
            if (k == 0 && length < lower) || (k == 1 && length > upper) {
                pull(point, t, -tendon_spring(point.at.model, t).spring_slope(stretch), column);
            }
        }
        Quantity::TendonDamping if !point.off(Disable::DAMPER) => {
            pull(point, t, point.at.data.velocity.tendon_velocity[t], column);
        }
        Quantity::TendonFrictionLoss => {
            each_block(point, RowKind::FrictionTendon, t, |block| {
                pull(point, t, -point.answers.by_loss(point.at.model, block), column)
            });
        }
        Quantity::TendonRange => each_block(point, RowKind::LimitTendon, t, |block| limit(point, block, k, column)),
        _ => {}
    }
}

/// ∂((M̂ − M) x + s h K v).
pub(super) fn add_implicit(
    point: &Point<'_>,
    implicit: &Implicit<'_>,
    Parameter { quantity, element: t, component: k }: Parameter,
    column: &mut [f64],
    report: &mut Report,
) {
    let (model, length) = (point.at.model, point.at.data.position.tendon_length[t]);
    let (spring, stretch) = (tendon_spring(model, t), tendon_stretch(model, t, length));
    let stretched = is_stretched(model, t, length) && !point.off(Disable::SPRING) && implicit.is_discrete();
    let counted = |dk: f64| implicit.counted(spring.spring_slope(stretch), dk);
    let (mut db, mut dk) = (0.0, 0.0);
    match quantity {
        Quantity::TendonDamping if !point.off(Disable::DAMPER) => {
            db = implicit.counted(tendon_damper(model, t).damper_slope(point.at.data.velocity.tendon_velocity[t]), 1.0);
        }
        Quantity::TendonStiffness if stretched => dk = counted(1.0),
        Quantity::TendonSpringLength if stretched => {
            let [lower, upper] = model.tendons.length_spring[t];
            if (k == 0 && length < lower) || (k == 1 && length > upper) {
                dk = counted(-spring.spring_curvature(stretch));
            }
        }
        _ => {}
    }
    add_answer(point, implicit, t, db, dk, column, report);
}

/// The same for given changes of damping and stiffness.
pub(super) fn add_answer(
    point: &Point<'_>,
    implicit: &Implicit<'_>,
    t: usize,
    db: f64,
    dk: f64,
    column: &mut [f64],
    report: &mut Report,
) {
    if !implicit.lengths || (db == 0.0 && dk == 0.0) {
        return;
    }
    if !implicit.is_discrete()
        && !is_inside(point.at.model, &point.at.model.tendons.jac_col[point.at.model.tendons.jac[t].range()])
    {
        report.add(Inexact::Tendon(t));
    }
    pull(
        point,
        t,
        implicit.answer(db, dk, rate(point, t, implicit.x), point.at.data.velocity.tendon_velocity[t]),
        column,
    );
}
