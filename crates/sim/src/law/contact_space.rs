//! The constraint problem in the coordinates of its inequalities, with equalities eliminated [MuJoCo2013, §2.5.2]:
//!   a = â + M_E⁻¹ J_Iᵀ f,   x = J_I a − a_ref = x₀ + A f.                                                        (1)
//! With P = A_E + R_E, A_E = J_E M⁻¹ J_Eᵀ, the equalities J_E a + R_E f_E = a_ref,E give
//!   M_E⁻¹ = M⁻¹ − M⁻¹ J_Eᵀ P⁻¹ J_E M⁻¹,   â = a₀ + M⁻¹ J_Eᵀ P⁻¹ (a_ref,E − J_E a₀).                             (2)
//! R_E = 0 is the manual's hard constraint, R_E = 1/λ its soft one: (M + λ J_Eᵀ J_E)⁻¹ by Woodbury's identity.
//! Everything is in accelerations and forces; with a = (v⁺ − v)/h it is the manual's problem divided by h.

use crate::data::{Block, Constraints, Data, RowKind};
use crate::integrate::discrete;
use crate::model::Model;
use saltus_math::{cholesky, ldl};

#[derive(Clone, Debug, Default)]
pub(super) struct ContactSpace {
    /// Number of inequality rows, and the first of them in `Constraints`.
    pub n: usize,
    pub first: usize,
    /// A · n × n, and x₀ · n.
    pub A: Vec<f64>,
    pub x0: Vec<f64>,
    /// Forces of the inequality rows: the law's result.
    pub force: Vec<f64>,
    /// Rows of J_I M_E⁻¹ · n × nv, and â.
    Y: Vec<f64>,
    a_hat: Vec<f64>,
    /// Rows of J_E M⁻¹, factor of P, right-hand sides.
    Y_E: Vec<f64>,
    P: Vec<f64>,
    right: Vec<f64>,
    column: Vec<f64>,
}

/// Pivots of P below this share of its largest diagonal are raised to it: equalities that say the same twice, such as the
/// out-of-plane row of a planar linkage, share their force.
const DEPENDENT: f64 = 1e-12;

impl ContactSpace {
    /// Projects the rows of `data.constraints`.
    pub fn update(&mut self, model: &Model, data: &mut Data) {
        let rows = core::mem::take(&mut data.constraints);
        let (nv, n_eq) = (model.size.nv, rows.n_equality);
        (self.first, self.n) = (n_eq, rows.len() - n_eq);
        self.update_responses(model, data, &rows);
        self.eliminate(data, &rows, nv);
        let n = self.n;
        self.A.clear();
        self.A.resize(n * n, 0.0);
        for block in inequalities(&rows) {
            let cols = &rows.col[block.cols.range()];
            for (r, row) in block.rows.range().enumerate() {
                let (i, J) = (row - n_eq, &rows.J[block.row_values(r)]);
                for (a, y) in self.A[i * n..i * n + i + 1].iter_mut().zip(self.Y.chunks_exact(nv)) {
                    *a = J.iter().zip(cols).map(|(j, &c)| j * y[c as usize]).sum();
                }
            }
        }
        for i in 0..n {
            for j in 0..i {
                self.A[j * n + i] = self.A[i * n + j];
            }
        }
        self.right.resize(rows.len().max(self.right.len()), 0.0);
        rows.mul(&self.a_hat, &mut self.right[..rows.len()]);
        self.x0.clear();
        self.x0.extend((n_eq..rows.len()).map(|r| self.right[r] - rows.a_ref[r]));
        self.force.clear();
        self.force.resize(n, 0.0);
        data.constraints = rows;
    }

    /// M⁻¹ Jᵀ of all rows.
    fn update_responses(&mut self, model: &Model, data: &mut Data, rows: &Constraints) {
        let nv = model.size.nv;
        self.Y_E.clear();
        self.Y.clear();
        for block in &rows.blocks {
            let cols = &rows.col[block.cols.range()];
            for r in 0..block.rows.len as usize {
                self.column.clear();
                self.column.resize(nv, 0.0);
                for (&c, j) in cols.iter().zip(&rows.J[block.row_values(r)]) {
                    self.column[c as usize] = *j;
                }
                solve_inertia(model, data, &mut self.column);
                let out = if block.kind == RowKind::Equality { &mut self.Y_E } else { &mut self.Y };
                out.extend_from_slice(&self.column);
            }
        }
    }

