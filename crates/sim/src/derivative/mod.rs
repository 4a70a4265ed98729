//! Exact analytic derivatives of inverse dynamics and of steps, through contacts and constraints.
//!
//! ID(q, v, a) = M a + c − τ_passive − τ_actuator − Jᵀ f, with f the response of the contact law,
//! row by row and cone by cone (`response`). Its partial derivatives (changes of q in the tangent
//! space) are the core; derivatives of forward dynamics follow from ID = τ_applied by the implicit
//! function theorem, those of a step from the integrator's own derivative.
//!
//! Derivatives are exact where the dynamics is smooth and the derivative is implemented; [`Report`]
//! lists exceptions. At the boundaries between smooth pieces (a row that becomes active, a contact
//! that moves from a face to an edge) the derivative is that of the current piece.

mod acceleration;
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
mod equation;
mod factor;
mod implicit;
mod inertia;
mod link;
mod medium;
mod metric;
mod outer;
pub mod parameter;
mod passive;
pub mod point;
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

use crate::data::{Data, Stale};
use crate::model::Model;
use crate::options::{Enable, Integrator};
use equation::{Forces, linearize};

/// Why derivatives cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DerivativeError {
    /// Results of forward or inverse dynamics at the current state are missing.
    #[error(transparent)]
    Stale(#[from] Stale),
    #[error("the output {name} has {found} values, expected {expected}")]
    Size { name: &'static str, found: usize, expected: usize },
    #[error("derivatives are not available {0}")]
    Unsupported(&'static str),
    #[error(transparent)]
    Parameter(#[from] parameter::ParameterError),
}

/// A part of the model whose derivative is not exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inexact {
    /// Index in `data.contacts`: the contact features are assumed fixed in the bodies.
    Contact(usize),
    Tendon(usize),
    Actuator(usize),
    Equality(usize),
    /// A sensor whose derivative is by finite differences.
    Sensor(usize),
    /// A feature of the model as a whole, in words.
    Model(&'static str),
}

/// Exactness of derivatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub inexact: Vec<Inexact>,
}

impl Report {
    pub fn exact(&self) -> bool {
        self.inexact.is_empty()
    }
    fn clear(&mut self) {
        self.inexact.clear();
    }
    fn add(&mut self, what: Inexact) {
        if !self.inexact.contains(&what) {
            self.inexact.push(what);
        }
    }
}

/// Working memory; its contents mean nothing between calls. Each part belongs to one stage, which
/// returns its results.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    acceleration: acceleration::Memory,
    step: transition::Memory,
    stages: runge_kutta::Stages,
    sensor: sensor::Memory,
    contact_force: contact_force::Memory,
    adjoint: product::Adjoint,
    curvature: curvature::Memory,
    parameter: parameter::Memory,
    report: Report,
}

/// Destination of the derivatives of inverse dynamics, nv × nv each, row-major: row i is the force
/// on dof i.
#[derive(Debug)]
pub struct Inverse<'a> {
    pub dtau_dq: &'a mut [f64],
    pub dtau_dv: &'a mut [f64],
    pub dtau_da: &'a mut [f64],
}

/// Derivatives of inverse dynamics, [`crate::inverse::inverse`], at the current q, v and a: `data`
/// holds the results of forward or inverse dynamics. If `actuation`, differentiates τ − τ_actuator.
pub fn inverse<'w>(
    model: &Model,
    data: &Data,
    actuation: bool,
    work: &'w mut Workspace,
    out: Inverse<'_>,
) -> Result<&'w Report, DerivativeError> {
    let sizes = [("dtau_dq", out.dtau_dq.len()), ("dtau_dv", out.dtau_dv.len()), ("dtau_da", out.dtau_da.len())];
    check_sizes(model, &sizes, model.size.nv * model.size.nv)?;
    let Workspace { acceleration, report, .. } = work;
    report.clear();
    let forces = Forces { actuation, applied: false };
    let slopes = linearize(model, data, forces, &mut acceleration.equation, report)?.slopes;
    out.dtau_dq.copy_from_slice(&slopes.q);
    out.dtau_dv.copy_from_slice(&slopes.v);
    out.dtau_da.copy_from_slice(&slopes.a);
    Ok(report)
}

/// Checks the sizes of outputs, and whether inverse dynamics has derivatives at all.
fn check_sizes(model: &Model, sizes: &[(&'static str, usize)], expected: usize) -> Result<(), DerivativeError> {
    if let Some(&(name, found)) = sizes.iter().find(|(_, found)| *found != expected) {
        return Err(DerivativeError::Size { name, found, expected });
    }
    check_inverse(model)
}

/// Rejects models whose inverse dynamics uses another acceleration than the dynamics.
fn check_inverse(model: &Model) -> Result<(), DerivativeError> {
    let other = matches!(model.options.scheme(), Integrator::Euler | Integrator::Implicit | Integrator::ImplicitFast);
    if model.options.enable.has(Enable::INVDISCRETE) && other {
        return Err(DerivativeError::Unsupported("of inverse dynamics of steps (the flag invdiscrete)"));
    }
    Ok(())
}
