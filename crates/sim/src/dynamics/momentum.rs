//! Linear and angular momentum of subtrees. O(n).

use crate::data::Data;
use crate::model::Model;
use saltus_math::{MIN_VAL, Vec3};

/// Fills `com_velocity` and `angular_momentum` (about the subtree's own centre of mass). Needs body
/// velocities.
pub fn update_momentum(model: &Model, data: &mut Data) {
    let (bodies, position, velocity) = (&model.bodies, &data.position, &mut data.velocity);
    let nbody = model.nbody();
    // Per body: velocity of the centre of mass (times mass), and spin angular momentum.
    for b in 0..nbody {
        let r = position.p_WI[b] - position.com[bodies.root[b].idx()];
        let V = velocity.V[b].shifted(r);
        let R = &position.R_WI[b];
        velocity.com_velocity[b] = V.lin * bodies.mass[b];
        velocity.angular_momentum[b] = *R * (bodies.inertia[b] * R.tmul(V.ang));
    }
    for b in (1..nbody).rev() {
        let p = velocity.com_velocity[b];
        velocity.com_velocity[bodies.parent[b].idx()] += p;
    }
    for b in 0..nbody {
        velocity.com_velocity[b] /= bodies.subtree_mass[b].max(MIN_VAL);
    }
    // L_subtree = Σ spin + Σ m (p − c) × (v − v_c), accumulated child by child.
    for b in (0..nbody).rev() {
        let r = position.p_WI[b] - position.com[bodies.root[b].idx()];
        let own = velocity.V[b].shifted(r).lin;
        let relative = |p: Vec3, v: Vec3, c: Vec3, v_c: Vec3, m: f64| (p - c).cross(v - v_c) * m;
        let (c, v_c) = (position.com[b], velocity.com_velocity[b]);
        velocity.angular_momentum[b] += relative(position.p_WI[b], own, c, v_c, bodies.mass[b]);
        if b > 0 {
            let parent = bodies.parent[b].idx();
            let (pc, pv) = (position.com[parent], velocity.com_velocity[parent]);
            let total = velocity.angular_momentum[b] + relative(c, v_c, pc, pv, bodies.subtree_mass[b]);
            velocity.angular_momentum[parent] += total;
        }
    }
}
