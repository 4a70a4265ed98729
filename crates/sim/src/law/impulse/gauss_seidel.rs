//! Cone-projected Gauss–Seidel [MuJoCo2013, §2.5.3] on the dense problem of `contact_space`: dry friction, then limits
//! and frictionless contacts, then frictional contacts, each set to its best value.

use super::super::contact_space::{ContactSpace, inequalities};
use super::super::soft::cost::{Cone, MAX_DIM};
use super::super::soft::pgs::descend;
use super::report;
use crate::data::{Data, RowKind, SolverReport};
use crate::model::Model;
use saltus_math::dot;

/// Sweeps from zero until a sweep improves the cost by less than the tolerance, or the iterations are used up.
pub(super) fn solve(model: &Model, data: &Data, space: &mut ContactSpace) -> SolverReport {
    let options = &model.options;
    let scale = 1.0 / (model.statistic.mean_inertia * model.size.nv.max(1) as f64);
    let (mut sweeps, mut improvement, mut converged) = (0, 0.0, false);
    while sweeps < options.iterations.max(0) as u32 && !converged {
        improvement = scale * sweep_once(data, space);
        sweeps += 1;
        converged = improvement < options.tolerance * options.laws.tolerance_scale();
    }
    report(converged, sweeps, improvement)
}

/// One sweep over all rows; returns how much the cost fell.
pub(super) fn sweep_once(data: &Data, space: &mut ContactSpace) -> f64 {
    let rows = &data.constraints;
    let mut fall = 0.0;
    for block in inequalities(rows).filter(|b| b.kind != RowKind::ContactElliptic) {
        for row in block.rows.range() {
            let i = row - space.first;
            let (gradient, curvature) = (gradient(rows.R[row], space, i), space.A[i * space.n + i] + rows.R[row]);
            let bound = rows.friction_loss[row];
            let best = space.force[i] - gradient / curvature;
            let best = match block.kind {
                RowKind::FrictionDof | RowKind::FrictionTendon => best.clamp(-bound, bound),
                _ => best.max(0.0),
            };
            let change = best - space.force[i];
            fall -= change * (gradient + 0.5 * curvature * change);
            space.force[i] = best;
        }
    }
    for block in inequalities(rows).filter(|b| b.kind == RowKind::ContactElliptic) {
        let (own, first) = (block.rows.range(), block.rows.start as usize - space.first);
        let cone = Cone::of_contact(&data.contacts[block.id as usize], first);
        let (mut A, mut g, mut old) = ([[0.0; MAX_DIM]; MAX_DIM], [0.0; MAX_DIM], [0.0; MAX_DIM]);
        for (k, row) in own.enumerate() {
            let i = first + k;
            A[k][..cone.dim].copy_from_slice(&space.A[i * space.n + first..i * space.n + first + cone.dim]);
            A[k][k] += rows.R[row];
            g[k] = gradient(rows.R[row], space, i);
            old[k] = space.force[i];
        }
        let (new, gain) = descend(&cone, &A, &g, &old);
        if gain > 0.0 {
            space.force[first..first + cone.dim].copy_from_slice(&new[..cone.dim]);
            fall += gain;
        }
    }
    fall
}

/// Row i of (A + R) f + x₀.
fn gradient(R: f64, space: &ContactSpace, i: usize) -> f64 {
    let row = &space.A[i * space.n..(i + 1) * space.n];
    dot(row, &space.force) + R * space.force[i] + space.x0[i]
}

/// ½ fᵀ(A + R) f + fᵀ x₀.
pub(super) fn cost(data: &Data, space: &ContactSpace) -> f64 {
    let R = &data.constraints.R[space.first..];
    (0..space.n).map(|i| 0.5 * space.force[i] * (gradient(R[i], space, i) + space.x0[i])).sum()
}
