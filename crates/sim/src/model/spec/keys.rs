//! Keyframes of models that are joined or taken apart: their vectors follow the joints, actuators,
//! and mocap bodies.

use super::names::Affix;
use super::*;
use crate::model::kinds::{ActivationKind, JointKind};
use saltus_math::{Quat, Vec3};
use std::collections::BTreeMap;

impl ModelSpec {
    /// Joints in the order of their coordinates, with the index of their body and their index in
    /// it.
    pub fn ordered_joints(&self) -> impl Iterator<Item = (usize, usize, &JointSpec)> {
        let order = self.preorder();
        order.into_iter().flat_map(|SpecBody(b)| self.bodies[b].joints.iter().enumerate().map(move |(i, j)| (b, i, j)))
    }

    /// Mocap bodies in the order of their ids, with their index.
    pub fn ordered_mocaps(&self) -> impl Iterator<Item = (usize, &BodySpec)> {
        self.preorder().into_iter().map(|SpecBody(b)| (b, &self.bodies[b])).filter(|(_, body)| body.mocap)
    }

    /// Where the numbers of keyframes belong.
    pub(super) fn key_layout(&self) -> KeyLayout {
        KeyLayout {
            bodies: self.bodies.len(),
            joints: self.ordered_joints().map(|(b, i, j)| (b, i, j.kind)).collect(),
            actuators: self.actuators.iter().map(ActuatorSpec::widths).collect(),
            mocaps: self.ordered_mocaps().map(|(b, _)| b).collect(),
        }
    }

    /// Fits the keyframes to the model after elements were added. Those that were there before have
    /// kept their indices.
    pub(super) fn grow_keys(&mut self, before: &KeyLayout) {
        let keys = std::mem::take(&mut self.keys);
        self.keys = keys.iter().map(|key| self.moved_key(key, before, &Some, &Some)).collect();
    }

    /// Adds the keyframes of an attached model, whose bodies and actuators are now at these
    /// indices.
    pub(super) fn attach_keys(
        &mut self,
        child: &ModelSpec,
        affix: &Affix,
        bodies: &dyn Fn(usize) -> Option<usize>,
        actuators: &dyn Fn(usize) -> Option<usize>,
    ) {
        let layout = child.key_layout();
        for key in &child.keys {
            let mut key = self.moved_key(key, &layout, bodies, actuators);
            affix.apply(&mut key.name);
            self.keys.push(key);
        }
    }

    /// A keyframe of a model with this layout, whose bodies and actuators have moved, as one of
    /// this model. What is new has its reference state. A vector of a wrong length stays for the
    /// compiler to refuse.
    pub(super) fn moved_key(
        &self,
        key: &KeySpec,
        from: &KeyLayout,
        bodies: &dyn Fn(usize) -> Option<usize>,
        actuators: &dyn Fn(usize) -> Option<usize>,
    ) -> KeySpec {
        let joints = |width: fn(JointKind) -> usize| -> Vec<_> {
            from.joints.iter().map(|&(b, i, kind)| (bodies(b).map(|b| (b, i)), width(kind))).collect()
        };
        let inputs = |width: fn(&(usize, usize)) -> usize| -> Vec<_> {
            from.actuators.iter().enumerate().map(|(a, widths)| (actuators(a), width(widths))).collect()
        };
        let mocaps = || -> Vec<_> { from.mocaps.iter().map(|b| (bodies(*b), 1)).collect() };
        let q0 = self.ordered_joints().map(|(b, i, j)| ((b, i), j.reference_coordinates(&self.bodies[b])));
        let v0 = self.ordered_joints().map(|(b, i, j)| ((b, i), vec![0.0; j.kind.nv()]));
        let widths = || self.actuators.iter().map(ActuatorSpec::widths).enumerate();
        KeySpec {
            qpos: spread(&key.qpos, joints(JointKind::nq), q0),
            qvel: spread(&key.qvel, joints(JointKind::nv), v0),
            act: spread(&key.act, inputs(|w| w.0), widths().map(|(a, w)| (a, vec![0.0; w.0]))),
            ctrl: spread(&key.ctrl, inputs(|w| w.1), widths().map(|(a, w)| (a, vec![0.0; w.1]))),
            mocap_pos: spread::<_, Vec3>(
                &key.mocap_pos,
                mocaps(),
                self.ordered_mocaps().map(|(b, x)| (b, vec![x.pos])),
            ),
            mocap_quat: spread::<_, Quat>(
                &key.mocap_quat,
                mocaps(),
                self.ordered_mocaps().map(|(b, x)| (b, vec![x.quat])),
            ),
            ..key.clone()
        }
    }
}

/// Where the numbers of the keyframes of a model belong.
pub(super) struct KeyLayout {
    /// Number of bodies.
    pub bodies: usize,
    /// Body, index in it, and kind of each joint.
    joints: Vec<(usize, usize, JointKind)>,
    /// Number of activations and controls of each actuator.
    actuators: Vec<(usize, usize)>,
    /// Mocap bodies.
    mocaps: Vec<usize>,
}

/// Distributes a vector that has parts of the given widths, each of which belongs to an object that
/// may still be there, over the present objects.
fn spread<I: Ord, T: Copy>(
    values: &[T],
    from: Vec<(Option<I>, usize)>,
    to: impl Iterator<Item = (I, Vec<T>)>,
) -> Vec<T> {
    let width: usize = from.iter().map(|(_, n)| n).sum();
    if values.is_empty() || values.len() != width {
        return values.to_vec();
    }
    let mut rest = values;
    let mut own = BTreeMap::new();
    for (id, n) in from {
        let (part, after) = rest.split_at(n);
        rest = after;
        own.extend(id.map(|id| (id, part)));
    }
    to.flat_map(|(id, start)| own.get(&id).map_or(start, |part| part.to_vec())).collect()
}

impl ActuatorSpec {
    /// Number of activations and controls.
    pub fn widths(&self) -> (usize, usize) {
        let act = match (self.activation, self.activation_dim) {
            (ActivationKind::None, _) => 0,
            (_, Some(dim)) => dim,
            (ActivationKind::Pid, None) => {
                usize::from(self.gain_prm[0] != 0.0) + usize::from(self.activation_prm[1] > 0.0)
            }
            _ => 1,
        };
        (act, self.inputs.count_ones().max(1) as usize)
    }
}

impl JointSpec {
    /// Coordinates in the reference pose of the body that the joint belongs to.
    pub fn reference_coordinates(&self, body: &BodySpec) -> Vec<f64> {
        match self.kind {
            JointKind::Free => body.pos.to_array().into_iter().chain(body.quat.to_array()).collect(),
            JointKind::Ball => vec![1.0, 0.0, 0.0, 0.0],
            JointKind::Slide | JointKind::Hinge => vec![self.reference],
        }
    }
}
