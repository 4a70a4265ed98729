//! The linearized equation of motion: ∂ID with respect to q, v and a at a state, and the sums from
//! which it is assembled.
//!
//! Forces are collected by kind: wrenches on bodies in `terms`, forces along tendons in `tendons`,
//! all others directly in matrices. One sweep over the tree adds inertia and wrenches to the
//! matrices. Additional terms of discrete steps, and coupling between rows, are added last.

use super::chain::{At, Chain};
use super::coupling::Coupling;
use super::discrete::Discrete;
use super::implicit::Implicit;
use super::inertia::add_dense;
use super::response::{self, Answers};
use super::softness::{self, Softness};
use super::sweep::{Matrices, Sweep};
use super::tendon::Tendons;
use super::terms::Terms;
use super::{DerivativeError, Inexact, Report};
use super::{actuation, contact, equality, medium, passive, rows};
use crate::data::Data;
use crate::model::Model;
use crate::options::{Disable, Enable, Integrator};
use crate::stage::Stage;

/// Which forces belong to the equation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forces {
    pub actuation: bool,
    pub applied: bool,
}

/// ∂ID at a state, and the intermediate results that derivatives with respect to parameters need.
#[derive(Clone, Copy)]
pub(super) struct Equation<'w> {
    pub at: At<'w>,
    pub answers: Answers<'w>,
    /// With respect to q, v and a.
    pub slopes: &'w Matrices,
    /// Two parts of ∂ID with respect to activations and controls, besides the actuators' own
    /// forces: through the effective inertia of discrete steps, and through the coupling of rows;
    /// nv × (na + nu), empty if zero.
    pub by_input: [&'w [f64]; 2],
    pub sums: Sums<'w>,
    /// Present if rows are coupled.
    pub coupling: Option<&'w Coupling>,
    /// Present if steps are discrete.
    pub implicit: Option<&'w Implicit>,
}

/// Sums of wrenches over subtrees, and forces along tendons.
#[derive(Clone, Copy)]
pub(super) struct Sums<'w> {
    pub sweep: &'w Sweep,
    pub terms: &'w Terms,
    pub tendons: &'w Tendons,
}

/// The same equation before the sweep, for products with a vector.
#[derive(Clone, Copy)]
pub(super) struct Unswept<'w> {
    pub at: At<'w>,
    pub answers: Answers<'w>,
    /// ∂ID with respect to q, v and a, without inertia and without the contribution of `terms`.
    pub slopes: &'w Matrices,
    /// Wrenches on single bodies. None if rows are coupled, which needs the sweep: then `slopes` is
    /// complete.
    pub terms: Option<&'w Terms>,
}

/// Motions of the bodies, and responses of the rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Situation {
    chain: Chain,
    /// J a − a_ref of the rows; empty under the invertible law.
    x: Vec<f64>,
    coupling: Coupling,
}

impl Situation {
    /// Computes both at the current q, v and a.
    pub fn update(&mut self, model: &Model, data: &Data) -> Result<(), DerivativeError> {
        response::check(model, data)?;
        let (a, rows) = (&data.acceleration.a, &data.constraints);
        self.coupling.update(model, data)?;
        let seen = if self.coupling.is_invertible { &self.coupling.a } else { a };
        self.chain.update_with(model, &data.position.S, &data.state.v, a, seen, true);
        self.x.clear();
        if !self.coupling.is_invertible {
            self.x.resize(rows.len(), 0.0);
            rows.mul(a, &mut self.x);
            self.x.iter_mut().zip(&rows.a_ref).for_each(|(x, a_ref)| *x -= a_ref);
        }
        Ok(())
    }

    pub fn at<'a>(&'a self, model: &'a Model, data: &'a Data) -> At<'a> {
        At { model, data, chain: &self.chain }
    }

    pub fn answers<'a>(&'a self, model: &'a Model, data: &'a Data) -> Answers<'a> {
        let coupling = &self.coupling;
        if coupling.is_invertible { coupling.answers(model, data) } else { Answers::new(model, data, &self.x) }
    }

    /// Whether rows are coupled.
    pub fn is_coupled(&self) -> bool {
        self.coupling.active
    }
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    situation: Situation,
    terms: Terms,
    tendons: Tendons,
    sweep: Sweep,
    slopes: Matrices,
    /// Derivatives of contact geometry.
    geometry: Vec<contact::Changes>,
    /// Damping of dofs.
    damping: Vec<f64>,
    /// Contribution of rows to ∂τ/∂a, if rows are coupled.
    by_rows: Vec<f64>,
    discrete: Discrete,
    softness: Softness,
}

