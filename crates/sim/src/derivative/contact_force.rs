//! Derivatives of contact forces on selected bodies with respect to q, v and a, for force limits as
//! constraints in motion planning.

use super::contact::Forces;
use super::equation::Situation;
use super::{DerivativeError, Report, Workspace};
use crate::data::Data;
use crate::model::Model;
use crate::stage::Stage;

/// Contact forces on bodies, and their derivatives with respect to q (in its tangent space), v and
/// a. Row 0 is the sum of the normal forces, rows 1 to 3 are the total force, N, world axes.
#[derive(Clone, Copy, Debug)]
pub struct ContactForceSlopes<'w> {
    pub force: [f64; 4],
    /// 4 × nv each.
    pub by_q: &'w [f64],
    pub by_v: &'w [f64],
    pub by_a: &'w [f64],
    pub report: &'w Report,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    situation: Situation,
    forces: Forces,
}

/// Forces of all contacts between a body of `on` (one flag for each body) and one that is not, at
/// the current q, v and a: `data` has velocities and rows of the constraint problem. An error under
/// the invertible law with walls, where every force depends on all others.
pub fn contact_force_slopes<'w>(
    model: &Model,
    data: &Data,
    on: &[bool],
    work: &'w mut Workspace,
) -> Result<ContactForceSlopes<'w>, DerivativeError> {
    data.require(Stage::Velocity)?;
    if on.len() != model.nbody() {
        return Err(DerivativeError::Size { name: "on", found: on.len(), expected: model.nbody() });
    }
    let Memory { situation, forces } = &mut work.contact_force;
    situation.update(model, data)?;
    if situation.is_coupled() {
        return Err(DerivativeError::Unsupported("of contact forces under the invertible law with walls"));
    }
    work.report.clear();
    forces.update(situation.at(model, data), &situation.answers(model, data), on, &mut work.report);
    let Forces { force, q, v, a } = forces;
    Ok(ContactForceSlopes { force: *force, by_q: q, by_v: v, by_a: a, report: &work.report })
}
