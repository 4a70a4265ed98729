//! What is reported of a trajectory: iterations, points of the path, and the plan.

use crate::hardness::Hardness;
use crate::knot::KnotResult;
use crate::minimize::{Optimizer, Step};
use crate::multiplier::{largest_violation, violation};
use crate::optimize::Progress;
use crate::plan::{ContactForce, FAR, Iteration, PathPoint};
use crate::problem::{Problem, Role};
use saltus_math::Vec3;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::{Data, Model};

/// Name of the constraint on forces that no actuator makes.
pub const UNACTUATED: &str = "unactuated";

/// What an iteration says of the trajectory before it.
pub fn iteration(problem: &Problem, knots: &[KnotResult], step: &Step) -> Iteration {
    let cost_by_term: Vec<f64> =
        (0..problem.terms.len()).map(|k| knots.iter().map(|knot| knot.cost[k]).sum()).collect();
    let own = problem.terms.iter().position(|e| e.name == UNACTUATED);
    let others = (0..problem.terms.len()).filter(|k| Some(*k) != own && problem.terms[*k].role != Role::Cost);
    Iteration {
        cost: cost_by_term.iter().sum(),
        cost_by_term,
        merit: step.merit,
        unactuated: own.map_or(0.0, |k| violation(&problem.terms, knots, k)),
        violation: others.fold(0.0, |m, k| f64::max(m, violation(&problem.terms, knots, k))),
        step: step.length,
        damping: step.damping,
        accepted: step.accepted,
        ..Iteration::default()
    }
}

/// A point of the path that was reached.
pub fn path_point(problem: &Problem, optimizer: &Optimizer, progress: &Progress, hardness: &Hardness) -> PathPoint {
    let (mut force_at_distance, mut penetration) = (0.0f64, 0.0f64);
    let weight = weight(&problem.model);
    for contacts in contact_forces(problem, &progress.q) {
        let far = contacts.iter().filter(|c| c.gap > FAR).map(|c| Vec3::from(c.force).dot(Vec3::from(c.normal)));
        force_at_distance = force_at_distance.max(far.sum::<f64>() / weight);
        penetration = contacts.iter().fold(penetration, |p, c| p.max(-c.gap));
    }
    let before = progress.period.before + progress.path.iter().map(|p| p.iterations).sum::<usize>();
    PathPoint {
        path: progress.s,
        smoothing: hardness.smoothing,
        hover: hardness.hover,
        reach: hardness.reach,
        cost: optimizer.knots.iter().flat_map(|k| &k.cost).sum(),
        violation: largest_violation(&problem.terms, &optimizer.knots),
        force_at_distance,
        penetration,
        iterations: progress.iterations - before,
        seconds: progress.seconds,
    }
}

/// Weight of all that moves, N; of 1 kg-worth of gravity where there is none.
pub fn weight(model: &Model) -> f64 {
    let mass: f64 = (1..model.nbody()).filter(|&b| model.bodies.tree[b].is_some()).map(|b| model.bodies.mass[b]).sum();
    let gravity = model.options.gravity.length();
    mass.max(f64::MIN_POSITIVE) * if gravity > 0.0 { gravity } else { 9.81 }
}

/// State, acceleration and inverse dynamics of step t in `data`.
pub fn place(model: &Model, h: f64, nodes: [&[f64]; 3], data: &mut Data) {
    let mut next = vec![0.0; model.size.nv];
    data.state.q.copy_from_slice(nodes[1]);
    difference(model, nodes[0], nodes[1], h, &mut data.state.v);
    difference(model, nodes[1], nodes[2], h, &mut next);
    for (i, next) in next.iter().enumerate() {
        data.acceleration.a[i] = (next - data.state.v[i]) / h;
    }
    // Laws without an inverse are refused before optimization.
    let _ = saltus_sim::inverse(model, data);
}

/// Contact forces of all steps, by the law of the problem.
pub fn contact_forces(problem: &Problem, q: &[f64]) -> Vec<Vec<ContactForce>> {
    let model = &problem.model;
    let mut data = Data::new(model);
    let nodes: Vec<&[f64]> = q.chunks_exact(model.size.nq).collect();
    nodes
        .windows(3)
        .map(|w| {
            place(model, problem.h(), [w[0], w[1], w[2]], &mut data);
            forces_of(model, &data)
        })
        .collect()
}

/// Contact forces of the present state.
pub fn forces_of(model: &Model, data: &Data) -> Vec<ContactForce> {
    let with_rows = data.contacts.iter().filter(|c| c.first_row >= 0);
    with_rows
        .map(|c| {
            let row = c.first_row as usize;
            let axes = [c.frame.r0, c.frame.r1, c.frame.r2];
            let count = (c.dim as usize).min(3);
            let force: Vec3 = (0..count).map(|k| axes[k] * data.constraints.force[row + k]).sum();
            let bodies = [c.geom1, c.geom2].map(|g| model.geoms.body[g.idx()].idx());
            // The normal points from the first geom to the second: the force acts on the second. What moves comes first.
            let flip = model.bodies.tree[bodies[1]].is_none();
            let sign = if flip { -1.0 } else { 1.0 };
            ContactForce {
                body: bodies[usize::from(!flip)],
                other: bodies[usize::from(flip)],
                point: c.pos.to_array(),
                normal: (sign * axes[0]).to_array(),
                force: (sign * force).to_array(),
                gap: c.dist,
            }
        })
        .collect()
}
