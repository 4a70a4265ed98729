//! State and inputs, which determine all results.

use crate::model::Model;
use saltus_math::{Quat, Vec3};

/// The state. A step from a copy of the state gives the same bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// Coordinates · nq.
    pub q: Vec<f64>,
    /// Velocities · nv.
    pub v: Vec<f64>,
    /// Activations · na.
    pub act: Vec<f64>,
    /// Acceleration from which the constraint solver starts · nv.
    pub a_warm: Vec<f64>,
    /// Positions of mocap bodies · nmocap.
    pub mocap_pos: Vec<Vec3>,
    /// Orientations of mocap bodies · nmocap.
    pub mocap_quat: Vec<Quat>,
    /// Whether each equality constraint is active · nequality.
    pub equality_active: Vec<bool>,
    /// User data, which the engine does not use · nuserdata.
    pub user: Vec<f64>,
}

impl State {
    /// Copies another state of the same sizes, without allocation.
    pub fn copy_from(&mut self, other: &Self) {
        self.time = other.time;
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
        self.act.copy_from_slice(&other.act);
        self.a_warm.copy_from_slice(&other.a_warm);
        self.mocap_pos.copy_from_slice(&other.mocap_pos);
        self.mocap_quat.copy_from_slice(&other.mocap_quat);
        self.equality_active.copy_from_slice(&other.equality_active);
        self.user.copy_from_slice(&other.user);
    }

    pub(super) fn new(model: &Model) -> Self {
        let size = &model.size;
        Self {
            time: 0.0,
            q: vec![0.0; size.nq],
            v: vec![0.0; size.nv],
            act: vec![0.0; size.na],
            a_warm: vec![0.0; size.nv],
            mocap_pos: vec![Vec3::ZERO; size.nmocap],
            mocap_quat: vec![Quat::IDENTITY; size.nmocap],
            equality_active: vec![false; model.nequality()],
            user: vec![0.0; size.nuserdata],
        }
    }

    pub(super) fn reset(&mut self, model: &Model) {
        self.time = 0.0;
        self.q.copy_from_slice(&model.q0);
        self.v.fill(0.0);
        self.act.fill(0.0);
        self.a_warm.fill(0.0);
        self.user.fill(0.0);
        self.equality_active.copy_from_slice(&model.equalities.active);
        for (body, mocap) in model.bodies.mocap.iter().enumerate() {
            if let Some(m) = *mocap {
                self.mocap_pos[m as usize] = model.bodies.pos[body];
                self.mocap_quat[m as usize] = model.bodies.quat[body];
            }
        }
    }
}

/// Inputs from the user: controls and applied forces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Controls · nu.
    pub ctrl: Vec<f64>,
    /// Applied generalized forces · nv.
    pub tau_applied: Vec<f64>,
    /// Force and torque applied at the centre of mass of each body, in world axes · nbody.
    pub body_force: Vec<[Vec3; 2]>,
}

impl Input {
    /// Copies other inputs of the same sizes, without allocation.
    pub fn copy_from(&mut self, other: &Self) {
        self.ctrl.copy_from_slice(&other.ctrl);
        self.tau_applied.copy_from_slice(&other.tau_applied);
        self.body_force.copy_from_slice(&other.body_force);
    }

    pub(super) fn new(model: &Model) -> Self {
        Self {
            ctrl: vec![0.0; model.size.nu],
            tau_applied: vec![0.0; model.size.nv],
            body_force: vec![[Vec3::ZERO; 2]; model.nbody()],
        }
    }
    pub(super) fn reset(&mut self) {
        self.ctrl.fill(0.0);
        self.tau_applied.fill(0.0);
        self.body_force.fill([Vec3::ZERO; 2]);
    }
}
