//! A controller for any engine: it reads coordinates and contact forces, and sets controls.
//!
//! It uses nothing of the engine itself. It has a model of the robot, in which it computes
//! everything that depends on the state, and follows a motion with whole-body control
//! ([`Tracker`]). The same controller therefore works under any contact law and in maximal
//! coordinates.

use crate::problem::actuation::{Actuation, ActuationError};
use crate::problem::physics::Units;
use crate::replay::track::{NEAR, Tracker};
use crate::result::plan::{Motion, Plan};
use saltus_sim::collide::update_contacts;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::model::kinds::{BiasKind, GainKind};
use saltus_sim::{Callbacks, Data, Model, forward_smooth};

/// What a controller knows: its model of the robot, and the motion to follow.
#[derive(Clone, Debug)]
pub struct Known {
    model: Model,
    motion: Motion,
    units: Units,
    actuation: Actuation,
    motors: Vec<Motor>,
}

/// A control that sets the force on one dof.
#[derive(Clone, Copy, Debug)]
struct Motor {
    control: usize,
    dof: usize,
    /// Force per unit of control.
    gain: f64,
}

impl Known {
    /// A robot and a plan that was made for it.
    pub fn new(model: &Model, plan: &Plan) -> Result<Self, ActuationError> {
        let units = Units { weight: plan.weight, length: plan.length };
        let actuation = Actuation::new(model)?;
        let motors = find_motors(model, &actuation);
        let mut model = model.clone();
        // Contacts are detected a little before they touch.
        let near = NEAR * units.length;
        model.geoms.gap.iter_mut().chain(&mut model.pairs.gap).for_each(|gap| *gap = gap.max(near));
        Ok(Self { model, motion: plan.motion.clone(), units, actuation, motors })
    }

    /// Sets the controls of motors so that they produce the forces τ on their dofs.
    fn set_motors(&self, tau: &[f64], data: &mut Data) {
        for motor in &self.motors {
            data.input.ctrl[motor.control] = tau[motor.dof] / motor.gain;
        }
    }
}

/// Actuators that are plain motors of one dof each; the others, such as position servos, are left
/// to whoever simulates.
fn find_motors(model: &Model, actuation: &Actuation) -> Vec<Motor> {
    let of = |a: usize| {
        let is_motor = model.actuators.gain[a] == GainKind::Fixed && model.actuators.bias[a] == BiasKind::None;
        let mut arms = (0..actuation.nv).filter(|&i| actuation.moment[a * actuation.nv + i] != 0.0);
        let (Some(dof), None, true) = (arms.next(), arms.next(), is_motor) else { return None };
        let gain = model.actuators.gain_prm[a][0] * actuation.moment[a * actuation.nv + dof];
        Some(Motor { control: model.actuators.ctrl[a].range().start, dof, gain })
    };
    (0..model.nactuator()).filter_map(of).collect()
}

/// The state as a controller sees it.
///
/// Velocities are differences of coordinates, as encoders of robots give them: engines that correct
/// positions beside velocities (split impulse) have velocities with which nothing moves.
#[derive(Debug)]
struct Seen {
    data: Data,
    /// Time of the measurement, s.
    time: Option<f64>,
}

impl Seen {
    fn new(model: &Model) -> Self {
        Self { data: Data::new(model), time: None }
    }

    /// Reads the state from `data`, whose model may have other bodies after those of the robot.
    fn update(&mut self, model: &Model, data: &Data) {
        let (state, now) = (&mut self.data.state, &data.state);
        let (nq, nv) = (model.size.nq, model.size.nv);
        match self.time {
            Some(time) if now.time > time => difference(model, &state.q, &now.q[..nq], now.time - time, &mut state.v),
            _ => state.v.copy_from_slice(&now.v[..nv]),
        }
        self.time = Some(now.time);
        state.time = now.time;
        state.q.copy_from_slice(&now.q[..nq]);
        forward_smooth(model, &mut self.data);
    }
}

/// Follows a motion, step by step.
#[derive(Debug)]
pub struct Follower<'a> {
    known: &'a Known,
    tracker: Tracker<'a>,
    seen: Seen,
}

impl<'a> Follower<'a> {
    /// Follows the motion from its beginning on.
    pub fn new(known: &'a Known) -> Self {
        let tracker = Tracker::new(&known.model, &known.actuation, &known.motion, known.units);
        Self { known, tracker, seen: Seen::new(&known.model) }
    }

    /// Sets the controls of motors for the state of `data`. Contact forces are those of the step
    /// that led there.
    pub fn control(&mut self, data: &mut Data) {
        let model = &self.known.model;
        self.tracker.measure(data);
        self.seen.update(model, data);
        update_contacts(model, &mut self.seen.data);
        self.tracker.control(model, &mut self.seen.data);
        self.known.set_motors(&self.seen.data.input.tau_applied, data);
    }
}
