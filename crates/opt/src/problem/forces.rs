//! Contact forces of a trajectory, by inverse dynamics of its nodes.

use crate::problem::Problem;
use saltus_math::Vec3;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::{Data, Model};
use serde::{Deserialize, Serialize};

/// Contact forces at a larger distance than this count as forces at a distance, m.
pub(crate) const FAR: f64 = 1e-3;

/// A contact force at a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// Body on which the force acts (index in the model).
    pub body: usize,
    /// The other body of the contact.
    pub other: usize,
    /// Where it acts, world, m.
    pub point: [f64; 3],
    /// Normal of the contact, world.
    pub normal: [f64; 3],
    /// Force on `body`, N, world.
    pub force: [f64; 3],
    /// Distance of the surfaces; negative where they overlap, m.
    pub gap: f64,
}

/// Weight of all moving bodies, N; without gravity, that at 9.81 m/s².
pub(crate) fn weight(model: &Model) -> f64 {
    let mass: f64 = (1..model.nbody()).filter(|&b| model.bodies.tree[b].is_some()).map(|b| model.bodies.mass[b]).sum();
    let gravity = model.options.gravity.length();
    mass.max(f64::MIN_POSITIVE) * if gravity > 0.0 { gravity } else { 9.81 }
}

/// Puts the state and acceleration of three successive nodes into `data` and runs inverse dynamics.
pub(crate) fn place(model: &Model, h: f64, nodes: [&[f64]; 3], data: &mut Data) {
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
pub(crate) fn contact_forces(problem: &Problem, q: &[f64]) -> Vec<Vec<ContactForce>> {
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

/// Contact forces of the state in `data`.
pub(crate) fn forces_of(model: &Model, data: &Data) -> Vec<ContactForce> {
    let with_rows = data.contacts.iter().filter(|c| c.first_row >= 0);
    with_rows
        .map(|c| {
            let row = c.first_row as usize;
            let axes = [c.frame.r0, c.frame.r1, c.frame.r2];
            let count = (c.dim as usize).min(3);
            let force: Vec3 = (0..count).map(|k| axes[k] * data.constraints.force[row + k]).sum();
            let bodies = [c.geom1, c.geom2].map(|g| model.geoms.body[g.idx()].idx());
            // The normal points from the first geom to the second, and the force acts on the
            // second. A moving body comes first.
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
