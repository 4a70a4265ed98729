//! Second derivatives of Y = Σ y r by q, v, a and τ, each term by itself: differences of the derivatives that it writes.
//!
//! Most residuals are linear in all that they depend on. Where everything is changed a little at once, their derivatives stay
//! the same to the last bit; these terms have no curvature. The others are differenced by the dofs that they name there, by q
//! first, which also gives all mixed derivatives, then by v, a and τ as far as the derivatives by these change.

use crate::knot::KnotInput;
use crate::problem::Evaluation;
use crate::rows::{Knot, Part, Rows};
use saltus_sim::data::Data;
use saltus_sim::inverse::inverse_without_sensors_from;
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::kinematics::{update_body_velocity, update_com, update_kinematics};
use saltus_sim::{Model, NoCallbacks, Stage};

/// Differences relative to the scale of each dof. Residuals fade over centimetres, so that forward differences have an error
/// of 1e-6, and their own rounding is less.
const EPSILON: f64 = 1e-8;

/// q, v, a, τ.
pub(super) const PARTS: usize = 4;

pub(super) const Q: usize = 0;
pub(super) const V: usize = 1;
pub(super) const A: usize = 2;
pub(super) const TAU: usize = 3;

fn index(part: Part) -> usize {
    match part {
        Part::Q => Q,
        Part::V => V,
        Part::A => A,
        Part::Tau => TAU,
    }
}

/// Results and working memory.
#[derive(Debug, Default)]
pub(super) struct TermCurvature {
    /// ∂Y/∂q, ∂v, ∂a at constant τ, and ∂Y/∂τ · nv each.
    pub by: [Vec<f64>; PARTS - 1],
    pub by_tau: Vec<f64>,
    /// Second derivatives by two parts, of which the first is not behind the second · nv × nv, row-major; empty if zero.
    pub twice: [[Vec<f64>; PARTS]; PARTS],
    /// Terms with pull, and derivatives that they wrote.
    active: Vec<usize>,
    base: Vec<Rows>,
    rows: Rows,
    /// Of those that are bent: gradient here and there · 4 nv.
    here: Vec<f64>,
    there: Vec<f64>,
    /// Dofs that they name.
    named: Vec<bool>,
    q: Vec<f64>,
    line: Vec<f64>,
}

/// What the terms see besides data.
#[derive(Clone, Copy)]
struct Seen<'a> {
    input: &'a KnotInput<'a>,
    a: &'a [f64],
    tau: &'a [f64],
}

impl Seen<'_> {
    fn state(&self) -> usize {
        let end = self.input.problem.evaluation == Evaluation::End && self.input.q_next.is_some();
        if end { self.input.t + 1 } else { self.input.t }
    }

    fn evaluate(&self, data: &Data, term: usize, rows: &mut Rows) {
        let problem = self.input.problem;
        let knot = Knot {
            model: &problem.model,
            data,
            t: self.state(),
            steps: problem.steps,
            h: problem.h(),
            has_force: self.input.q_next.is_some(),
            a: self.a,
            tau: self.tau,
        };
        rows.clear(true);
        problem.terms[term].term.evaluate(&knot, rows);
    }
}

/// Adds Σ y ∂r to the gradient by all parts.
fn add_gradient(rows: &Rows, pull: &[f64], n: usize, gradient: &mut [f64]) {
    for (i, &y) in pull.iter().enumerate().take(rows.len()).filter(|(_, y)| **y != 0.0) {
        for e in rows.entries(i) {
            gradient[index(e.part) * n + e.dof as usize] += y * e.value;
        }
    }
}

/// How the data of a changed state is brought up to date.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// Positions and velocities of bodies.
    Kinematics,
    Everything,
}

impl Pass {
    fn run(self, model: &Model, data: &mut Data) -> bool {
        match self {
            Pass::Kinematics => {
                update_kinematics(model, data);
                update_com(model, data);
                update_body_velocity(model, data);
                true
            }
            Pass::Everything => inverse_without_sensors_from(model, data, Stage::None, &mut NoCallbacks).is_ok(),
        }
    }
}

