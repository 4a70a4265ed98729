//! What steps treat as implicit: the one place that says so. Integrators step by it, `derivative`
//! differentiates it.

use super::law::Law;
use super::{Disable, Integrator, Options, Solver};

/// What the matrix M̂ by which steps advance has beyond the inertia M.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implicit {
    /// Nothing: M̂ = M.
    Nothing,
    /// h D, D the dampers of dofs, on the diagonal.
    Dampers,
    /// h D, D all damping (dofs, tendons, actuators, the medium) inside the sparsity of the tree,
    /// with ∂c/∂v of the bias c.
    Damping { bias: ImplicitBias },
    /// h D + h² K, inside the constraint solve, of terms that are positive: dofs and the medium,
    /// and with `lengths` tendons and actuators.
    Discrete { lengths: bool },
}

/// Whose bias is implicit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImplicitBias {
    /// That of all bodies; D is not symmetric then.
    All,
    /// That of free bodies that stand alone; D is made symmetric for others.
    FreeBodies,
}

impl Options {
    /// What is implicit in a step.
    pub fn implicit(&self) -> Implicit {
        match self.scheme() {
            Integrator::Euler if self.euler_is_damped() => Implicit::Dampers,
            Integrator::Implicit => Implicit::Damping { bias: ImplicitBias::All },
            Integrator::ImplicitFast => Implicit::Damping { bias: ImplicitBias::FreeBodies },
            // The soft law's dual solver needs all of the metric in its factors: tendons and
            // actuators stay explicit under it.
            Integrator::Discrete => {
                Implicit::Discrete { lengths: self.solver != Solver::Pgs || self.laws.law != Law::Soft }
            }
            _ => Implicit::Nothing,
        }
    }

    /// Whether dampers of dofs are implicit in steps of Euler's method, which also stand in for
    /// those of others.
    pub fn euler_is_damped(&self) -> bool {
        !self.disable.has(Disable::EULERDAMP) && !self.disable.has(Disable::DAMPER)
    }
}
