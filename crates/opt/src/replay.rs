//! Plans are believed when they are replayed: the motion simulated forward, open loop or with feedback, under its own law or
//! another, in steps as long as the plan's or shorter.
//!
//! Between two states of the plan forces are those of the first, δτ = K (q ⊖ q_t, v − v_t) is that of the first as well and acts
//! on the error from the motion interpolated in between. Limit cycles are repeated.

use crate::actuation::Actuation;
use crate::plan::Motion;
use saltus_sim::kinematics::coordinates::{difference, integrate};
use saltus_sim::law::options::LawOptions;
use saltus_sim::options::Disable;
use saltus_sim::{Data, Model, step};
use serde::{Deserialize, Serialize};

/// How a plan is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayOptions {
    /// Longest time of a simulated step, s; the plan's steps are divided evenly. Infinite: the plan's own.
    pub timestep: f64,
    /// Whether feedback acts.
    pub feedback: bool,
    /// Repetitions of a limit cycle.
    pub strides: usize,
    /// Height of the centre of mass relative to the planned one below which the robot has fallen.
    pub fallen: f64,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self { timestep: f64::INFINITY, feedback: true, strides: 1, fallen: 0.6 }
    }
}

/// What a replay showed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// Times at the plan's states, s, and states · rows of nq and nv.
    pub time: Vec<f64>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Largest difference of coordinates from the plan (in the tangent space) at those times.
    pub error: Vec<f64>,
    /// Whether it went on to the end without falling or diverging; how far it came, s, and in repetitions.
    pub survived: bool,
    pub seconds: f64,
    pub strides: f64,
    /// Why it ended.
    pub end: String,
}

impl Replay {
    pub fn largest_error(&self) -> f64 {
        self.error.iter().copied().fold(0.0, f64::max)
    }
}

/// Replays a motion on a model: the one for planning, or the robot's own shapes. `laws` say under which law.
pub fn replay(
    model: &Model,
    laws: &LawOptions,
    actuation: &Actuation,
    motion: &Motion,
    options: &ReplayOptions,
) -> Replay {
    let mut model = model.clone();
    let parts = (motion.h / options.timestep - 1e-9).ceil().max(1.0);
    model.options.timestep = motion.h / parts;
    model.options.laws = *laws;
    // Forces of the plan are applied as they are; servos of the model would add to them.
    model.options.disable.set(Disable::ACTUATION, true);
    let player = Player { model: &model, actuation, motion, options, parts: parts as usize };
    player.run()
}

struct Player<'a> {
    model: &'a Model,
    actuation: &'a Actuation,
    motion: &'a Motion,
    options: &'a ReplayOptions,
    parts: usize,
}

impl Player<'_> {
    fn run(&self) -> Replay {
        let (motion, model) = (self.motion, self.model);
        let (strides, last) =
            if motion.periodic { (self.options.strides, motion.steps) } else { (1, motion.steps.saturating_sub(1)) };
        let mut out = Replay { end: "the end of the motion".to_owned(), survived: true, ..Replay::default() };
        let mut data = Data::new(model);
        data.state.q.copy_from_slice(&self.planned(0, 0).0);
        data.state.v.copy_from_slice(&motion.v[..motion.nv]);
        for stride in 0..strides {
            for t in 0..last {
                self.record(&mut out, &data, stride, t);
                if let Err(why) = self.advance(&mut data, stride, t) {
                    out.survived = false;
                    out.end = why;
                    out.strides = stride as f64 + t as f64 / last as f64;
                    out.seconds = data.state.time;
                    return out;
                }
            }
        }
        self.record(&mut out, &data, strides - 1, last);
        (out.seconds, out.strides) = (data.state.time, strides as f64);
        out
    }

    /// Planned state t of a repetition; t may be the first of the next one.
    fn planned(&self, stride: usize, t: usize) -> (Vec<f64>, Vec<f64>) {
        let m = self.motion;
        let (stride, t) = if t >= m.steps && m.periodic { (stride + 1, t - m.steps) } else { (stride, t) };
        let t = t.min(m.steps - 1);
        let mut q = m.q[t * m.nq..(t + 1) * m.nq].to_vec();
        for &(i, amount) in &m.stride {
            q[i] += stride as f64 * amount;
        }
        (q, m.v[t * m.nv..(t + 1) * m.nv].to_vec())
    }

    fn record(&self, out: &mut Replay, data: &Data, stride: usize, t: usize) {
        let (q, _) = self.planned(stride, t);
        let mut away = vec![0.0; self.motion.nv];
        difference(self.model, &q, &data.state.q, 1.0, &mut away);
        out.time.push(data.state.time);
        out.q.extend_from_slice(&data.state.q);
        out.v.extend_from_slice(&data.state.v);
        out.error.push(away.iter().fold(0.0, |m, x| m.max(x.abs())));
    }

    /// From state t of the plan to the next.
    fn advance(&self, data: &mut Data, stride: usize, t: usize) -> Result<(), String> {
        let (motion, model, nv) = (self.motion, self.model, self.motion.nv);
        let ((q0, v0), (q1, v1)) = (self.planned(stride, t), self.planned(stride, t + 1));
        let mut between = vec![0.0; nv];
        difference(model, &q0, &q1, 1.0, &mut between);
        let tau = &motion.tau[t * nv..(t + 1) * nv];
        let gain = motion.gains.get(t * 2 * nv * nv..(t + 1) * 2 * nv * nv);
        for part in 0..self.parts {
            let share = part as f64 / self.parts as f64;
            let mut applied = tau.to_vec();
            if let Some(gain) = gain.filter(|_| self.options.feedback) {
                let mut q = q0.clone();
                integrate(model, &mut q, &between, share);
                let mut error = vec![0.0; 2 * nv];
                difference(model, &q, &data.state.q, 1.0, &mut error[..nv]);
                for i in 0..nv {
                    error[nv + i] = data.state.v[i] - (v0[i] + share * (v1[i] - v0[i]));
                }
                for (i, applied) in applied.iter_mut().enumerate() {
                    *applied += saltus_math::dot(&gain[i * 2 * nv..(i + 1) * 2 * nv], &error);
                }
            }
            self.actuate(&mut applied);
            data.input.tau_applied.copy_from_slice(&applied);
            step(model, data).map_err(|error| error.to_string())?;
        }
        let height = |q: &[f64]| {
            let mut probe = Data::new(model);
            probe.state.q.copy_from_slice(q);
            saltus_sim::forward_smooth(model, &mut probe);
            probe.position.com[model.nbody().min(2) - 1].z
        };
        if motion.periodic && height(&data.state.q) < self.options.fallen * height(&q1) {
            return Err(format!("it fell after {:.2} s", data.state.time));
        }
        Ok(())
    }

    /// What actuators can make of a force: no more than their limits, nothing on other dofs.
    fn actuate(&self, tau: &mut [f64]) {
        for row in &self.actuation.unactuated {
            let along: f64 = row.iter().map(|&(i, c)| c * tau[i]).sum();
            row.iter().for_each(|&(i, c)| tau[i] -= c * along);
        }
        for &(i, low, high) in &self.actuation.limits {
            tau[i] = tau[i].clamp(low, high);
        }
    }
}
