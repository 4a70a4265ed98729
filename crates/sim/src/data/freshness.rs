//! Which results belong to the current state.
//!
//! Each stage of the pipeline keeps a copy of the state and inputs that it read. Its results are
//! fresh as long as the current state and inputs equal that copy. So it does not matter how they
//! were changed, and restoring a state makes its results valid again.

use super::{Data, Input, State};
use crate::stage::Stage;
use saltus_math::{Quat, Vec3};

/// Copies of the state and inputs that the results were computed from.
#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    /// The last stage that was computed.
    stage: Stage,
    // Of the position stage.
    q: Vec<f64>,
    mocap_pos: Vec<Vec3>,
    mocap_quat: Vec<Quat>,
    equality_active: Vec<bool>,
    // Of the velocity stage.
    v: Vec<f64>,
    // Of the acceleration stage: what forward dynamics takes, and the acceleration, which inverse
    // dynamics is given.
    act: Vec<f64>,
    ctrl: Vec<f64>,
    tau_applied: Vec<f64>,
    body_force: Vec<[Vec3; 2]>,
    a: Vec<f64>,
}

/// The requested results do not belong to the current state and inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the results of the {} at the current state are needed, but {}: call `saltus::forward` first \
     (after `saltus::step` the results belong to the state before the step)",
    stage_name(*.needed),
    computed(*.have)
)]
pub struct Stale {
    /// The stage whose results were requested.
    pub needed: Stage,
    /// The last stage whose results belong to the current state.
    pub have: Stage,
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::None => "state",
        Stage::Position => "position stage",
        Stage::Velocity => "velocity stage",
        Stage::Acceleration => "acceleration stage",
    }
}

fn computed(stage: Stage) -> String {
    match stage {
        Stage::None => "no results are computed".into(),
        stage => format!("only the results up to the {} are computed", stage_name(stage)),
    }
}

/// Whether numbers are the same, bit for bit. All of them are looked at: that is several times
/// faster than to stop early.
fn same(x: &[f64], y: &[f64]) -> bool {
    x.len() == y.len() && x.iter().zip(y).fold(0, |all, (x, y)| all | (x.to_bits() ^ y.to_bits())) == 0
}

impl Data {
    /// The last stage whose results belong to the current state and inputs.
    pub fn stage(&self) -> Stage {
        let Basis { stage, q, mocap_pos, mocap_quat, equality_active, v, .. } = &self.basis;
        let State { q: q1, v: v1, mocap_pos: pos1, mocap_quat: quat1, equality_active: active1, .. } = &self.state;
        if !same(q, q1) || mocap_pos != pos1 || mocap_quat != quat1 || equality_active != active1 {
            Stage::None
        } else if !same(v, v1) {
            Stage::Position.min(*stage)
        } else if *stage == Stage::Acceleration && !self.has_forces() {
            Stage::Velocity
        } else {
            *stage
        }
    }

    /// Whether the inputs of the acceleration stage are unchanged.
    fn has_forces(&self) -> bool {
        let Basis { act, ctrl, tau_applied, body_force, a, .. } = &self.basis;
        let Input { ctrl: ctrl1, tau_applied: tau1, body_force: force1 } = &self.input;
        same(act, &self.state.act)
            && same(ctrl, ctrl1)
            && same(tau_applied, tau1)
            && same(a, &self.acceleration.a)
            && body_force == force1
    }

    /// Returns an error unless the results of `stage` belong to the current state.
    pub fn require(&self, stage: Stage) -> Result<(), Stale> {
        let have = self.stage();
        if have < stage { Err(Stale { needed: stage, have }) } else { Ok(()) }
    }

    /// Declares that the results up to `stage` belong to the current state and inputs. The pipeline
    /// does this itself; call it after filling in results by other means, such as from a file.
    pub fn set_stage(&mut self, stage: Stage) {
        for done in [Stage::Position, Stage::Velocity, Stage::Acceleration] {
            if done <= stage {
                self.record(done);
            }
        }
        self.basis.stage = stage;
    }

    /// Marks `stage` as computed. The stages before it have been computed already.
    pub(crate) fn finish_stage(&mut self, stage: Stage) {
        self.record(stage);
        if cfg!(debug_assertions) {
            self.poison_after(stage);
        }
    }

    /// Keeps a copy of the state and inputs that `stage` depends on.
    fn record(&mut self, stage: Stage) {
        let (basis, state, input) = (&mut self.basis, &self.state, &self.input);
        basis.stage = stage;
        match stage {
            Stage::None => {}
            Stage::Position => {
                basis.q.clone_from(&state.q);
                basis.mocap_pos.clone_from(&state.mocap_pos);
                basis.mocap_quat.clone_from(&state.mocap_quat);
                basis.equality_active.clone_from(&state.equality_active);
            }
            Stage::Velocity => basis.v.clone_from(&state.v),
            Stage::Acceleration => {
                basis.act.clone_from(&state.act);
                basis.ctrl.clone_from(&input.ctrl);
                basis.tau_applied.clone_from(&input.tau_applied);
                basis.body_force.clone_from(&input.body_force);
                basis.a.clone_from(&self.acceleration.a);
            }
        }
    }

    /// Fills the results of stages after `stage` with NaN, except the acceleration, which is an
    /// input of inverse dynamics.
    fn poison_after(&mut self, stage: Stage) {
        if stage < Stage::Velocity {
            self.velocity.poison();
        }
        if stage < Stage::Acceleration {
            self.acceleration.poison();
            self.constraints.force.fill(f64::NAN);
        }
    }
}