    /// (2).
    fn eliminate(&mut self, data: &Data, rows: &Constraints, nv: usize) {
        self.a_hat.clone_from(&data.acceleration.a_smooth);
        let n = rows.n_equality;
        if n == 0 {
            return;
        }
        self.P.clear();
        self.P.resize(n * n, 0.0);
        let equalities = || rows.blocks.iter().filter(|b| b.kind == RowKind::Equality);
        let apply = |x: &[f64], out: &mut [f64]| {
            for block in equalities() {
                let cols = &rows.col[block.cols.range()];
                for (r, row) in block.rows.range().enumerate() {
                    out[row] = rows.J[block.row_values(r)].iter().zip(cols).map(|(j, &c)| j * x[c as usize]).sum();
                }
            }
        };
        for (i, y) in self.Y_E.chunks_exact(nv).enumerate() {
            apply(y, &mut self.P[i * n..(i + 1) * n]);
            self.P[i * n + i] += rows.R[i];
        }
        let largest = (0..n).map(|i| self.P[i * n + i]).fold(0.0, f64::max);
        cholesky::factor(n, n, &mut self.P, DEPENDENT * largest);
        self.right.clear();
        self.right.resize(n, 0.0);
        apply(&data.acceleration.a_smooth, &mut self.right);
        self.right.iter_mut().zip(&rows.a_ref).for_each(|(x, a_ref)| *x = a_ref - *x);
        cholesky::solve(n, n, &self.P, &mut self.right);
        add_rows(&mut self.a_hat, &self.right, &self.Y_E, 1.0);
        for y in self.Y.chunks_exact_mut(nv) {
            apply(y, &mut self.right);
            cholesky::solve(n, n, &self.P, &mut self.right);
            add_rows(y, &self.right, &self.Y_E, -1.0);
        }
    }

    /// (1) for the present forces.
    pub fn calc_acceleration(&self, a: &mut [f64]) {
        a.copy_from_slice(&self.a_hat);
        add_rows(a, &self.force, &self.Y, 1.0);
    }

    /// Writes the solution (1) back: acceleration, forces of all rows, what they do to the dofs.
    pub fn finish(&mut self, model: &Model, data: &mut Data) {
        let n_eq = self.first;
        let mut rows = core::mem::take(&mut data.constraints);
        let mut force = core::mem::take(&mut rows.force);
        force.clear();
        force.resize(n_eq, 0.0);
        force.extend_from_slice(&self.force);
        self.calc_acceleration(&mut data.acceleration.a);
        data.acceleration.tau_constraint.fill(0.0);
        rows.add_transposed(&force, &mut data.acceleration.tau_constraint);
        if n_eq > 0 {
            // P f_E = a_ref,E − J_E (a₀ + M⁻¹ J_Iᵀ f).
            self.column.clone_from(&data.acceleration.tau_constraint);
            solve_inertia(model, data, &mut self.column);
            self.column.iter_mut().zip(&data.acceleration.a_smooth).for_each(|(x, a)| *x += a);
            self.right.resize(rows.len(), 0.0);
            rows.mul(&self.column, &mut self.right);
            for i in 0..n_eq {
                force[i] = rows.a_ref[i] - self.right[i];
            }
            cholesky::solve(n_eq, n_eq, &self.P, &mut force[..n_eq]);
            data.acceleration.tau_constraint.fill(0.0);
            rows.add_transposed(&force, &mut data.acceleration.tau_constraint);
        }
        rows.force = force;
        data.constraints = rows;
    }
}

/// Blocks that are not equalities.
pub(super) fn inequalities(rows: &Constraints) -> impl Iterator<Item = &Block> {
    rows.blocks.iter().filter(|b| b.kind != RowKind::Equality)
}

/// x ← M⁻¹ x in the metric of the step.
pub(super) fn solve_inertia(model: &Model, data: &mut Data, x: &mut [f64]) {
    if data.position.metric.M.is_empty() {
        ldl::solve(&model.mass_pattern, &data.position.LD, &data.position.D_inv, x);
    } else {
        discrete::solve(model, data, x);
    }
}

/// x += sign Σ wᵢ rowᵢ.
fn add_rows(x: &mut [f64], weights: &[f64], rows: &[f64], sign: f64) {
    for (&w, row) in weights.iter().zip(rows.chunks_exact(x.len().max(1))) {
        if w != 0.0 {
            x.iter_mut().zip(row).for_each(|(x, r)| *x += sign * w * r);
        }
    }
}