/// Numbers between ½ and 1 without pattern.
fn uneven(i: usize) -> f64 {
    0.5 + 0.5 * ((i + 1) as f64 * 0.618_033_988_749_895).fract()
}

impl TermCurvature {
    /// First derivatives, at the state of `data`.
    pub fn update_gradient(
        &mut self,
        input: &KnotInput<'_>,
        data: &Data,
        (a, tau): (&[f64], &[f64]),
        pull: &[Vec<f64>],
    ) {
        let n = input.problem.model.size.nv;
        let seen = Seen { input, a, tau };
        self.active.clear();
        self.there.clear();
        self.there.resize(PARTS * n, 0.0);
        self.base.resize(input.problem.terms.len(), Rows::default());
        for (k, pull) in pull.iter().enumerate().filter(|(_, p)| p.iter().any(|y| *y != 0.0)) {
            seen.evaluate(data, k, &mut self.base[k]);
            add_gradient(&self.base[k], pull, n, &mut self.there);
            self.active.push(k);
        }
        for (part, by) in self.by.iter_mut().enumerate() {
            by.clear();
            by.extend_from_slice(&self.there[part * n..(part + 1) * n]);
        }
        self.by_tau.clear();
        self.by_tau.extend_from_slice(&self.there[TAU * n..]);
    }

    /// Second derivatives. After [`update_gradient`](Self::update_gradient) at the same state, which `data`, `a` and `tau` lose.
    pub fn update_bend(
        &mut self,
        input: &KnotInput<'_>,
        data: &mut Data,
        (a, tau): (&mut [f64], &mut [f64]),
        pull: &[Vec<f64>],
    ) {
        let (problem, n) = (input.problem, input.problem.model.size.nv);
        self.twice.iter_mut().flatten().for_each(Vec::clear);
        if self.active.is_empty() {
            return;
        }
        let mut state = State { input, data, a, tau };
        let base = state.save(&mut self.q);
        let Some(pass) = self.find_bent(&mut state, n) else { return };
        state.restore(&base, &self.q);
        if self.active.is_empty() || !state.refresh(Q, pass) {
            return;
        }
        self.here.clear();
        self.here.resize(PARTS * n, 0.0);
        for &k in &self.active {
            add_gradient(&self.base[k], &pull[k], n, &mut self.here);
        }
        // Parts from the last: what is changed last needs kinematics.
        for part in (0..PARTS).rev() {
            if part != Q && !self.changes_with(&mut state, part, (&base, pass)) {
                continue;
            }
            for dof in 0..n {
                if !self.named[dof] {
                    continue;
                }
                let step = EPSILON * problem.scale[dof] * state.unit(part);
                self.line.clear();
                self.line.resize(n, 0.0);
                self.line[dof] = step;
                state.change(part, &self.line);
                if state.refresh(part, pass) {
                    self.difference(&state, (part, dof), step, pull);
                }
                state.restore(&base, &self.q);
            }
        }
        for (part, twice) in self.twice.iter_mut().enumerate() {
            symmetrize(&mut twice[part], n);
        }
    }

    /// Keeps terms whose derivatives change with the state; says what of the data they need. `named` are the dofs of their
    /// derivatives. Nothing where the changed state has no results.
    fn find_bent(&mut self, state: &mut State<'_>, n: usize) -> Option<Pass> {
        self.line.clear();
        let scale = &state.input.problem.scale;
        self.line.extend((0..n).map(|i| 1e-4 * uneven(i) * scale[i]));
        for part in 0..PARTS {
            let unit = state.unit(part);
            let change: Vec<f64> = self.line.iter().map(|x| x * unit).collect();
            state.change(part, &change);
        }
        let model = &state.input.problem.model;
        Pass::Kinematics.run(model, state.data);
        let mut first = vec![Rows::default(); self.active.len()];
        for (rows, &k) in first.iter_mut().zip(&self.active) {
            state.seen().evaluate(state.data, k, rows);
        }
        if !Pass::Everything.run(model, state.data) {
            return None;
        }
        self.named.clear();
        self.named.resize(n, false);
        let mut pass = Pass::Kinematics;
        let Self { active, base, rows, named, .. } = self;
        let mut k = 0;
        active.retain(|&term| {
            state.seen().evaluate(state.data, term, rows);
            let bent = rows.entries != base[term].entries;
            if bent {
                rows.entries.iter().for_each(|e| named[e.dof as usize] = true);
                if rows.entries != first[k].entries {
                    pass = Pass::Everything;
                }
            }
            k += 1;
            bent
        });
        Some(pass)
    }

