//! A trajectory optimization problem: a model, a number of steps, its ends, and terms.
//!
//!   min over q of Σ_t m_t Σ_terms ½ |r(q_t, v_t, a_t, τ_t)|²   subject to   c = 0,  d ≤ 0,
//!   v_t = (q_t ⊖ q_{t−1})/h,   a_t = (v_{t+1} − v_t)/h,   τ_t = inverse dynamics of (q_t, v_t, a_t)   (1)
//!
//! m_t is 1/T unless a term says otherwise, so that weights mean the same at any number of steps.

pub mod actuation;
pub(crate) mod cone;
pub mod continuation;
pub mod forces;
pub mod identity;
pub mod layout;
pub mod mirror;
pub mod physics;
pub mod point;
pub mod rows;
pub mod tangent;
pub mod term;

use crate::problem::identity::TermId;
use crate::problem::layout::Ends;
use crate::problem::rows::{Knot, Rows};
use saltus_sim::Model;

/// Residuals at one step. All goals and limits of a problem are terms, and users can write their
/// own.
pub trait Term: Send + Sync + core::fmt::Debug {
    /// Writes the residuals at a step and their derivatives. The number of rows may depend on the
    /// step only.
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows);
}

/// How the residuals of a term enter the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Half of the sum of their squares is minimized.
    Cost,
    /// They must be zero.
    Equality,
    /// They must not be positive.
    Inequality,
}

/// The steps at which a term is active: from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First step.
    pub first: usize,
    /// Last step.
    pub last: usize,
}

impl Window {
    /// All steps.
    pub const ALWAYS: Window = Window { first: 0, last: usize::MAX };

    /// States from one time to another, s, of a trajectory with steps of `h`.
    pub fn between(from: f64, to: f64, h: f64) -> Self {
        let state = |t: f64| (t / h).round().max(0.0) as usize;
        Self { first: state(from), last: state(to) }
    }

    /// The last state of a trajectory.
    pub fn end(steps: usize) -> Self {
        Self { first: steps, last: steps }
    }

    /// Whether it contains a step.
    pub fn has(&self, t: usize) -> bool {
        (self.first..=self.last).contains(&t)
    }
}

/// A term of a problem.
#[derive(Debug)]
pub struct Entry {
    /// Which term it is.
    pub id: TermId,
    /// The residuals.
    pub term: Box<dyn Term>,
    /// Cost or constraint.
    pub role: Role,
    /// The steps at which it is active.
    pub window: Window,
    /// Factor of the cost at one step instead of 1/T, for terms that are active once.
    pub measure: Option<f64>,
    /// Factor on the violation that is allowed at the end.
    pub slack: f64,
}

impl Entry {
    /// A term that is active at all steps, without slack.
    pub fn new(id: impl Into<TermId>, role: Role, term: impl Term + 'static) -> Self {
        Self { id: id.into(), term: Box::new(term), role, window: Window::ALWAYS, measure: None, slack: 1.0 }
    }
    /// The same term at these steps only.
    pub fn within(mut self, window: Window) -> Self {
        self.window = window;
        self
    }
    /// The same constraint with this factor on the allowed violation.
    pub fn with_slack(mut self, slack: f64) -> Self {
        self.slack = slack;
        self
    }
    /// The same term with this factor of the cost at one step.
    pub fn measured(mut self, measure: f64) -> Self {
        self.measure = Some(measure);
        self
    }
}

/// Where in a step the dynamics are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// At (q_t, v_t): the plan is a sequence of explicit steps, as the engine makes them.
    #[default]
    Begin,
    /// At (q_{t+1}, v_{t+1}): implicit steps, which are stable with stiff contact.
    End,
}

/// A trajectory optimization problem. The options of its model hold the contact law and the time
/// step.
#[derive(Debug)]
pub struct Problem {
    /// The model.
    pub model: Model,
    /// Number of steps.
    pub steps: usize,
    /// How the motion begins and ends.
    pub ends: Ends,
    /// Where in a step terms and forces are evaluated.
    pub evaluation: Evaluation,
    /// The terms.
    pub terms: Vec<Entry>,
    /// Unit of each dof in which steps of the optimizer are measured · nv.
    pub scale: Vec<f64>,
}

impl Problem {
    /// Time step, s.
    pub fn h(&self) -> f64 {
        self.model.options.timestep
    }
}
