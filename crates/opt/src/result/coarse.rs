//! The discretization error of a motion.
//!
//! The equations of motion hold at the states of a trajectory, with velocities and accelerations
//! that are finite differences of configurations. If legs turn by half a radian in a step, these
//! differ from those of the motion between the states, and an optimizer can exploit the error: a
//! humanoid that is told to walk at 30 m/s flies by rowing with its legs. The centre of mass c
//! shows it, since its acceleration between the states must agree with the equations of motion:
//!
//! e_t = |(c_{t+1} − 2 c_t + c_{t−1})/h² − c̈(q_t, v_t, a_t)| / g                                     (1)
//!
//! The error decreases with h. It does not depend on a contact law.

use saltus_math::Vec3;
use saltus_sim::kinematics::coordinates::{difference, integrate};
use saltus_sim::kinematics::update_kinematics;
use saltus_sim::{Data, Model};

/// The largest e of a plan that counts as converged. Walks have 0.02, a run at 3 m/s has 0.08,
/// flying motions have more than 1.
pub const ALLOWED: f64 = 0.25;

/// Time step of the finite difference for c̈, s.
const SHORT: f64 = 1e-4;

/// (1) for every step of a trajectory with time steps of `h` and the nodes `q`.
pub fn step_errors(model: &Model, h: f64, q: &[f64]) -> Vec<f64> {
    let mut data = Data::new(model);
    let centres: Vec<Vec3> = q.chunks_exact(model.size.nq).map(|q| centre(model, &mut data, q)).collect();
    let gravity = model.options.gravity.length();
    let unit = if gravity > 0.0 { gravity } else { 9.81 };
    let error = |t: usize| {
        let node = |k: usize| &q[k * model.size.nq..(k + 1) * model.size.nq];
        let between = (centres[t + 1] - 2.0 * centres[t] + centres[t - 1]) / (h * h);
        let at = acceleration(model, &mut data, [node(t - 1), node(t), node(t + 1)], h);
        (between - at).length() / unit
    };
    (1..centres.len().saturating_sub(1)).map(error).collect()
}

/// c̈ of the state and the acceleration that three successive nodes are.
fn acceleration(model: &Model, data: &mut Data, nodes: [&[f64]; 3], h: f64) -> Vec3 {
    let nv = model.size.nv;
    let (mut v, mut a) = (vec![0.0; nv], vec![0.0; nv]);
    difference(model, nodes[0], nodes[1], h, &mut v);
    difference(model, nodes[1], nodes[2], h, &mut a);
    a.iter_mut().zip(&v).for_each(|(a, v)| *a = (*a - v) / h);
    let mut after = |time: f64| {
        let mut q = nodes[1].to_vec();
        let step: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + 0.5 * time * a).collect();
        integrate(model, &mut q, &step, time);
        centre(model, data, &q)
    };
    (after(SHORT) - 2.0 * after(0.0) + after(-SHORT)) / (SHORT * SHORT)
}

/// Centre of mass of all moving bodies.
fn centre(model: &Model, data: &mut Data, q: &[f64]) -> Vec3 {
    data.state.q.copy_from_slice(q);
    update_kinematics(model, data);
    let moving = (1..model.nbody()).filter(|&b| model.bodies.tree[b].is_some());
    let (mass, sum) = moving.fold((0.0, Vec3::ZERO), |(mass, sum), b| {
        let own = model.bodies.mass[b];
        (mass + own, sum + own * data.position.p_WI[b])
    });
    sum / f64::max(mass, f64::MIN_POSITIVE)
}
