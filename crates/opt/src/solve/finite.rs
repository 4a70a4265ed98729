//! Which number is not finite at a trajectory without a merit.

use crate::problem::Problem;
use crate::solve::knot::{KnotFlaw, KnotResult};
use crate::solve::minimize::{Optimizer, Outcome};
use crate::solve::report::Flaw;

impl Optimizer {
    /// How minimization ended if no step was good, however short: without a result if terms are not
    /// finite right beside the present point.
    pub(crate) fn stalled(&self) -> Outcome {
        if self.trial.iter().any(|knot| knot.flaw.is_some()) { Outcome::Invalid } else { Outcome::Stalled }
    }

    /// The first number that is not finite at the present point.
    pub(crate) fn flaw(&self, problem: &Problem) -> Option<Flaw> {
        flaw_of(problem, &self.knots)
    }

    /// The same at the point that was tried last.
    pub(crate) fn flaw_beside(&self, problem: &Problem) -> Option<Flaw> {
        flaw_of(problem, &self.trial)
    }
}

fn flaw_of(problem: &Problem, knots: &[KnotResult]) -> Option<Flaw> {
    let KnotFlaw { term, state, what } = knots.iter().find_map(|knot| knot.flaw)?;
    let term = term.map(|k| problem.terms[k].id.clone());
    Some(Flaw { term, state, time: state as f64 * problem.h(), what })
}
