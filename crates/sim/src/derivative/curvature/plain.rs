//! Determines whether a model has only inertial forces, contacts, and linear springs and dampers:
//! the rest of ID then has no second derivatives.

use crate::data::Data;
use crate::dynamics::find_gyroscopic;
use crate::dynamics::passive::{actuator_damper_of_joint, joint_spring};
use crate::model::{Model, kinds::JointKind};
use crate::options::{Disable, Enable, Integrator};

pub(super) fn is_plain(model: &Model, data: &Data) -> bool {
    let options = &model.options;
    let (off, on) = (options.disable, options.enable);
    let actuated = model.nactuator() > 0 && !off.has(Disable::ACTUATION);
    let medium = options.density != 0.0 || options.viscosity != 0.0;
    let carried = model.bodies.gravcomp.iter().any(|g| *g != 0.0);
    !(actuated || medium || carried || on.has(Enable::DIAGEXACT) || model.ntendon() > 0)
        && has_linear_joints(model)
        && !is_gyroscopic(model, data)
}

fn has_linear_joints(model: &Model) -> bool {
    let springs = (0..model.njoint()).all(|j| {
        let spring = joint_spring(model, j);
        let scalar = matches!(model.joints.kind[j], JointKind::Slide | JointKind::Hinge);
        spring.is_zero() || (scalar && spring.higher == [0.0; 2])
    });
    let dampers = model.dofs.damping_poly.iter().all(|p| *p == [0.0; 2]);
    let driven = (0..model.nactuator()).filter_map(|a| actuator_damper_of_joint(model, a));
    springs && dampers && driven.into_iter().all(|(_, poly)| poly.higher == [0.0; 2])
}

/// Whether discrete steps evaluate bias forces at their end.
fn is_gyroscopic(model: &Model, data: &Data) -> bool {
    if model.options.scheme() != Integrator::Discrete {
        return false;
    }
    let mut found = Vec::new();
    find_gyroscopic(model, data, &mut found);
    found.contains(&true)
}
