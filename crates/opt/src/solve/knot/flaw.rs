//! Numbers that are not finite, and which term they are from.
//!
//! A step with such a number has an infinite merit, so that no step of the optimizer leads there. A
//! NaN among derivatives would otherwise make every factorization fail, and a run that cannot take
//! a step looks like one that needs none.

use super::{KnotInput, KnotResult, stride};
use crate::problem::rows::{Part, Rows};
use serde::{Deserialize, Serialize};

/// A number of a step that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnotFlaw {
    /// The term; `None`: the equations of motion.
    pub term: Option<usize>,
    /// The state, from 0.
    pub state: usize,
    /// Which number.
    pub what: Quantity,
}

/// Which number of a term is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Quantity {
    /// A residual.
    Residual {
        /// Its row in the term.
        row: usize,
    },
    /// A derivative of a residual.
    Derivative {
        /// The row.
        row: usize,
        /// With respect to what.
        part: Part,
        /// Of which dof.
        dof: usize,
    },
    /// The sum of the squares: residuals are too large.
    Cost,
    /// The derivatives of the merit: those of forces, or products that are too large.
    Gradient,
}

impl core::fmt::Display for Quantity {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Residual { row } => write!(f, "residual {row}"),
            Self::Derivative { row, part, dof } => {
                write!(f, "the derivative of residual {row} with respect to {} of dof {dof}", part.word())
            }
            Self::Cost => f.write_str("the sum of the squares of the residuals"),
            Self::Gradient => f.write_str("the gradient"),
        }
    }
}

/// The first number that is not finite among the rows from `first` on.
pub(super) fn find(rows: &Rows, first: usize) -> Option<Quantity> {
    let is_flaw = |x: f64| !x.is_finite();
    if let Some(row) = rows.value[first..].iter().position(|x| is_flaw(*x)) {
        return Some(Quantity::Residual { row });
    }
    (first..rows.len()).find_map(|row| {
        let entry = rows.entries(row).iter().find(|e| is_flaw(e.value))?;
        Some(Quantity::Derivative { row: row - first, part: entry.part, dof: entry.dof as usize })
    })
}

/// Says so where the gradient or the Hessian of a step is not finite although all terms are.
pub(super) fn check_model(input: &KnotInput<'_>, state: usize, out: &mut KnotResult) {
    let n = input.problem.model.size.nv;
    let lower = out.hessian.chunks_exact(stride(n)).enumerate().take(3 * n);
    let is_finite = sum(&out.gradient).is_finite() && lower.map(|(i, row)| sum(&row[..=i])).sum::<f64>().is_finite();
    if !is_finite && out.flaw.is_none() {
        out.flaw = Some(KnotFlaw { term: None, state, what: Quantity::Gradient });
    }
}

/// Not finite if one of the numbers is not.
fn sum(numbers: &[f64]) -> f64 {
    numbers.iter().map(|x| 0.0 * x).sum()
}
