//! Potential and kinetic energy.

use super::passive::{ball_displacement, joint_spring, tendon_spring, tendon_stretch};
use crate::data::Data;
use crate::model::{Model, kinds::JointKind};
use crate::options::Disable;
use saltus_math::{Vec3, ldl};

/// Energy of gravity and of the springs of joints and tendons, into `data.energy[0]`. Needs the
/// position stage.
pub fn update_potential_energy(model: &Model, data: &mut Data) {
    let (q, position) = (&data.state.q, &data.position);
    let mut energy = 0.0;
    if !model.options.disable.has(Disable::GRAVITY) {
        for b in 1..model.nbody() {
            energy -= model.bodies.mass[b] * model.options.gravity.dot(position.p_WI[b]);
        }
    }
    if !model.options.disable.has(Disable::SPRING) {
        for j in 0..model.njoint() {
            let poly = joint_spring(model, j);
            if poly.is_zero() {
                continue;
            }
            let mut i = model.joints.q_start[j] as usize;
            match model.joints.kind[j] {
                JointKind::Slide | JointKind::Hinge => energy += poly.energy(q[i] - model.q_spring[i]),
                kind => {
                    if kind == JointKind::Free {
                        let x = Vec3::from_slice(&q[i..]) - Vec3::from_slice(&model.q_spring[i..]);
                        energy += poly.energy(x.length());
                        i += 3;
                    }
                    energy += poly.energy(ball_displacement(model, q, i).length());
                }
            }
        }
        for t in 0..model.ntendon() {
            energy += tendon_spring(model, t).energy(tendon_stretch(model, t, position.tendon_length[t]));
        }
    }
    data.energy[0] = energy;
}

/// ½ vᵀ M v into `data.energy[1]`. Needs M.
pub fn update_kinetic_energy(model: &Model, data: &mut Data) {
    ldl::mul(&model.mass_pattern, &data.inertia.M, &data.state.v, &mut data.scratch.dof);
    let twice: f64 = data.scratch.dof.iter().zip(&data.state.v).map(|(p, v)| p * v).sum();
    data.energy[1] = 0.5 * twice;
}
