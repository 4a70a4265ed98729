//! Inverse weights in the reference pose: diagonals of J M⁻¹ Jᵀ.
//!
//! With M = Lᵀ D L, J M⁻¹ Jᵀ = Yᵀ D⁻¹ Y where Lᵀ Y = Jᵀ. The columns of Jᵀ for a body are zero
//! except at the dofs that move it, and so are those of Y: the solve is restricted to the path to
//! the root.

use super::mobility::{self, Mobility};
use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::JointKind;
use saltus_math::{MIN_VAL, ldl};

/// Round-off of a translational weight, in units of the last digit of the rotational contribution.
const NOISE: f64 = 16.0;

/// Fills inverse weights of bodies, dofs and tendons, the diagonal of M, and accelerations for unit
/// actuator forces.
pub(super) fn update_weights(model: &mut Model, data: &Data) {
    let coupled = (0..model.ntendon()).any(|t| crate::dynamics::tendon_armature(model, t) != 0.0);
    // The recursion costs O(n) but does not include tendon armature; solving along paths costs
    // O(n³) for a chain.
    let recursive = (!coupled).then(|| mobility::calc_mobility(model, data));
    update_dof_weights(model, data, recursive.as_ref());
    update_body_weights(model, data, recursive.as_ref());
    update_solved(model, data);
}

/// Dofs from `last` down to the root of its tree.
fn path_to(model: &Model, last: Option<usize>, path: &mut Vec<usize>) {
    path.clear();
    let mut next = last;
    while let Some(d) = next {
        path.push(d);
        next = model.dofs.parent[d].map(|p| p.idx());
    }
}

/// Σ y² / D for each of the K right-hand sides in `x`, whose nonzeros are on the descending `path`.
fn weigh<const K: usize>(model: &Model, data: &Data, path: &[usize], x: &mut [[f64; K]]) -> [f64; K] {
    let pattern = &model.mass_pattern;
    let mut sum = [0.0; K];
    for &i in path {
        let xi = core::mem::replace(&mut x[i], [0.0; K]);
        let row = pattern.range(i);
        for k in row.start..row.end - 1 {
            let l = data.inertia.LD[k];
            let target = &mut x[pattern.col[k] as usize];
            for (t, v) in target.iter_mut().zip(&xi) {
                *t -= l * v;
            }
        }
        for (s, v) in sum.iter_mut().zip(&xi) {
            *s += v * v * data.inertia.D_inv[i];
        }
    }
    sum
}

/// Diagonal of M and of M⁻¹; the dofs of a ball joint, and each half of a free joint, share their
/// mean. A body with slide joints only has its mass in all directions.
fn update_dof_weights(model: &mut Model, data: &Data, recursive: Option<&Mobility>) {
    let nv = model.size.nv;
    let mut x = vec![[0.0; 1]; nv];
    let mut path = Vec::new();
    for d in 0..nv {
        model.dofs.m0[d] = data.inertia.M[model.mass_pattern.diag(d)];
        let body = model.dofs.body[d].idx();
        if model.bodies.simple[body] == 2 {
            model.dofs.inv_weight[d] = 1.0 / model.bodies.mass[body].max(MIN_VAL);
            continue;
        }
        if let Some(mobility) = recursive {
            model.dofs.inv_weight[d] = mobility.dof[d];
            continue;
        }
        path_to(model, Some(d), &mut path);
        x[d] = [1.0];
        model.dofs.inv_weight[d] = weigh(model, data, &path, &mut x)[0];
    }
    for t in 0..model.ntendon() {
        // The weight of a dof does not include tendon armature.
        let armature = crate::dynamics::tendon_armature(model, t);
        let span = model.tendons.jac[t].range();
        for (col, j) in model.tendons.jac_col[span.clone()].iter().zip(&data.position.tendon_jac[span]) {
            model.dofs.m0[*col as usize] -= armature * j * j;
        }
    }
    for j in 0..model.njoint() {
        let start = model.joints.dof_start[j] as usize;
        let halves = match model.joints.kind[j] {
            JointKind::Free => 2,
            JointKind::Ball => 1,
            _ => 0,
        };
        for h in 0..halves {
            let three = &mut model.dofs.inv_weight[start + 3 * h..start + 3 * h + 3];
            let mean = (three[0] + three[1] + three[2]) / 3.0;
            three.fill(mean);
        }
    }
}

/// Mean of the translational and of the rotational diagonal of J M⁻¹ Jᵀ at each body's centre of
/// mass.
fn update_body_weights(model: &mut Model, data: &Data, recursive: Option<&Mobility>) {
    let p = &data.position;
    let mut x = vec![[0.0; 6]; model.size.nv];
    let mut path = Vec::new();
    for b in 0..model.nbody() {
        if model.bodies.tree[b].is_none() {
            model.bodies.inv_weight[b] = [0.0; 2];
            continue;
        }
        if model.bodies.simple[b] == 2 {
            model.bodies.inv_weight[b] = [1.0 / model.bodies.mass[b].max(MIN_VAL), 0.0];
            continue;
        }
        let offset = p.p_WI[b] - p.com[model.bodies.root[b].idx()];
        let [rx, ry, rz, tx, ty, tz] = if let Some(mobility) = recursive {
            mobility::diagonal_at(&mobility.body[b], offset)
        } else {
            // A body without dofs moves with its nearest ancestor that has some.
            let dofs = model.bodies.dofs[model.bodies.weld[b].idx()];
            path_to(model, (!dofs.is_empty()).then(|| dofs.range().end - 1), &mut path);
            for &i in &path {
                x[i] = p.S[i].shifted(offset).to_array();
            }
            weigh(model, data, &path, &mut x)
        };
        let (translation, rotation) = ((tx + ty + tz) / 3.0, (rx + ry + rz) / 3.0);
        // A centre of mass on the axis of its joint does not move: the remaining weight is
        // round-off of the shift.
        let noise = NOISE * f64::EPSILON * rotation * offset.length_squared();
        model.bodies.inv_weight[b] = [if translation < noise { 0.0 } else { translation }, rotation];
    }
}

/// Tendons' J M⁻¹ Jᵀ and actuators' |M⁻¹ mᵀ|, by full solves.
fn update_solved(model: &mut Model, data: &Data) {
    let p = &data.position;
    let mut x = vec![0.0; model.size.nv];
    for t in 0..model.ntendon() {
        let span = model.tendons.jac[t].range();
        let (cols, jac) = (&model.tendons.jac_col[span.clone()], &p.tendon_jac[span]);
        model.tendons.inv_weight[t] = solved(model, data, cols, jac, &mut x);
    }
    for a in 0..model.nactuator() {
        let span = model.actuators.moment[a].range();
        let (cols, moment) = (&model.actuators.moment_col[span.clone()], &p.actuator_moment[span]);
        solved(model, data, cols, moment, &mut x);
        model.actuators.acc0[a] = x.iter().map(|v| v * v).sum::<f64>().sqrt();
    }
}

/// x = M⁻¹ jᵀ and j x for a sparse row j.
pub(super) fn solved(model: &Model, data: &Data, cols: &[u32], row: &[f64], x: &mut [f64]) -> f64 {
    x.fill(0.0);
    for (c, v) in cols.iter().zip(row) {
        x[*c as usize] = *v;
    }
    ldl::solve(&model.mass_pattern, &data.inertia.LD, &data.inertia.D_inv, x);
    cols.iter().zip(row).map(|(c, v)| x[*c as usize] * v).sum()
}
