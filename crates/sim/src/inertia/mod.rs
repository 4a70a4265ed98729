//! The inertia matrix M, and M̂, the inertia that the acceleration of a step answers to.
//!
//! Under most integrators M̂ is M. Where a step is implicit inside of the constraint solve it is
//!   M̂ = P + Σ w rᵀ r,                                                                                            (1)
//! P with the sparsity of M, and terms of tendons and actuators that do not fit into it. P is
//! factored; the terms are solved for by Woodbury's identity, with U the rows √w r:
//!   (P + Uᵀ U)⁻¹ b = y − P⁻¹ Uᵀ (1 + U P⁻¹ Uᵀ)⁻¹ U y,   y = P⁻¹ b.                                               (2)
//!
//! What M̂ is made of is said by `dynamics::update_inertia` and `dynamics::update_step_inertia`.

mod woodbury;

use crate::ids::Span;
use crate::model::Model;
use saltus_math::{MIN_VAL, ldl};
use woodbury::Woodbury;

/// M, M̂ and their factors.
#[derive(Clone, Debug, Default)]
pub struct Inertia {
    /// Inertia matrix · `mass_pattern`.
    pub M: Vec<f64>,
    /// Its factors: L below the diagonal, D on it · `mass_pattern`.
    pub LD: Vec<f64>,
    /// 1/D · nv.
    pub D_inv: Vec<f64>,
    /// Whether M̂ differs from M: if not, nothing below is used.
    is_implicit: bool,
    /// Whether the factors of P and of the terms are those of M̂; they are made when they are first
    /// asked for.
    is_factored: bool,
    /// P and its factors, as M.
    P: Vec<f64>,
    P_LD: Vec<f64>,
    P_D_inv: Vec<f64>,
    terms: Terms,
    woodbury: Woodbury,
    /// h K v, which the smooth force of an implicit step is reduced by · nv.
    shift: Vec<f64>,
    /// M̂ without the couplings of tendons and actuators, whether they fit into the pattern or not
    /// · `mass_pattern`.
    backbone: Vec<f64>,
    /// Trees that tendons or actuators in M̂ act on · ntree.
    coupled: Vec<bool>,
}

/// A symmetric matrix with the sparsity of M, and its factors.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// Values · `mass_pattern`.
    pub values: &'a [f64],
    /// L below the diagonal, D on it · `mass_pattern`.
    pub LD: &'a [f64],
    /// 1/D · nv.
    pub D_inv: &'a [f64],
}

/// A term w rᵀ r of M̂, r sparse.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// w.
    pub weight: f64,
    /// Columns of r, ascending.
    pub cols: &'a [u32],
    /// Values of r in these columns.
    pub values: &'a [f64],
}

impl Term<'_> {
    /// r · x.
    fn project(&self, x: &[f64]) -> f64 {
        self.cols.iter().zip(self.values).map(|(&i, r)| r * x[i as usize]).sum()
    }
}

#[derive(Clone, Debug, Default)]
struct Terms {
    list: Vec<(f64, Span)>,
    col: Vec<u32>,
    value: Vec<f64>,
}

impl Terms {
    fn len(&self) -> usize {
        self.list.len()
    }
    fn get(&self, k: usize) -> Term<'_> {
        let (weight, span) = self.list[k];
        Term { weight, cols: &self.col[span.range()], values: &self.value[span.range()] }
    }
    fn iter(&self) -> impl Iterator<Item = Term<'_>> {
        (0..self.len()).map(|k| self.get(k))
    }
    fn clear(&mut self) {
        self.list.clear();
        self.col.clear();
        self.value.clear();
    }
    fn push(&mut self, term: Term) {
        self.list.push((term.weight, Span::new(self.col.len(), term.cols.len())));
        self.col.extend_from_slice(term.cols);
        self.value.extend_from_slice(term.values);
    }
}

impl Inertia {
    pub(crate) fn new(model: &Model) -> Self {
        let (nv, nnz) = (model.size.nv, model.mass_pattern.nnz());
        Self { M: vec![0.0; nnz], LD: vec![0.0; nnz], D_inv: vec![0.0; nv], ..Self::default() }
    }

    /// Factors M.
    pub(crate) fn factor(&mut self, model: &Model) {
        self.LD.copy_from_slice(&self.M);
        ldl::factor(&model.mass_pattern, &mut self.LD, &mut self.D_inv, MIN_VAL);
    }

    /// y = M x.
    pub fn mul(&self, model: &Model, x: &[f64], y: &mut [f64]) {
        ldl::mul(&model.mass_pattern, &self.M, x, y);
    }

    /// x ← M⁻¹ x. Needs the factors of M.
    pub fn solve(&self, model: &Model, x: &mut [f64]) {
        ldl::solve(&model.mass_pattern, &self.LD, &self.D_inv, x);
    }
}

/// The inertia of a step.
impl Inertia {
    /// y = M̂ x.
    pub fn mul_step(&self, model: &Model, x: &[f64], y: &mut [f64]) {
        ldl::mul(&model.mass_pattern, self.of_step().values, x, y);
        for term in self.terms() {
            let s = term.weight * term.project(x);
            for (&i, r) in term.cols.iter().zip(term.values) {
                y[i as usize] += s * r;
            }
        }
    }

