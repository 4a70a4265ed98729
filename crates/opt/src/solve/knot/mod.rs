//! One step of a trajectory: dynamics, terms, and the local quadratic model of both.
//!
//! Local unknowns are the changes (δ₀, δ₁, δ₂) of the three configurations that the step sees,
//! columns 0 … 3n−1. With V = ∂v, V' = ∂v' (the velocities before and after, `tangent`),
//!   ∂a = (V' − V)/h,   ∂τ = τ_q ∂q + τ_v ∂v + τ_a ∂a.                                            (1)

pub mod curvature;
mod dynamics;
mod flaw;
mod group;
mod lines;
mod lists;
mod terms;

use crate::problem::rows::Rows;
use crate::problem::tangent::Rotations;
use crate::problem::{Evaluation, Problem, Role};
use crate::solve::pool::Pool;
use curvature::{CurvatureMemory, update_here};
pub(crate) use dynamics::update_dynamics;
pub use flaw::{KnotFlaw, Quantity};
use group::Group;
use lines::{DenseRows, Line, PendingRow};
pub use lists::Lists;
use saltus_math::Mat3;
use saltus_math::gram::Gram;
use saltus_sim::data::Data;
use saltus_sim::derivative::Workspace;
use saltus_sim::derivative::point::PointError;
use terms::update_terms;

/// What a step gives: values, and if they were asked for, gradient and Hessian of the merit by the
/// local unknowns.
#[derive(Clone, Debug, Default)]
pub struct KnotResult {
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations.
    pub a: Vec<f64>,
    /// Generalized forces.
    pub tau: Vec<f64>,
    /// Cost and penalties with their measure.
    pub merit: f64,
    /// Cost of each term with its measure, 0 for constraints.
    pub cost: Vec<f64>,
    /// Values of each constraint, empty for costs.
    pub constraint: Lists,
    /// Weights times residuals, by term and row: what multiplies derivatives of residuals in the
    /// gradient.
    pub pull: Lists,
    /// Gradient of the merit.
    pub gradient: Vec<f64>,
    /// Lower triangle · 3n × `ld`.
    pub hessian: Vec<f64>,
    /// What the curvature of residuals adds to it, of the last evaluation that asked for it.
    pub curvature: Vec<f64>,
    /// ∂τ by local unknowns · nv × `ld`.
    pub tau_x: Vec<f64>,
    /// Weights of the squares of single forces in the merit · nv.
    pub tau_weight: Vec<f64>,
    /// Equalities, one by one, where they were asked for.
    pub equalities: Equalities,
    /// Why there is no result.
    pub error: Option<PointError>,
    /// The first number that is not finite; the merit is infinite then.
    pub flaw: Option<KnotFlaw>,
    /// Whether derivatives of contact geometry were exact.
    pub exact: bool,
}

/// Rows of all terms of a step for which there is room from the beginning.
const ROWS: usize = 256;

impl KnotResult {
    /// With room for a step of the problem; where a model is asked for, for that too.
    pub fn with_room(problem: &Problem, model: bool) -> Self {
        let (n, terms) = (problem.model.size.nv, problem.terms.len());
        let room = |size: usize| Vec::with_capacity(if model { size } else { 0 });
        Self {
            v: Vec::with_capacity(n),
            a: Vec::with_capacity(n),
            tau: Vec::with_capacity(n),
            cost: Vec::with_capacity(terms),
            constraint: Lists::with_room(terms, ROWS),
            pull: Lists::with_room(terms, ROWS),
            gradient: Vec::with_capacity(3 * n),
            hessian: room(3 * n * stride(n)),
            tau_x: room(n * stride(n)),
            tau_weight: room(n),
            ..Self::default()
        }
    }
}

/// Linearized equalities of a step.
#[derive(Clone, Debug, Default)]
pub struct Equalities {
    /// Term and row.
    pub at: Vec<(usize, usize)>,
    /// Factor of the step in the merit.
    pub measure: Vec<f64>,
    /// Derivatives by the local unknowns · rows × `ld`.
    pub rows: Vec<f64>,
    /// Penalty of each with which the linearized problem is solved; empty before that.
    pub stiffness: Vec<f64>,
}

impl Equalities {
    fn clear(&mut self) {
        self.at.clear();
        self.measure.clear();
        self.rows.clear();
        self.stiffness.clear();
    }
}

/// Multipliers and penalty of the constraints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Multipliers {
    /// By term and step.
    pub lambda: Vec<Vec<Vec<f64>>>,
    /// Weight of the penalty of constraints.
    pub penalty: f64,
    /// For restoration: costs count in the Hessian only, so that steps go to the nearest point at
    /// which constraints hold, and inequalities may be violated by this times their slack.
    pub restore: Option<f64>,
}