/// The linearized equation at the current state; `data` holds the results of forward or inverse
/// dynamics.
pub(super) fn linearize<'w>(
    model: &'w Model,
    data: &'w Data,
    forces: Forces,
    memory: &'w mut Memory,
    report: &mut Report,
) -> Result<Equation<'w>, DerivativeError> {
    memory.collect(model, data, forces, report)?;
    memory.sum_up(model, data);
    memory.add_discrete(model, data, report);
    memory.add_coupled(model, data, report);
    let Memory { situation, terms, tendons, sweep, slopes, discrete, .. } = memory;
    let coupling = situation.is_coupled().then_some(&situation.coupling);
    let implicit = is_discrete(model).then_some(&discrete.implicit);
    Ok(Equation {
        at: situation.at(model, data),
        answers: situation.answers(model, data),
        slopes,
        by_input: [implicit.map_or(&[], |i| &i.by_input), coupling.map_or(&[], |c| c.by_input())],
        sums: Sums { sweep, terms, tendons },
        coupling,
        implicit,
    })
}

/// The same without the sweep, as far as possible.
pub(super) fn linearize_unswept<'w>(
    model: &'w Model,
    data: &'w Data,
    forces: Forces,
    memory: &'w mut Memory,
    report: &mut Report,
) -> Result<Unswept<'w>, DerivativeError> {
    memory.collect(model, data, forces, report)?;
    let coupled = memory.situation.is_coupled();
    if coupled {
        // Coupled rows need their derivatives with respect to all dofs.
        memory.sum_up(model, data);
    }
    memory.add_discrete(model, data, report);
    memory.add_coupled(model, data, report);
    let Memory { situation, terms, slopes, .. } = memory;
    let (at, answers) = (situation.at(model, data), situation.answers(model, data));
    Ok(Unswept { at, answers, slopes, terms: (!coupled).then_some(terms) })
}

impl Memory {
    /// Collects wrenches on single bodies, tendon forces, and all else except inertia in `slopes`.
    fn collect(
        &mut self,
        model: &Model,
        data: &Data,
        forces: Forces,
        report: &mut Report,
    ) -> Result<(), DerivativeError> {
        data.require(Stage::Acceleration)?;
        let Self { situation, terms, tendons, slopes, geometry, damping, .. } = self;
        situation.update(model, data)?;
        slopes.clear(model.size.nv);
        terms.clear(model.nbody());
        tendons.clear(model);
        let (at, answers) = (situation.at(model, data), situation.answers(model, data));
        if !data.constraints.is_empty() {
            if model.options.enable.has(Enable::DIAGEXACT) {
                report.add(Inexact::Model("the exact diagonal of the constraint inertia is treated as constant"));
            }
            rows::add(model, data, &answers, tendons, slopes);
            equality::add(at, &answers, terms);
            contact::add(at, &answers, geometry, terms, report);
        }
        let off = model.options.disable;
        if !(off.has(Disable::SPRING) && off.has(Disable::DAMPER)) {
            passive::add_joints(model, data, damping, slopes);
            tendons.add_passive(model, data);
            let own = |i: usize| !model.joints.actuator_gravcomp[model.dofs.joint[i].idx()];
            passive::add_gravcomp(at, own, slopes);
            medium::add(model, data, terms);
        }
        if forces.applied {
            passive::add_body_forces(model, data, terms);
        }
        if forces.actuation {
            actuation::add(at, actuation::Sinks { tendons, terms, out: slopes, report });
        }
        tendons.finish(at, &answers, answers.a, slopes, report);
        Ok(())
    }

    /// Adds inertia and the wrenches on bodies to `slopes`.
    fn sum_up(&mut self, model: &Model, data: &Data) {
        self.sweep.add(self.situation.at(model, data), &mut self.terms, &mut self.slopes);
        if self.situation.is_coupled() {
            self.by_rows.clone_from(&self.slopes.a);
        }
        add_dense(model, &data.inertia.M, 1.0, &mut self.slopes.a);
    }

    /// Adds the additional terms of discrete steps to `slopes`.
    fn add_discrete(&mut self, model: &Model, data: &Data, report: &mut Report) {
        if is_discrete(model) {
            let Self { situation, slopes, discrete, softness, .. } = self;
            discrete.add(model, data, slopes, report);
            let target = softness::Target { slopes, by_input: &mut discrete.implicit.by_input };
            softness.add(situation.at(model, data), &situation.answers(model, data), target, report);
        }
    }

    /// Adds the coupling between rows.
    fn add_coupled(&mut self, model: &Model, data: &Data, report: &mut Report) {
        let Self { situation, by_rows, geometry, slopes, .. } = self;
        if situation.is_coupled() {
            situation.coupling.add(model, data, by_rows, geometry, slopes, report);
        }
    }
}

fn is_discrete(model: &Model) -> bool {
    model.options.scheme() == Integrator::Discrete
}
