//! The compliant law: constraint forces are explicit functions of q and v; no problem is solved.
//!
//! A contact with gap φ, separation velocity v_n and sliding velocity v_t has the forces
//! \[Kurtz2023\]
//!   f_n = σ k ln(1 + exp(−φ/σ)) d(v_n/v_d),   f_t = −μ f_n v_t/√(v_s² + |v_t|²),              (1)
//!   d(s) = 1 − s for s < 0,  (s − 2)²/4 for 0 ≤ s < 2,  0 for s ≥ 2:                          (2)
//! a spring that begins at a gap of about σ, whose force doubles at an approach velocity of v_d,
//! and friction regularized by the stiction velocity v_s. Both are smooth in q; d has one
//! continuous derivative.
//!
//! Forces are evaluated at the beginning of the step: a = a₀ + M⁻¹ Jᵀ f; inverse dynamics subtracts
//! Jᵀ f. Integrators work as under the soft law: Euler's method computes v⁺ = v + h a (with
//! implicit joint damping). The scheme is explicit, so the step must resolve the forces: for a mass
//! m at a contact with force f, h < 2 √(m/k), h < 2 m v_d/f and h < 2 m v_s/(μ f).
//!
//! Extensions of (1):
//! - Torsional and rolling friction are coupled with sliding friction:
//!   f_i = −f_n μ_i² v_i/√(μ̄² v_s² + Σ μ_j² v_j²), μ̄ the largest coefficient. For tangents alone
//!   this is (1); the force is always inside the elliptic cone. A positive `compliant_friction`
//!   replaces μ of the tangents of all contacts.
//! - Limits have the normal force of (1), with σ and v_d in rad and rad/s for angles, and a
//!   stiffness that suits the inertia: k = 1/(A T²), A the inverse inertia of the row (`mass`),
//!   T = 20 ms, or eight steps if these are longer.
//! - Dry friction is −η v/√(v_s² + v²).
//! - Equalities are critically damped springs with the same T, f = −(r/T + 2 ṙ)/(A T). A body that
//!   hangs at its origin sags by g T², 4 mm; the sag grows as the effective mass at the anchor
//!   decreases: a connect or weld whose anchor is far from a small body hardly holds it.
//!
//! Defaults are soft enough for single robots and piles of bodies in steps of 2 to 5 ms; a falling
//! humanoid penetrates by 8 cm. A crowd of humanoids that fall on each other in steps of 5 ms
//! diverges.
//!
//! Contacts and limits are detected up to the gap at which a contact's spring has a force of
//! ε = 1.5e-8 N, φ = −σ ln(exp(ε/(σ k)) − 1).

mod force;
mod mass;

pub(crate) use force::Compliant;

use crate::data::{Acceleration, Data, RowState, SolverReport, SolverStatus};
use crate::model::Model;

/// Evaluates the forces of the rows and the resulting acceleration.
pub fn solve(model: &Model, data: &mut Data) {
    invert(model, data);
    let Acceleration { a, a_smooth, tau_constraint, .. } = &mut data.acceleration;
    a.copy_from_slice(tau_constraint);
    data.inertia.solve_step(model, a);
    a.iter_mut().zip(a_smooth).for_each(|(a, free)| *a += *free);
}

/// Forces of the rows and their generalized force. They do not depend on the acceleration.
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
