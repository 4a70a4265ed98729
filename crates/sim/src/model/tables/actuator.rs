//! Actuators.

use crate::ids::Span;
use crate::model::kinds::{ActivationKind, BiasKind, GainKind, TransmissionKind};
use serde::{Deserialize, Serialize};

/// Actuators. Each has one force output; most have one control, PID servos one per declared input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActuatorTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Kind of transmission.
    pub transmission: Vec<TransmissionKind>,
    /// Kind of activation dynamics.
    pub activation: Vec<ActivationKind>,
    /// Kind of gain: dependence of the force on the control or activation.
    pub gain: Vec<GainKind>,
    /// Kind of bias: dependence of the force on length and velocity.
    pub bias: Vec<BiasKind>,
    /// Ids of the transmission's objects, by its kind: (joint | tendon | body, −), (crank site,
    /// slider site), (site, reference site).
    pub target: Vec<[Option<u32>; 2]>,
    /// Indices of its controls.
    pub ctrl: Vec<Span>,
    /// Indices of its activations.
    pub act: Vec<Span>,
    /// Declared inputs, as bits: 1 position, 2 velocity, 4 feed-forward, 32 pressure. PID servos
    /// have one control per input; for other actuators the bits only describe the meaning of their
    /// one control.
    pub inputs: Vec<i32>,
    /// Parameters of the activation dynamics.
    pub activation_prm: Vec<[f64; 10]>,
    /// Parameters of the gain.
    pub gain_prm: Vec<[f64; 10]>,
    /// Parameters of the bias.
    pub bias_prm: Vec<[f64; 10]>,
    /// Whether the activation is limited.
    pub activation_limited: Vec<bool>,
    /// Limits of the activation.
    pub activation_range: Vec<[f64; 2]>,
    /// Whether the force uses the activation at the end of the step instead of the beginning.
    pub activation_early: Vec<bool>,
    /// Whether the force is limited.
    pub force_limited: Vec<bool>,
    /// Limits of the force.
    pub force_range: Vec<[f64; 2]>,
    /// Whether the control is limited; one entry per control (nu), not per actuator.
    pub ctrl_limited: Vec<bool>,
    /// Limits of the control.
    pub ctrl_range: Vec<[f64; 2]>,
    /// Gear ratio: scales length and force of the transmission; six components for sites.
    pub gear: Vec<[f64; 6]>,
    /// Length of the rod of a slider-crank, m.
    pub crank_length: Vec<f64>,
    /// Damping, linear coefficient.
    pub damping: Vec<f64>,
    /// Damping, quadratic and cubic coefficients.
    pub damping_poly: Vec<[f64; 2]>,
    /// Armature: the reflected inertia of rotors.
    pub armature: Vec<f64>,
    /// Norm of the generalized acceleration for unit force, in the reference pose.
    pub acc0: Vec<f64>,
    /// Length in the reference pose.
    pub length0: Vec<f64>,
    /// Shortest and longest length.
    pub length_range: Vec<[f64; 2]>,
    /// Group, for viewers and ray filters.
    pub group: Vec<i32>,
    /// Dofs that the actuator can move, ascending, as spans of `moment_col`: the sparsity pattern
    /// of its moment row.
    pub moment: Vec<Span>,
    /// Columns of the moment rows.
    pub moment_col: Vec<u32>,
    /// User data, not used by the engine.
    pub user: Vec<f64>,
    /// Length of the user data of each actuator.
    pub user_len: usize,
}

impl ActuatorTable {
    /// Actuators whose transmission is tendon `t`.
    pub fn on_tendon(&self, t: usize) -> impl Iterator<Item = usize> + '_ {
        let pulls =
            move |&a: &usize| self.transmission[a] == TransmissionKind::Tendon && self.target[a][0] == Some(t as u32);
        (0..self.transmission.len()).filter(pulls)
    }
}
