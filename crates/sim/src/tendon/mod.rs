//! Tendons: lengths and Jacobians of linear combinations of joint coordinates and of shortest paths
//! through sites and around geoms.

pub(crate) mod spatial;
mod wrap;

pub use wrap::{Obstacle, Wrapped, wrap};

use crate::data::Data;
use crate::model::Model;

/// Fills tendon lengths, Jacobians and path points of `data.position`. Needs `update_com`.
pub fn update_tendons(model: &Model, data: &mut Data) {
    let mut point = 0;
    for t in 0..model.ntendon() {
        if model.tendons.spatial[t] {
            point = spatial::update(model, data, t, point);
        } else {
            data.position.tendon_points[t] = [point as i32, 0];
            update_fixed(model, data, t);
        }
    }
}

/// A fixed tendon: Σ coefficient · joint coordinate.
fn update_fixed(model: &Model, data: &mut Data, t: usize) {
    let position = &mut data.position;
    let span = model.tendons.jac[t].range();
    position.tendon_jac[span.clone()].fill(0.0);
    let cols = &model.tendons.jac_col[span.clone()];
    let mut length = 0.0;
    for w in model.tendons.path[t].range() {
        let (j, coefficient) = (model.wraps.object[w] as usize, model.wraps.prm[w]);
        length += coefficient * data.state.q[model.joints.q_start[j] as usize];
        if let Ok(k) = cols.binary_search(&model.joints.dof_start[j]) {
            position.tendon_jac[span.start + k] += coefficient;
        }
    }
    position.tendon_length[t] = length;
}

/// Velocities of tendons: J v.
pub fn update_tendon_velocity(model: &Model, data: &mut Data) {
    for t in 0..model.ntendon() {
        let span = model.tendons.jac[t].range();
        let cols = &model.tendons.jac_col[span.clone()];
        data.velocity.tendon_velocity[t] =
            cols.iter().zip(&data.position.tendon_jac[span]).map(|(&i, j)| j * data.state.v[i as usize]).sum();
    }
}
