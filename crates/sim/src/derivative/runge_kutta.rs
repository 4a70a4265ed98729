//! Derivatives of fourth-order Runge–Kutta steps: propagated through the four stages, each with ∂a
//! at its own state.
//!
//! With D = ∂(state of the stage) with respect to the state x and the controls u at the beginning,
//! or to parameters θ of the model, and the rates of the previous stage,
//!   D_q = exp(−σ) ∂q + J_r(σ) ∂σ,   D_v = ∂v + c h ∂a,   D_act = ∂act + c h ∂ȧct,   σ = c h σ̇,
//! ∂a = (∂a/∂q) D_q + (∂a/∂v) D_v + (∂a/∂act) D_act + ∂a/∂(u, θ), and σ̇ = dexp⁻¹(σ) v
//! (`integrate::rk4`). The end of the step follows from the mean rates in the same way.

use super::acceleration;
use super::activation::{Input, for_each_rate_slope, is_out_of_range, rate_weight};
use super::transition::turn_rows;
use super::{DerivativeError, Report};
use crate::actuation::is_disabled;
use crate::callbacks::NoCallbacks;
use crate::data::Data;
use crate::divergence::check_acceleration;
use crate::forward::forward_stage;
use crate::integrate::rk4::{NODE, WEIGHT, inverse_dexp, inverse_dexp_change};
use crate::kinematics::coordinates;
use crate::model::{Model, kinds::JointKind};
use crate::options::Disable;
use saltus_math::Vec3;

/// Rates σ̇, v̇ and ȧct, and their derivatives in rows of m numbers.
#[derive(Clone, Debug, Default)]
struct Rates {
    q: Vec<f64>,
    v: Vec<f64>,
    act: Vec<f64>,
    dq: Vec<f64>,
    dv: Vec<f64>,
    dact: Vec<f64>,
}

/// Direct derivatives of a and ȧct of a stage, at constant state, in rows of m numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Direct {
    pub a: Vec<f64>,
    pub act: Vec<f64>,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Stages {
    /// Number of columns, and whether they are those of (x, u): then D begins with ∂x/∂x = 1,
    /// otherwise with 0.
    m: usize,
    by_state: bool,
    pub direct: Direct,
    rates: Rates,
    sum: Rates,
    /// D_q, D_v and D_act.
    state: [Vec<f64>; 3],
}

impl Rates {
    fn fit(&mut self, model: &Model, m: usize) {
        let (nv, na) = (model.size.nv, model.size.na);
        let sizes = [nv, nv, na, nv * m, nv * m, na * m];
        for (x, n) in self.all_mut().into_iter().zip(sizes) {
            x.clear();
            x.resize(n, 0.0);
        }
    }
    fn all_mut(&mut self) -> [&mut Vec<f64>; 6] {
        [&mut self.q, &mut self.v, &mut self.act, &mut self.dq, &mut self.dv, &mut self.dact]
    }
    fn add(&mut self, weight: f64, other: &Rates) {
        let others = [&other.q, &other.v, &other.act, &other.dq, &other.dv, &other.dact];
        for (own, other) in self.all_mut().into_iter().zip(others) {
            own.iter_mut().zip(other).for_each(|(x, y)| *x += weight * y);
        }
    }
}

impl Stages {
    /// Allocates `m` columns, with `direct` zero. With `by_state` they are those of (x, u).
    pub fn clear(&mut self, model: &Model, m: usize, by_state: bool) {
        (self.m, self.by_state) = (m, by_state);
        for (x, n) in [(&mut self.direct.a, model.size.nv), (&mut self.direct.act, model.size.na)] {
            x.clear();
            x.resize(n * m, 0.0);
        }
    }

    /// D with respect to (x, u) at the end of the step; `first` is ∂a of the first stage.
    pub fn begin_by_state(&mut self, model: &Model, data: &Data, first: &[f64]) {
        self.clear(model, 2 * model.size.nv + model.size.na + model.size.nu, true);
        set_controls(model, first, &mut self.direct);
        self.begin(model, data, first);
    }

    /// The other stages; call after [`begin_by_state`](Self::begin_by_state).
    pub fn run_by_state(
        &mut self,
        model: &Model,
        data: &Data,
        memory: &mut acceleration::Memory,
        report: &mut Report,
    ) -> Result<(), DerivativeError> {
        self.run(model, data, memory, report, |model, stage, memory, report, direct| {
            let slopes = acceleration::by_state(model, stage, memory, report)?;
            set_controls(model, slopes.by_state, direct);
            Ok(slopes.by_state)
        })
    }

