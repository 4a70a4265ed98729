//! Replay: a plan simulated forward, open loop or with feedback, under its own contact law or
//! another one, with time steps as long as those of the plan or shorter.
//!
//! Between two states of the plan the forces are those of the first, and so are the gains of δτ = K
//! (q ⊖ q_t, v − v_t), which act on the error from the interpolated motion. Alternatively,
//! whole-body control follows the plan (`track`). Limit cycles are repeated.

pub mod follow;
pub mod reference;
pub mod track;

use crate::problem::actuation::Actuation;
use crate::problem::physics::Units;
use crate::replay::reference::Reference;
use crate::replay::track::{NEAR, Tracker};
use crate::result::plan::Motion;
use saltus_sim::kinematics::coordinates::{difference, integrate};
use saltus_sim::options::Disable;
use saltus_sim::options::law::LawOptions;
use saltus_sim::{Data, Model, StepError, step, step_with};
use serde::{Deserialize, Serialize};

/// How a plan is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayOptions {
    /// Longest time step of the simulation, s. Steps of the plan are divided evenly; infinite: the
    /// steps of the plan.
    pub timestep: f64,
    /// Which feedback acts.
    pub feedback: Feedback,
    /// Repetitions of a limit cycle.
    pub strides: usize,
    /// Height of the centre of mass, relative to the planned one, below which the robot counts as
    /// fallen.
    pub fallen: f64,
}

/// The feedback that acts besides the planned forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// None: open loop.
    None,
    /// The gains of the optimizer, which are valid for the contact law and the time step of the
    /// plan.
    #[default]
    Gains,
    /// Whole-body tracking under any contact law: it measures contact forces and computes torques
    /// in every step.
    Body,
}

impl Feedback {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Feedback::None => "none",
            Feedback::Gains => "gains",
            Feedback::Body => "body",
        }
    }
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self { timestep: f64::INFINITY, feedback: Feedback::Gains, strides: 1, fallen: 0.6 }
    }
}

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// Times of the states of the plan, s.
    pub time: Vec<f64>,
    /// Coordinates at these times · times × nq.
    pub q: Vec<f64>,
    /// Velocities at these times · times × nv.
    pub v: Vec<f64>,
    /// Largest error of coordinates, in the tangent space, at these times.
    pub error: Vec<f64>,
    /// Whether the robot came to the end without falling and the simulation did not diverge.
    pub survived: bool,
    /// Time until the end or failure, s.
    pub seconds: f64,
    /// The same in repetitions of the plan.
    pub strides: f64,
    /// Why it ended.
    pub end: String,
}

impl Replay {
    /// Largest error of coordinates.
    pub fn largest_error(&self) -> f64 {
        self.error.iter().copied().fold(0.0, f64::max)
    }
}

/// Replays a motion on a model: the planning model, or the model with its own shapes. `laws`
/// selects the contact law, and `units` are those of the plan.
pub fn replay(
    model: &Model,
    laws: &LawOptions,
    actuation: &Actuation,
    motion: &Motion,
    units: Units,
    options: &ReplayOptions,
) -> Replay {
    let mut model = model.clone();
    let parts = (motion.h / options.timestep - 1e-9).ceil().max(1.0);
    model.options.timestep = motion.h / parts;
    model.options.laws = *laws;
    // Forces of the plan are applied directly; actuators of the model would add to them.
    model.options.disable.set(Disable::ACTUATION, true);
    if options.feedback == Feedback::Body {
        // Contacts are detected a little before they touch.
        let near = NEAR * units.length;
        model.geoms.gap.iter_mut().chain(&mut model.pairs.gap).for_each(|gap| *gap = gap.max(near));
    }
    let reference = Reference { model: &model, motion };
    Player { reference, actuation, units, options, parts: parts as usize }.run()
}

struct Player<'a> {
    reference: Reference<'a>,
    actuation: &'a Actuation,
    units: Units,
    options: &'a ReplayOptions,
    parts: usize,
}

