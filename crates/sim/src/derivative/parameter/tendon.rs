//! Springs, dampers, dry friction and limits of tendons: forces along their Jacobian.

use super::joint::{each_block, limit, slipping};
use super::step::Rest;
use super::{At, Parameter, Quantity};
use crate::data::RowKind;
use crate::derivative::implicit::is_inside;
use crate::derivative::{Inexact, Report};
use crate::dynamics::passive::{tendon_spring, tendon_stretch};
use crate::options::Disable;

/// column += scale · Jᵀ.
pub(super) fn pull(at: &At<'_>, t: usize, scale: f64, column: &mut [f64]) {
    let span = at.model.tendons.jac[t].range();
    for (&c, J) in at.model.tendons.jac_col[span.clone()].iter().zip(&at.data.position.tendon_jac[span]) {
        column[c as usize] += scale * J;
    }
}

/// J y.
pub(super) fn rate(at: &At<'_>, t: usize, y: &[f64]) -> f64 {
    let span = at.model.tendons.jac[t].range();
    let cols = &at.model.tendons.jac_col[span.clone()];
    cols.iter().zip(&at.data.position.tendon_jac[span]).map(|(&c, J)| J * y[c as usize]).sum()
}

pub(super) fn add(at: &At<'_>, Parameter { quantity, element: t, component: k }: Parameter, column: &mut [f64]) {
    let length = at.data.position.tendon_length[t];
    let stretch = tendon_stretch(at.model, t, length);
    match quantity {
        Quantity::TendonStiffness if !at.off(Disable::SPRING) => pull(at, t, stretch, column),
        Quantity::TendonSpringLength if !at.off(Disable::SPRING) => {
            let [lower, upper] = at.model.tendons.length_spring[t];
            if (k == 0 && length < lower) || (k == 1 && length > upper) {
                pull(at, t, -tendon_spring(at.model, t).spring_slope(stretch), column);
            }
        }
        Quantity::TendonDamping if !at.off(Disable::DAMPER) => {
            pull(at, t, at.data.velocity.tendon_velocity[t], column);
        }
        Quantity::TendonFrictionLoss => {
            each_block(at, RowKind::FrictionTendon, t, |block| pull(at, t, -slipping(at, block), column));
        }
        Quantity::TendonRange => each_block(at, RowKind::LimitTendon, t, |block| limit(at, block, k, column)),
        _ => {}
    }
}

/// −h ∂D a*, D = β Jᵀ J where tendons are damped implicitly.
pub(super) fn add_rest(at: &At<'_>, rest: &Rest<'_>, parameter: Parameter, column: &mut [f64], report: &mut Report) {
    let t = parameter.element;
    if parameter.quantity == Quantity::TendonDamping && !at.off(Disable::DAMPER) {
        add_damping(at, rest, t, 1.0, column, report);
    }
}

/// The same for ∂β = `change`.
pub(super) fn add_damping(
    at: &At<'_>,
    rest: &Rest<'_>,
    t: usize,
    change: f64,
    column: &mut [f64],
    report: &mut Report,
) {
    if !rest.implicit || change == 0.0 {
        return;
    }
    if !is_inside(at.model, &at.model.tendons.jac_col[at.model.tendons.jac[t].range()]) {
        report.add(Inexact::Tendon(t));
    }
    pull(at, t, -rest.h * change * rate(at, t, rest.a_step), column);
}
