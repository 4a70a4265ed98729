//! A controller beside an engine of any kind: it sees coordinates, velocities and contact forces, and sets what motors do.
//!
//! Nothing of the engine's own is used: the controller has a model of the robot, in which it computes what depends on the state, and
//! follows a motion in it with the whole body ([`Tracker`]). So the same controller stands and walks under any law, and where coordinates are maximal.

use crate::actuation::{Actuation, ActuationError};
use crate::physics::Units;
use crate::plan::{Motion, Plan};
use crate::track::{NEAR, Tracker};
use saltus_sim::collide::update_contacts;
use saltus_sim::model::kinds::{BiasKind, GainKind};
use saltus_sim::{Callbacks, Data, Model, forward_smooth};

/// What a controller knows: its model of the robot, and the motion that it shall follow.
#[derive(Clone, Debug)]
pub struct Known {
    pub model: Model,
    pub motion: Motion,
    actuation: Actuation,
    units: Units,
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
        // Contacts are seen a little before they touch.
        let near = NEAR * units.length;
        model.geoms.gap.iter_mut().chain(&mut model.pairs.gap).for_each(|gap| *gap = gap.max(near));
        Ok(Self { model, motion: plan.motion.clone(), actuation, units, motors })
    }

    /// A controller that follows the motion from its beginning on.
    pub fn follower(&self) -> Follower<'_> {
        Follower {
            known: self,
            tracker: Tracker::new(&self.model, &self.actuation, &self.motion, self.units),
            seen: Data::new(&self.model),
        }
    }
}

/// Actuators that are plain motors of one dof each; the others, such as position servos, are left to whoever simulates.
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

/// Follows a motion, step by step.
#[derive(Debug)]
pub struct Follower<'a> {
    known: &'a Known,
    tracker: Tracker<'a>,
    /// The state as the controller sees it.
    seen: Data,
}

impl Follower<'_> {
    /// Sets the controls of motors for the state of `data`, in whose model the robot may be followed by other bodies. Contact forces are
    /// those of the step that led there.
    pub fn control(&mut self, data: &mut Data) {
        let model = &self.known.model;
        let (nq, nv) = (model.size.nq, model.size.nv);
        self.tracker.measure(data);
        let state = &mut self.seen.state;
        state.time = data.state.time;
        state.q.copy_from_slice(&data.state.q[..nq]);
        state.v.copy_from_slice(&data.state.v[..nv]);
        forward_smooth(model, &mut self.seen);
        update_contacts(model, &mut self.seen);
        self.tracker.control(model, &mut self.seen);
        for motor in &self.known.motors {
            data.input.ctrl[motor.control] = self.seen.input.tau_applied[motor.dof] / motor.gain;
        }
    }
}
