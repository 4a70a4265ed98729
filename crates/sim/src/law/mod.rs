//! Contact laws: what force answers a constraint problem.
//!
//! All laws see the same rows (`constraint`) and give the same results: forces of the rows, an acceleration. Laws that
//! step velocities find v⁺ at the end of the step and say it as the acceleration (v⁺ − v)/h.

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

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows' forces.
pub fn solve(model: &Model, data: &mut Data) {
    match model.options.laws.law {
        Law::Soft => soft::solve(model, data),
        Law::Invertible => invertible::solve(model, data),
        Law::Impulse => impulse::solve(model, data),
        Law::Lcp => lcp::solve(model, data),
        Law::Compliant => compliant::solve(model, data),
    }
}

/// What laws other than the soft one put in the place of the rows' regularizers and reference accelerations.
pub(crate) fn update_reference(model: &Model, data: &mut Data) {
    match model.options.laws.law {
        Law::Soft | Law::Invertible | Law::Compliant => {}
        Law::Impulse => impulse::update_reference(model, data),
        Law::Lcp => lcp::update_reference(model, data),
    }
}

/// Forces of the rows and what they do to the dofs, for the present `acceleration.a`.
pub(crate) fn invert(model: &Model, data: &mut Data) {
    match model.options.laws.law {
        Law::Invertible => invertible::invert(model, data),
        Law::Compliant => compliant::invert(model, data),
        Law::Soft | Law::Impulse | Law::Lcp => soft::inverse::invert(data),
    }
}

/// Least inverse mass by which contacts are scaled, relative to that of a mean body.
const LEAST_INVERSE_MASS: f64 = 1e-4;

/// The least inverse mass that a row of a contact is scaled by under laws that step velocities. The approximate diagonal of A is that
/// of centres of mass: it vanishes for a body that turns about its own, though its contacts do move it, and forces of 1e20 N
/// or numbers that are none would follow.
pub(crate) fn least_inverse_mass(model: &Model) -> f64 {
    let mass = model.statistic.mean_mass;
    if mass > MIN_VAL { LEAST_INVERSE_MASS / mass } else { MIN_VAL }
}

/// A law under which an acceleration does not tell the force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("inverse dynamics: {0}")]
pub struct NoInverse(&'static str);

/// Whether inverse dynamics is defined.
pub fn check_inverse(laws: &LawOptions) -> Result<(), NoInverse> {
    let hard = laws.impulse.equality_softness == 0.0 && laws.impulse.lambda == 0.0;
    match laws.law {
        Law::Lcp => Err(NoInverse("the lcp law has no inverse; all others have one")),
        Law::Impulse if hard => {
            Err(NoInverse("hard equalities have no inverse; impulse_equality_softness must be positive"))
        }
        Law::Invertible if laws.invertible.restitution > 0.0 => {
            Err(NoInverse("bouncing has no inverse; invertible_restitution must be 0"))
        }
        _ => Ok(()),
    }
}
