//! Evaluation of given trajectories: costs and constraints without optimization.

use crate::problem::Problem;
use crate::solve::PoolError;
use crate::solve::knot::Multipliers;
use crate::solve::minimize::Optimizer;

/// Evaluates trajectories of a problem, with memory and threads that are made once.
#[derive(Debug)]
pub struct Evaluator<'a> {
    problem: &'a Problem,
    optimizer: Optimizer,
    multipliers: Multipliers,
}

/// What a trajectory costs and how well its constraints hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Cost of each term, in the order of the problem; zero for constraints.
    pub cost_by_term: Vec<f64>,
    /// Values of the constraints, by term and step; no rows for costs.
    pub constraints: Vec<Vec<Vec<f64>>>,
}

impl Evaluation {
    /// Sum of the costs.
    pub fn cost(&self) -> f64 {
        self.cost_by_term.iter().sum()
    }
}

impl<'a> Evaluator<'a> {
    /// For a problem, on this many threads; 0: as many as there are processors.
    pub fn new(problem: &'a Problem, threads: usize) -> Result<Self, PoolError> {
        let multipliers = Multipliers { penalty: 1.0, ..Multipliers::default() };
        Ok(Self { problem, optimizer: Optimizer::new(problem, threads)?, multipliers })
    }

    /// Makes the nodes of a trajectory · (steps + 2) × nq consistent with the ends of the motion,
    /// and evaluates dynamics and terms of all its steps.
    pub fn update(&mut self, nodes: &mut [f64]) {
        let problem = self.problem;
        self.optimizer.layout.close(&problem.model, &problem.ends, problem.h(), nodes);
        self.optimizer.update(problem, &self.multipliers, nodes, false);
    }

    /// Costs and constraints of the last trajectory.
    pub fn evaluation(&self) -> Evaluation {
        let (terms, knots) = (0..self.problem.terms.len(), &self.optimizer.knots);
        let rows = |k: usize| knots.iter().map(|knot| knot.constraint[k].to_vec()).collect();
        Evaluation {
            cost_by_term: terms.clone().map(|k| knots.iter().map(|knot| knot.cost[k]).sum()).collect(),
            constraints: terms.map(rows).collect(),
        }
    }
}
