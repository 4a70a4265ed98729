//! Dampers of joints and tendons.

use crate::data::Data;
use crate::dynamics::passive::{Poly, actuator_damper_of_joint, tendon_damper};
use crate::model::Model;
use crate::options::Disable;
use saltus_math::{TreeMatrix, ldl::TreePattern};

/// Whether any dof is damped. A joint whose linear coefficient is negative, without other damping,
/// counts as undamped, as in MJCF.
pub(crate) fn has_dof_damping(model: &Model) -> bool {
    let dofs = &model.dofs;
    (0..model.size.nv).any(|i| dofs.damping[i] > 0.0 || dofs.damping_poly[i] != [0.0; 2])
        || (0..model.nactuator()).any(|a| actuator_damper_of_joint(model, a).is_some())
}

/// Diagonal of D from joint damping, including the damping that actuators add to joints; nv
/// entries.
pub fn calc_dof_damping(model: &Model, data: &Data, damping: &mut [f64]) {
    let v = &data.state.v;
    for i in 0..model.size.nv {
        damping[i] = Poly { linear: model.dofs.damping[i], higher: model.dofs.damping_poly[i] }.damper_slope(v[i]);
    }
    for a in 0..model.nactuator() {
        if let Some((dofs, poly)) = actuator_damper_of_joint(model, a) {
            for i in dofs {
                damping[i] += poly.damper_slope(v[i]);
            }
        }
    }
}

/// Adds the contributions of tendon dampers to D: slope · Jᵀ J.
pub(super) fn add_tendon_damping(model: &Model, data: &Data, pattern: &TreePattern, D: &mut TreeMatrix) {
    if model.options.disable.has(Disable::DAMPER) {
        return;
    }
    for t in 0..model.ntendon() {
        let slope = tendon_damper(model, t).damper_slope(data.velocity.tendon_velocity[t]);
        if slope != 0.0 {
            let span = model.tendons.jac[t].range();
            D.add_outer(pattern, slope, &model.tendons.jac_col[span.clone()], &data.position.tendon_jac[span]);
        }
    }
}
