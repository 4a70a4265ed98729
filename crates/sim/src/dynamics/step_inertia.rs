//! Implicit terms of the step, added to the inertia within the constraint solve.
//!
//! The acceleration of a step of the discrete integrator, a = (v⁺ − v)/h, solves
//!   M̂ a = τ_smooth − h K v + Jᵀ f,   M̂ = M + h D + h² K,                                    (1)
//! with D and K the damping and stiffness of joints, tendons, actuators and fluid drag, each term
//! clamped to the sign that keeps M̂ positive definite. The solver works in the metric M̂, and
//! integration is v⁺ = v + h a.
//!
//! Terms within the sparsity of M (joints, drag, tendons and actuators along one chain) are added
//! to it before factorization; the others are kept as separate terms (`inertia`).

use super::derivatives::{Damping, calc_dof_damping};
use super::passive::{calc_dof_stiffness, is_stretched, tendon_damper, tendon_spring, tendon_stretch};
use crate::actuation::calc_slope;
use crate::data::Data;
use crate::inertia::Inertia;
use crate::model::Model;
use crate::options::{Disable, Implicit};

/// Working memory.
#[derive(Clone, Debug, Default)]
struct Work {
    /// Slopes of the forces on dofs, nv entries.
    slope: Vec<f64>,
    damping: Damping,
}

/// Computes M̂ into `data.inertia`. Needs the velocity stage and actuation.
pub(crate) fn update_step_inertia(model: &Model, data: &mut Data) {
    let Implicit::Discrete { lengths } = model.options.implicit() else {
        return data.inertia.set_explicit();
    };
    let mut work = data.scratch.modules.take::<Work>();
    let mut inertia = core::mem::take(&mut data.inertia);
    inertia.begin_implicit(model);
    add_dofs(model, data, &mut inertia, &mut work.slope);
    add_drag(model, data, &mut inertia, &mut work.damping);
    inertia.end_backbone();
    if lengths {
        add_tendons(model, data, &mut inertia);
        add_actuators(model, data, &mut inertia);
    }
    inertia.fill_backbone_diagonal(model);
    data.scratch.modules.put(work);
    data.inertia = inertia;
}

fn add_dofs(model: &Model, data: &Data, inertia: &mut Inertia, slope: &mut Vec<f64>) {
    let (h, off) = (model.options.timestep, model.options.disable);
    slope.resize(model.size.nv, 0.0);
    if !off.has(Disable::DAMPER) {
        calc_dof_damping(model, data, slope);
        for (i, b) in slope.iter().enumerate() {
            inertia.add(model.mass_pattern.diag(i), h * b.max(0.0));
        }
    }
    if !off.has(Disable::SPRING) {
        calc_dof_stiffness(model, &data.state.q, slope);
        for (i, k) in slope.iter().enumerate() {
            let k = k.max(0.0);
            inertia.add(model.mass_pattern.diag(i), h * h * k);
            inertia.add_shift(i, h * k * data.state.v[i]);
        }
    }
}

/// Adds the symmetric part of fluid drag.
fn add_drag(model: &Model, data: &Data, inertia: &mut Inertia, damping: &mut Damping) {
    if !damping.update_drag(model, data) {
        return;
    }
    let half = 0.5 * model.options.timestep;
    for i in 0..model.size.nv {
        let row = model.mass_pattern.range(i);
        let start = damping.tree.range(i).end - row.len();
        for (from, k) in (start..).zip(row) {
            inertia.add(k, half * (damping.D.lower[from] + damping.D.upper[from]));
        }
    }
}

fn add_tendons(model: &Model, data: &Data, inertia: &mut Inertia) {
    let off = model.options.disable;
    for t in 0..model.ntendon() {
        let rate = data.velocity.tendon_velocity[t];
        let stretch = tendon_stretch(model, t, data.position.tendon_length[t]);
        let spring = !off.has(Disable::SPRING) && is_stretched(model, t, data.position.tendon_length[t]);
        let k = if spring { tendon_spring(model, t).spring_slope(stretch) } else { 0.0 };
        let b = if off.has(Disable::DAMPER) { 0.0 } else { tendon_damper(model, t).damper_slope(rate) };
        let span = model.tendons.jac[t].range();
        let (cols, jac) = (&model.tendons.jac_col[span.clone()], &data.position.tendon_jac[span]);
        inertia.add_row(model, k, b, rate, cols, jac);
    }
}

fn add_actuators(model: &Model, data: &Data, inertia: &mut Inertia) {
    for a in 0..model.nactuator() {
        let slope = calc_slope(model, data, a);
        let span = model.actuators.moment[a].range();
        let (cols, moment) = (&model.actuators.moment_col[span.clone()], &data.position.actuator_moment[span]);
        inertia.add_row(model, -slope.length, -slope.velocity, data.velocity.actuator_velocity[a], cols, moment);
    }
}
