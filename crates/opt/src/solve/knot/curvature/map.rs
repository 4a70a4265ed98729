//! From second derivatives by q, v, a, τ to the local unknowns x = (δ₀, δ₁, δ₂) of a step.
//!
//! With u = h v and w = h v', the differences before and after, a = (w − u)/h² and v = u/h (or w/h
//! where steps are evaluated at their end), and B, C = J_r⁻¹ of the rotations in u and w, the
//! identity elsewhere (`tangent`),
//!   ∂u = B δ₁ − Bᵀ δ₀,     ∂w = C δ₂ − Cᵀ δ₁.                                                                  (1)
//! Second derivatives by (q, u, w) are multiplied by (1) from both sides. Those of u and w
//! themselves are
//!   g · ∂²u = symmetric part of gᵀ ∂(−Bᵀ, B),                                                                    (2)
//! B changing with the rotation vector that ∂u moves.

use super::state::{A, Q, TAU, V};
use super::terms::TermCurvature;
use crate::problem::Evaluation;
use crate::problem::tangent::{Rotations, log_jacobian, turn};
use crate::solve::knot::{KnotInput, KnotResult, stride};
use saltus_math::{Mat3, Vec3};
use saltus_sim::derivative::Curvature;

/// Differences of J_r⁻¹, rad.
const EPSILON: f64 = 1e-5;

/// Working memory: second derivatives by (q, u, w) · nv × nv, empty if zero; one row of them.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    twice: [[Vec<f64>; 3]; 3],
    by_u: Vec<f64>,
    by_w: Vec<f64>,
    line: Vec<f64>,
}

const U: usize = 1;
const W: usize = 2;

/// How a part of (q, u, w) depends on a node: sign times one of J, Jᵀ, or the identity.
#[derive(Clone, Copy)]
struct Arm<'a> {
    part: usize,
    node: usize,
    sign: f64,
    jacobians: Option<(&'a [Mat3], bool)>,
}

/// A step's rotations.
pub(super) struct Chain<'a> {
    input: &'a KnotInput<'a>,
    n: usize,
    h: f64,
    end: bool,
    before: &'a [Mat3],
    after: &'a [Mat3],
}

