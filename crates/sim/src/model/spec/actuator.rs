//! Actuators. Shortcuts of file formats (motor, position, muscle, …) are reduced to this form by
//! the readers.

use crate::model::kinds::{ActivationKind, BiasKind, GainKind};
use serde::{Deserialize, Serialize};

/// Transmission target of an actuator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TransmissionSpec {
    /// A joint, by name.
    Joint(String),
    /// As `Joint`, with a ball or free joint's gear given in the parent's frame.
    JointInParent(String),
    /// A tendon, by name.
    Tendon(String),
    /// A slider-crank between two sites.
    SliderCrank {
        /// Site on the axis of the slider.
        slider_site: String,
        /// Site at the end of the crank.
        crank_site: String,
    },
    /// A site, in the frame of another one.
    Site {
        /// The site that the force acts on.
        site: String,
        /// The site whose frame it is measured in.
        ref_site: Option<String>,
    },
    /// Adhesion on all contacts of a body.
    Body(String),
}

/// An actuator: activation dynamics, gain and bias, transmission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActuatorSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Transmission target.
    pub transmission: TransmissionSpec,
    /// Activation dynamics.
    pub activation: ActivationKind,
    /// Gain: how the force depends on the control or activation.
    pub gain: GainKind,
    /// Bias: how the force depends on length and velocity.
    pub bias: BiasKind,
    /// Parameters of the activation dynamics.
    pub activation_prm: [f64; 10],
    /// Parameters of the gain.
    pub gain_prm: [f64; 10],
    /// Parameters of the bias.
    pub bias_prm: [f64; 10],
    /// Number of activation variables; `None` for the default of the dynamics.
    pub activation_dim: Option<usize>,
    /// Whether the force uses the activation at the end of the step.
    pub activation_early: bool,
    /// Damping ratio of a position servo, from which the compiler computes the velocity gain with
    /// the reflected inertia.
    pub damping_ratio: Option<f64>,
    /// Factor by which the control (or activation) range is the range of the target; 0 if it is not
    /// inherited.
    pub inherit_range: f64,
    /// Inputs of a `Pid` gain: bits 1 position, 2 velocity, 4 feed-forward. Every other kind has
    /// one control, and the bits (also 32 pressure) only say what it means.
    pub inputs: i32,
    /// Limits of the velocity input of a servo.
    pub velocity_range: [f64; 2],
    /// Limits of the force input of a servo.
    pub feedforward_range: [f64; 2],
    /// Whether controls are limited.
    pub ctrl_limited: Option<bool>,
    /// Limits of the control.
    pub ctrl_range: [f64; 2],
    /// Whether the force is limited.
    pub force_limited: Option<bool>,
    /// Limits of the force.
    pub force_range: [f64; 2],
    /// Whether the activation is limited.
    pub activation_limited: Option<bool>,
    /// Limits of the activation.
    pub activation_range: [f64; 2],
    /// Gear ratio between actuator and transmission length; along six axes for sites.
    pub gear: [f64; 6],
    /// Damping and armature that the actuator adds to its joint or tendon.
    pub damping: [f64; 3],
    /// Armature: the reflected inertia of rotors.
    pub armature: f64,
    /// Length of the rod of a slider-crank, m.
    pub crank_length: f64,
    /// Shortest and longest length.
    pub length_range: [f64; 2],
    /// Group, for viewers and ray filters.
    pub group: i32,
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// Place of definition for error messages; empty for elements created by a program.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActuatorDefault {
    /// The kind of element that was last read into the prototype ("general", "motor", "position",
    /// …).
    pub element: String,
    /// Values for actuators.
    pub spec: ActuatorSpec,
}

impl Default for ActuatorDefault {
    fn default() -> Self {
        let spec = ActuatorSpec::motor("", TransmissionSpec::Joint(String::new()));
        Self { element: "general".into(), spec }
    }
}

impl ActuatorDefault {
    /// Resets gain, bias and dynamics and keeps the common fields.
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
