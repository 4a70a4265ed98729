//! The initial guess of a motion: a line from the start through given poses, and a slow random
//! motion.

use super::error::TaskError;
use super::names::pose;
use super::{MotionTask, Pose};
use crate::problem::layout::{Advance, Ends};
use crate::problem::physics::is_linear;
use crate::template::pose::upward;
use saltus_math::{Random, real};
use saltus_sim::ids::GeomId;
use saltus_sim::kinematics::coordinates::{difference, integrate};
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model, forward};

/// All nodes · (steps + 2) × nq: from the start through the poses of the guess, the same time from
/// each to the next, with a random motion of rotations that begins at rest.
pub(super) fn guess(model: &Model, motion: &MotionTask, start: &[f64], ends: &Ends) -> Result<Vec<f64>, TaskError> {
    let (nq, nv, steps) = (model.size.nq, model.size.nv, motion.steps);
    let mut poses = vec![start.to_vec()];
    for through in motion.guess.iter().chain(motion.guess.is_empty().then_some(&Pose::Start)) {
        poses.push(pose(model, through, start, "[guess]")?);
    }
    let lines = poses.len() - 1;
    // What leads from each pose to the next.
    let mut by = vec![vec![0.0; nv]; lines];
    for (k, by) in by.iter_mut().enumerate() {
        difference(model, &poses[k], &poses[k + 1], 1.0, by);
        if let Ends::Periodic(cycle) = ends {
            for &Advance { dof, amount, .. } in &cycle.stride {
                by[dof] = amount / lines as f64;
            }
        }
    }
    let mut random = Random(motion.seed);
    let wave: Vec<f64> =
        (0..nv).map(|i| if is_linear(model, i) { 0.0 } else { motion.noise * random.signed() }).collect();
    let mut data = Data::new(model);
    let mut q = Vec::with_capacity((steps + 2) * nq);
    for k in 0..steps + 2 {
        let share = (k as f64 - 1.0) / steps as f64;
        let line = ((share * lines as f64).max(0.0) as usize).min(lines - 1);
        let along = share * lines as f64 - line as f64;
        let mut node = poses[line].clone();
        integrate(model, &mut node, &by[line], along);
        let swing = 0.5 * (1.0 - real::cos(2.0 * core::f64::consts::PI * share));
        integrate(model, &mut node, &wave, swing);
        if model.options.laws.law == Law::Invertible {
            lift(model, &mut data, &mut node);
        }
        q.extend(node);
    }
    Ok(q)
}

/// Raises a pose until nothing is below the ground: forces of deep contacts have no useful
/// gradients.
fn lift(model: &Model, data: &mut Data, node: &mut [f64]) {
    let Some(height) = upward(model, None) else { return };
    data.state.q.copy_from_slice(node);
    forward(model, data);
    let still = |g: GeomId| model.bodies.tree[model.geoms.body[g.idx()].idx()].is_none();
    let stands = data.contacts.iter().filter(|c| {
        let up = if still(c.geom1) { c.frame.r0.z } else { -c.frame.r0.z };
        (still(c.geom1) || still(c.geom2)) && up > 0.5
    });
    node[height] += stands.fold(0.0, |deepest, c| f64::max(deepest, -c.dist));
}
