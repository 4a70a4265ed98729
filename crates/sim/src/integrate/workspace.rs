//! Working memory of integrators.

use crate::data::State;
use crate::dynamics::derivatives::Damping;
use crate::model::Model;
use saltus_math::TreeMatrix;

/// Working memory; its contents mean nothing between steps. Sized at first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// Effective inertia and its factors, on `mass_pattern`; and inverse pivots, nv entries.
    pub M_hat: Vec<f64>,
    pub pivot_inv: Vec<f64>,
    /// Damping of joints, nv entries.
    pub dof_damping: Vec<f64>,
    /// Acceleration by which a step advances, nv entries.
    pub a_step: Vec<f64>,
    /// D = −∂τ/∂v, and M + h D on the same pattern; used by `implicit`.
    pub damping: Damping,
    pub full: TreeMatrix,
    /// Forces on isolated free bodies, six per body.
    pub block_force: Vec<f64>,
    /// State before the step.
    pub start: Start,
    /// Actuator lengths before the step, one per actuator.
    pub actuator_length: Vec<f64>,
    /// Rates of the stages of Runge–Kutta schemes.
    pub stages: [Rates; 4],
    /// Weighted sum of the rates of stages.
    pub sum: Rates,
}

/// The part of the state that a step changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    pub time: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub act: Vec<f64>,
    pub a_warm: Vec<f64>,
}

impl Start {
    pub fn copy_from(&mut self, state: &State) {
        self.time = state.time;
        self.q.clone_from(&state.q);
        self.v.clone_from(&state.v);
        self.act.clone_from(&state.act);
        self.a_warm.clone_from(&state.a_warm);
    }
    pub fn copy_to(&self, state: &mut State) {
        state.time = self.time;
        state.q.copy_from_slice(&self.q);
        state.v.copy_from_slice(&self.v);
        state.act.copy_from_slice(&self.act);
        state.a_warm.copy_from_slice(&self.a_warm);
    }
}

/// Rates of a stage: velocity in the tangent space of the initial q, acceleration, activation rate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rates {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub act: Vec<f64>,
}

impl Rates {
    pub fn resize(&mut self, nv: usize, na: usize) {
        self.q.resize(nv, 0.0);
        self.v.resize(nv, 0.0);
        self.act.resize(na, 0.0);
    }
    /// self += weight · other.
    pub fn add(&mut self, weight: f64, other: &Rates) {
        for (x, y) in [(&mut self.q, &other.q), (&mut self.v, &other.v), (&mut self.act, &other.act)] {
            x.iter_mut().zip(y).for_each(|(x, y)| *x += weight * y);
        }
    }
    pub fn clear(&mut self) {
        self.q.fill(0.0);
        self.v.fill(0.0);
        self.act.fill(0.0);
    }
}

impl Workspace {
    /// Allocates the memory that all schemes use.
    pub fn fit(&mut self, model: &Model) {
        let nv = model.size.nv;
        self.M_hat.resize(model.mass_pattern.nnz(), 0.0);
        for x in [&mut self.pivot_inv, &mut self.dof_damping, &mut self.a_step] {
            x.resize(nv, 0.0);
        }
    }
    /// Allocates the stages of Runge–Kutta schemes.
    pub fn fit_stages(&mut self, model: &Model) {
        for rates in self.stages.iter_mut().chain([&mut self.sum]) {
            rates.resize(model.size.nv, model.size.na);
        }
    }
}
