//! Access to state and inputs by id.

use crate::data::Data;
use crate::ids::{ActuatorId, BodyId, EqualityId, JointId, MocapId};
use crate::model::Model;
use core::ops::Range;
use saltus_math::{Quat, Vec3};

/// The number of values does not match the object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} takes {expected} values, not {found}")]
pub struct WrongLength {
    /// The object, e.g. `joint "knee"`.
    pub what: String,
    pub expected: usize,
    pub found: usize,
}

/// Copies all values or, on an error, none.
fn copy(to: &mut [f64], from: &[f64], what: impl FnOnce() -> String) -> Result<(), WrongLength> {
    let (expected, found) = (to.len(), from.len());
    if expected != found {
        return Err(WrongLength { what: what(), expected, found });
    }
    to.copy_from_slice(from);
    Ok(())
}

fn q_range(model: &Model, joint: JointId) -> Range<usize> {
    let start = model.joints.q_start[joint.idx()] as usize;
    start..start + model.joints.kind[joint.idx()].nq()
}

pub(super) fn v_range(model: &Model, joint: JointId) -> Range<usize> {
    let start = model.joints.dof_start[joint.idx()] as usize;
    start..start + model.joints.kind[joint.idx()].nv()
}

/// State and inputs.
impl Data {
    /// The control of an actuator; the first one if it has several (see [`Data::controls`]).
    pub fn control(&self, model: &Model, actuator: ActuatorId) -> f64 {
        self.controls(model, actuator).first().copied().unwrap_or(0.0)
    }

    /// Sets the control of an actuator; the first one if it has several.
    pub fn set_control(&mut self, model: &Model, actuator: ActuatorId, value: f64) {
        if let Some(first) = self.input.ctrl[model.actuators.ctrl[actuator.idx()].range()].first_mut() {
            *first = value;
        }
    }

    /// All controls of an actuator. Actuators have one control, except PID servos, which have one
    /// for each declared input: position, velocity and feedforward.
    pub fn controls(&self, model: &Model, actuator: ActuatorId) -> &[f64] {
        &self.input.ctrl[model.actuators.ctrl[actuator.idx()].range()]
    }

    /// Sets all controls of an actuator.
    pub fn set_controls(&mut self, model: &Model, actuator: ActuatorId, values: &[f64]) -> Result<(), WrongLength> {
        let range = model.actuators.ctrl[actuator.idx()].range();
        copy(&mut self.input.ctrl[range], values, || format!("actuator {:?}", model.name(actuator)))
    }

    /// Activations of an actuator; empty if it has none.
    pub fn activation(&self, model: &Model, actuator: ActuatorId) -> &[f64] {
        &self.state.act[model.actuators.act[actuator.idx()].range()]
    }

    /// Coordinates of a joint: one number for hinge and slide joints, a quaternion (w first) for
    /// ball joints, position and quaternion for free joints.
    pub fn joint_q(&self, model: &Model, joint: JointId) -> &[f64] {
        &self.state.q[q_range(model, joint)]
    }

    /// Sets the coordinates of a joint.
    pub fn set_joint_q(&mut self, model: &Model, joint: JointId, q: &[f64]) -> Result<(), WrongLength> {
        copy(&mut self.state.q[q_range(model, joint)], q, || format!("joint {:?}", model.name(joint)))
    }

    /// Velocities of a joint: one number for hinge and slide joints, the angular velocity in child
    /// axes for ball joints, the linear velocity in world axes and the angular velocity in child
    /// axes for free joints.
    pub fn joint_v(&self, model: &Model, joint: JointId) -> &[f64] {
        &self.state.v[v_range(model, joint)]
    }

    /// Sets the velocities of a joint.
    pub fn set_joint_v(&mut self, model: &Model, joint: JointId, v: &[f64]) -> Result<(), WrongLength> {
        copy(&mut self.state.v[v_range(model, joint)], v, || format!("velocity of joint {:?}", model.name(joint)))
    }

    /// Applied generalized forces of a joint.
    pub fn joint_force(&self, model: &Model, joint: JointId) -> &[f64] {
        &self.input.tau_applied[v_range(model, joint)]
    }

    /// Sets the applied generalized forces of a joint.
    pub fn set_joint_force(&mut self, model: &Model, joint: JointId, tau: &[f64]) -> Result<(), WrongLength> {
        let range = v_range(model, joint);
        copy(&mut self.input.tau_applied[range], tau, || format!("force on joint {:?}", model.name(joint)))
    }

    /// Force and torque applied to a body at its centre of mass, in world axes.
    pub fn body_force(&self, _: &Model, body: BodyId) -> [Vec3; 2] {
        self.input.body_force[body.idx()]
    }

    /// Sets the force and torque applied to a body at its centre of mass, in world axes.
    pub fn set_body_force(&mut self, _: &Model, body: BodyId, force: Vec3, torque: Vec3) {
        self.input.body_force[body.idx()] = [force, torque];
    }

    /// Position and orientation of a mocap body.
    pub fn mocap_pose(&self, _: &Model, mocap: MocapId) -> (Vec3, Quat) {
        (self.state.mocap_pos[mocap.idx()], self.state.mocap_quat[mocap.idx()])
    }

    /// Sets the position and orientation of a mocap body.
    pub fn set_mocap_pose(&mut self, _: &Model, mocap: MocapId, p: Vec3, quat: Quat) {
        self.state.mocap_pos[mocap.idx()] = p;
        self.state.mocap_quat[mocap.idx()] = quat;
    }

    /// Whether an equality constraint is active.
    pub fn equality_active(&self, _: &Model, equality: EqualityId) -> bool {
        self.state.equality_active[equality.idx()]
    }

    /// Activates or deactivates an equality constraint.
    pub fn set_equality_active(&mut self, _: &Model, equality: EqualityId, active: bool) {
        self.state.equality_active[equality.idx()] = active;
    }
}
