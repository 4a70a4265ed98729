//! From nodes to a plan: one whole stride with forces, controls, feedback and checks, all evaluated
//! anew.

use crate::problem::actuation::Actuation;
use crate::problem::forces::{forces_of, place};
use crate::problem::identity::TermId;
use crate::problem::layout::{Advance, Cycle, Ends};
use crate::problem::physics::{self, Units};
use crate::problem::{Evaluation, Problem, Role};
use crate::result::certify::Certificate;
use crate::result::clearance;
use crate::result::coarse::{self, step_errors};
use crate::result::feedback::gains;
use crate::result::plan::{Motion, Plan, Violation};
use crate::result::stance::stance_slip;
use crate::solve::minimize::Optimizer;
use crate::solve::multiplier::violation;
use crate::solve::optimize::Progress;
use crate::solve::report::Status;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::{Data, Model};

/// Distance at which surfaces may push in the law-independent check, m.
pub const VERDICT_GAP: f64 = 1e-3;

/// Largest unactuated force in the mirrored half of a stride, in the units of [`unactuated_rows`],
/// with which a plan counts as converged at usual tolerances. Robots whose halves differ by 0.01 %
/// cannot be better by far.
const ALLOWED_OF_IMAGE: f64 = 0.01;

/// What a trajectory is evaluated with.
#[derive(Clone, Copy, Debug)]
pub struct Assessment<'a> {
    /// The problem, with the planning model.
    pub problem: &'a Problem,
    /// The model with its own shapes.
    pub own: &'a Model,
    /// Its actuators.
    pub actuation: &'a Actuation,
    /// Units of forces and lengths.
    pub units: Units,
    /// Largest violation of constraints with which a plan counts as converged, before their slack.
    pub feasibility: f64,
}

/// The plan of a finished run, without its name and the notes of its problem.
pub fn plan(with: &Assessment<'_>, progress: &Progress, mut optimizer: Optimizer) -> Plan {
    let problem = with.problem;
    let multipliers = progress.multipliers();
    // Evaluated anew, independently of what the run reported.
    optimizer.update(problem, &multipliers, &progress.q, true);
    let terms = &problem.terms;
    let knots = &optimizer.knots;
    let cost_by_term: Vec<f64> = (0..terms.len()).map(|k| knots.iter().map(|knot| knot.cost[k]).sum()).collect();
    let constraints = (0..terms.len()).filter(|&k| terms[k].role != Role::Cost);
    let violations: Vec<Violation> = constraints
        .map(|k| Violation { constraint: terms[k].id.clone(), largest: violation(terms, knots, k) })
        .collect();
    let unactuated = violations.iter().find(|v| v.constraint == TermId::Unactuated).map_or(0.0, |v| v.largest);
    // Problems with implicit steps are posed with their discretization.
    let step_errors = match problem.evaluation {
        Evaluation::Begin => step_errors(&problem.model, problem.h(), &progress.q),
        Evaluation::End => Vec::new(),
    };
    let flaw = optimizer.flaw(problem);
    let gains = if flaw.is_none() { gains(problem, &mut optimizer) } else { Vec::new() };
    let status = match (progress.status.clone().unwrap_or(Status::Limit), flaw) {
        (invalid @ Status::Invalid { flaw: Some(_) }, _) => invalid,
        (_, flaw @ Some(_)) => Status::Invalid { flaw },
        (Status::Converged, None) => confirmed(with, &violations, &step_errors),
        (other, None) => other,
    };
    let motion = motion(with, &progress.q, gains);
    let of_image = unactuated_of_image(with, &motion);
    let unactuated = unactuated.max(of_image);
    // NaN is too much as well.
    let allowed = ALLOWED_OF_IMAGE.max(with.feasibility);
    let image_holds = of_image <= allowed;
    let status = match status {
        Status::Converged if !image_holds => {
            Status::Infeasible { constraint: TermId::Unactuated, violation: of_image, allowed }
        }
        status => status,
    };
    let found = clearance::find(with.own, &problem.model, &motion, with.units.length);
    let status = if status.converged() { found.status().unwrap_or(status) } else { status };
    let units: Vec<Vec<(usize, f64)>> = unactuated_rows(with);
    let certificate = certificate(with.own, problem, &units);
    let verdicts = match problem.evaluation {
        Evaluation::Begin => certificate.judge(&progress.q),
        Evaluation::End => Vec::new(),
    };
    Plan {
        name: String::new(),
        status,
        law: problem.model.options.laws.law,
        stance_slip: stance_slip(&problem.model, &motion),
        notes: found.note().into_iter().collect(),
        clearance: found.clearance,
        motion,
        terms: terms.iter().map(|e| e.id.clone()).collect(),
        cost: cost_by_term.iter().sum(),
        cost_by_term,
        unactuated_residual: unactuated,
        violations,
        periodicity: periodicity(problem, &progress.q),
        step_errors,
        verdicts,
        verdict_gap: VERDICT_GAP,
        weight: with.units.weight,
        length: with.units.length,
        iterations: progress.iterations,
        seconds: progress.seconds,
        times: progress.times,
        history: progress.history.clone(),
        path: progress.path.clone(),
        inexact_steps: optimizer.knots.iter().filter(|k| !k.exact).count(),
    }
}

