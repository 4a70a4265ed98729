//! Contact laws: models of the force that resolves a constraint.
//!
//! All laws have the same input, the constraint rows (`constraint`), and the same results: forces
//! of the rows and an acceleration. Laws that step velocities compute v⁺ at the end of the step and
//! return the acceleration (v⁺ − v)/h.

pub mod agreement;
pub mod compliant;
mod contact_space;
pub mod impulse;
pub mod invertible;
pub mod lcp;
pub mod soft;

use crate::data::Data;
use crate::model::Model;
use crate::options::law::{Law, LawOptions};
use saltus_math::MIN_VAL;

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows'
/// forces.
pub fn solve(model: &Model, data: &mut Data) {
    match model.options.laws.law {
        Law::Soft => soft::solve(model, data),
        Law::Invertible => invertible::solve(model, data),
        Law::Impulse => impulse::solve(model, data),
        Law::Lcp => lcp::solve(model, data),
        Law::Compliant => compliant::solve(model, data),
    }
}

/// Replaces regularizers and reference accelerations of the rows under laws that define their own.
pub(crate) fn update_reference(model: &Model, data: &mut Data) {
    match model.options.laws.law {
        Law::Soft | Law::Invertible | Law::Compliant => {}
        Law::Impulse => impulse::update_reference(model, data),
        Law::Lcp => lcp::update_reference(model, data),
    }
}

/// Forces of the rows and their generalized force for the current `acceleration.a`.
pub(crate) fn invert(model: &Model, data: &mut Data) {
    match model.options.laws.law {
        Law::Invertible => invertible::invert(model, data),
        Law::Compliant => compliant::invert(model, data),
        Law::Soft | Law::Impulse | Law::Lcp => soft::inverse::invert(data),
    }
}

/// Lower bound of the inverse mass that scales contacts, relative to the inverse of the mean body
/// mass.
const LEAST_INVERSE_MASS: f64 = 1e-4;

/// Lower bound of the inverse mass that scales a contact row under laws that step velocities. The
/// approximate diagonal of A considers centres of mass only: it vanishes for a body that rotates
/// about its own centre of mass, although its contacts do move it, and would lead to forces of 1e20
/// N or to NaN.
pub(crate) fn least_inverse_mass(model: &Model) -> f64 {
    let mass = model.statistic.mean_mass;
    if mass > MIN_VAL { LEAST_INVERSE_MASS / mass } else { MIN_VAL }
}

/// A law whose forces are not determined by the acceleration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("inverse dynamics: {0}")]
pub struct NoInverse(&'static str);

/// Checks that inverse dynamics is defined.
pub fn check_inverse(laws: &LawOptions) -> Result<(), NoInverse> {
    let hard = laws.impulse.equality_softness == 0.0 && laws.impulse.lambda == 0.0;
    match laws.law {
        Law::Lcp => Err(NoInverse("the lcp law has no inverse; all others have one")),
        Law::Impulse if hard => {
            Err(NoInverse("hard equalities have no inverse; impulse_equality_softness must be positive"))
        }
        Law::Invertible if laws.invertible.restitution > 0.0 => {
            Err(NoInverse("restitution has no inverse; invertible_restitution must be 0"))
        }
        _ => Ok(()),
    }
}
