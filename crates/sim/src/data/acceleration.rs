//! Results that depend on q, v, controls and forces.

use crate::model::Model;
use saltus_math::{Force, Motion, Vec3};

/// Results of the acceleration stage.
#[derive(Clone, Debug, Default)]
pub struct Acceleration {
    /// Scalar actuator forces · nactuator, activation rates · na. By `actuation::force`.
    pub actuator_force: Vec<f64>,
    /// Activation rates · na.
    pub act_dot: Vec<f64>,
    /// Actuator forces on the dofs · nv.
    pub tau_actuator: Vec<f64>,
    /// Net force without constraints, and the acceleration it gives · nv. By `dynamics::smooth`.
    pub tau_smooth: Vec<f64>,
    /// The acceleration that the net force gives without constraints · nv.
    pub a_smooth: Vec<f64>,
    /// Acceleration with constraints, constraint forces · nv.
    pub a: Vec<f64>,
    /// What constraint forces do to the dofs · nv.
    pub tau_constraint: Vec<f64>,
    /// Force that inverse dynamics finds · nv.
    pub tau_inverse: Vec<f64>,
    /// Body accelerations (with gravity as an upward acceleration of the world), forces from the parent, and forces
    /// from outside, in the c-frame · nbody. By `dynamics::post_constraint`.
    pub A: Vec<Motion>,
    /// Forces from the parent, c-frame · nbody.
    pub F_int: Vec<Force>,
    /// Forces from outside, c-frame · nbody.
    pub F_ext: Vec<Force>,
}

impl Acceleration {
    /// Makes all results NaN but the acceleration, which may be an input.
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
