//! Second derivatives of Y = Σ y r by q, v, a and τ, each term by itself: differences of the
//! derivatives that it writes.
//!
//! Only of residuals that are bent (`bent`): by q first, which also gives all mixed derivatives,
//! then by v, a and τ as far as the derivatives by these change.

use super::bent::Bent;
use super::state::{A, Base, PARTS, Pass, Q, State, TAU, V, index};
use crate::problem::rows::{Entry, Rows};
use crate::solve::knot::Lists;

/// Differences relative to the scale of each dof. Residuals fade over centimetres, so that forward
/// differences have an error of 1e-6, and their own rounding is less.
const EPSILON: f64 = 1e-8;

/// Results and working memory.
#[derive(Debug, Default)]
pub(super) struct TermCurvature {
    /// ∂Y/∂q, ∂v, ∂a at constant τ, and ∂Y/∂τ · nv each.
    pub by: [Vec<f64>; PARTS - 1],
    pub by_tau: Vec<f64>,
    /// Second derivatives by two parts, of which the first is not behind the second · nv × nv,
    /// row-major; empty if zero.
    pub twice: [[Vec<f64>; PARTS]; PARTS],
    /// Terms with pull, and derivatives that they wrote.
    active: Vec<usize>,
    base: Vec<Rows>,
    state: Base,
    bent: Bent,
    rows: Rows,
    line: Vec<f64>,
}

impl TermCurvature {
    /// First derivatives.
    pub fn update_gradient(&mut self, state: &State<'_>, pull: &Lists) {
        let n = state.input.problem.model.size.nv;
        self.active.clear();
        let [by_q, by_v, by_a] = &mut self.by;
        let mut by = [by_q, by_v, by_a, &mut self.by_tau];
        for x in &mut by {
            x.clear();
            x.resize(n, 0.0);
        }
        self.base.resize(pull.len(), Rows::default());
        for (k, pull) in pull.iter().enumerate().filter(|(_, p)| p.iter().any(|y| *y != 0.0)) {
            let rows = &mut self.base[k];
            state.evaluate(k, rows);
            for (i, &y) in pull.iter().enumerate().take(rows.len()).filter(|(_, y)| **y != 0.0) {
                rows.entries(i).iter().for_each(|e| by[index(e.part)][e.dof as usize] += y * e.value);
            }
            self.active.push(k);
        }
    }

    /// Second derivatives. After [`update_gradient`](Self::update_gradient) at the same state,
    /// which is lost.
    pub fn update_bend(&mut self, state: &mut State<'_>, pull: &Lists) {
        let (problem, n) = (state.input.problem, state.input.problem.model.size.nv);
        self.twice.iter_mut().flatten().for_each(Vec::clear);
        if self.active.is_empty() {
            return;
        }
        state.save(&mut self.state);
        if !self.bent.update(state, &self.state, &self.active, &self.base) || self.bent.terms.is_empty() {
            return;
        }
        let Some(pass) = self.bent.find_pass(state, &self.base) else { return };
        let colors = core::mem::take(&mut self.bent.colors);
        for part in [TAU, A, V, Q] {
            if part != Q && !self.changes_with(state, part, pass) {
                continue;
            }
            let unit = EPSILON * state.unit(part);
            for matrix in &mut self.twice[part] {
                matrix.resize(n * n, 0.0);
            }
            for color in &colors {
                self.line.clear();
                let chosen = |dof: usize| color[dof / 64] >> (dof % 64) & 1 == 1;
                self.line.extend((0..n).map(|dof| if chosen(dof) { unit * problem.scale[dof] } else { 0.0 }));
                state.change(part, &self.line);
                if part == TAU || state.refresh(pass) {
                    self.add_differences(state, part, color, pull);
                }
                state.restore(&self.state);
            }
        }
        self.bent.colors = colors;
        for (part, twice) in self.twice.iter_mut().enumerate() {
            symmetrize(&mut twice[part], n);
            twice.iter_mut().filter(|m| m.iter().all(|x| *x == 0.0)).for_each(Vec::clear);
        }
    }

    /// Whether derivatives by this part or later ones change with this part.
    fn changes_with(&mut self, state: &mut State<'_>, part: usize, pass: Pass) -> bool {
        let later = |e: &&Entry| index(e.part) >= part;
        let Self { bent, base, rows, .. } = self;
        if !bent.terms.iter().any(|&(k, _)| base[k].entries.iter().any(|e| later(&e))) {
            return false;
        }
        bent.probe(state, part);
        let refreshed = part == TAU || state.refresh(pass);
        let changes = refreshed
            && bent.terms.iter().any(|&(k, _)| {
                state.evaluate(k, rows);
                !rows.entries.iter().filter(later).eq(base[k].entries.iter().filter(later))
            });
        state.restore(&self.state);
        changes
    }

    /// Adds what changes of the dofs of a color did to the derivatives of the rows that see them.
    fn add_differences(&mut self, state: &State<'_>, part: usize, color: &[u64], pull: &Lists) {
        let n = self.line.len();
        let Self { bent, base, rows, line, twice, .. } = self;
        for &(k, first) in &bent.terms {
            state.evaluate(k, rows);
            for (i, &y) in pull[k].iter().enumerate().take(rows.len()).filter(|(_, y)| **y != 0.0) {
                let Some(dof) = bent.dof(first + i, color) else { continue };
                let (there, here, y) = (rows.entries(i), base[k].entries(i), y / line[dof]);
                let mut lines = twice[part].each_mut().map(|m| &mut m[dof * n..(dof + 1) * n]);
                let mut add = |e: &Entry, value: f64| {
                    let other = index(e.part);
                    if other >= part {
                        lines[other][e.dof as usize] += y * value;
                    }
                };
                // Zeros are not written: from the first that is missing on, both are added by
                // themselves.
                let alike = there.iter().zip(here).take_while(|(a, b)| a.part == b.part && a.dof == b.dof);
                let mut count = 0;
                for (a, b) in alike {
                    add(a, a.value - b.value);
                    count += 1;
                }
                there[count..].iter().for_each(|e| add(e, e.value));
                here[count..].iter().for_each(|e| add(e, -e.value));
            }
        }
    }
}

fn symmetrize(x: &mut [f64], n: usize) {
    if x.is_empty() {
        return;
    }
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (x[i * n + j] + x[j * n + i]);
            (x[i * n + j], x[j * n + i]) = (mean, mean);
        }
    }
}
