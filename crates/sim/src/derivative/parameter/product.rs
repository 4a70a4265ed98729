//! Derivatives of products of M and of M̂ − M with a vector, with respect to parameters.
//!
//! M̂ − M is a sum over dofs, tendons and actuators: a length with row r, damping b and stiffness k
//! adds
//!   r ((h b + h² k) r x + s h k r v)                                                         (1)
//! to (M̂ − M) x, k and s under discrete steps only (see `implicit`), and if the bias c is
//! implicit, h (∂c/∂v) x is added.

use super::{Parameter, Point, Quantity, actuator, inertia, joint, offset, tendon};
use crate::data::Data;
use crate::derivative::Report;
use crate::derivative::chain::{At, Chain};
use crate::derivative::implicit::Scheme;
use crate::derivative::sweep::Sweep;
use crate::derivative::tendon::Tendons;
use crate::derivative::terms::Terms;
use crate::dynamics::find_gyroscopic;
use crate::model::Model;
use saltus_math::Motion;

/// A vector of accelerations, and the corresponding motions of bodies.
pub(super) struct Vector<'a> {
    pub y: &'a [f64],
    pub motion: Vec<Motion>,
}

impl<'a> Vector<'a> {
    pub fn new(model: &Model, data: &Data, y: &'a [f64]) -> Self {
        let mut motion = vec![Motion::ZERO; model.nbody()];
        for b in 1..model.nbody() {
            let mut m = motion[model.bodies.parent[b].idx()];
            for i in model.bodies.dofs[b].range() {
                m += data.position.S[i] * y[i];
            }
            motion[b] = m;
        }
        Self { y, motion }
    }
}

/// column += ∂M y.
pub(super) fn add_inertia(point: &Point<'_>, y: &Vector<'_>, parameter: Parameter, column: &mut [f64]) {
    use Quantity as Q;
    match parameter.quantity {
        Q::BodyMass | Q::BodyInertia | Q::BodyInertialPos => inertia::add_product(point, y, parameter, column),
        Q::BodyPos => offset::add_product(point, y, parameter, column),
        Q::JointArmature => joint::add_product(point, y, parameter, column),
        Q::ActuatorGear => actuator::add_product(point, y, parameter, column),
        _ => {}
    }
}

/// h (∂c/∂v) x = Σ weight · c at two motions without acceleration and gravity, each with its sums
/// over subtrees.
pub(super) struct Bias {
    pub parts: [BiasPart; 2],
}

/// A motion, its sums, and the weight of its c.
pub(super) struct BiasPart {
    pub chain: Chain,
    pub sweep: Sweep,
    pub terms: Terms,
    pub weight: f64,
}

/// M̂ − M and the vector x that it multiplies.
pub(super) struct Implicit<'a> {
    pub h: f64,
    pub x: &'a [f64],
    scheme: Scheme,
    /// Whether tendons and actuators are implicit.
    pub lengths: bool,
    /// Present if the bias is implicit.
    pub bias: Option<Bias>,
    /// (1) of spatial tendons.
    pub tendons: &'a Tendons,
}

impl<'a> Implicit<'a> {
    /// `tendons` must be as `implicit` left them.
    pub fn new(model: &Model, data: &Data, scheme: Scheme, x: &'a [f64], tendons: &'a Tendons) -> Self {
        let mut gyroscopic = vec![];
        if matches!(scheme, Scheme::Discrete { .. }) {
            find_gyroscopic(model, data, &mut gyroscopic);
        }
        let chosen = |t: usize| match scheme {
            Scheme::Euler | Scheme::Damped => model.has_implicit_bias(t),
            Scheme::Discrete { s } => s && gyroscopic[t],
        };
        let lengths = scheme.has_lengths(model);
        let bias = bias(model, data, x, chosen);
        Self { h: model.options.timestep, x, scheme, lengths, bias, tendons }
    }

    /// (1) for changes of b and k, given r x and r v.
    pub fn answer(&self, db: f64, dk: f64, rx: f64, rv: f64) -> f64 {
        match self.scheme {
            Scheme::Discrete { s } => {
                (self.h * db + self.h * self.h * dk) * rx + if s { self.h * dk * rv } else { 0.0 }
            }
            _ => self.h * db * rx,
        }
    }

    /// The effective part of a change `dx` of a damping or stiffness x: under discrete steps it
    /// counts only if x is positive, or zero and increasing.
    pub fn counted(&self, x: f64, dx: f64) -> f64 {
        if !self.is_discrete() || x > 0.0 || (x == 0.0 && dx > 0.0) { dx } else { 0.0 }
    }

    /// Whether stiffness is implicit.
    pub fn is_discrete(&self) -> bool {
        matches!(self.scheme, Scheme::Discrete { .. })
    }
}

/// Motions at v ± s x with weights ± h/2s, x set to zero in the trees that `chosen` does not
/// accept; None if it is zero.
fn bias(model: &Model, data: &Data, x: &[f64], chosen: impl Fn(usize) -> bool) -> Option<Bias> {
    let nv = model.size.nv;
    let chosen = |i: usize| chosen(model.dofs.tree[i].idx());
    if !(0..nv).any(chosen) {
        return None;
    }
    // The scale makes both velocities of similar magnitude.
    let size = |x: &[f64]| x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let scale = (size(&data.state.v) + 1.0) / size(x).max(1.0);
    let rest = vec![0.0; nv];
    let weight = model.options.timestep / (2.0 * scale);
    let parts = [(scale, weight), (-scale, -weight)].map(|(s, weight)| {
        let moved = |i: usize| data.state.v[i] + if chosen(i) { s * x[i] } else { 0.0 };
        let v: Vec<f64> = (0..nv).map(moved).collect();
        let mut chain = Chain::default();
        chain.update(model, &data.position.S, &v, &rest, false);
        let (mut sweep, mut terms) = (Sweep::default(), Terms::default());
        terms.clear(model.nbody());
        sweep.prepare(At { model, data, chain: &chain }, &mut terms);
        BiasPart { chain, sweep, terms, weight }
    });
    Some(Bias { parts })
}

/// column += ∂((M̂ − M) x + s h K v).
pub(super) fn add_implicit(
    point: &Point<'_>,
    implicit: &Implicit<'_>,
    parameter: Parameter,
    column: &mut [f64],
    report: &mut Report,
) {
    use Quantity as Q;
    match parameter.quantity {
        Q::BodyMass | Q::BodyInertia | Q::BodyInertialPos => inertia::add_implicit(point, implicit, parameter, column),
        Q::BodyPos => offset::add_implicit(point, implicit, parameter, column, report),
        Q::JointDamping | Q::JointStiffness | Q::JointSpringRef => {
            joint::add_implicit(point, implicit, parameter, column)
        }
        Q::TendonDamping | Q::TendonStiffness | Q::TendonSpringLength => {
            tendon::add_implicit(point, implicit, parameter, column, report);
        }
        Q::ActuatorGain | Q::ActuatorBias | Q::ActuatorGear => {
            actuator::add_implicit(point, implicit, parameter, column, report);
        }
        _ => {}
    }
}
