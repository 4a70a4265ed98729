//! Spatial tendons between bodies that an offset separates.
//!
//! As in `tendon`: −∂(Jᵀ f) = Jᵀ (α ∂l + β ∂(J v) + γ ∂(J a)) − f ∂Jᵀ, with respect to the dof of
//! the offset.

use crate::data::Data;
use crate::derivative::chain::At;
use crate::derivative::outer::{Row, Stiffness};
use crate::derivative::response::Answers;
use crate::derivative::rows::polynomial_slopes;
use crate::derivative::string::String;
use crate::derivative::sweep::{ExtraDof, subtree};
use crate::derivative::tendon::Tendons;
use crate::derivative::{Inexact, Report};
use crate::model::Model;
use crate::tendon::spatial::for_each_path;

/// Derivatives of a tendon's l, J v and J a.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    length: f64,
    velocity: f64,
    acceleration: f64,
}

impl Change {
    fn answer(&self, s: &Stiffness) -> f64 {
        s.length * self.length + s.velocity * self.velocity + s.acceleration * self.acceleration
    }
}

fn row<'a>(model: &'a Model, data: &'a Data, t: usize) -> Row<'a> {
    let span = model.tendons.jac[t].range();
    Row::new(&model.tendons.jac_col[span.clone()], &data.position.tendon_jac[span])
}

fn pull(J: Row<'_>, scale: f64, column: &mut [f64]) {
    J.cols.iter().zip(J.values).for_each(|(&c, J)| column[c as usize] += scale * J);
}

/// Adds the forces on tendons; `a` is the acceleration in J a.
pub(super) fn add(
    At { model, data, .. }: At<'_>,
    tendons: &Tendons,
    answers: &Answers<'_>,
    a: &[f64],
    dof: &ExtraDof,
    column: &mut [f64],
    report: &mut Report,
) {
    if model.ntendon() == 0 {
        return;
    }
    let mut changes = vec![Change::default(); model.ntendon()];
    let (behind, mut scratch) = (subtree(model, dof.body), vec![]);
    for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t]) {
        let (force, change) = (tendons.force[t], &mut changes[t]);
        for_each_path(model, data, t, |path| {
            let string = String::of(model, data, path);
            change.length += string.for_each_change_by(model, data, dof, &behind, &mut scratch, |j, dJ| {
                column[j] -= force * dJ;
                change.velocity += data.state.v[j] * dJ;
                change.acceleration += a[j] * dJ;
            });
        });
        pull(row(model, data, t), change.answer(&tendons.stiffness[t]), column);
        if tendons.heavy[t] && change.length != 0.0 {
            report.add(Inexact::Tendon(t));
        }
    }
    for &k in &tendons.equalities {
        add_equality(model, data, answers, k, &changes, column);
    }
}

/// Equalities r = y − p(x), which the sums over tendons do not include.
fn add_equality(model: &Model, data: &Data, answers: &Answers<'_>, k: usize, changes: &[Change], column: &mut [f64]) {
    let (rows, block) = (&data.constraints, &data.constraints.blocks[k]);
    let e = block.id as usize;
    let (f, stiffness) = answers.row(block);
    let mut change = changes[model.equalities.object1[e] as usize];
    if let Some(x) = model.equalities.object2[e].map(|t| t as usize) {
        let stretch = data.position.tendon_length[x] - model.tendons.length0[x];
        let (slope, curvature) = polynomial_slopes(&model.equalities.data[e], stretch);
        let (J, by) = (row(model, data, x), changes[x]);
        let bend = curvature * by.length;
        change.length -= slope * by.length;
        change.velocity -= slope * by.velocity + bend * J.dot(&data.state.v);
        change.acceleration -= slope * by.acceleration + bend * J.dot(answers.a);
        pull(J, f * bend, column);
    }
    let J = Row::new(&rows.col[block.cols.range()], &rows.J[block.row_values(0)]);
    pull(J, change.answer(&stiffness), column);
}
