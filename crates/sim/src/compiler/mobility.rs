//! Inverse inertia of each body, J M⁻¹ Jᵀ, for all bodies in linear time [Featherstone2008, §7;
//! Wensing2012].
//!
//! Articulated inertias are propagated toward the root, one dof at a time: with U = I S and
//! D = Sᵀ U + armature,
//!   I ← I − U Uᵀ / D.                                                                        (1)
//! Mobilities are propagated toward the leaves: with L = 1 − S Uᵀ / D,
//!   Ω ← L Ω Lᵀ + S Sᵀ / D,                                                                   (2)
//! and the dof's own entry of M⁻¹ is 1/D + Uᵀ Ω U / D², Ω taken before (2). All quantities are in
//! the c-frame of the tree, so no transformations are needed. Valid if M contains only inertias of
//! bodies and armature of dofs.

use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::TransmissionKind;
use saltus_math::{MIN_VAL, Motion, SpatialInertia};

type Mat6 = [[f64; 6]; 6];

/// Inverse inertias: of each body's motion about the c-frame's origin, and of each dof.
pub(super) struct Mobility {
    pub body: Vec<Mat6>,
    pub dof: Vec<f64>,
}

/// Mobilities of all bodies and dofs at the pose of `data`.
pub(super) fn calc_mobility(model: &Model, data: &Data) -> Mobility {
    let armature = dof_armature(model);
    let (nbody, nv) = (model.nbody(), model.size.nv);
    let mut articulated: Vec<Mat6> = data.position.I.iter().map(dense).collect();
    let (mut u, mut d_inv) = (vec![[0.0; 6]; nv], vec![0.0; nv]);
    for b in (1..nbody).rev() {
        let mut inertia = articulated[b];
        for i in model.bodies.dofs[b].range().rev() {
            let s = data.position.S[i].to_array();
            u[i] = mul(&inertia, &s);
            d_inv[i] = 1.0 / (dot(&s, &u[i]) + armature[i]).max(MIN_VAL);
            add_outer(&mut inertia, -d_inv[i], &u[i], &u[i]);
        }
        let parent = &mut articulated[model.bodies.parent[b].idx()];
        for (p, row) in parent.iter_mut().flatten().zip(inertia.iter().flatten()) {
            *p += row;
        }
    }
    let mut mobility = Mobility { body: vec![[[0.0; 6]; 6]; nbody], dof: vec![0.0; nv] };
    for b in 1..nbody {
        let mut omega = mobility.body[model.bodies.parent[b].idx()];
        for i in model.bodies.dofs[b].range() {
            let s = data.position.S[i].to_array();
            // L Ω Lᵀ = Ω − (S wᵀ + w Sᵀ) / D + S Sᵀ (Uᵀ w) / D², with w = Ω U.
            let w = mul(&omega, &u[i]);
            let across = dot(&u[i], &w) * d_inv[i] * d_inv[i];
            mobility.dof[i] = d_inv[i] + across;
            add_outer(&mut omega, -d_inv[i], &s, &w);
            add_outer(&mut omega, -d_inv[i], &w, &s);
            add_outer(&mut omega, mobility.dof[i], &s, &s);
        }
        mobility.body[b] = omega;
    }
    mobility
}

/// Diagonals of Ω for motion about a point displaced by `offset`: rotation, translation.
pub(super) fn diagonal_at(omega: &Mat6, offset: saltus_math::Vec3) -> [f64; 6] {
    // Rows of the map (ω, v) → (ω, v + ω × offset).
    core::array::from_fn(|k| {
        let mut row = [0.0; 6];
        row[k] = 1.0;
        if k >= 3 {
            let axis = k - 3;
            let mut e = [0.0; 3];
            e[axis] = 1.0;
            // e · (ω × r) = ω · (r × e).
            let r = offset.cross(e.into());
            row[..3].copy_from_slice(&r.to_array());
        }
        dot(&row, &mul(omega, &row))
    })
}

/// Armature of each dof, including that of actuators on its joint.
fn dof_armature(model: &Model) -> Vec<f64> {
    let mut armature = model.dofs.armature.clone();
    for (a, value) in model.actuators.armature.iter().enumerate() {
        let kind = model.actuators.transmission[a];
        let joint = matches!(kind, TransmissionKind::Joint | TransmissionKind::JointInParent);
        if let (true, Some(j)) = (joint, model.actuators.target[a][0].map(|j| j as usize)) {
            let (start, gear) = (model.joints.dof_start[j] as usize, model.actuators.gear[a][0]);
            armature[start..start + model.joints.kind[j].nv()].iter_mut().for_each(|x| *x += value * gear * gear);
        }
    }
    armature
}

/// The 6×6 matrix of a spatial inertia, by its columns.
fn dense(inertia: &SpatialInertia) -> Mat6 {
    core::array::from_fn(|k| {
        let mut e = [0.0; 6];
        e[k] = 1.0;
        let unit = Motion::new([e[0], e[1], e[2]].into(), [e[3], e[4], e[5]].into());
        inertia.mul(unit).to_array()
    })
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Symmetric matrix times vector.
fn mul(m: &Mat6, x: &[f64; 6]) -> [f64; 6] {
    let mut y = [0.0; 6];
    for (row, v) in m.iter().zip(x) {
        for (t, r) in y.iter_mut().zip(row) {
            *t += r * v;
        }
    }
    y
}

fn add_outer(m: &mut Mat6, scale: f64, a: &[f64; 6], b: &[f64; 6]) {
    for (row, x) in m.iter_mut().zip(a) {
        for (t, y) in row.iter_mut().zip(b) {
            *t += scale * x * y;
        }
    }
}
