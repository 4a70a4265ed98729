//! Derivatives of smooth forces with respect to velocity, analytic.
//!
//! Damping matrices are D = −∂τ/∂v: positive for forces that resist motion. They have the sparsity
//! of a kinematic tree: coupling between dofs of different branches is left out.

mod actuation;
mod bias;
mod fluid;
mod passive;

pub use passive::calc_dof_damping;
pub(crate) use passive::has_dof_damping;

use crate::data::Data;
use crate::model::Model;
use crate::options::Disable;
use saltus_math::{Motion, TreeMatrix, ldl::TreePattern};

/// D = −∂τ_smooth/∂v on the sparsity pattern of the kinematic trees, with working memory.
#[derive(Clone, Debug, Default)]
pub struct Damping {
    /// The pattern: each dof with all its ancestors, also for bodies whose block of M is diagonal.
    pub tree: TreePattern,
    /// The matrix, on the pattern `tree`.
    pub D: TreeMatrix,
    dof: Vec<f64>,
    columns: Vec<Motion>,
    bias: bias::BiasWork,
}

impl Damping {
    /// Computes D from dampers of joints and tendons, velocity feedback of actuators and fluid
    /// forces, and from Coriolis and centrifugal forces for the kinematic trees that `with_bias`
    /// accepts. Needs the acceleration stage.
    pub fn update(&mut self, model: &Model, data: &Data, with_bias: impl Fn(usize) -> bool) {
        self.reset(model);
        if !model.options.disable.has(Disable::DAMPER) {
            self.dof.resize(model.size.nv, 0.0);
            calc_dof_damping(model, data, &mut self.dof);
            for (i, d) in self.dof.iter().enumerate() {
                self.D.lower[self.tree.diag(i)] += d;
            }
        }
        passive::add_tendon_damping(model, data, &self.tree, &mut self.D);
        actuation::add_actuator_damping(model, data, &self.tree, &mut self.D);
        fluid::add_fluid_damping(model, data, &self.tree, &mut self.columns, &mut self.D);
        bias::add_bias_slope(model, data, &self.tree, &mut self.bias, &mut self.D, with_bias);
    }

    /// Computes D from drag only; false if there is no fluid.
    pub fn update_drag(&mut self, model: &Model, data: &Data) -> bool {
        if model.options.density == 0.0 && model.options.viscosity == 0.0 {
            return false;
        }
        self.reset(model);
        fluid::add_fluid_drag(model, data, &self.tree, &mut self.columns, &mut self.D);
        true
    }

    /// Computes D from Coriolis and centrifugal forces only, for the kinematic trees that `chosen`
    /// accepts.
    pub fn update_bias(&mut self, model: &Model, data: &Data, chosen: impl Fn(usize) -> bool) {
        self.reset(model);
        bias::add_bias_slope(model, data, &self.tree, &mut self.bias, &mut self.D, chosen);
    }

    fn reset(&mut self, model: &Model) {
        self.tree.rebuild(model.dofs.parent.iter().map(|p| p.map(|d| d.0)));
        self.D.reset(&self.tree);
    }
}