/// Converged only if the constraints hold and the time steps are short enough.
fn confirmed(with: &Assessment<'_>, violations: &[Violation], step_errors: &[f64]) -> Status {
    for Violation { constraint, largest } in violations {
        let slack = with.problem.terms.iter().find(|e| e.id == *constraint).map_or(1.0, |e| e.slack);
        let allowed = slack * with.feasibility;
        // NaN counts as violated.
        let holds = *largest <= allowed;
        if !holds {
            return Status::Infeasible { constraint: constraint.clone(), violation: *largest, allowed };
        }
    }
    let (error, allowed) = (step_errors.iter().copied().fold(0.0, f64::max), coarse::ALLOWED);
    if error > allowed { Status::Coarse { error, allowed } } else { Status::Converged }
}

/// Largest force that no actuator can make in the half of a stride that is the mirror image of the
/// optimized one. A robot that is not quite symmetric may not be able to move like its image.
fn unactuated_of_image(with: &Assessment<'_>, motion: &Motion) -> f64 {
    let is_mirrored = matches!(&with.problem.ends, Ends::Periodic(cycle) if cycle.mirror.is_some());
    if !is_mirrored {
        return 0.0;
    }
    let rows = unactuated_rows(with);
    let image = motion.tau.chunks_exact(motion.nv).skip(with.problem.steps);
    let force = |tau: &[f64], row: &[(usize, f64)]| row.iter().map(|&(i, c)| c * tau[i]).sum::<f64>().abs();
    image.flat_map(|tau| rows.iter().map(move |row| force(tau, row))).fold(0.0, f64::max)
}

/// The law-independent check for trajectories of a problem.
pub fn certificate<'a>(own: &'a Model, problem: &Problem, unactuated: &'a [Vec<(usize, f64)>]) -> Certificate<'a> {
    Certificate { model: own, h: problem.h(), unactuated, gap: VERDICT_GAP }
}

/// Unactuated combinations in units of weight, and weight times length.
pub fn unactuated_rows(with: &Assessment<'_>) -> Vec<Vec<(usize, f64)>> {
    let Units { weight, length } = with.units;
    let unit = |i: usize| if physics::is_linear(&with.problem.model, i) { weight } else { weight * length };
    physics::unactuated_rows(with.actuation, unit)
}

/// How far the last state is from the first one, repeated: positions and velocities in the units of
/// the problem.
fn periodicity(problem: &Problem, q: &[f64]) -> f64 {
    let Ends::Periodic(cycle) = &problem.ends else { return 0.0 };
    let (model, nq, h) = (&problem.model, problem.model.size.nq, problem.h());
    let node = |k: usize| &q[k * nq..(k + 1) * nq];
    let state = |k: usize| {
        let mut v = vec![0.0; model.size.nv];
        difference(model, node(k - 1), node(k), h, &mut v);
        (node(k).to_vec(), v)
    };
    let ((q0, v0), (q1, v1)) = (state(1), state(problem.steps + 1));
    let (image, v_image) = repeat(cycle, &q0, &v0);
    let mut away = vec![0.0; model.size.nv];
    difference(model, &image, &q1, 1.0, &mut away);
    let of_q = away.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    v_image.iter().zip(&v1).fold(of_q, |m, (a, b)| m.max((a - b).abs()))
}

