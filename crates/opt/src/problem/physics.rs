//! Constraints that every problem has: generalized forces on unactuated degrees of freedom are
//! zero, joints and actuators stay in their ranges, and links do not pass through each other.

use crate::geometry::{CapsulePair, capsule_distance};
use crate::problem::actuation::Actuation;
use crate::problem::identity::TermId;
use crate::problem::term::{JointBounds, Separation, TorqueBounds, Unactuated, moving_bodies};
use crate::problem::{Entry, Role};
use saltus_sim::model::kinds::JointKind;
use saltus_sim::options::law::Law;
use saltus_sim::options::{Disable, Integrator};
use saltus_sim::{Data, Model, forward_smooth};

/// Units of forces and lengths of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Unit of forces: the weight of the robot, N.
    pub weight: f64,
    /// Unit of lengths: a length of the robot, m.
    pub length: f64,
}

/// Prepares a model for planning with time steps of `h` under a contact law.
pub(crate) fn prepare(model: &mut Model, h: f64, law: Law) {
    let options = &mut model.options;
    options.timestep = h;
    options.laws.law = law;
    // The plan consists of Euler steps, whatever integrator the model names.
    options.integrator = Integrator::Euler;
    // Limits are constraints of the problem, and actuator forces follow from its unknowns.
    options.disable.set(Disable::LIMIT, true);
    options.disable.set(Disable::ACTUATION, true);
}

/// The force that accelerates the inertia of a dof with g: its weight, and for rotations the weight
/// times the radius of gyration.
pub(crate) fn own_weight(model: &Model, dof: usize, g: f64) -> f64 {
    let own = model.dofs.m0[dof];
    let mass = model.bodies.subtree_mass[model.dofs.body[dof].idx()];
    g * if is_linear(model, dof) { own } else { (own * mass).sqrt() }
}

/// The unactuated combinations of generalized forces, each in the largest unit of its dofs.
pub(crate) fn unactuated_rows(actuation: &Actuation, unit: impl Fn(usize) -> f64) -> Vec<Vec<(usize, f64)>> {
    let row = |row: &Vec<(usize, f64)>| {
        let unit = row.iter().map(|&(i, _)| unit(i)).fold(0.0, f64::max);
        row.iter().map(|&(i, c)| (i, c / unit)).collect()
    };
    actuation.unactuated.iter().map(row).collect()
}

/// Generalized forces on unactuated dofs, in units of the force that accelerates the inertia of the
/// dof with g. A light object among heavy links must not float, and a small object may turn as fast
/// as it falls.
pub(crate) fn unactuated(model: &Model, actuation: &Actuation, units: Units) -> Option<Entry> {
    let g = units.weight / moving_bodies(model, None).iter().map(|b| model.bodies.mass[b.idx()]).sum::<f64>();
    let rows = unactuated_rows(actuation, |i| own_weight(model, i, g));
    (!rows.is_empty()).then(|| Entry::new(TermId::Unactuated, Role::Equality, Unactuated { rows }))
}

/// Margin of the actuator limits, in units of weight times length.
const RESERVE: f64 = 5e-4;

/// Ranges of joints and actuators as constraints.
pub(crate) fn limits(model: &Model, actuation: &Actuation, units: Units) -> Vec<Entry> {
    let mut terms = Vec::new();
    let bounds = JointBounds::of(model);
    if !bounds.bounds.is_empty() {
        terms.push(Entry::new(TermId::JointLimits, Role::Inequality, bounds).with_slack(10.0));
    }
    if !actuation.limits.is_empty() {
        let unit = units.weight * units.length;
        // The violation that is allowed is subtracted from the bounds, so that plans never exceed
        // the actuators.
        let reserve = |low: f64, high: f64| (RESERVE * unit).min(0.1 * (high - low));
        let inside = |&(i, low, high): &(usize, f64, f64)| (i, low + reserve(low, high), high - reserve(low, high));
        let term = TorqueBounds { bounds: actuation.limits.iter().map(inside).collect(), unit };
        terms.push(Entry::new(TermId::TorqueLimits, Role::Inequality, term).with_slack(10.0));
    }
    terms
}

/// Least distance of links from each other, in units of length.
const MARGIN: f64 = 0.01;

/// Pairs of links that stay apart: all pairs that are apart in the nominal pose. Capsules are
/// larger than the shapes they enclose, so some of them always overlap.
pub(crate) fn apart(model: &Model, pairs: &[CapsulePair], nominal: &[f64], units: Units) -> Option<Entry> {
    let mut data = Data::new(model);
    data.state.q.copy_from_slice(nominal);
    forward_smooth(model, &mut data);
    let margin = MARGIN * units.length;
    let is_apart = |pair: &&CapsulePair| capsule_distance(model, &data, pair, &mut []) > margin;
    let pairs: Vec<CapsulePair> = pairs.iter().filter(is_apart).cloned().collect();
    let far = margin + Separation::FAR * units.length;
    let term = Separation { pairs, margin, far, unit: units.length };
    (!term.pairs.is_empty()).then(|| Entry::new(TermId::SelfCollision, Role::Inequality, term).with_slack(10.0))
}

/// Whether a dof is a translation.
pub(crate) fn is_linear(model: &Model, dof: usize) -> bool {
    let joint = model.dofs.joint[dof].idx();
    match model.joints.kind[joint] {
        JointKind::Slide => true,
        JointKind::Free => dof - (model.joints.dof_start[joint] as usize) < 3,
        JointKind::Ball | JointKind::Hinge => false,
    }
}
