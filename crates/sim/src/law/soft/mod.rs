//! The soft law: min ½‖a − a₀‖²_M + s(J a − a_ref), convex, at the level of accelerations.

use crate::data::Data;
use crate::model::Model;

/// Working memory of the soft law; its contents mean nothing between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {}

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows' forces.
pub fn solve(_model: &Model, data: &mut Data) {
    let acceleration = &mut data.acceleration;
    acceleration.tau_constraint.fill(0.0);
    acceleration.a.copy_from_slice(&acceleration.a_smooth);
}
