//! Rows of the constraint problem, and what the solver found.

use crate::ids::Span;
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// What a row constrains. Numbering is MuJoCo's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(i32)]
pub enum RowKind {
    /// An equality.
    #[default]
    Equality = 0,
    /// Dry friction of a dof.
    FrictionDof = 1,
    /// Dry friction of a tendon.
    FrictionTendon = 2,
    /// A limit of a joint.
    LimitJoint = 3,
    /// A limit of a tendon.
    LimitTendon = 4,
    /// A contact without friction.
    ContactFrictionless = 5,
    /// An edge of the friction pyramid of a contact.
    ContactPyramidal = 6,
    /// A contact with an elliptic cone.
    ContactElliptic = 7,
}

/// Where a row's force lies at the solution. Numbering is MuJoCo's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(i32)]
pub enum RowState {
    /// No force.
    #[default]
    Satisfied = 0,
    /// Force in the interior of its set: the cost is quadratic.
    Quadratic = 1,
    /// Dry friction at its lower or upper bound.
    LinearNeg = 2,
    /// Dry friction at its limit, in the positive direction.
    LinearPos = 3,
    /// On the surface of an elliptic cone.
    Cone = 4,
}

/// Rows that belong together and share their columns: an equality, a limit, a dry friction, a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Kind of the rows.
    pub kind: RowKind,
    /// Equality, dof, tendon, joint or contact, by kind.
    pub id: u32,
    /// The rows.
    pub rows: Span,
    /// Dofs that the rows act on, ascending, in `Constraints::col`.
    pub cols: Span,
    /// First of rows.len × cols.len values in `Constraints::J`, by rows.
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

/// What pulls a row back to its residual zero, and how firmly (`constraint::impedance`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// k, without the factor of impedance, 1/s².
    pub stiffness: f64,
    /// b, 1/s.
    pub damping: f64,
    /// d: 0 soft, 1 hard.
    pub impedance: f64,
    /// ∂d by the residual.
    pub slope: f64,
}

/// The active constraints, in the order equalities, dry friction, limits, contacts. Vectors have one entry per row
/// unless said otherwise. They keep their capacity from step to step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Constraints {
    /// By `constraint::update_constraints`.
    pub blocks: Vec<Block>,
    /// Columns of the Jacobian, by blocks.
    pub col: Vec<u32>,
    /// Values of the Jacobian, by blocks and rows.
    pub J: Vec<f64>,
    /// Kind of each row.
    pub kind: Vec<RowKind>,
    /// Index of the contact, equality, joint, dof or tendon of each row.
    pub id: Vec<u32>,
    /// Residual r, and the distance at which the row becomes active.
    pub pos: Vec<f64>,
    /// Residual below which a row is active.
    pub margin: Vec<f64>,
    /// Bound η of dry friction.
    pub friction_loss: Vec<f64>,
    /// Approximate diagonal of A = J M⁻¹ Jᵀ.
    pub diag: Vec<f64>,
    pub spring: Vec<Spring>,
    /// Regularizer and its inverse.
    pub R: Vec<f64>,
    /// 1/R.
    pub D: Vec<f64>,
    /// J v (with surface velocities) and reference acceleration. By `constraint::update_reference`.
    pub vel: Vec<f64>,
    /// Reference acceleration.
    pub a_ref: Vec<f64>,
    /// Solution. By a law.
    pub force: Vec<f64>,
    /// What each row does.
    pub state: Vec<RowState>,
    /// Number of rows of equalities, dry friction and limits.
    pub n_equality: usize,
    /// Rows of dry friction.
    pub n_friction: usize,
    /// Rows of limits.
    pub n_limit: usize,
    /// Islands of trees that constraints connect. By `law::soft`.
    pub n_island: usize,
    /// Island of each row, and of each tree (`NO_ISLAND`: no active constraint).
    pub row_island: Vec<u32>,
    /// Island of each tree; [`NO_ISLAND`] where nothing acts.
    pub tree_island: Vec<u32>,
    /// What the solver says of its solution.
    pub report: SolverReport,
}

/// What `tree_island` and `row_island` say of those in none.
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
    /// Whether rows that came from outside fit together and belong to a model with `contacts` contacts.
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

    /// Forgets all rows, keeps the memory.
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

/// How the solver ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SolverStatus {
    /// Nothing to solve.
    #[default]
    Unconstrained,
    /// Proven within tolerance.
    Converged,
    /// Out of iterations.
    IterationLimit,
    /// The line search found no descent (round-off).
    Stalled,
    /// The method that was asked for gave up; the result is that of another.
    Replaced,
}

impl SolverStatus {
    /// In words.
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

/// What the solver did, over all islands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverReport {
    /// The worst of all islands.
    pub status: SolverStatus,
    /// Largest number of iterations of an island, and the sum over islands.
    pub iterations: u32,
    /// Sum of the iterations of all islands.
    pub total_iterations: u32,
    /// Scaled norm of the gradient M(a − a₀) − Jᵀf at the end, largest of all islands.
    pub residual: f64,
    /// Scaled cost improvement of the last iteration.
    pub improvement: f64,
    /// Norms of what inverse dynamics differs by: constraint forces, applied forces. Only with `Enable::FWDINV`.
    pub inverse_gap: [f64; 2],
}
