//! The invertible law \[Todorov2011\]: impulses that minimize kinetic energy, with logarithmic
//! barriers in place of bounds.
//!
//! Velocities and impulses of the rows are related by v = c + A f (6), A = J M⁻¹ Jᵀ. The impulse
//! minimizes
//!   ½ fᵀ(A + R) f + fᵀc + d_F(f) + d_V(c + A f)                                            (17)
//! where d_F = −κ Σ log (positive functions of f) keeps impulses in their cones and d_V keeps
//! velocities of normals above their minimum. Its gradient R f + v + ∇d_F(f) + A ∇d_V(v) (22) does
//! not contain c, so the same f follows from v alone (23): `forward` maps c to (f, v), `inverse`
//! maps v to (f, c); they are inverse to each other.
//!
//! Deviations from the paper. The elastic barrier d̄_V (25) is used everywhere (`barrier::Wall`),
//! which makes both maps defined and twice differentiable for all c and v. κ, q and R may differ
//! between rows. Cones may have a different coefficient for each tangent, for torsion and for
//! rolling. (23) is solved group by group, at a cost linear in the number of contacts. Contacts of
//! the same two bodies share their load (`share`). Rows may also be equalities and dry friction.
//! Without d_V (`invertible_walls` = off) groups of rows are not coupled in (22): friction then
//! exactly opposes sliding, which the term A∇d_V otherwise prevents, and the inverse does not need
//! A.

pub mod barrier;
mod bend;
pub mod cone;
mod dense;
mod distance;
mod dofs;
mod engine;
mod forward;
mod inertia;
mod inverse;
mod island;
mod linear;
mod newton;
mod problem;
mod response;
mod rows;
mod search;
mod share;
mod stages;

pub use barrier::Wall;
pub(crate) use bend::WIDTH;
pub use dense::Dense;
pub use distance::Distance;
pub(crate) use engine::invert;
pub use engine::{problem_of, solve};
pub use forward::{Forward, forward};
pub use inertia::{DenseInertia, Inertia};
pub use inverse::{Inverse, inverse, separable};
pub(crate) use linear::Linear;
pub use rows::{Error, Group, Kind, MAX_DIM, Rows, Smoothing};

use crate::data::SolverStatus;

/// Result of a solver of this law.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Whether the solution was found.
    pub status: SolverStatus,
    /// Newton iterations: of the slowest group for the inverse, of the whole problem for the
    /// forward map.
    pub iterations: u32,
    /// Largest entry of the gradient (22) relative to its largest term.
    pub residual: f64,
}