impl Player<'_> {
    fn run(&self) -> Replay {
        let Reference { model, motion } = self.reference;
        let (strides, last) =
            if motion.periodic { (self.options.strides, motion.steps) } else { (1, motion.steps.saturating_sub(1)) };
        let mut out = Replay { end: "the end of the motion".to_owned(), survived: true, ..Replay::default() };
        let mut data = Data::new(model);
        let start = self.reference.state(0);
        data.state.q.copy_from_slice(&start.q);
        data.state.v.copy_from_slice(&start.v);
        let mut tracker =
            (self.options.feedback == Feedback::Body).then(|| Tracker::new(model, self.actuation, motion, self.units));
        for k in 0..strides * last {
            self.record(&mut out, &data, k);
            let outcome = match &mut tracker {
                Some(tracker) => self.track(&mut data, tracker),
                None => self.advance(&mut data, k),
            };
            if let Err(why) = outcome.map_err(|error| error.to_string()).and_then(|()| self.stands(&data, k + 1)) {
                out.survived = false;
                out.end = why;
                out.strides = k as f64 / last as f64;
                out.seconds = data.state.time;
                return out;
            }
        }
        self.record(&mut out, &data, strides * last);
        (out.seconds, out.strides) = (data.state.time, strides as f64);
        out
    }

    fn record(&self, out: &mut Replay, data: &Data, k: usize) {
        let mut away = vec![0.0; data.state.v.len()];
        difference(self.reference.model, &self.reference.state(k).q, &data.state.q, 1.0, &mut away);
        out.time.push(data.state.time);
        out.q.extend_from_slice(&data.state.q);
        out.v.extend_from_slice(&data.state.v);
        out.error.push(away.iter().fold(0.0, |m, x| m.max(x.abs())));
    }

    /// From state k of the plan to the next, with whole-body control.
    fn track(&self, data: &mut Data, tracker: &mut Tracker<'_>) -> Result<(), StepError> {
        for _ in 0..self.parts {
            step_with(self.reference.model, data, tracker)?;
            tracker.measure(data);
        }
        Ok(())
    }

    /// From state k of the plan to the next, with its forces and gains.
    fn advance(&self, data: &mut Data, k: usize) -> Result<(), StepError> {
        let Reference { model, motion } = self.reference;
        let (nv, t) = (motion.nv, k % motion.steps);
        let [from, to] = [k, k + 1].map(|k| self.reference.state(k));
        let mut between = vec![0.0; nv];
        difference(model, &from.q, &to.q, 1.0, &mut between);
        let gain = motion.gains.get(t * 2 * nv * nv..(t + 1) * 2 * nv * nv);
        for part in 0..self.parts {
            let share = part as f64 / self.parts as f64;
            let mut applied = motion.tau[t * nv..(t + 1) * nv].to_vec();
            if let Some(gain) = gain.filter(|_| self.options.feedback == Feedback::Gains) {
                let mut q = from.q.clone();
                integrate(model, &mut q, &between, share);
                let mut error = vec![0.0; 2 * nv];
                difference(model, &q, &data.state.q, 1.0, &mut error[..nv]);
                for i in 0..nv {
                    error[nv + i] = data.state.v[i] - (from.v[i] + share * (to.v[i] - from.v[i]));
                }
                for (i, applied) in applied.iter_mut().enumerate() {
                    *applied += saltus_math::dot(&gain[i * 2 * nv..(i + 1) * 2 * nv], &error);
                }
            }
            self.actuation.restrict(&mut applied);
            data.input.tau_applied.copy_from_slice(&applied);
            step(model, data)?;
        }
        Ok(())
    }

    /// Whether the robot has not fallen, at state k of a limit cycle.
    fn stands(&self, data: &Data, k: usize) -> Result<(), String> {
        let Reference { model, motion } = self.reference;
        let height = |q: &[f64]| {
            let mut probe = Data::new(model);
            probe.state.q.copy_from_slice(q);
            saltus_sim::forward_smooth(model, &mut probe);
            probe.position.com[model.nbody().min(2) - 1].z
        };
        if motion.periodic && height(&data.state.q) < self.options.fallen * height(&self.reference.state(k).q) {
            return Err(format!("it fell after {:.2} s", data.state.time));
        }
        Ok(())
    }
}