impl<'a> Chain<'a> {
    pub fn new(input: &'a KnotInput<'a>, [before, after]: [&'a [Mat3]; 2]) -> Self {
        let end = input.problem.evaluation == Evaluation::End && input.q_next.is_some();
        Self { input, n: input.problem.model.size.nv, h: input.problem.h(), end, before, after }
    }

    /// Adds everything to the curvature of `knot`.
    pub fn add(&self, terms: &TermCurvature, forces: Option<&Curvature>, scratch: &mut Scratch, knot: &mut KnotResult) {
        self.sum_up(terms, forces, scratch);
        let arms = self.arms();
        for (i, first) in arms.iter().enumerate() {
            for second in arms.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, arm)| arm).chain([first]) {
                if first.node >= second.node {
                    self.add_product(first, second, scratch, &mut knot.curvature);
                }
            }
        }
        let Scratch { by_u, by_w, .. } = scratch;
        self.add_turns(self.input.q, by_u, 0, &mut knot.curvature);
        if let Some(q_next) = self.input.q_next {
            self.add_turns([self.input.q[1], q_next], by_w, 1, &mut knot.curvature);
        }
        self.add_forces(terms, knot);
    }

    fn arms(&self) -> Vec<Arm<'a>> {
        let (before, after) = (self.before, self.after);
        let mut arms = vec![
            Arm { part: Q, node: if self.end { 2 } else { 1 }, sign: 1.0, jacobians: None },
            Arm { part: U, node: 0, sign: -1.0, jacobians: Some((before, true)) },
            Arm { part: U, node: 1, sign: 1.0, jacobians: Some((before, false)) },
        ];
        if self.input.q_next.is_some() {
            arms.push(Arm { part: W, node: 1, sign: -1.0, jacobians: Some((after, true)) });
            arms.push(Arm { part: W, node: 2, sign: 1.0, jacobians: Some((after, false)) });
        }
        arms
    }

    /// By (q, u, w) from (q, v, a).
    fn sum_up(&self, terms: &TermCurvature, forces: Option<&Curvature>, out: &mut Scratch) {
        let (n, h) = (self.n, self.h);
        out.twice.iter_mut().flatten().for_each(Vec::clear);
        // v and a by u and w.
        let v = if self.end { [0.0, 1.0 / h] } else { [1.0 / h, 0.0] };
        let a = [-1.0 / (h * h), 1.0 / (h * h)];
        let sources = [
            (Q, Q, &terms.twice[Q][Q], forces.map(|f| &f.qq)),
            (Q, V, &terms.twice[Q][V], forces.map(|f| &f.qv)),
            (Q, A, &terms.twice[Q][A], forces.map(|f| &f.qa)),
            (V, V, &terms.twice[V][V], forces.map(|f| &f.vv)),
            (V, A, &terms.twice[V][A], forces.map(|f| &f.va)),
            (A, A, &terms.twice[A][A], forces.map(|f| &f.aa)),
        ];
        for (first, second, own, of_force) in sources {
            for matrix in [Some(own), of_force].into_iter().flatten().filter(|m| !m.is_empty()) {
                let (rows, cols) = (shares(first, v, a), shares(second, v, a));
                for (p, x) in rows.into_iter().enumerate().filter(|(_, x)| *x != 0.0) {
                    for (r, y) in cols.into_iter().enumerate().filter(|(_, y)| *y != 0.0) {
                        if p <= r {
                            add_scaled(&mut out.twice[p][r], x * y, matrix, n, false);
                        }
                        // What is mixed counts both ways.
                        if first != second && r <= p {
                            add_scaled(&mut out.twice[r][p], x * y, matrix, n, true);
                        }
                    }
                }
            }
        }
        for (p, r) in [(Q, U), (Q, W), (U, W)] {
            let (above, below) = out.twice.split_at_mut(r);
            if !above[p][r].is_empty() {
                add_scaled(&mut below[0][p], 1.0, &above[p][r], n, true);
            }
        }
        for (k, target) in [&mut out.by_u, &mut out.by_w].into_iter().enumerate() {
            target.clear();
            target.extend((0..n).map(|i| {
                let (by_v, by_a) = forces.map_or((0.0, 0.0), |f| (f.by_v[i], f.by_a[i]));
                v[k] * (terms.by[V][i] + by_v) + a[k] * (terms.by[A][i] + by_a)
            }));
        }
    }

    /// Adds ∂(first)ᵀ H ∂(second) to the block of their nodes.
    fn add_product(&self, first: &Arm<'_>, second: &Arm<'_>, scratch: &mut Scratch, hessian: &mut [f64]) {
        let (n, ld) = (self.n, stride(self.n));
        let Scratch { twice, line, .. } = scratch;
        let source = &twice[first.part][second.part];
        if source.is_empty() {
            return;
        }
        let (scale, same) = (first.sign * second.sign, first.node == second.node);
        let row = |i: usize| &source[i * n..(i + 1) * n];
        for i in 0..n {
            line.clear();
            line.extend_from_slice(row(i));
            // Rows by the transposed of ∂(first), columns by ∂(second).
            if let (Some((jacobians, transposed)), Some((r, k))) = (first.jacobians, self.input.rotations.of_dof[i]) {
                let J = if transposed { jacobians[r] } else { jacobians[r].transpose() };
                let own = [J.r0, J.r1, J.r2][k];
                let (a, b, c) = (row(i - k), row(i - k + 1), row(i - k + 2));
                for (x, ((a, b), c)) in line.iter_mut().zip(a.iter().zip(b).zip(c)) {
                    *x = own.x * a + own.y * b + own.z * c;
                }
            }
            turn_parts(self.input.rotations, second.jacobians, line);
            let width = if same { i + 1 } else { n };
            let at = (first.node * n + i) * ld + second.node * n;
            hessian[at..at + width].iter_mut().zip(line.iter()).for_each(|(h, x)| *h += scale * x);
        }
    }

    /// (2) for the differences from node `first` to the next.
    fn add_turns(&self, [q1, q2]: [&[f64]; 2], g: &[f64], first: usize, hessian: &mut [f64]) {
        let (n, ld) = (self.n, stride(self.n));
        for &at in &self.input.rotations.at {
            let (r, d) = (turn(at, q1, q2), at.1);
            let g = Vec3::from_slice(&g[d..d + 3]);
            let J = log_jacobian(r);
            let mut twice = [[0.0; 6]; 6];
            for (j, line) in twice.iter_mut().enumerate() {
                let moved = if j < 3 { -J.transpose().col(j) } else { J.col(j - 3) } * EPSILON;
                let dJ = (log_jacobian(r + moved) - log_jacobian(r - moved)) * (0.5 / EPSILON);
                let (by_first, by_second) = (-(dJ * g), dJ.tmul(g));
                *line = [by_first.x, by_first.y, by_first.z, by_second.x, by_second.y, by_second.z];
            }
            let place = |i: usize| (first + i / 3) * n + d + i % 3;
            for i in 0..6 {
                for j in 0..=i {
                    hessian[place(i) * ld + place(j)] += 0.5 * (twice[i][j] + twice[j][i]);
                }
            }
        }
    }

    /// Terms in which forces are not alone: ∂pᵀ (∂²Y/∂p∂τ) ∂τ, both ways, and ∂τᵀ (∂²Y/∂τ²) ∂τ.
    fn add_forces(&self, terms: &TermCurvature, knot: &mut KnotResult) {
        let (n, ld, h) = (self.n, stride(self.n), self.h);
        let mixed = [Q, V, A].map(|part| &terms.twice[part][TAU]);
        let own = &terms.twice[TAU][TAU];
        if self.input.q_next.is_none() || (own.is_empty() && mixed.iter().all(|m| m.is_empty())) {
            return;
        }
        // Rows of ∂p that go with each row of ∂τ: x = Σ over parts, and half of that of τ itself.
        let v = if self.end { [0.0, 1.0 / h] } else { [1.0 / h, 0.0] };
        let a = [-1.0 / (h * h), 1.0 / (h * h)];
        let mut line = vec![0.0; 3 * n];
        let mut by_part = vec![0.0; n];
        for i in 0..n {
            line.fill(0.0);
            for (part, matrix) in mixed.iter().enumerate().filter(|(_, m)| !m.is_empty()) {
                by_part.iter_mut().enumerate().for_each(|(k, x)| *x = matrix[k * n + i]);
                for arm in &self.arms() {
                    let share = shares(part, v, a)[arm.part] * arm.sign;
                    if share != 0.0 {
                        self.add_transposed(arm, share, &by_part, &mut line[arm.node * n..(arm.node + 1) * n]);
                    }
                }
            }
            if !own.is_empty() {
                for k in 0..n {
                    let share = 0.5 * own[i * n + k];
                    line.iter_mut().zip(&knot.tau_x[k * ld..]).for_each(|(l, x)| *l += share * x);
                }
            }
            let row = &knot.tau_x[i * ld..i * ld + 3 * n];
            for r in 0..3 * n {
                for c in 0..=r {
                    knot.curvature[r * ld + c] += line[r] * row[c] + row[r] * line[c];
                }
            }
        }
    }

    /// target += share · Jᵀ x for the J of an arm.
    fn add_transposed(&self, arm: &Arm<'_>, share: f64, x: &[f64], target: &mut [f64]) {
        let mut product = x.to_vec();
        turn_parts(self.input.rotations, arm.jacobians, &mut product);
        target.iter_mut().zip(&product).for_each(|(t, p)| *t += share * p);
    }
}

/// Derivatives of q, v or a by q, u and w.
fn shares(part: usize, v: [f64; 2], a: [f64; 2]) -> [f64; 3] {
    match part {
        Q => [1.0, 0.0, 0.0],
        V => [0.0, v[0], v[1]],
        _ => [0.0, a[0], a[1]],
    }
}

fn add_scaled(target: &mut Vec<f64>, scale: f64, matrix: &[f64], n: usize, transposed: bool) {
    target.resize(n * n, 0.0);
    if !transposed {
        target.iter_mut().zip(matrix).for_each(|(t, m)| *t += scale * m);
        return;
    }
    for i in 0..n {
        for j in 0..n {
            target[i * n + j] += scale * matrix[j * n + i];
        }
    }
}

/// Multiplies a row by J (or Jᵀ) from the right.
fn turn_parts(rotations: &Rotations, jacobians: Option<(&[Mat3], bool)>, row: &mut [f64]) {
    let Some((jacobians, transposed)) = jacobians else { return };
    for (J, &(_, d)) in jacobians.iter().zip(&rotations.at) {
        let x = Vec3::from_slice(&row[d..]);
        let x = if transposed { *J * x } else { J.tmul(x) };
        (0..3).for_each(|k| row[d + k] = x[k]);
    }
}
