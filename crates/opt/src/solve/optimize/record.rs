//! What is recorded of a run: its iterations and the points of the path that were reached.

use crate::problem::continuation::Hardness;
use crate::problem::forces::{FAR, contact_forces, weight};
use crate::problem::identity::TermId;
use crate::problem::{Problem, Role};
use crate::solve::knot::KnotResult;
use crate::solve::minimize::{Optimizer, Step};
use crate::solve::multiplier::{largest_violation, violation};
use crate::solve::optimize::Progress;
use crate::solve::report::{Iteration, PathPoint};
use saltus_math::Vec3;

/// What an iteration says of the trajectory before it.
pub fn iteration(problem: &Problem, knots: &[KnotResult], step: &Step) -> Iteration {
    let cost_by_term: Vec<f64> =
        (0..problem.terms.len()).map(|k| knots.iter().map(|knot| knot.cost[k]).sum()).collect();
    let own = problem.terms.iter().position(|e| e.id == TermId::Unactuated);
    let others = (0..problem.terms.len()).filter(|k| Some(*k) != own && problem.terms[*k].role != Role::Cost);
    Iteration {
        cost: cost_by_term.iter().sum(),
        cost_by_term,
        merit: step.merit,
        unactuated: own.map_or(0.0, |k| violation(&problem.terms, knots, k)),
        violation: others.fold(0.0, |m, k| f64::max(m, violation(&problem.terms, knots, k))),
        step: step.length,
        damping: step.damping,
        accepted: step.accepted,
        ..Iteration::default()
    }
}

/// A point of the path that was reached.
pub fn path_point(problem: &Problem, optimizer: &Optimizer, progress: &Progress, hardness: &Hardness) -> PathPoint {
    let (mut force_at_distance, mut penetration) = (0.0f64, 0.0f64);
    let weight = weight(&problem.model);
    for contacts in contact_forces(problem, &progress.q) {
        let far = contacts.iter().filter(|c| c.gap > FAR).map(|c| Vec3::from(c.force).dot(Vec3::from(c.normal)));
        force_at_distance = force_at_distance.max(far.sum::<f64>() / weight);
        penetration = contacts.iter().fold(penetration, |p, c| p.max(-c.gap));
    }
    let before = progress.period.before + progress.path.iter().map(|p| p.iterations).sum::<usize>();
    PathPoint {
        path: progress.s,
        smoothing: hardness.smoothing,
        hover: hardness.hover,
        reach: hardness.reach,
        cost: optimizer.knots.iter().flat_map(|k| &k.cost).sum(),
        violation: largest_violation(&problem.terms, &optimizer.knots),
        force_at_distance,
        penetration,
        iterations: progress.iterations - before,
        seconds: progress.seconds,
    }
}
