//! Results that depend on q and v.

use crate::model::Model;
use saltus_math::{Motion, Vec3};

/// Results of the velocity stage, in the c-frame of [`Position`](super::Position).
#[derive(Clone, Debug, Default)]
pub struct Velocity {
    /// Body velocities · nbody, and rates of the motion axes · nv. By `kinematics::velocity`.
    pub V: Vec<Motion>,
    /// Rates of the motion axes · nv.
    pub S_dot: Vec<Motion>,
    /// ntendon, nactuator.
    pub tendon_velocity: Vec<f64>,
    /// Rates of actuator lengths · nactuator.
    pub actuator_velocity: Vec<f64>,
    /// Coriolis, centrifugal and gravitational forces c(q, v) · nv. By `dynamics::rne`.
    pub bias: Vec<f64>,
    /// Passive forces and their sum · nv. By `dynamics::passive`.
    pub spring: Vec<f64>,
    /// Forces of dampers · nv.
    pub damper: Vec<f64>,
    /// Forces of gravity compensation · nv.
    pub gravcomp: Vec<f64>,
    /// Forces of the medium · nv.
    pub fluid: Vec<f64>,
    /// Forces of adhesion · nv.
    pub adhesion: Vec<f64>,
    /// Sum of the passive forces · nv.
    pub passive: Vec<f64>,
    /// Velocity of each subtree's centre of mass and angular momentum about it · nbody. By `dynamics::momentum`.
    pub com_velocity: Vec<Vec3>,
    /// Angular momentum of each subtree about its centre of mass · nbody.
    pub angular_momentum: Vec<Vec3>,
}

impl Velocity {
    /// Makes all results NaN.
    pub(super) fn poison(&mut self) {
        let Self {
            tendon_velocity, actuator_velocity, bias, spring, damper, gravcomp, fluid, adhesion, passive, ..
        } = self;
        for x in [tendon_velocity, actuator_velocity, bias, spring, damper, gravcomp, fluid, adhesion, passive] {
            x.fill(f64::NAN);
        }
        self.V.fill(Motion::new(Vec3::NAN, Vec3::NAN));
        self.S_dot.fill(Motion::new(Vec3::NAN, Vec3::NAN));
        self.com_velocity.fill(Vec3::NAN);
        self.angular_momentum.fill(Vec3::NAN);
    }

    pub(super) fn new(model: &Model) -> Self {
        let (nbody, nv) = (model.nbody(), model.size.nv);
        Self {
            V: vec![Motion::ZERO; nbody],
            S_dot: vec![Motion::ZERO; nv],
            tendon_velocity: vec![0.0; model.ntendon()],
            actuator_velocity: vec![0.0; model.nactuator()],
            bias: vec![0.0; nv],
            spring: vec![0.0; nv],
            damper: vec![0.0; nv],
            gravcomp: vec![0.0; nv],
            fluid: vec![0.0; nv],
            adhesion: vec![0.0; nv],
            passive: vec![0.0; nv],
            com_velocity: vec![Vec3::ZERO; nbody],
            angular_momentum: vec![Vec3::ZERO; nbody],
        }
    }
}