/// A state, one repetition later.
fn repeat(cycle: &Cycle, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut q_next, mut v_next) = (q.to_vec(), v.to_vec());
    if let Some(mirror) = &cycle.mirror {
        mirror.apply(q, &mut q_next);
        mirror.apply_tangent(v, &mut v_next);
    }
    for &Advance { coordinate: i, amount, .. } in &cycle.stride {
        q_next[i] += amount;
    }
    (q_next, v_next)
}

/// All states of the motion; of a mirrored limit cycle both halves.
fn motion(with: &Assessment<'_>, q: &[f64], gains: Vec<f64>) -> Motion {
    let problem = with.problem;
    let (model, nq, nv) = (&problem.model, problem.model.size.nq, problem.model.size.nv);
    let mut nodes: Vec<Vec<f64>> = q.chunks_exact(nq).map(<[f64]>::to_vec).collect();
    let mut all_gains = gains;
    let (mut stride, mut periodic) = (Vec::new(), false);
    if let Ends::Periodic(cycle) = &problem.ends {
        periodic = true;
        let mut times = 1.0;
        if let Some(mirror) = &cycle.mirror {
            times = 2.0;
            // Node T + t is the image of node t.
            for t in 1..=problem.steps {
                let image = repeat(cycle, &nodes[t + 1], &vec![0.0; nv]).0;
                nodes.push(image);
            }
            let half = all_gains.clone();
            for k in half.chunks_exact(2 * nv * nv) {
                all_gains.extend(mirrored_gain(&mirror.dof, k, nv));
            }
        }
        stride = cycle.stride.iter().map(|&Advance { coordinate, amount, .. }| (coordinate, times * amount)).collect();
    }
    let steps = nodes.len() - 2;
    let mut out = Motion {
        steps,
        nq,
        nv,
        nu: model.size.nu,
        h: problem.h(),
        gains: all_gains,
        stride,
        periodic,
        ..Motion::default()
    };
    let mut data = Data::new(model);
    let mut own = Data::new(with.own);
    for t in 0..steps {
        let now = [&nodes[t][..], &nodes[t + 1], &nodes[t + 2]];
        place(model, problem.h(), now, &mut data);
        push_state(with, &mut out, &data, &mut own, t);
        out.contacts.push(forces_of(model, &data));
    }
    if !periodic {
        // The last state, which no step leaves.
        let last = &nodes[steps + 1];
        place(model, problem.h(), [&nodes[steps][..], last, last], &mut data);
        difference(model, &nodes[steps], last, problem.h(), &mut data.state.v);
        data.acceleration.a.fill(0.0);
        data.acceleration.tau_inverse.fill(0.0);
        push_state(with, &mut out, &data, &mut own, steps);
        out.contacts.push(Vec::new());
        out.steps = steps + 1;
        out.gains.extend(core::iter::repeat_n(0.0, if out.gains.is_empty() { 0 } else { 2 * nv * nv }));
    }
    out
}

fn push_state(with: &Assessment<'_>, out: &mut Motion, data: &Data, own: &mut Data, t: usize) {
    out.time.push(t as f64 * out.h);
    out.q.extend_from_slice(&data.state.q);
    out.v.extend_from_slice(&data.state.v);
    out.a.extend_from_slice(&data.acceleration.a);
    out.tau.extend_from_slice(&data.acceleration.tau_inverse);
    own.state.q.copy_from_slice(&data.state.q);
    own.state.v.copy_from_slice(&data.state.v);
    saltus_sim::forward_smooth(with.own, own);
    out.u.extend(with.actuation.controls(with.own, own, &data.acceleration.tau_inverse));
}

/// P̂ K (P̂, P̂).
fn mirrored_gain(dof: &[(usize, f64)], k: &[f64], nv: usize) -> Vec<f64> {
    let mut out = vec![0.0; k.len()];
    for r in 0..nv {
        for half in 0..2 {
            for c in 0..nv {
                let ((i, si), (j, sj)) = (dof[r], dof[c]);
                out[r * 2 * nv + half * nv + c] = si * sj * k[i * 2 * nv + half * nv + j];
            }
        }
    }
    out
}
