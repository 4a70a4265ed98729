//! Results that depend on q, v, controls and forces.

use crate::model::Model;
use saltus_math::{Force, Motion, Vec3};

/// Results of the acceleration stage.
#[derive(Clone, Debug, Default)]
pub struct Acceleration {
    /// Scalar actuator forces · nactuator · by `actuation::force`.
    pub actuator_force: Vec<f64>,
    /// Activation rates · na · by `actuation`.
    pub act_dot: Vec<f64>,
    /// Generalized forces of the actuators · nv · by `actuation::force`.
    pub tau_actuator: Vec<f64>,
    /// Net generalized force without constraint forces · nv · by `forward`.
    pub tau_smooth: Vec<f64>,
    /// Acceleration without constraint forces · nv · by `forward`.
    pub a_smooth: Vec<f64>,
    /// Acceleration including constraint forces · nv · by the contact law. Input of inverse
    /// dynamics.
    pub a: Vec<f64>,
    /// Generalized constraint forces Jᵀ f · nv · by the contact law.
    pub tau_constraint: Vec<f64>,
    /// Generalized force computed by inverse dynamics · nv · by `inverse`.
    pub tau_inverse: Vec<f64>,
    /// Body accelerations in the c-frame, with gravity as an upward acceleration of the world ·
    /// nbody · by `dynamics::post_constraint`.
    pub A: Vec<Motion>,
    /// Forces that the parents exert on the bodies, in the c-frame · nbody · by
    /// `dynamics::post_constraint`.
    pub F_int: Vec<Force>,
    /// External forces on the bodies, in the c-frame · nbody · by `dynamics::post_constraint`.
    pub F_ext: Vec<Force>,
}

impl Acceleration {
    /// Fills all results with NaN except the acceleration, which may be an input.
    pub(super) fn poison(&mut self) {
        let Self { actuator_force, act_dot, tau_actuator, tau_smooth, a_smooth, tau_constraint, tau_inverse, .. } =
            self;
        for x in [actuator_force, act_dot, tau_actuator, tau_smooth, a_smooth, tau_constraint, tau_inverse] {
            x.fill(f64::NAN);
        }
        self.A.fill(Motion::new(Vec3::NAN, Vec3::NAN));
        self.F_int.fill(Force::new(Vec3::NAN, Vec3::NAN));
        self.F_ext.fill(Force::new(Vec3::NAN, Vec3::NAN));
    }

    pub(super) fn new(model: &Model) -> Self {
        let (nbody, nv) = (model.nbody(), model.size.nv);
        Self {
            actuator_force: vec![0.0; model.nactuator()],
            act_dot: vec![0.0; model.size.na],
            tau_actuator: vec![0.0; nv],
            tau_smooth: vec![0.0; nv],
            a_smooth: vec![0.0; nv],
            a: vec![0.0; nv],
            tau_constraint: vec![0.0; nv],
            tau_inverse: vec![0.0; nv],
            A: vec![Motion::ZERO; nbody],
            F_int: vec![Force::ZERO; nbody],
            F_ext: vec![Force::ZERO; nbody],
        }
    }
}
