//! Keyframes of attached models: their vectors are distributed over the joints and actuators of the
//! whole model.

use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::{Quat, Vec3};
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{ActuatorSpec, JointSpec, KeySpec};
use std::collections::BTreeSet;

/// The part of a keyframe of an attached model that concerns the attached elements.
#[derive(Clone, Debug)]
pub struct AttachedKey {
    key: KeySpec,
    /// Depth of the piece that the body indices refer to; 1 is the model itself.
    level: usize,
    joints: Vec<JointValues>,
    actuators: Vec<ActuatorValues>,
    mocaps: Vec<(usize, Option<Vec3>, Option<Quat>)>,
}

#[derive(Clone, Debug)]
struct JointValues {
    body: usize,
    joint: usize,
    q: Option<Vec<f64>>,
    v: Option<Vec<f64>>,
}

#[derive(Clone, Debug)]
struct ActuatorValues {
    tag: usize,
    act: Option<Vec<f64>>,
    ctrl: Option<Vec<f64>>,
}

/// Separates an actuator's position from its number in keyframes while the model is being
/// assembled. Actuators may be unnamed and change their position when they are replicated.
const TAG: char = '\u{1}';

/// Gives an actuator a number.
pub fn tag(a: &mut ActuatorSpec, number: usize) {
    a.place = format!("{}{TAG}{number}", a.place);
}

fn tag_of(a: &ActuatorSpec) -> Option<usize> {
    a.place.split_once(TAG)?.1.parse().ok()
}

/// Removes the numbers again.
pub fn untag(actuators: &mut [ActuatorSpec]) {
    for a in actuators {
        if let Some(end) = a.place.find(TAG) {
            a.place.truncate(end);
        }
    }
}

/// Location of the attached elements: body `i` of the part is body `first + i − 1` of a piece at
/// `level`; actuators by their index in the attached model, with the number assigned by [`tag`].
#[derive(Debug)]
pub struct Attachment {
    pub first: usize,
    pub level: usize,
    pub prefix: String,
    pub actuators: Vec<(usize, usize)>,
}

/// A vector split into consecutive parts; None if the keyframe does not give it.
struct Parts<'k> {
    rest: Option<&'k [f64]>,
}

impl<'k> Parts<'k> {
    fn new(e: Element, what: &str, key: &KeySpec, values: &'k [f64], expected: usize) -> Result<Self, ReadError> {
        if values.is_empty() {
            return Ok(Self { rest: None });
        }
        if values.len() != expected {
            let (name, found) = (&key.name, values.len());
            let message =
                format!("key {name:?} of the attached model has {found} numbers in {what}, expected {expected}");
            return Err(e.error(message));
        }
        Ok(Self { rest: Some(values) })
    }

    fn next(&mut self, n: usize) -> Option<Vec<f64>> {
        let (part, rest) = self.rest?.split_at_checked(n)?;
        self.rest = Some(rest);
        Some(part.to_vec())
    }
}

