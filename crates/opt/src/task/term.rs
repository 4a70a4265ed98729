//! Terms of tasks: every kind of term with its settings.

use super::Pose;
use super::table::{At, ByDof, Line};
use crate::problem::Role;
use crate::problem::term::Pressure;

/// A term of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TermTask {
    /// Name of the term in results.
    pub name: String,
    /// Which residuals.
    pub kind: TermKind,
    /// Cost or constraint.
    pub role: Role,
    /// When it is active.
    pub when: When,
    /// Factor of the cost at one step, instead of 1/T.
    pub measure: Option<f64>,
    /// Factor on the violation that is allowed at the end.
    pub slack: f64,
    /// Line of the task file.
    pub line: Line,
}

/// When a term is active.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// In all steps.
    Always,
    /// From, to; s.
    Between(f64, f64),
    /// In the state at this time, once; s.
    At(f64),
    /// In the first state, once.
    Start,
    /// In the last state, once.
    End,
}

/// The frame of a term.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A site.
    Site(At<String>),
    /// A body.
    Body(At<String>),
}

/// The kind of a term, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// Coordinates near a pose.
    Posture {
        /// Target.
        target: Pose,
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Coordinates near a motion between two poses.
    Track {
        /// Where it begins.
        from: Pose,
        /// Where it ends.
        to: Pose,
        /// Weight of the residuals.
        weight: ByDof,
        /// Weights of velocities.
        velocity_weight: ByDof,
    },
    /// Some coordinates near a motion between two poses.
    Coordinates {
        /// Where it begins.
        from: Pose,
        /// Where it ends.
        to: Pose,
        /// Weight of the residuals.
        weight: At<Vec<f64>>,
    },
    /// Squares of torques.
    Effort {
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Squares of accelerations.
    Smoothness {
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Squares of the power of motors.
    Power {
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Cost of transport.
    Transport {
        /// Weight of the residuals.
        weight: ByDof,
        /// Speed, m/s.
        speed: f64,
    },
    /// Mean velocity of the centre of mass.
    Speed {
        /// Target velocity, m/s.
        velocity: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
    },
    /// Velocities of dofs.
    Velocity {
        /// Weight of the residuals.
        weight: ByDof,
        /// Target.
        target: ByDof,
    },
    /// Torques near given ones.
    Control {
        /// Target torques · nv.
        torque: At<Vec<f64>>,
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Position of a frame.
    Site {
        /// The site or body.
        at: Place,
        /// Target position, m.
        position: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
    },
    /// Orientation of a frame.
    Orientation {
        /// The site or body.
        at: Place,
        /// Target orientation, w first.
        quat: [f64; 4],
        /// Weight of the residuals.
        weight: [f64; 3],
    },
    /// Velocity of a frame.
    SiteVelocity {
        /// The site or body.
        at: Place,
        /// Target velocity, m/s.
        velocity: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
        /// Target angular velocity, rad/s.
        angular: [f64; 3],
        /// Weights of the angular part.
        angular_weight: [f64; 3],
    },
    /// Centre of mass.
    CentreOfMass {
        /// The body.
        body: Option<At<String>>,
        /// Target position, m.
        position: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
    },
    /// Momentum.
    Momentum {
        /// A body and its descendants; `None`: all moving bodies.
        body: Option<At<String>>,
        /// Target of the linear momentum, kg m/s.
        linear: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
        /// Target of the angular momentum about the common centre of mass, kg m²/s.
        angular: [f64; 3],
        /// Weights of the angular part.
        angular_weight: [f64; 3],
    },
    /// What a sensor reads.
    Sensor {
        /// The sensor.
        sensor: At<String>,
        /// Target.
        target: ByDof,
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Velocities of points near the ground.
    Slip {
        /// Weight of the residuals.
        weight: f64,
        /// Height over which it fades, m.
        fade: f64,
        /// Height of the ground, m.
        ground: f64,
    },
    /// Velocities of bodies at their contacts.
    Sliding {
        /// Weight of the residuals.
        weight: f64,
        /// Height over which it fades, m.
        fade: f64,
    },
    /// Clearance of moving feet.
    Clearance {
        /// Weight of the residuals.
        weight: f64,
        /// Height, m.
        height: f64,
        /// Height of the ground, m.
        ground: f64,
    },
    /// Points above the ground.
    AboveGround {
        /// Penetration that is allowed, m.
        allowed: f64,
        /// Height of the ground, m.
        ground: f64,
    },
    /// Penetration of shapes.
    Penetration {
        /// Penetration that is allowed, m.
        allowed: f64,
    },
    /// Distance of links.
    Separation {
        /// Distance that is kept, m.
        margin: f64,
    },
    /// Difference from the mirror image.
    Symmetry {
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Forces of contacts.
    ContactForce {
        /// The bodies.
        bodies: Vec<At<String>>,
        /// Which force is limited.
        of: Pressure,
        /// Lower bound, N or shares of the weight.
        least: Option<f64>,
        /// Upper bound, N or shares of the weight.
        most: Option<f64>,
        /// Whether it is in units of the weight of the robot.
        by_weight: bool,
        /// Weight of the residuals.
        weight: f64,
    },
}

impl TermKind {
    /// Its name in task files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Posture { .. } => "posture",
            Self::Track { .. } => "track",
            Self::Coordinates { .. } => "coordinates",
            Self::Effort { .. } => "effort",
            Self::Smoothness { .. } => "smoothness",
            Self::Power { .. } => "power",
            Self::Transport { .. } => "transport",
            Self::Speed { .. } => "speed",
            Self::Velocity { .. } => "velocity",
            Self::Control { .. } => "control",
            Self::Site { .. } => "site",
            Self::Orientation { .. } => "orientation",
            Self::SiteVelocity { .. } => "site_velocity",
            Self::CentreOfMass { .. } => "centre_of_mass",
            Self::Momentum { .. } => "momentum",
            Self::Sensor { .. } => "sensor",
            Self::Slip { .. } => "slip",
            Self::Sliding { .. } => "sliding",
            Self::Clearance { .. } => "clearance",
            Self::AboveGround { .. } => "above_ground",
            Self::Penetration { .. } => "penetration",
            Self::Separation { .. } => "separation",
            Self::Symmetry { .. } => "symmetry",
            Self::ContactForce { .. } => "contact_force",
        }
    }
}
