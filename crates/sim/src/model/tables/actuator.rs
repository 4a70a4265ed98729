//! Actuators.

use crate::ids::Span;
use crate::model::kinds::{ActivationKind, BiasKind, GainKind, TransmissionKind};
use serde::{Deserialize, Serialize};

/// Actuators. Each has one force output; most have one control, PID servos one per declared input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActuatorTable {
    pub name: Vec<String>,
    pub transmission: Vec<TransmissionKind>,
    pub activation: Vec<ActivationKind>,
    pub gain: Vec<GainKind>,
    pub bias: Vec<BiasKind>,
    /// Objects of the transmission by its kind: (joint | tendon | body, −), (crank site, slider site),
    /// (site, reference site).
    pub target: Vec<[Option<u32>; 2]>,
    /// Controls and activations of the actuator.
    pub ctrl: Vec<Span>,
    pub act: Vec<Span>,
    /// Declared inputs: bits 1 position, 2 velocity, 4 feed-forward, 32 pressure. PID servos have one control for each;
    /// for the others they only say what the one control means.
    pub inputs: Vec<i32>,
    pub activation_prm: Vec<[f64; 10]>,
    pub gain_prm: Vec<[f64; 10]>,
    pub bias_prm: Vec<[f64; 10]>,
    pub activation_limited: Vec<bool>,
    pub activation_range: Vec<[f64; 2]>,
    pub activation_early: Vec<bool>,
    pub force_limited: Vec<bool>,
    pub force_range: Vec<[f64; 2]>,
    /// One per control (nu), not per actuator.
    pub ctrl_limited: Vec<bool>,
    pub ctrl_range: Vec<[f64; 2]>,
    pub gear: Vec<[f64; 6]>,
    pub crank_length: Vec<f64>,
    pub damping: Vec<f64>,
    pub damping_poly: Vec<[f64; 2]>,
    pub armature: Vec<f64>,
    /// Acceleration from unit force and length, at the reference pose.
    pub acc0: Vec<f64>,
    pub length0: Vec<f64>,
    pub length_range: Vec<[f64; 2]>,
    pub group: Vec<i32>,
    /// Dofs that the actuator can move, ascending, in `moment_col`: the sparsity of its moment row.
    pub moment: Vec<Span>,
    pub moment_col: Vec<u32>,
    pub user: Vec<f64>,
    pub user_len: usize,
}

impl ActuatorTable {
    /// Actuators that pull tendon `t`.
    pub fn on_tendon(&self, t: usize) -> impl Iterator<Item = usize> + '_ {
        let pulls =
            move |&a: &usize| self.transmission[a] == TransmissionKind::Tendon && self.target[a][0] == Some(t as u32);
        (0..self.transmission.len()).filter(pulls)
    }
}
