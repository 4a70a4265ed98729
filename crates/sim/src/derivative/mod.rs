//! Exact derivatives of inverse dynamics and of steps, through contacts and constraints, analytic.
//!
//! ID(q, v, a) = M a + c − τ_passive − τ_actuator − Jᵀ f, f the law's answer, row by row and cone by cone (`response`). Its
//! partial derivatives (changes of q in the tangent space) are the core; forward dynamics follows from ID = τ_applied by
//! the implicit function theorem, a step from the integrator's own derivative.
//!
//! Everything is exact where it is smooth and where the derivative is implemented; [`Report`] lists what is not.
//! At the borders between smooth pieces (a row that becomes active, a contact that moves from a face to an edge) the
//! derivative is that of the present piece.

mod activation;
mod actuation;
pub mod batch;
mod chain;
mod contact;
mod contact_force;
mod coupling;
mod curvature;
mod discrete;
mod equality;
mod factor;
mod implicit;
mod inertia;
mod link;
mod medium;
mod metric;
mod outer;
pub mod parameter;
mod passive;
mod product;
mod response;
mod rows;
mod runge_kutta;
mod sensor;
mod so3;
mod softness;
mod solution;
mod string;
mod sweep;
mod tendon;
mod terms;
mod transition;
mod wrap;

pub use contact_force::{ContactForceSlopes, contact_force_slopes};
pub use curvature::{Curvature, inverse_curvature};
pub use product::{Product, inverse_product};
pub use sensor::{SensorSlopes, sensor_slopes};
pub use transition::transition;

use crate::data::Data;
use crate::model::Model;
use crate::options::{Disable, Enable, Integrator};
use crate::stage::Stage;
use chain::{At, Chain};
use coupling::Coupling;
use discrete::Discrete;
use factor::Factor;
use metric::StepMetric;
use product::Adjoint;
use response::Answers;
use softness::Softness;
use sweep::{Matrices, Sweep};
use tendon::Tendons;
use terms::Terms;

/// Why derivatives cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DerivativeError {
    #[error("derivatives need the results of forward or inverse dynamics at the present state; call one of them first")]
    Stale,
    #[error("the output {name} has {found} numbers, but {expected} are expected")]
    Size { name: &'static str, found: usize, expected: usize },
    #[error("derivatives are not available {0}")]
    Unsupported(&'static str),
    #[error(transparent)]
    Parameter(#[from] parameter::ParameterError),
}

/// Something whose derivative is not exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inexact {
    /// Index in `data.contacts`: the touching features count as fixed in the bodies.
    Contact(usize),
    Tendon(usize),
    Actuator(usize),
    Equality(usize),
    /// A sensor whose derivative is by finite differences.
    Sensor(usize),
    /// A feature of the model as a whole, in words.
    Model(&'static str),
}

/// How far derivatives can be believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub inexact: Vec<Inexact>,
}

impl Report {
    pub fn exact(&self) -> bool {
        self.inexact.is_empty()
    }
    fn add(&mut self, what: Inexact) {
        if !self.inexact.contains(&what) {
            self.inexact.push(what);
        }
    }
}

/// Working memory; its contents mean nothing between calls.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    chain: Chain,
    terms: Terms,
    sweep: Sweep,
    /// For sweeps that leave the sums of the first ones.
    spare: (Sweep, Terms),
    tendons: Tendons,
    /// Damping of dofs.
    damping: Vec<f64>,
    /// J a − a_ref of the rows.
    x: Vec<f64>,
    core: Matrices,
    /// What rows add to ∂τ/∂a, where it is needed by itself.
    of_rows: Vec<f64>,
    coupling: Coupling,
    adjoint: Adjoint,
    curvature: curvature::Memory,
    /// Of the contacts.
    geometry: Vec<contact::Changes>,
    /// Factors of ∂ID/∂a, the right-hand sides, and the state that they make.
    factor: Factor,
    lower: Vec<f64>,
    columns: Vec<f64>,
    products: Vec<f64>,
    metric: StepMetric,
    stages: runge_kutta::Stages,
    /// Derivatives by parameters · nv for each.
    parameters: Vec<f64>,
    discrete: Discrete,
    softness: Softness,
    direct: sensor::Direct,
    forces: contact::Forces,
    solution: solution::Solution,
    report: Report,
}

/// Where the derivatives of inverse dynamics go · nv × nv each, row-major: row i is the force on dof i.
#[derive(Debug)]
pub struct Inverse<'a> {
    pub dtau_dq: &'a mut [f64],
    pub dtau_dv: &'a mut [f64],
    pub dtau_da: &'a mut [f64],
}

/// Which forces belong to the equation.
#[derive(Clone, Copy, Debug, Default)]
struct Forces {
    actuation: bool,
    applied: bool,
}

/// Derivatives of inverse dynamics, [`crate::inverse::inverse`], at the present q, v and a: `data` holds the results of
/// forward or inverse dynamics. With `actuation` of the force without that of the actuators.
pub fn inverse<'w>(
    model: &Model,
    data: &Data,
    actuation: bool,
    work: &'w mut Workspace,
    out: Inverse<'_>,
) -> Result<&'w Report, DerivativeError> {
    let sizes = [("dtau_dq", out.dtau_dq.len()), ("dtau_dv", out.dtau_dv.len()), ("dtau_da", out.dtau_da.len())];
    check_sizes(model, &sizes, model.size.nv * model.size.nv)?;
    update_core(model, data, Forces { actuation, applied: false }, work)?;
    out.dtau_dq.copy_from_slice(&work.core.q);
    out.dtau_dv.copy_from_slice(&work.core.v);
    out.dtau_da.copy_from_slice(&work.core.a);
    Ok(&work.report)
}

