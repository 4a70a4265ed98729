//! Exact derivatives of inverse dynamics and of steps with respect to parameters of the model.
//!
//! ∂τ/∂θ = ∂ID(q, v, a; θ)/∂θ at constant q, v and a; ∂x⁺/∂θ of a step from a given state follows
//! as in `transition`:
//!   H ∂a = −∂ID,   M̂ (∂a* − ∂a) = −h D ∂a + ∂M (a − a*) − h ∂D a*.                         (1)
//! A parameter is one number of the compiled model. Its derivative is that of changing this number
//! alone without recomputing anything, as by assigning to a field of `mjModel` in MuJoCo: inertias
//! do not follow sizes and masses, and the reference inertias that scale constraints (`invweight0`)
//! are constant. Compiler flags that mark offsets as zero are ignored: all offsets are
//! differentiated.
//!
//! If the effect of a parameter is one-sided, the derivative is that of an increase: for the
//! friction of a geom in contact with another geom of equal friction, and for zero damping. A joint
//! or tendon without dry friction has no row for it, and a zero derivative.

mod actuator;
mod contact;
mod inertia;
mod joint;
mod names;
mod offset;
mod product;
mod softness;
mod stages;
mod step;
mod stretch;
mod tendon;

pub use names::{Parameter, ParameterError, Quantity};
pub use step::{StepBy, transition_by};

use product::{Implicit, Vector, add_implicit, add_inertia};

use super::actuation::is_clamped;
use super::chain::At;
use super::coupling::Coupling;
use super::equation::{Equation, Forces, Sums, linearize};
use super::implicit::Scheme;
use super::response::Answers;
use super::softness::is_active;
use super::{DerivativeError, Inexact, Report, Workspace, check_inverse};
use crate::data::Data;
use crate::kinematics::jacobian::dofs_of;
use crate::model::Model;
use crate::options::law::Law;
use crate::options::{Disable, Integrator};
use saltus_math::Force;

/// Point of differentiation.
#[derive(Clone, Copy)]
struct Point<'a> {
    at: At<'a>,
    answers: Answers<'a>,
    forces: Forces,
}

impl Point<'_> {
    fn off(&self, flag: Disable) -> bool {
        self.at.model.options.disable.has(flag)
    }

    /// Whether passive forces are enabled.
    fn passive(&self) -> bool {
        !(self.off(Disable::SPRING) && self.off(Disable::DAMPER))
    }

    fn actuated(&self) -> bool {
        self.forces.actuation && !self.off(Disable::ACTUATION) && self.at.model.nactuator() > 0
    }

    /// column += scale · Jᵀ wrench, about the origin of the body's c-frame.
    fn project(&self, body: usize, wrench: Force, scale: f64, column: &mut [f64]) {
        for j in dofs_of(self.at.model, body) {
            column[j] += scale * self.at.data.position.S[j].dot(wrench);
        }
    }

    /// The same for gravity compensation: only on the dofs that receive it here.
    fn project_gravcomp(&self, body: usize, wrench: Force, scale: f64, column: &mut [f64]) {
        for j in dofs_of(self.at.model, body) {
            let chosen = match self.at.model.joints.actuator_gravcomp[self.at.model.dofs.joint[j].idx()] {
                true => self.actuated() && !is_clamped(self.at.model, self.at.data, j),
                false => self.passive(),
            };
            if chosen {
                column[j] += scale * self.at.data.position.S[j].dot(wrench);
            }
        }
    }
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// ∂ID/∂θ, nv entries for each parameter.
    equation: Vec<f64>,
    step: step::Memory,
}

/// Derivatives of inverse dynamics with respect to parameters, nv × number of parameters,
/// row-major, at the current q, v and a: `data` holds the results of forward or inverse dynamics.
/// If `actuation`, differentiates τ − τ_actuator.
pub fn inverse_by<'w>(
    model: &Model,
    data: &Data,
    actuation: bool,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    dtau: &mut [f64],
) -> Result<&'w Report, DerivativeError> {
    check(model, parameters, "dtau", dtau.len(), model.size.nv)?;
    check_inverse(model)?;
    let Workspace { acceleration, parameter: memory, report, .. } = work;
    report.clear();
    let forces = Forces { actuation, applied: false };
    let equation = linearize(model, data, forces, &mut acceleration.equation, report)?;
    keep_what_matters(parameters, report);
    let columns = equation_by(&equation, forces, parameters, &mut memory.equation, report);
    let np = parameters.len();
    for (p, column) in columns.chunks_exact(model.size.nv.max(1)).enumerate() {
        for (i, x) in column.iter().enumerate() {
            dtau[i * np + p] = *x;
        }
    }
    Ok(report)
}

/// Removes from a report on derivatives with respect to the state the entries irrelevant for
/// parameters: the motion of contact points, tendon paths and moments with the bodies matters only
/// if a parameter moves bodies.
fn keep_what_matters(parameters: &[Parameter], report: &mut Report) {
    if !parameters.iter().any(|p| p.quantity == Quantity::BodyPos) {
        report.inexact.retain(|what| matches!(what, Inexact::Model(_) | Inexact::Equality(_)));
    }
}

