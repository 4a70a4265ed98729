//! Results that depend on q and v.

use crate::model::Model;
use saltus_math::{Motion, Vec3};

/// Results of the velocity stage, in the c-frame of [`Position`](super::Position).
#[derive(Clone, Debug, Default)]
pub struct Velocity {
    /// Body velocities · nbody · by `kinematics::velocity`.
    pub V: Vec<Motion>,
    /// Time derivatives of the motion axes · nv · by `kinematics::velocity`.
    pub S_dot: Vec<Motion>,
    /// Time derivatives of tendon lengths · ntendon · by `tendon`.
    pub tendon_velocity: Vec<f64>,
    /// Time derivatives of actuator lengths · nactuator · by `actuation`.
    pub actuator_velocity: Vec<f64>,
    /// Coriolis, centrifugal and gravitational forces c(q, v) · nv · by `dynamics::rne`.
    pub bias: Vec<f64>,
    /// Spring forces · nv · by `dynamics::passive`.
    pub spring: Vec<f64>,
    /// Damper forces · nv · by `dynamics::passive`.
    pub damper: Vec<f64>,
    /// Gravity compensation forces · nv · by `dynamics::passive`.
    pub gravcomp: Vec<f64>,
    /// Fluid forces · nv · by `dynamics::passive`.
    pub fluid: Vec<f64>,
    /// Adhesion forces · nv.
    pub adhesion: Vec<f64>,
    /// Sum of the passive forces · nv · by `dynamics::passive`.
    pub passive: Vec<f64>,
    /// Velocity of the centre of mass of each subtree · nbody · by `dynamics::momentum`.
    pub com_velocity: Vec<Vec3>,
    /// Angular momentum of each subtree about its centre of mass · nbody · by `dynamics::momentum`.
    pub angular_momentum: Vec<Vec3>,
}

impl Velocity {
    /// Fills all results with NaN.
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
