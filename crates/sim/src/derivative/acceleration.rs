//! Derivatives of forward dynamics: at the acceleration that solves ID(q, v, a, act,
//! u) = τ_applied, H ∂a = −∂ID with H = ∂ID/∂a, the Hessian of the constraint problem.

use super::activation::{Input, for_each_force_slope};
use super::actuation::is_clamped;
use super::equation::{self, Equation, Forces, linearize};
use super::factor::Factor;
use super::solution::Solution;
use super::{DerivativeError, Report};
use crate::actuation::{is_disabled, is_saturated};
use crate::data::{Data, RowKind};
use crate::dynamics::tendon_armature;
use crate::model::Model;
use crate::options::{Disable, Integrator};

/// The forces of forward dynamics.
pub(super) const ALL: Forces = Forces { actuation: true, applied: true };

/// ∂a, the linearized equation from which it follows, and the factors of H.
pub(super) struct Accelerations<'w> {
    pub equation: Equation<'w>,
    pub hessian: &'w mut Factor,
    /// With respect to q, v, act and u; nv × (2 nv + na + nu).
    pub by_state: &'w [f64],
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub equation: equation::Memory,
    pub hessian: Hessian,
    columns: Vec<f64>,
    pub solution: Solution,
}

/// Working memory: H (its lower triangle if that is sufficient) and its factors.
#[derive(Clone, Debug, Default)]
pub(super) struct Hessian {
    lower: Vec<f64>,
    factor: Factor,
}

/// ∂a at the current state; `data` holds the results of forward dynamics.
pub(super) fn by_state<'w>(
    model: &'w Model,
    data: &'w Data,
    memory: &'w mut Memory,
    report: &mut Report,
) -> Result<Accelerations<'w>, DerivativeError> {
    let Memory { equation, hessian, columns, solution } = memory;
    let equation = linearize(model, data, ALL, equation, report)?;
    fill_right_hand_side(&equation, columns);
    let hessian = factor_hessian(&equation, hessian)?;
    hessian.solve(columns, 2 * model.size.nv + model.size.na + model.size.nu);
    solution.check(model, data, equation.answers.x, hessian, report);
    Ok(Accelerations { equation, hessian, by_state: columns })
}

/// The factors of ∂ID/∂a.
pub(super) fn factor_hessian<'w>(
    equation: &Equation<'_>,
    memory: &'w mut Hessian,
) -> Result<&'w mut Factor, DerivativeError> {
    let (nv, tree) = (equation.at.model.size.nv, equation.sums.sweep.tree());
    let Hessian { lower, factor } = memory;
    let done = if is_of_tree(equation) {
        lower.clear();
        for (i, row) in equation.slopes.a.chunks_exact(nv.max(1)).enumerate() {
            lower.extend(tree.col[tree.range(i)].iter().map(|&j| row[j as usize]));
        }
        factor.factor_tree(tree, lower)
    } else {
        factor.factor(&equation.slopes.a, nv)
    };
    if done {
        Ok(factor)
    } else {
        Err(DerivativeError::Unsupported("where the Hessian of the constraint problem is singular"))
    }
}

/// Whether ∂ID/∂a is symmetric and couples dofs with their ancestors only.
fn is_of_tree(equation: &Equation<'_>) -> bool {
    let couples = |kind| matches!(kind, RowKind::Equality | RowKind::FrictionTendon | RowKind::LimitTendon);
    let (model, terms, tree) = (equation.at.model, equation.sums.terms, equation.sums.sweep.tree());
    let yes = equation.coupling.is_none()
        && model.options.scheme() != Integrator::Discrete
        && terms.cross.is_empty()
        && !terms.any_A
        && (0..model.ntendon()).all(|t| tendon_armature(model, t) == 0.0)
        && !equation.at.data.constraints.blocks.iter().any(|b| couples(b.kind));
    let (nv, a) = (model.size.nv, &equation.slopes.a);
    debug_assert!(
        !yes || (0..nv).all(|i| {
            let row = &tree.col[tree.range(i)];
            (0..i).all(|j| {
                let (x, y) = (a[i * nv + j], a[j * nv + i]);
                (x - y).abs() <= 1e-9 * a[i * nv + i].abs().max(a[j * nv + j].abs())
                    && (x == 0.0 || row.contains(&(j as u32)))
            })
        })
    );
    yes
}

/// −∂ID with respect to q, v, act and u; nv × (2 nv + na + nu).
fn fill_right_hand_side(equation: &Equation<'_>, columns: &mut Vec<f64>) {
    let (model, data) = (equation.at.model, equation.at.data);
    let (nv, na, nu) = (model.size.nv, model.size.na, model.size.nu);
    let m = 2 * nv + na + nu;
    columns.clear();
    for i in 0..nv {
        let row = i * nv..(i + 1) * nv;
        columns.extend(equation.slopes.q[row.clone()].iter().map(|x| -x));
        columns.extend(equation.slopes.v[row].iter().map(|x| -x));
        columns.resize((i + 1) * m, 0.0);
    }
    for by_input in equation.by_input {
        let rows = columns.chunks_exact_mut(m.max(1)).zip(by_input.chunks_exact((na + nu).max(1)));
        for (row, by_input) in rows {
            row[2 * nv..].iter_mut().zip(by_input).for_each(|(x, d)| *x -= d);
        }
    }
    if model.options.disable.has(Disable::ACTUATION) {
        return;
    }
    for a in (0..model.nactuator()).filter(|&a| !is_disabled(model, a) && !is_saturated(model, data, a)) {
        let span = model.actuators.moment[a].range();
        let cols = &model.actuators.moment_col[span.clone()];
        let moment = &data.position.actuator_moment[span];
        for_each_force_slope(model, data, a, |input, slope| {
            let column = match input {
                Input::Act(i) => 2 * nv + i,
                Input::Ctrl(i) => 2 * nv + na + i,
                Input::Length => return,
            };
            for (&i, x) in cols.iter().zip(moment) {
                if !is_clamped(model, data, i as usize) {
                    columns[i as usize * m + column] += slope * x;
                }
            }
        });
    }
}
