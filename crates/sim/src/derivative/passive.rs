//! Springs and dampers of joints, gravity compensation, external forces on bodies.
//!
//! Springs of scalar joints and all dampers are diagonal. The spring of a ball joint acts along its
//! rotation vector x, τ = −g(|x|) x, which changes by ∂x = J_r⁻¹(x) δ with J_r the right Jacobian
//! of SO(3) (δ in child axes):
//!   −∂τ = (g 1 + g'/|x| x xᵀ) J_r⁻¹(x).
//! For a force F at a point of a body, fixed in the world, the wrench about a fixed origin changes
//! by (∂p × F, 0).

use super::chain::At;
use super::so3;
use super::sweep::Matrices;
use super::terms::{Slope, Terms};
use crate::data::Data;
use crate::dynamics::derivatives::calc_dof_damping;
use crate::dynamics::passive::{Poly, ball_displacement, joint_spring};
use crate::kinematics::jacobian::dofs_of;
use crate::model::{Model, kinds::JointKind};
use crate::options::Disable;
use saltus_math::{Force, MIN_VAL, Mat3, Mat6, Vec3};

/// Springs and dampers of joints. `damping` is working memory.
pub(super) fn add_joints(model: &Model, data: &Data, damping: &mut Vec<f64>, out: &mut Matrices) {
    let (nv, disable) = (model.size.nv, model.options.disable);
    if !disable.has(Disable::DAMPER) {
        damping.resize(nv, 0.0);
        calc_dof_damping(model, data, damping);
        for (i, d) in damping.iter().enumerate() {
            out.v[i * nv + i] += d;
        }
    }
    if disable.has(Disable::SPRING) {
        return;
    }
    let q = &data.state.q;
    for j in 0..model.njoint() {
        let poly = joint_spring(model, j);
        if poly.is_zero() {
            continue;
        }
        let (mut i, mut d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
        match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => {
                out.q[d * nv + d] += poly.spring_slope(q[i] - model.q_spring[i]);
            }
            kind => {
                if kind == JointKind::Free {
                    let x = Vec3::from_slice(&q[i..]) - Vec3::from_slice(&model.q_spring[i..]);
                    add_block(&mut out.q, nv, d, &vector_slope(&poly, x));
                    (i, d) = (i + 3, d + 3);
                }
                let x = ball_displacement(model, q, i);
                add_block(&mut out.q, nv, d, &(vector_slope(&poly, x) * so3::right_jacobian_inverse(x)));
            }
        }
    }
}

/// g 1 + g'/|x| x xᵀ.
fn vector_slope(poly: &Poly, x: Vec3) -> Mat3 {
    let n = x.length();
    let g = poly.linear + n * (poly.higher[0] + n * poly.higher[1]);
    let along = if n > MIN_VAL { poly.higher[0] / n + 2.0 * poly.higher[1] } else { 0.0 };
    Mat3::diag(Vec3::splat(g)) + Mat3::new(x * x.x, x * x.y, x * x.z) * along
}

pub(super) fn add_block(matrix: &mut [f64], nv: usize, first: usize, block: &Mat3) {
    for (r, row) in [block.r0, block.r1, block.r2].into_iter().enumerate() {
        for c in 0..3 {
            matrix[(first + r) * nv + first + c] += row[c];
        }
    }
}

/// The wrench about the origin of a force at the point `r`, and its derivative with respect to a
/// twist of the body.
fn point_force(r: Vec3, force: Vec3, torque: Vec3) -> (Force, Mat6) {
    let map = Mat6::from_fn(|m| Force::new((m.lin + m.ang.cross(r)).cross(force), Vec3::ZERO));
    (Force::new(r.cross(force) + torque, force), map)
}

/// External forces applied to bodies by the user.
pub(super) fn add_body_forces(model: &Model, data: &Data, terms: &mut Terms) {
    for b in (1..model.nbody()).filter(|&b| model.bodies.tree[b].is_some()) {
        let [force, torque] = data.input.body_force[b];
        if force != Vec3::ZERO || torque != Vec3::ZERO {
            let r = data.position.p_WI[b] - data.position.com[model.bodies.root[b].idx()];
            let (wrench, K) = point_force(r, force, torque);
            terms.add_wrench(b, wrench);
            terms.add_slope(b, b, &Slope { K, ..Slope::ZERO });
        }
    }
}

/// Gravity compensation, for the dofs that `chosen` accepts: it is either a passive force or
/// exerted through actuators.
pub(super) fn add_gravcomp(At { model, data, chain }: At<'_>, chosen: impl Fn(usize) -> bool, out: &mut Matrices) {
    if model.options.disable.has(Disable::GRAVITY) || model.options.gravity.length() < MIN_VAL {
        return;
    }
    let (nv, S) = (model.size.nv, &data.position.S);
    for b in (1..model.nbody()).filter(|&b| model.bodies.gravcomp[b] != 0.0) {
        let force = -model.options.gravity * (model.bodies.mass[b] * model.bodies.gravcomp[b]);
        let r = data.position.p_WI[b] - data.position.com[model.bodies.root[b].idx()];
        let (wrench, map) = point_force(r, force, Vec3::ZERO);
        for k in dofs_of(model, b) {
            let change = map.mul(S[k]);
            for j in dofs_of(model, b).filter(|&j| chosen(j)) {
                let moved = chain.block[k] <= chain.block[j];
                let axis = if moved { S[k].cross_motion(S[j]).dot(wrench) } else { 0.0 };
                out.q[j * nv + k] -= axis + S[j].dot(change);
            }
        }
    }
}
