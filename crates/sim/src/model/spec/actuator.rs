//! Actuators. Shortcuts of file formats (motor, position, muscle, …) are reduced to this form by the readers.

use crate::model::kinds::{ActivationKind, BiasKind, GainKind};
use serde::{Deserialize, Serialize};

/// What an actuator acts on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TransmissionSpec {
    Joint(String),
    /// As `Joint`, with a ball or free joint's gear given in the parent's frame.
    JointInParent(String),
    Tendon(String),
    SliderCrank {
        slider_site: String,
        crank_site: String,
    },
    Site {
        site: String,
        ref_site: Option<String>,
    },
    /// Adhesion on all contacts of a body.
    Body(String),
}

/// An actuator: activation dynamics, gain and bias, transmission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ActuatorSpec {
    pub name: String,
    pub transmission: TransmissionSpec,
    pub activation: ActivationKind,
    pub gain: GainKind,
    pub bias: BiasKind,
    pub activation_prm: [f64; 10],
    pub gain_prm: [f64; 10],
    pub bias_prm: [f64; 10],
    /// Number of activation variables; `None` takes what the dynamics needs.
    pub activation_dim: Option<usize>,
    /// Use the activation of the next step when computing force.
    pub activation_early: bool,
    /// Damping ratio of a position servo: the compiler sets the velocity gain from it and the reflected inertia.
    pub damping_ratio: Option<f64>,
    /// Copy the control (or activation) range from the target's range times this; 0: do not.
    pub inherit_range: f64,
    /// Inputs of a `Pid` gain: bits 1 position, 2 velocity, 4 feed-forward. Every other kind has one control, and the bits
    /// (also 32 pressure) only say what it means.
    pub inputs: i32,
    pub velocity_range: [f64; 2],
    pub feedforward_range: [f64; 2],
    pub ctrl_limited: Option<bool>,
    pub ctrl_range: [f64; 2],
    pub force_limited: Option<bool>,
    pub force_range: [f64; 2],
    pub activation_limited: Option<bool>,
    pub activation_range: [f64; 2],
    pub gear: [f64; 6],
    /// Damping and armature that the actuator adds to its joint or tendon.
    pub damping: [f64; 3],
    pub armature: f64,
    pub crank_length: f64,
    pub length_range: [f64; 2],
    pub group: i32,
    pub user: Vec<f64>,
    pub place: String,
}

impl ActuatorSpec {
    /// A direct-drive motor: force = ctrl.
    pub fn motor(name: impl Into<String>, transmission: TransmissionSpec) -> Self {
        let mut prm = [0.0; 10];
        prm[0] = 1.0;
        Self {
            name: name.into(),
            transmission,
            activation: ActivationKind::None,
            gain: GainKind::Fixed,
            bias: BiasKind::None,
            activation_prm: prm,
            gain_prm: prm,
            bias_prm: [0.0; 10],
            activation_dim: None,
            activation_early: false,
            damping_ratio: None,
            inherit_range: 0.0,
            inputs: 0,
            velocity_range: [0.0; 2],
            feedforward_range: [0.0; 2],
            ctrl_limited: None,
            ctrl_range: [0.0; 2],
            force_limited: None,
            force_range: [0.0; 2],
            activation_limited: None,
            activation_range: [0.0; 2],
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            damping: [0.0; 3],
            armature: 0.0,
            crank_length: 0.0,
            length_range: [0.0; 2],
            group: 0,
            user: Vec::new(),
            place: String::new(),
        }
    }
}

/// Defaults of actuators in one default class: a prototype that all actuator elements share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ActuatorDefault {
    /// The element that was read last into the prototype ("general", "motor", "position", …).
    pub element: String,
    pub spec: ActuatorSpec,
}

impl Default for ActuatorDefault {
    fn default() -> Self {
        let spec = ActuatorSpec::motor("", TransmissionSpec::Joint(String::new()));
        Self { element: "general".into(), spec }
    }
}

impl ActuatorDefault {
    /// Forgets gain, bias and dynamics; keeps what all actuators have in common.
    pub fn clear_force_law(&mut self) {
        let motor = ActuatorSpec::motor("", TransmissionSpec::Joint(String::new()));
        let a = &mut self.spec;
        a.activation = motor.activation;
        a.gain = motor.gain;
        a.bias = motor.bias;
        a.activation_prm = motor.activation_prm;
        a.gain_prm = motor.gain_prm;
        a.bias_prm = motor.bias_prm;
        a.activation_dim = None;
        a.activation_early = false;
        a.damping_ratio = None;
        a.inherit_range = 0.0;
        a.inputs = 0;
    }
}
