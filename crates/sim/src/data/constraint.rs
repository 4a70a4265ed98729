//! Rows of the constraint problem and their solution.

use crate::ids::Span;
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// The kind of constraint that a row belongs to. The numbering is MuJoCo's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(i32)]
pub enum RowKind {
    /// An equality constraint.
    #[default]
    Equality = 0,
    /// Dry friction of a dof.
    FrictionDof = 1,
    /// Dry friction of a tendon.
    FrictionTendon = 2,
    /// A joint limit.
    LimitJoint = 3,
    /// A tendon limit.
    LimitTendon = 4,
    /// A contact without friction.
    ContactFrictionless = 5,
    /// An edge of the friction pyramid of a contact with pyramidal cone.
    ContactPyramidal = 6,
    /// A row of a contact with elliptic cone.
    ContactElliptic = 7,
}

/// The state of a row at the solution. The numbering is MuJoCo's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(i32)]
pub enum RowState {
    /// The row is inactive and has no force.
    #[default]
    Satisfied = 0,
    /// The force is in the interior of its admissible set, where the cost is quadratic.
    Quadratic = 1,
    /// Dry friction at its bound for a negative residual, where the cost is linear.
    LinearNeg = 2,
    /// Dry friction at its bound for a positive residual, where the cost is linear.
    LinearPos = 3,
    /// The force is on the surface of an elliptic cone.
    Cone = 4,
}

/// The rows of one constraint (an equality, a dry friction, a limit or a contact), which share
/// their columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Kind of the rows.
    pub kind: RowKind,
    /// Index of the equality, dof, tendon, joint or contact, depending on the kind.
    pub id: u32,
    /// Indices of the rows.
    pub rows: Span,
    /// Entries of `Constraints::col` with the dofs that the rows act on, in ascending order.
    pub cols: Span,
    /// Index of the first of rows.len × cols.len values in `Constraints::J`, row-major.
    pub values: u32,
}

impl Block {
    /// Values of row `r` of the block (0-based within it) in `Constraints::J`.
    #[inline]
    pub fn row_values(&self, r: usize) -> core::ops::Range<usize> {
        let n = self.cols.len as usize;
        let start = self.values as usize + r * n;
        start..start + n
    }
    /// All values of the block in `Constraints::J`.
    #[inline]
    pub fn all_values(&self) -> core::ops::Range<usize> {
        let start = self.values as usize;
        start..start + (self.rows.len * self.cols.len) as usize
    }
}

/// Stiffness, damping and impedance of a row (`constraint::impedance`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// Stiffness k without the factor d, 1/s².
    pub stiffness: f64,
    /// Damping b, 1/s.
    pub damping: f64,
    /// Impedance d, from 0 (soft) to 1 (hard).
    pub impedance: f64,
    /// Derivative of d with respect to the residual.
    pub slope: f64,
}

/// The active constraints, in the order equalities, dry friction, limits, contacts. Vectors have
/// one entry per row unless stated otherwise, and keep their capacity from step to step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Constraints {
    /// The constraints · one entry per constraint · by `constraint::update_constraints`, as all
    /// fields up to `D`.
    pub blocks: Vec<Block>,
    /// Column indices of the Jacobian, block after block.
    pub col: Vec<u32>,
    /// Values of the Jacobian, block after block, row-major.
    pub J: Vec<f64>,
    /// Kind of each row.
    pub kind: Vec<RowKind>,
    /// Index of the contact, equality, joint, dof or tendon of each row.
    pub id: Vec<u32>,
    /// Residual r.
    pub pos: Vec<f64>,
    /// Residual below which a row is active.
    pub margin: Vec<f64>,
    /// Bound η of dry friction.
    pub friction_loss: Vec<f64>,
    /// Approximate diagonal of A = J M⁻¹ Jᵀ.
    pub diag: Vec<f64>,
    /// Stiffness, damping and impedance.
    pub spring: Vec<Spring>,
    /// Regularizer R.
    pub R: Vec<f64>,
    /// 1/R.
    pub D: Vec<f64>,
    /// Velocity J v, including surface velocities · by `constraint::update_reference`.
    pub vel: Vec<f64>,
    /// Reference acceleration · by `constraint::update_reference`.
    pub a_ref: Vec<f64>,
    /// Constraint forces · by the contact law.
    pub force: Vec<f64>,
    /// State of each row at the solution · by the contact law.
    pub state: Vec<RowState>,
    /// Number of rows of equalities.
    pub n_equality: usize,
    /// Number of rows of dry friction.
    pub n_friction: usize,
    /// Number of rows of limits.
    pub n_limit: usize,
    /// Number of islands: groups of kinematic trees that are connected by constraints · by
    /// `law::soft`.
    pub n_island: usize,
    /// Island of each row.
    pub row_island: Vec<u32>,
    /// Island of each tree; [`NO_ISLAND`] if no constraint acts on it.
    pub tree_island: Vec<u32>,
    /// Status and statistics of the solver.
    pub report: SolverReport,
}

