//! Augmented Lagrangian: minimization of the merit with multipliers that are improved in between.
//!
//! Equalities c = 0 count as ½ ρ (c + λ/ρ)², inequalities d ≤ 0 as ½ ρ max(0, d + λ/ρ)²; after
//! minimization λ ← λ + ρ c,  λ ← max(0, λ + ρ d).

use crate::problem::{Entry, Problem, Role};
use crate::solve::knot::{KnotResult, Multipliers};

impl Multipliers {
    /// Zero, for all constraints of a problem.
    pub fn new(problem: &Problem, knots: usize, penalty: f64) -> Self {
        Self { lambda: vec![vec![Vec::new(); knots]; problem.terms.len()], penalty, restore: None }
    }

    /// λ + ρ c.
    pub fn improve(&mut self, terms: &[Entry], knots: &[KnotResult]) {
        for (k, entry) in terms.iter().enumerate().filter(|(_, entry)| entry.role != Role::Cost) {
            for (lambda, knot) in self.lambda[k].iter_mut().zip(knots) {
                lambda.resize(knot.constraint[k].len(), 0.0);
                for (lambda, c) in lambda.iter_mut().zip(&knot.constraint[k]) {
                    *lambda += self.penalty * c;
                    if entry.role == Role::Inequality {
                        *lambda = lambda.max(0.0);
                    }
                }
            }
        }
    }
}

/// Largest violation of a constraint, in its own units; infinite where that is not a number.
pub fn violation(terms: &[Entry], knots: &[KnotResult], k: usize) -> f64 {
    let values = knots.iter().flat_map(|knot| &knot.constraint[k]);
    let values = values.map(|c| if c.is_nan() { f64::INFINITY } else { *c });
    match terms[k].role {
        Role::Cost => 0.0,
        Role::Equality => values.fold(0.0, |m, c| f64::max(m, c.abs())),
        Role::Inequality => values.fold(0.0, f64::max),
    }
}

/// Largest violation of all constraints, each divided by its slack.
pub fn largest_violation(terms: &[Entry], knots: &[KnotResult]) -> f64 {
    largest_of(terms, knots, Role::Equality).max(largest_of(terms, knots, Role::Inequality))
}

/// The same for the constraints of one role.
pub fn largest_of(terms: &[Entry], knots: &[KnotResult], role: Role) -> f64 {
    let own = (0..terms.len()).filter(|&k| terms[k].role == role);
    own.fold(0.0, |m, k| f64::max(m, violation(terms, knots, k) / terms[k].slack))
}