/// Memory of one thread.
#[derive(Debug)]
pub struct KnotMemory {
    pub(crate) data: Data,
    pub(crate) work: Workspace,
    tau_q: Vec<f64>,
    tau_v: Vec<f64>,
    tau_a: Vec<f64>,
    /// A row of ∂τ by the velocities before and after.
    by_before: Vec<f64>,
    by_after: Vec<f64>,
    pub(crate) before: Vec<Mat3>,
    pub(crate) after: Vec<Mat3>,
    pub(crate) curvature: CurvatureMemory,
    v_next: Vec<f64>,
    rows: Rows,
    dense: DenseRows,
    weight: Vec<f64>,
    force: Vec<f64>,
    /// Rows that are more than a force.
    pending: Vec<PendingRow>,
    line: Line,
    group: Group,
    gram: Gram,
    local: Vec<f64>,
}

/// What evaluates the steps of a trajectory.
#[derive(Debug)]
pub struct KnotWorkers {
    /// Which dofs are rotations.
    pub rotations: Rotations,
    /// Threads with their memory.
    pub pool: Pool<KnotMemory>,
}

/// Row stride of local matrices.
pub fn stride(n: usize) -> usize {
    (3 * n).next_multiple_of(4)
}

impl KnotMemory {
    /// For a problem.
    pub fn new(problem: &Problem) -> Self {
        let n = problem.model.size.nv;
        let (square, ld) = (vec![0.0; n * n], stride(n));
        Self {
            data: Data::new(&problem.model),
            work: Workspace::default(),
            tau_q: square.clone(),
            tau_v: square.clone(),
            tau_a: square,
            by_before: vec![0.0; n],
            by_after: vec![0.0; n],
            before: Vec::new(),
            after: Vec::new(),
            curvature: CurvatureMemory::default(),
            v_next: vec![0.0; n],
            rows: Rows::default(),
            dense: DenseRows::default(),
            weight: vec![0.0; n],
            force: vec![0.0; n],
            pending: Vec::new(),
            line: Line::new(ld),
            group: Group::new(ld),
            gram: Gram::default(),
            local: Vec::new(),
        }
    }

    /// Memory for `count` numbers.
    pub(crate) fn local(&mut self, count: usize) -> &mut [f64] {
        self.local.resize(count, 0.0);
        &mut self.local
    }
}

/// What a step is evaluated from.
#[derive(Clone, Copy, Debug)]
pub struct KnotInput<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Which dofs are rotations.
    pub rotations: &'a Rotations,
    /// Multipliers and penalty.
    pub multipliers: &'a Multipliers,
    /// The step.
    pub t: usize,
    /// Configurations t−1, t, t+1; the last is missing where no step follows.
    pub q: [&'a [f64]; 2],
    /// Configuration after the step; none at the end.
    pub q_next: Option<&'a [f64]>,
    /// What is wanted.
    pub mode: Mode,
}

impl KnotInput<'_> {
    /// Whether the step is evaluated at its end.
    fn is_at_end(&self) -> bool {
        self.problem.evaluation == Evaluation::End && self.q_next.is_some()
    }
    /// The first local unknown of the configuration at which the step is evaluated.
    fn first_of_q(&self) -> usize {
        let node = if self.is_at_end() { 2 } else { 1 };
        node * self.problem.model.size.nv
    }
}

/// What is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Values only.
    Values,
    /// Values, gradient and Gauss–Newton Hessian.
    Model,
    /// The same, and derivatives of the equalities one by one.
    Linearized,
    /// Those of `Model`, and the curvature of residuals.
    Newton,
}

impl Mode {
    fn jacobian(&self) -> bool {
        *self != Mode::Values
    }
}

/// Evaluates a step.
pub fn evaluate(input: &KnotInput<'_>, memory: &mut KnotMemory, out: &mut KnotResult) {
    out.error = None;
    out.flaw = None;
    let outcome = update_dynamics(input, memory, out);
    if let Err(error) = outcome {
        out.error = Some(error);
        fail(input, out);
        return;
    }
    update_terms(input, memory, out);
    if input.mode == Mode::Newton {
        update_here(input, memory, out);
    }
}

/// A step without a result: nothing of an earlier one is left, constraints do not hold, derivatives
/// are zero.
fn fail(input: &KnotInput<'_>, out: &mut KnotResult) {
    let (terms, n) = (&input.problem.terms, input.problem.model.size.nv);
    out.merit = f64::INFINITY;
    out.cost = vec![0.0; terms.len()];
    out.constraint.clear();
    out.pull.clear();
    for entry in terms {
        if entry.role != Role::Cost {
            out.constraint.push(f64::INFINITY);
        }
        out.constraint.end();
        out.pull.end();
    }
    if input.mode.jacobian() {
        out.gradient = vec![0.0; 3 * n];
        out.hessian = vec![0.0; 3 * n * stride(n)];
        out.tau_x = vec![0.0; n * stride(n)];
        out.tau_weight = vec![0.0; n];
        out.curvature.clear();
        out.equalities = Equalities::default();
    }
}
