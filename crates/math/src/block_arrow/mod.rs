//! Symmetric positive definite systems of trajectories: block-pentadiagonal with a dense border.
//!
//! A trajectory of `count` knots with n unknowns each, whose cost couples three neighbouring knots,
//! has a Hessian with blocks (t, s) only for |t − s| ≤ 2. Periodic ends and scalars that concern
//! all knots (period, stride) are `border` rows that may couple with everything:
//!
//! ```text
//!     ⎡ H₀₀  ·    ·            ⎤
//! A = ⎢ H₁₀  H₁₁  ·        Bᵀ  ⎥      C: border × border
//!     ⎢ H₂₀  H₂₁  H₂₂          ⎥
//!     ⎢      …    …    …       ⎥
//!     ⎣ B₀   B₁   B₂   …   C   ⎦
//! ```
//!
//! [`BlockArrowFactor`] is A + diag(shift) = Uᵀ U after a symmetric permutation: the first half of
//! the knots is eliminated from the front, the second half from the back, then the two knots in the
//! middle, then the border. The halves share no number, so two threads can work on them. Cost
//! without a border 6⅓ n³ flops per knot, the same as from one end only; a border of p rows adds 5
//! p n² + p² n.

mod corner;
mod entries;
mod factor;
mod layout;
mod matrix;
mod panel;
mod reduce;
mod side;
mod solve;
#[cfg(test)]
mod tests;

pub use factor::{BlockArrowFactor, NotPositive, sequential};
pub use matrix::{BlockArrow, KnotBlocks};
