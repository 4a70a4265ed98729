//! The constraint problem: rows, Jacobian, impedance, reference acceleration. Independent of the law that solves it.

use crate::data::Data;
use crate::model::Model;

/// Fills the rows of `data.constraints` from the poses and contacts: everything that does not depend on v.
pub fn update_constraints(_model: &Model, data: &mut Data) {
    data.constraints.clear();
}

/// Fills `vel` and `a_ref` of the rows.
pub fn update_reference(_model: &Model, _data: &mut Data) {}