    /// Whether derivatives by this part or later ones change with this part.
    fn changes_with(&mut self, state: &mut State<'_>, part: usize, (base, pass): (&Base, Pass)) -> bool {
        let later = |e: &crate::rows::Entry| index(e.part) >= part;
        if !self.active.iter().any(|&k| self.base[k].entries.iter().any(later)) {
            return false;
        }
        let unit = state.unit(part);
        let change: Vec<f64> =
            state.input.problem.scale.iter().enumerate().map(|(i, s)| 1e-4 * uneven(i) * s * unit).collect();
        state.change(part, &change);
        let refreshed = state.refresh(part, pass);
        let mut changes = false;
        for &k in self.active.iter().filter(|_| refreshed) {
            state.seen().evaluate(state.data, k, &mut self.rows);
            let (now, before) = (self.rows.entries.iter(), self.base[k].entries.iter());
            changes |= !now.filter(|e| later(e)).eq(before.filter(|e| later(e)));
        }
        state.restore(base, &self.q);
        changes
    }

    fn difference(&mut self, state: &State<'_>, (part, dof): (usize, usize), step: f64, pull: &[Vec<f64>]) {
        let n = self.named.len();
        self.there.fill(0.0);
        for &k in &self.active {
            state.seen().evaluate(state.data, k, &mut self.rows);
            add_gradient(&self.rows, &pull[k], n, &mut self.there);
        }
        for other in part..PARTS {
            let own = other * n..(other + 1) * n;
            let (there, here) = (&self.there[own.clone()], &self.here[own]);
            if there == here {
                continue;
            }
            let target = &mut self.twice[part][other];
            target.resize(n * n, 0.0);
            for (x, (a, b)) in target[dof * n..(dof + 1) * n].iter_mut().zip(there.iter().zip(here)) {
                *x = (a - b) / step;
            }
        }
    }
}

/// A state that is changed and restored.
struct State<'a> {
    input: &'a KnotInput<'a>,
    data: &'a mut Data,
    a: &'a mut [f64],
    tau: &'a mut [f64],
}

struct Base {
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

impl State<'_> {
    fn seen(&self) -> Seen<'_> {
        Seen { input: self.input, a: self.a, tau: self.tau }
    }
    fn save(&self, q: &mut Vec<f64>) -> Base {
        q.clone_from(&self.data.state.q);
        Base { v: self.data.state.v.clone(), a: self.a.to_vec(), tau: self.tau.to_vec() }
    }
    fn restore(&mut self, base: &Base, q: &[f64]) {
        self.data.state.q.copy_from_slice(q);
        self.data.state.v.copy_from_slice(&base.v);
        self.data.acceleration.a.copy_from_slice(&base.a);
        self.a.copy_from_slice(&base.a);
        self.tau.copy_from_slice(&base.tau);
    }
    /// What a change of q by 1 is for a part.
    fn unit(&self, part: usize) -> f64 {
        let h = self.input.problem.h();
        [1.0, 1.0 / h, 1.0 / (h * h), 1.0 / (h * h)][part]
    }
    fn change(&mut self, part: usize, by: &[f64]) {
        let add = |x: &mut [f64]| x.iter_mut().zip(by).for_each(|(x, by)| *x += by);
        match part {
            Q => integrate(&self.input.problem.model, &mut self.data.state.q, by, 1.0),
            V => add(&mut self.data.state.v),
            A => {
                add(self.a);
                add(&mut self.data.acceleration.a);
            }
            _ => add(self.tau),
        }
    }
    /// Brings data up to date after a change of one part; false if there are no results.
    fn refresh(&mut self, part: usize, pass: Pass) -> bool {
        match part {
            TAU => true,
            _ => pass.run(&self.input.problem.model, self.data),
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
