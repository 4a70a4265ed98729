//! The compliant law: forces are functions of q and v, nothing is solved.
//!
//! A contact with gap φ, separating at v_n and sliding at v_t, has the forces \[Kurtz2023\]
//!   f_n = σ k ln(1 + exp(−φ/σ)) d(v_n/v_d),   f_t = −μ f_n v_t/√(v_s² + |v_t|²),                                   (1)
//!   d(s) = 1 − s for s < 0,  (s − 2)²/4 for 0 ≤ s < 2,  0 for s ≥ 2:                                              (2)
//! a spring that begins σ before the surface, twice as strong against what comes in at v_d, and friction that needs a speed
//! of about v_s. Both are smooth in q; d has one continuous derivative.
//!
//! Forces are those at the beginning of the step: a = a₀ + M⁻¹ Jᵀ f, and inverse dynamics takes Jᵀ f away again. Integrators do
//! what they do under the soft law: Euler's method finds v⁺ = v + h a (with the damping of joints implicit). That is explicit, so
//! that steps must resolve the forces: on a mass m at a contact that carries f, h < 2 √(m/k), h < 2 m v_d/f and h < 2 m v_s/(μ f).
//!
//! Beyond (1):
//! - Torsion and rolling slip as tangents do, together with them: f_i = −f_n μ_i² v_i/√(μ̄² v_s² + Σ μ_j² v_j²), μ̄ the largest of
//!   the coefficients. For tangents alone this is (1); the force is always inside of the elliptic cone. A positive
//!   `compliant_friction` is μ of the tangents of all contacts.
//! - Limits push as normals do, σ and v_d in rad and rad/s where they are angles, with a spring that suits what they stop:
//!   k = 1/(A T²), A the row's inverse inertia (`mass`), T = 20 ms, or eight steps where these are longer.
//! - Dry friction is −η v/√(v_s² + v²).
//! - Equalities are critically damped springs of that time, f = −(r/T + 2 ṙ)/(A T). They hold a body that
//!   hangs on its origin with a sag of g T², 4 mm, and are as much softer as the body is light at their anchor: a connect or
//!   weld whose anchor is far from a small body hardly holds it.
//!
//! Defaults are soft enough that single robots and piles of bodies run in steps of 2 to 5 ms; a falling humanoid sinks in by 8 cm. A
//! crowd of humanoids that fall on each other in steps of 5 ms diverges.
//!
//! Contacts and limits are seen from where a contact's spring has less than ε = 1.5e-8 N, φ = −σ ln(exp(ε/(σ k)) − 1).

mod force;
mod mass;

pub(crate) use force::Compliant;

use crate::data::{Acceleration, Data, RowState, SolverReport, SolverStatus};
use crate::model::Model;

/// Forces of the rows, and the acceleration that they give.
pub fn solve(model: &Model, data: &mut Data) {
    invert(model, data);
    let Acceleration { a, a_smooth, tau_constraint, .. } = &mut data.acceleration;
    a.copy_from_slice(tau_constraint);
    data.inertia.solve_step(model, a);
    a.iter_mut().zip(a_smooth).for_each(|(a, free)| *a += *free);
}

/// Forces of the rows and what they do to the dofs; no acceleration enters.
pub(crate) fn invert(model: &Model, data: &mut Data) {
    let n = data.constraints.len();
    let mut force = core::mem::take(&mut data.constraints.force);
    force.resize(n, 0.0);
    Compliant::new(&model.options).update_forces(model, data, &mut force);
    let Data { constraints: rows, acceleration, .. } = data;
    rows.state.clear();
    rows.state.resize(n, RowState::Quadratic);
    acceleration.tau_constraint.fill(0.0);
    rows.add_transposed(&force, &mut acceleration.tau_constraint);
    rows.force = force;
    let status = if n == 0 { SolverStatus::Unconstrained } else { SolverStatus::Converged };
    rows.report = SolverReport { status, ..SolverReport::default() };
}