    /// x ← M̂⁻¹ x.
    pub fn solve_step(&mut self, model: &Model, x: &mut [f64]) {
        if !self.is_implicit {
            return self.solve(model, x);
        }
        self.factor_step(model);
        ldl::solve(&model.mass_pattern, &self.P_LD, &self.P_D_inv, x);
        self.woodbury.correct(&self.terms, x);
    }

    /// M̂ without its terms. Its factors are those of the present P after the first
    /// [`Inertia::solve_step`].
    pub fn of_step(&self) -> Matrix<'_> {
        let Self { M, LD, D_inv, P, P_LD, P_D_inv, .. } = self;
        let (values, LD, D_inv) = if self.is_implicit { (P, P_LD, P_D_inv) } else { (M, LD, D_inv) };
        Matrix { values, LD, D_inv }
    }

    /// Terms of M̂ that do not fit into the sparsity of M.
    pub fn terms(&self) -> impl Iterator<Item = Term<'_>> {
        let count = if self.is_implicit { self.terms.len() } else { 0 };
        self.terms.iter().take(count)
    }

    /// h K v, which the smooth force is reduced by · nv; empty where M̂ is M.
    pub fn shift(&self) -> &[f64] {
        if self.is_implicit { &self.shift } else { &[] }
    }

    /// M̂ without the couplings of tendons and actuators, whether they fit into the pattern or not
    /// · `mass_pattern`. The softness of constraints is measured against it.
    pub fn backbone(&self) -> &[f64] {
        if self.is_implicit { &self.backbone } else { &self.M }
    }

    /// Whether M̂ may differ from M.
    pub fn is_implicit(&self) -> bool {
        self.is_implicit
    }

    /// Whether tendons or actuators in M̂ act on a tree.
    pub(crate) fn is_coupled(&self, tree: usize) -> bool {
        self.is_implicit && self.coupled[tree]
    }

    fn factor_step(&mut self, model: &Model) {
        if !self.is_factored {
            self.P_LD.copy_from_slice(&self.P);
            ldl::factor(&model.mass_pattern, &mut self.P_LD, &mut self.P_D_inv, MIN_VAL);
            self.woodbury.factor(model, &self.terms, &self.P_LD, &self.P_D_inv);
            self.is_factored = true;
        }
    }
}

/// How M̂ comes about.
impl Inertia {
    /// M̂ = M.
    pub(crate) fn set_explicit(&mut self) {
        self.is_implicit = false;
    }

    /// M̂ = M, to which something will be added.
    pub(crate) fn begin_implicit(&mut self, model: &Model) {
        let nv = model.size.nv;
        (self.is_implicit, self.is_factored) = (true, false);
        self.P.clone_from(&self.M);
        self.P_LD.resize(self.M.len(), 0.0);
        self.P_D_inv.resize(nv, 0.0);
        self.shift.clear();
        self.shift.resize(nv, 0.0);
        self.coupled.clear();
        self.coupled.resize(model.trees.dofs.len(), false);
        self.terms.clear();
    }

    /// Adds to the value at `k` of the pattern.
    pub(crate) fn add(&mut self, k: usize, x: f64) {
        self.P[k] += x;
    }

    /// Adds to h K v of a dof.
    pub(crate) fn add_shift(&mut self, dof: usize, x: f64) {
        self.shift[dof] += x;
    }

    /// What was added so far is the backbone, but for the diagonal; couplings follow.
    pub(crate) fn end_backbone(&mut self) {
        self.backbone.clone_from(&self.P);
    }

    /// The backbone has all of the diagonal of M̂.
    pub(crate) fn fill_backbone_diagonal(&mut self, model: &Model) {
        let pattern = &model.mass_pattern;
        for i in 0..model.size.nv {
            self.backbone[pattern.diag(i)] = self.P[pattern.diag(i)];
        }
        for term in self.terms.iter() {
            for (&i, r) in term.cols.iter().zip(term.values) {
                self.backbone[pattern.diag(i as usize)] += term.weight * r * r;
            }
        }
    }

    /// Adds stiffness k and damping b along the row r of length rate `rate`: (h b + h² k) rᵀ r to
    /// M̂, h k r · rate to the shift. Negative k or b count as zero.
    pub(crate) fn add_row(&mut self, model: &Model, k: f64, b: f64, rate: f64, cols: &[u32], values: &[f64]) {
        let (h, k, b) = (model.options.timestep, k.max(0.0), b.max(0.0));
        let weight = h * b + h * h * k;
        if weight <= 0.0 || weight.is_nan() {
            return;
        }
        for (&i, r) in cols.iter().zip(values) {
            self.shift[i as usize] += h * k * rate * r;
            self.coupled[model.dofs.tree[i as usize].idx()] |= *r != 0.0;
        }
        let pattern = &model.mass_pattern;
        let row = |i: u32| &pattern.col[pattern.range(i as usize)];
        let moving = || cols.iter().zip(values).filter(|(_, r)| **r != 0.0).map(|(&i, _)| i);
        // Inside the pattern if the last dof has all others as ancestors.
        let inside = moving().next_back().is_none_or(|last| moving().all(|i| row(last).binary_search(&i).is_ok()));
        if inside {
            for (&i, &ri) in cols.iter().zip(values).filter(|(_, r)| **r != 0.0) {
                for k in pattern.range(i as usize) {
                    if let Ok(at) = cols.binary_search(&pattern.col[k]) {
                        self.P[k] += weight * ri * values[at];
                    }
                }
            }
        } else {
            self.terms.push(Term { weight, cols, values });
        }
    }
}