/// Checks sizes, that all parameters exist, and that derivatives with respect to them are
/// available.
fn check(
    model: &Model,
    parameters: &[Parameter],
    name: &'static str,
    found: usize,
    rows: usize,
) -> Result<(), DerivativeError> {
    if found != rows * parameters.len() {
        return Err(DerivativeError::Size { name, found, expected: rows * parameters.len() });
    }
    if let Some(&missing) = parameters.iter().find(|p| !p.exists(model)) {
        return Err(ParameterError::Missing(missing).into());
    }
    match model.options.laws.law {
        Law::Lcp => Err(DerivativeError::Unsupported("by parameters under the lcp law")),
        _ => Ok(()),
    }
}

/// ∂ID/∂θ, nv entries for each parameter.
fn equation_by<'w>(
    equation: &Equation<'_>,
    forces: Forces,
    parameters: &[Parameter],
    columns: &'w mut Vec<f64>,
    report: &mut Report,
) -> &'w [f64] {
    let At { model, data, .. } = equation.at;
    let nv = model.size.nv;
    columns.clear();
    columns.resize(nv * parameters.len(), 0.0);
    if nv == 0 {
        return columns;
    }
    let point = Point { at: equation.at, answers: equation.answers, forces };
    for (parameter, column) in parameters.iter().zip(columns.chunks_exact_mut(nv)) {
        add(&point, equation.sums, *parameter, column, report);
    }
    if let Some(coupling) = equation.coupling {
        let at = At { chain: &coupling.chain, ..point.at };
        let point = Point { at, answers: coupling.barriers(model, data), forces };
        add_coupling(&point, coupling, parameters, columns, report);
    }
    if let Some(implicit) = equation.implicit {
        let a = &data.acceleration.a;
        let implicit = Implicit::new(model, data, Scheme::Discrete { s: true }, a, &implicit.tendons);
        for (parameter, column) in parameters.iter().zip(columns.chunks_exact_mut(nv)) {
            add_implicit(&point, &implicit, *parameter, column, report);
        }
    }
    if is_active(model, data) {
        softness::add(&point, parameters, columns, report);
    }
    columns
}

/// Effect of parameters through the coupling of rows: by ∂N of `coupling`, with the responses of
/// the barriers.
fn add_coupling(
    point: &Point<'_>,
    coupling: &Coupling,
    parameters: &[Parameter],
    columns: &mut [f64],
    report: &mut Report,
) {
    use Quantity as Q;
    let At { model, data, .. } = point.at;
    let nv = model.size.nv;
    let y = Vector::new(model, data, &coupling.y);
    let scheme = Scheme::Discrete { s: false };
    let implicit = (model.options.scheme() == Integrator::Discrete)
        .then(|| Implicit::new(model, data, scheme, &coupling.y, coupling.implicit_tendons()));
    let mut dN = vec![0.0; nv];
    for (&parameter, column) in parameters.iter().zip(columns.chunks_exact_mut(nv)) {
        dN.fill(0.0);
        add_inertia(point, &y, parameter, &mut dN);
        if let Some(implicit) = &implicit {
            add_implicit(point, implicit, parameter, &mut dN, report);
        }
        match parameter.quantity {
            Q::BodyPos => offset::add_rows(point, coupling.sums(), parameter, &mut dN, report),
            Q::Gravity => inertia::add_gravity_of_law(point, parameter.component, &mut dN),
            Q::JointRange => joint::add(point, parameter, &mut dN),
            Q::TendonRange => tendon::add(point, parameter, &mut dN),
            Q::GeomPos | Q::GeomSize => contact::add(point, parameter, &mut dN, report),
            _ => {}
        }
        coupling.add_column(&dN, column);
    }
}

/// Adds ∂ID/∂θ.
fn add(point: &Point<'_>, sums: Sums<'_>, parameter: Parameter, column: &mut [f64], report: &mut Report) {
    use Quantity as Q;
    match parameter.quantity {
        Q::BodyMass | Q::BodyInertia | Q::BodyInertialPos => inertia::add(point, parameter, column, report),
        Q::Gravity => inertia::add_gravity(point, parameter.component, column),
        Q::JointDamping
        | Q::JointArmature
        | Q::JointFrictionLoss
        | Q::JointStiffness
        | Q::JointSpringRef
        | Q::JointRange => joint::add(point, parameter, column),
        Q::TendonStiffness | Q::TendonDamping | Q::TendonFrictionLoss | Q::TendonSpringLength | Q::TendonRange => {
            tendon::add(point, parameter, column);
        }
        Q::ActuatorGain | Q::ActuatorBias | Q::ActuatorGear => actuator::add(point, parameter, column, report),
        Q::GeomFriction | Q::PairFriction | Q::GeomPos | Q::GeomSize => contact::add(point, parameter, column, report),
        Q::BodyPos => offset::add(point, sums, parameter, column, report),
    }
}