    /// Writes `width` columns of D from column `first` on.
    pub fn write(&self, out: Option<&mut [f64]>, first: usize, width: usize) {
        let Some(out) = out.filter(|_| width > 0) else { return };
        for (out, row) in out.chunks_exact_mut(width).zip(self.rows()) {
            out.copy_from_slice(&row[first..first + width]);
        }
    }

    /// Rows of D for q, v and the activations.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.state.iter().flat_map(|x| x.chunks_exact(self.m.max(1)))
    }

    /// The first stage, from the derivative of a with respect to its own state; `direct` is that of
    /// the stage.
    pub fn begin(&mut self, model: &Model, data: &Data, by_state: &[f64]) {
        self.sum.fit(model, self.m);
        self.rates.fit(model, self.m);
        self.advance(model, 0.0, false);
        self.record(model, data, by_state, 0.0);
        self.sum.add(WEIGHT[0], &self.rates);
    }

    /// D at the end of the step. For the other stages, after forward dynamics, `find` returns the
    /// derivative of a with respect to the state of the stage, and fills `direct`.
    pub fn run(
        &mut self,
        model: &Model,
        data: &Data,
        memory: &mut acceleration::Memory,
        report: &mut Report,
        mut find: impl for<'w> FnMut(
            &'w Model,
            &'w Data,
            &'w mut acceleration::Memory,
            &mut Report,
            &mut Direct,
        ) -> Result<&'w [f64], DerivativeError>,
    ) -> Result<(), DerivativeError> {
        let mut stage = data.clone();
        for (node, weight) in NODE.into_iter().zip(&WEIGHT[1..]) {
            let step = node * model.options.timestep;
            self.advance(model, step, false);
            move_to(model, &mut stage, data, &self.rates, step);
            forward_stage(model, &mut stage, &mut NoCallbacks, true);
            if check_acceleration(model, &stage).is_err() {
                return Err(DerivativeError::Unsupported("where a stage of the step diverges"));
            }
            let by_state = find(model, &stage, memory, report, &mut self.direct)?;
            self.record(model, &stage, by_state, step);
            self.sum.add(*weight, &self.rates);
        }
        self.advance(model, model.options.timestep, true);
        self.finish_activations(model, data);
        Ok(())
    }

    /// Advances D from the initial state along the rates, or along the mean rates, for the time
    /// `step`.
    fn advance(&mut self, model: &Model, step: f64, mean: bool) {
        let (nv, m, by_state) = (model.size.nv, self.m, self.by_state);
        let rates = if mean { &self.sum } else { &self.rates };
        for (D, (rate, first)) in self.state.iter_mut().zip([(&rates.dq, 0), (&rates.dv, nv), (&rates.dact, 2 * nv)]) {
            D.clear();
            D.extend(rate.iter().map(|x| step * x));
            for (i, row) in D.chunks_exact_mut(m.max(1)).enumerate().filter(|_| by_state && first > 0) {
                row[first + i] += 1.0;
            }
        }
        for j in 0..model.njoint() {
            let d = model.joints.dof_start[j] as usize;
            let (straight, turn) = match model.joints.kind[j] {
                JointKind::Slide | JointKind::Hinge => (d..d + 1, None),
                JointKind::Free => (d..d + 3, Some(d + 3)),
                JointKind::Ball => (d..d, Some(d)),
            };
            if by_state {
                straight.for_each(|i| self.state[0][i * m + i] += 1.0);
            }
            if let Some(d) = turn {
                let sigma = Vec3::from_slice(&rates.q[d..]) * step;
                turn_rows(&mut self.state[0][d * m..(d + 3) * m], m, by_state.then_some(d), sigma);
            }
        }
    }

    /// The rates of a stage that is `step` after the beginning, along the rates of the previous
    /// stage, from its results and the derivative of a with respect to its own state.
    fn record(&mut self, model: &Model, data: &Data, columns: &[f64], step: f64) {
        let (nv, m) = (model.size.nv, self.m);
        let n = 2 * nv + model.size.na;
        let width = (n + model.size.nu).max(1);
        let Rates { q, v, act, dq, dv, dact } = &mut self.rates;
        let ([D_q, D_v, D_act], by_state) = (&self.state, self.by_state);
        // σ̇: from the old rates to the new ones, transformed to the tangent space at the
        // beginning.
        let shift = |q: &[f64], d: usize| Vec3::from_slice(&q[d..]) * step;
        for i in turning_dofs(model) {
            let (sigma, omega) = (shift(q, i), Vec3::from_slice(&data.state.v[i..]));
            for c in 0..m {
                let column = |x: &[f64]| Vec3::new(x[i * m + c], x[(i + 1) * m + c], x[(i + 2) * m + c]);
                let change = inverse_dexp_change(sigma, omega, column(dq) * step, column(D_v));
                (0..3).for_each(|k| dq[(i + k) * m + c] = change[k]);
            }
            inverse_dexp(sigma, omega).write_to_slice(&mut q[i..i + 3]);
        }
        let mut turns = turning_dofs(model).peekable();
        let mut i = 0;
        while i < nv {
            if turns.next_if_eq(&i).is_some() {
                i += 3;
                continue;
            }
            q[i] = data.state.v[i];
            dq[i * m..(i + 1) * m].copy_from_slice(&D_v[i * m..(i + 1) * m]);
            i += 1;
        }
        v.copy_from_slice(&data.acceleration.a);
        dv.copy_from_slice(&self.direct.a);
        for (row, own) in dv.chunks_exact_mut(m.max(1)).zip(columns.chunks_exact(width)) {
            let states = D_q.chunks_exact(m).chain(D_v.chunks_exact(m)).chain(D_act.chunks_exact(m));
            for (s, x) in own.iter().zip(states).filter(|(s, _)| **s != 0.0) {
                add_row(row, *s, x);
            }
        }
        act.copy_from_slice(&data.acceleration.act_dot);
        dact.copy_from_slice(&self.direct.act);
        if model.options.disable.has(Disable::ACTUATION) {
            return;
        }
        for a in (0..model.nactuator()).filter(|&a| !is_disabled(model, a)) {
            for i in model.actuators.act[a].range() {
                let row = &mut dact[i * m..(i + 1) * m];
                for_each_rate_slope(model, data, a, i, |input, slope| match input {
                    Input::Act(k) => add_row(row, slope, &D_act[k * m..(k + 1) * m]),
                    Input::Ctrl(k) if by_state => row[n + k] += slope,
                    Input::Ctrl(_) => {}
                    Input::Length => {
                        let span = model.actuators.moment[a].range();
                        let cols = &model.actuators.moment_col[span.clone()];
                        for (&c, x) in cols.iter().zip(&data.position.actuator_moment[span]) {
                            let c = c as usize;
                            add_row(row, slope * x, &D_q[c * m..(c + 1) * m]);
                        }
                    }
                });
            }
        }
    }

    /// D_act at the end of the step: activations have their own rule.
    fn finish_activations(&mut self, model: &Model, data: &Data) {
        let (D, first, m) = (&mut self.state[2], 2 * model.size.nv, self.m);
        let off = model.options.disable.has(Disable::ACTUATION);
        for a in 0..model.nactuator() {
            let weight = if off || is_disabled(model, a) { 0.0 } else { rate_weight(model, a) };
            for i in model.actuators.act[a].range() {
                let row = &mut D[i * m..(i + 1) * m];
                row.fill(0.0);
                if weight != 0.0 && is_out_of_range(model, a, data.state.act[i] + weight * self.sum.act[i]) {
                    continue;
                }
                if self.by_state {
                    row[first + i] = 1.0;
                }
                add_row(row, weight, &self.sum.dact[i * m..(i + 1) * m]);
            }
        }
    }
}