/// Value of `tree_island` and `row_island` for trees and rows that are in no island.
pub const NO_ISLAND: u32 = u32::MAX;

impl Constraints {
    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.kind.len()
    }
    /// Whether there are no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }
    /// Whether rows from outside (such as from a file) are consistent with each other, with the
    /// model and with the number of contacts.
    pub fn is_consistent(&self, model: &Model, contacts: usize) -> bool {
        let n = self.len();
        let numbers = [&self.pos, &self.margin, &self.friction_loss, &self.diag, &self.R, &self.D, &self.vel];
        let contact_rows = |kind: RowKind| kind as i32 >= RowKind::ContactFrictionless as i32;
        let within = |span: Span, len: usize| span.start as usize + span.len as usize <= len;
        let block = |b: &Block| {
            let values = b.values as usize + b.rows.len as usize * b.cols.len as usize;
            within(b.rows, n) && within(b.cols, self.col.len()) && values <= self.J.len()
        };
        let known = |(kind, id): (&RowKind, &u32)| !contact_rows(*kind) || (*id as usize) < contacts;
        numbers.iter().chain(&[&self.a_ref, &self.force]).all(|v| v.len() == n)
            && self.id.len() == n
            && self.spring.len() == n
            && self.state.len() == n
            && self.n_equality + self.n_friction + self.n_limit <= n
            && self.col.iter().all(|&c| (c as usize) < model.size.nv)
            && self.blocks.iter().all(block)
            && self.kind.iter().zip(&self.id).all(known)
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.col.clear();
        self.J.clear();
        self.kind.clear();
        self.id.clear();
        self.state.clear();
        self.spring.clear();
        for v in [
            &mut self.pos,
            &mut self.margin,
            &mut self.friction_loss,
            &mut self.diag,
            &mut self.R,
            &mut self.D,
            &mut self.vel,
            &mut self.a_ref,
            &mut self.force,
        ] {
            v.clear();
        }
        (self.n_equality, self.n_friction, self.n_limit, self.n_island) = (0, 0, 0, 0);
        self.report = SolverReport::default();
    }
    /// y = J x.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        for block in &self.blocks {
            let col = &self.col[block.cols.range()];
            let n = col.len();
            let y = &mut y[block.rows.range()];
            let J = &self.J[block.all_values()];
            // Pairs of rows: one gather of x, two independent sums.
            let mut pairs = y.chunks_exact_mut(2);
            let mut values = J.chunks_exact(2 * n);
            for (y, J) in (&mut pairs).zip(&mut values) {
                let (a, b) = J.split_at(n);
                let mut sum = [0.0; 2];
                for ((a, b), &c) in a.iter().zip(b).zip(col) {
                    let x = x[c as usize];
                    sum[0] += a * x;
                    sum[1] += b * x;
                }
                y.copy_from_slice(&sum);
            }
            for y in pairs.into_remainder() {
                *y = values.remainder().iter().zip(col).map(|(j, &c)| j * x[c as usize]).sum();
            }
        }
    }
    /// x += Jᵀ f.
    pub fn add_transposed(&self, f: &[f64], x: &mut [f64]) {
        for block in &self.blocks {
            let col = &self.col[block.cols.range()];
            for (r, row) in block.rows.range().enumerate() {
                if f[row] != 0.0 {
                    let values = &self.J[block.row_values(r)];
                    for (j, &c) in values.iter().zip(col) {
                        x[c as usize] += j * f[row];
                    }
                }
            }
        }
    }
}

/// Why the solver ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SolverStatus {
    /// There are no constraints.
    #[default]
    Unconstrained,
    /// The solution is proven to be within the tolerance.
    Converged,
    /// The iteration limit is reached.
    IterationLimit,
    /// The line search found no descent because of round-off.
    Stalled,
    /// The requested method failed, and the result is that of another method.
    Replaced,
}

impl SolverStatus {
    /// The status as text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unconstrained => "unconstrained",
            Self::Converged => "converged",
            Self::IterationLimit => "iteration limit",
            Self::Stalled => "stalled",
            Self::Replaced => "replaced",
        }
    }
}

/// Status and statistics of the solver over all islands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverReport {
    /// The worst status of all islands.
    pub status: SolverStatus,
    /// Largest number of iterations of any island.
    pub iterations: u32,
    /// Total number of iterations of all islands.
    pub total_iterations: u32,
    /// Scaled norm of the gradient M(a − a₀) − Jᵀf at the end; the largest of all islands.
    pub residual: f64,
    /// Scaled cost improvement of the last iteration.
    pub improvement: f64,
    /// Norms of the differences between forward and inverse dynamics in constraint forces and in
    /// applied forces. Only with [`Enable::FWDINV`](crate::options::Enable).
    pub inverse_gap: [f64; 2],
}