/// Splits a keyframe of an attached model. `whole` is that model, `part` the attached part of it.
pub fn split(
    e: Element,
    whole: &ModelSpec,
    part: &ModelSpec,
    key: &KeySpec,
    to: &Attachment,
) -> Result<AttachedKey, ReadError> {
    let nq = whole.ordered_joints().map(|(_, _, j)| j.kind.nq()).sum();
    let nv = whole.ordered_joints().map(|(_, _, j)| j.kind.nv()).sum();
    let (na, nu) = whole.actuators.iter().map(ActuatorSpec::widths).fold((0, 0), |(na, nu), (a, c)| (na + a, nu + c));
    let mut q = Parts::new(e, "qpos", key, &key.qpos, nq)?;
    let mut v = Parts::new(e, "qvel", key, &key.qvel, nv)?;
    let mut act = Parts::new(e, "act", key, &key.act, na)?;
    let mut ctrl = Parts::new(e, "ctrl", key, &key.ctrl, nu)?;
    let index = |body: usize| if body == 0 { 0 } else { to.first + body - 1 };

    let mut attached = part.ordered_joints().peekable();
    let mut joint_values = Vec::new();
    for (_, _, joint) in whole.ordered_joints() {
        let (q, v) = (q.next(joint.kind.nq()), v.next(joint.kind.nv()));
        let same = |x: &(usize, usize, &JointSpec)| x.2.place == joint.place && x.2.name == joint.name;
        if let Some((body, i, _)) = attached.next_if(same) {
            joint_values.push(JointValues { body: index(body), joint: i, q, v });
        }
    }
    let mut actuator_values = Vec::new();
    for (i, a) in whole.actuators.iter().enumerate() {
        let (na, nu) = a.widths();
        let (act, ctrl) = (act.next(na), ctrl.next(nu));
        if let Some(&(_, tag)) = to.actuators.iter().find(|(index, _)| *index == i) {
            actuator_values.push(ActuatorValues { tag, act, ctrl });
        }
    }
    let mut attached = part.ordered_mocaps().peekable();
    let mut mocap_values = Vec::new();
    for (i, (_, body)) in whole.ordered_mocaps().enumerate() {
        if let Some((b, _)) = attached.next_if(|(_, x)| x.place == body.place && x.name == body.name) {
            mocap_values.push((index(b), key.mocap_pos.get(i).copied(), key.mocap_quat.get(i).copied()));
        }
    }
    let mut key = key.clone();
    key.name = if key.name.is_empty() { String::new() } else { format!("{}{}", to.prefix, key.name) };
    Ok(AttachedKey { key, level: to.level, joints: joint_values, actuators: actuator_values, mocaps: mocap_values })
}

impl AttachedKey {
    /// The piece at `level` was copied to the one below; body `i` of its first copy is now body
    /// `first + i − 1` there.
    pub fn lower(&mut self, level: usize, first: usize) {
        if self.level != level {
            return;
        }
        self.level -= 1;
        let bodies = self.joints.iter_mut().map(|j| &mut j.body).chain(self.mocaps.iter_mut().map(|m| &mut m.0));
        bodies.filter(|b| **b > 0).for_each(|b| *b = first + *b - 1);
    }

    /// The keyframe of the complete model.
    pub fn assemble(self, spec: &ModelSpec) -> KeySpec {
        let mut key = self.key;
        let given = |values: &[f64]| !values.is_empty();
        let (with_q, with_v, with_act, with_ctrl) =
            (given(&key.qpos), given(&key.qvel), given(&key.act), given(&key.ctrl));
        [&mut key.qpos, &mut key.qvel, &mut key.act, &mut key.ctrl].into_iter().for_each(Vec::clear);
        for (body, i, joint) in spec.ordered_joints() {
            let own = self.joints.iter().find(|x| x.body == body && x.joint == i);
            if with_q {
                let q = own.and_then(|x| x.q.clone());
                key.qpos.extend(q.unwrap_or_else(|| joint.reference_coordinates(&spec.bodies[body])));
            }
            if with_v {
                let v = own.and_then(|x| x.v.clone());
                key.qvel.extend(v.unwrap_or_else(|| vec![0.0; joint.kind.nv()]));
            }
        }
        let mut used = BTreeSet::new();
        for a in &spec.actuators {
            let (na, nu) = a.widths();
            // The first of several replicas.
            let tag = tag_of(a).filter(|tag| used.insert(*tag));
            let own = self.actuators.iter().find(|x| Some(x.tag) == tag);
            if with_act {
                key.act.extend(own.and_then(|x| x.act.clone()).unwrap_or_else(|| vec![0.0; na]));
            }
            if with_ctrl {
                key.ctrl.extend(own.and_then(|x| x.ctrl.clone()).unwrap_or_else(|| vec![0.0; nu]));
            }
        }
        let (with_pos, with_quat) = (!key.mocap_pos.is_empty(), !key.mocap_quat.is_empty());
        key.mocap_pos.clear();
        key.mocap_quat.clear();
        for (b, body) in spec.ordered_mocaps() {
            let own = self.mocaps.iter().find(|m| m.0 == b);
            if with_pos {
                key.mocap_pos.push(own.and_then(|m| m.1).unwrap_or(body.pos));
            }
            if with_quat {
                key.mocap_quat.push(own.and_then(|m| m.2).unwrap_or(body.quat));
            }
        }
        key
    }
}