/// Controls act directly; their effect on activations is added with the rates.
fn set_controls(model: &Model, by_state: &[f64], direct: &mut Direct) {
    let n = 2 * model.size.nv + model.size.na;
    direct.a.clear();
    direct.a.extend_from_slice(by_state);
    direct.a.chunks_exact_mut((n + model.size.nu).max(1)).for_each(|row| row[..n].fill(0.0));
}

/// First dofs of all rotations of three dofs.
fn turning_dofs(model: &Model) -> impl Iterator<Item = usize> + '_ {
    (0..model.njoint()).filter_map(|j| {
        let d = model.joints.dof_start[j] as usize;
        match model.joints.kind[j] {
            JointKind::Ball => Some(d),
            JointKind::Free => Some(d + 3),
            JointKind::Slide | JointKind::Hinge => None,
        }
    })
}

fn add_row(target: &mut [f64], s: f64, source: &[f64]) {
    target.iter_mut().zip(source).for_each(|(t, x)| *t += s * x);
}

/// Sets the state to that of `start`, moved along the rates.
fn move_to(model: &Model, data: &mut Data, start: &Data, rates: &Rates, step: f64) {
    let (state, start) = (&mut data.state, &start.state);
    state.time = start.time + step;
    state.q.copy_from_slice(&start.q);
    coordinates::integrate(model, &mut state.q, &rates.q, step);
    let moved = |to: &mut [f64], from: &[f64], rate: &[f64]| {
        to.iter_mut().zip(from).zip(rate).for_each(|((to, from), rate)| *to = from + step * rate);
    };
    moved(&mut state.v, &start.v, &rates.v);
    moved(&mut state.act, &start.act, &rates.act);
}
