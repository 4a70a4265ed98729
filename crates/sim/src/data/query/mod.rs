//! Questions about a [`Data`] by typed ids: what [`Model`] finds by name.
//!
//! All take the model first, as the functions of the pipeline do. State and inputs can be read and written at any time. Results
//! belong to the state that they were computed from: asked for at another one, they are an error that says what to call.
//!
//! Ids of another model may be out of range, which panics as an index into a slice does.

mod contact_force;
mod input;
mod result;

pub use contact_force::{ContactForce, contact_force};
pub use input::WrongLength;
pub use result::Pose;

use super::Data;
use crate::stage::Stage;

/// Results that do not belong to the present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this needs the results of the {} at the present state, but {}: call `saltus::forward` first \
     (after `saltus::step` the results are those of the state before the step)",
    stage_name(*.needed),
    computed(*.have)
)]
pub struct Stale {
    /// The stage that the question is about.
    pub needed: Stage,
    /// The last stage whose results belong to the present state.
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
        Stage::None => "none are computed".into(),
        stage => format!("only those up to the {} are computed", stage_name(stage)),
    }
}

impl Data {
    /// Results up to this stage belong to the present state, or an error says what to call.
    fn require(&self, needed: Stage) -> Result<(), Stale> {
        let have = self.stage;
        if have >= needed { Ok(()) } else { Err(Stale { needed, have }) }
    }

    /// Results after this stage do not belong to the present state any more.
    fn keep_up_to(&mut self, stage: Stage) {
        self.stage = self.stage.min(stage);
    }
}