/// Checks sizes of outputs, and whether inverse dynamics has derivatives at all.
fn check_sizes(model: &Model, sizes: &[(&'static str, usize)], expected: usize) -> Result<(), DerivativeError> {
    if let Some(&(name, found)) = sizes.iter().find(|(_, found)| *found != expected) {
        return Err(DerivativeError::Size { name, found, expected });
    }
    // Where steps advance by another acceleration than that of the dynamics.
    let other = matches!(model.options.scheme(), Integrator::Euler | Integrator::Implicit | Integrator::ImplicitFast);
    if model.options.enable.has(Enable::INVDISCRETE) && other {
        return Err(DerivativeError::Unsupported("of inverse dynamics of steps (the flag invdiscrete)"));
    }
    Ok(())
}

/// Fills `work.core` and the report.
fn update_core(model: &Model, data: &Data, forces: Forces, work: &mut Workspace) -> Result<(), DerivativeError> {
    collect(model, data, forces, work)?;
    sum_up(model, data, work);
    add_discrete(model, data, work);
    add_coupled(model, data, work);
    Ok(())
}

/// Wrenches on single bodies in `work.terms`, everything else but inertia in `work.core`; the rest of `update_core` follows.
fn collect(model: &Model, data: &Data, forces: Forces, work: &mut Workspace) -> Result<(), DerivativeError> {
    if data.stage < Stage::Acceleration {
        return Err(DerivativeError::Stale);
    }
    response::check(model, data)?;
    let nv = model.size.nv;
    work.report.inexact.clear();
    work.core.clear(nv);
    let a = &data.acceleration.a;
    work.coupling.update(model, data)?;
    let seen = if work.coupling.is_invertible { &work.coupling.a } else { a };
    work.chain.update_with(model, &data.position.S, &data.state.v, (a, seen), true);
    work.terms.clear(model.nbody());
    let rows = &data.constraints;
    work.x.resize(rows.len(), 0.0);
    rows.mul(a, &mut work.x);
    work.x.iter_mut().zip(&rows.a_ref).for_each(|(x, a_ref)| *x -= a_ref);
    work.tendons.clear(model);
    let Workspace { chain, terms, tendons, core, report, x, coupling, geometry, .. } = work;
    let answers = if coupling.is_invertible { coupling.answers(model, data) } else { Answers::new(model, data, x) };
    if !rows.is_empty() {
        if model.options.enable.has(Enable::DIAGEXACT) {
            report.add(Inexact::Model("the exact diagonal of the constraint inertia counts as constant"));
        }
        rows::add(model, data, &answers, tendons, core);
        equality::add(At { model, data, chain }, &answers, terms);
        contact::add(At { model, data, chain }, &answers, geometry, terms, report);
    }
    let off = model.options.disable;
    let passive = !(off.has(Disable::SPRING) && off.has(Disable::DAMPER));
    if passive {
        passive::add_joints(model, data, &mut work.damping, core);
        tendons.add_passive(model, data);
        let own = |i: usize| !model.joints.actuator_gravcomp[model.dofs.joint[i].idx()];
        passive::add_gravcomp(At { model, data, chain }, own, core);
        medium::add(model, data, terms);
    }
    if forces.applied {
        passive::add_body_forces(model, data, terms);
    }
    if forces.actuation {
        actuation::add(At { model, data, chain }, actuation::Sinks { tendons, terms, out: core, report });
    }
    tendons.finish(At { model, data, chain }, &answers, answers.a, core, report);
    Ok(())
}

/// Adds inertia and the wrenches on bodies to `work.core`.
fn sum_up(model: &Model, data: &Data, work: &mut Workspace) {
    work.sweep.add(At { model, data, chain: &work.chain }, &mut work.terms, &mut work.core);
    if work.coupling.active {
        work.of_rows.clone_from(&work.core.a);
    }
    add_inertia(model, &data.position.M, 1.0, &mut work.core.a);
}

/// Adds what discrete steps have beyond accelerations to `work.core`.
fn add_discrete(model: &Model, data: &Data, work: &mut Workspace) {
    if model.options.scheme() == Integrator::Discrete {
        work.discrete.add(model, data, &mut work.spare.0, &mut work.core, &mut work.report);
        let Workspace { chain, x, softness, discrete, spare, core, report, .. } = work;
        let target = (core, &mut discrete.implicit.by_input);
        softness.add(At { model, data, chain }, &Answers::new(model, data, x), &mut spare.0, target, report);
    }
}

/// Adds what rows that see one another do.
fn add_coupled(model: &Model, data: &Data, work: &mut Workspace) {
    if work.coupling.active {
        let Workspace { coupling, of_rows, geometry, spare, core, report, .. } = work;
        coupling.add(model, data, (of_rows, geometry), &mut spare.0, core, report);
    }
}

/// dense += scale M, M in the pattern of the inertia.
fn add_inertia(model: &Model, M: &[f64], scale: f64, dense: &mut [f64]) {
    let (nv, pattern) = (model.size.nv, &model.mass_pattern);
    for i in 0..nv {
        for k in pattern.range(i) {
            let (j, m) = (pattern.col[k] as usize, scale * M[k]);
            dense[i * nv + j] += m;
            if i != j {
                dense[j * nv + i] += m;
            }
        }
    }
}
