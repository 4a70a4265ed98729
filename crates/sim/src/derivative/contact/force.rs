//! Contact forces on selected bodies, and their derivatives.
//!
//! With the derivatives of `terms`, the wrench w of a contact on its second body, in contact axes,
//! changes with a dof that moves one of its bodies (s = ±1 the sign of the body in the relative
//! motion) by
//!   ∂w = K S − s (B Ṡ + Y σ)   by q,      ∂w = −s B S   by v,      ∂w = −s Y S   by a;       (1)
//! its normal component changes by the same without the effect of the frame's rotation.

use super::feature::Features;
use super::geometry::{self, Changes, unit};
use super::{Body, Relative, moves, wrench_change};
use crate::data::{Contact, RowKind};
use crate::derivative::chain::At;
use crate::derivative::response::{Answers, Contact as Response};
use crate::derivative::{Inexact, Report};
use crate::kinematics::jacobian::dofs_of;
use saltus_math::{Motion, Vec3};

/// Rows: sum of the normal forces, and the total force in world axes.
pub(in crate::derivative) const ROWS: usize = 4;

/// The forces, [`ROWS`] numbers, and their derivatives, [`ROWS`] × nv.
#[derive(Clone, Debug, Default)]
pub(in crate::derivative) struct Forces {
    pub force: [f64; ROWS],
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

impl Forces {
    /// Sums over all contacts between a body of `on` and one that is not.
    pub fn update(&mut self, at: At<'_>, answers: &Answers<'_>, on: &[bool], report: &mut Report) {
        let At { model, data, .. } = at;
        let nv = model.size.nv;
        self.force = [0.0; ROWS];
        for x in [&mut self.q, &mut self.v, &mut self.a] {
            x.clear();
            x.resize(ROWS * nv, 0.0);
        }
        let rows = &data.constraints;
        let first = rows.blocks.partition_point(|b| (b.kind as i32) < RowKind::ContactFrictionless as i32);
        for block in &rows.blocks[first..] {
            let contact = &data.contacts[block.id as usize];
            let sides = [contact.geom1, contact.geom2].map(|g| on[model.geoms.body[g.idx()].idx()]);
            let response = answers.contact(block);
            if sides[0] == sides[1] || response.force == [0.0; 6] {
                continue;
            }
            let features = Features::of(model, data, contact);
            if !features.exact {
                report.add(Inexact::Contact(block.id as usize));
            }
            let mut changes = Changes::default();
            geometry::write_changes(&features, contact.dist, moves(model, contact), &mut changes);
            let side = if sides[1] { 1.0 } else { -1.0 };
            self.add(at, contact, side, &changes, &response);
        }
    }

    /// Adds one contact; `side` is 1 to count the force on the second body, −1 for that on the
    /// first.
    fn add(&mut self, at: At<'_>, contact: &Contact, side: f64, changes: &Changes, response: &Response) {
        let At { model, data, chain } = at;
        let (nv, frame) = (model.size.nv, &contact.frame);
        let f = Vec3::from_slice(&response.force);
        let world = |w: [f64; 3]| (frame.tmul(Vec3::from_array(w)) * side).to_array();
        self.force[0] += f.x;
        self.force[1..].iter_mut().zip(world(f.to_array())).for_each(|(x, f)| *x += f);
        let bodies = [0, 1].map(|k| Body::of(at, contact, k));
        let [one, two] = &bodies;
        let relative = Relative { a: two.Y - one.Y, v: two.V - one.V, surface: two.surface - one.surface };
        let B = response.damping().unwrap_or(response.H.map(|row| row.map(|x| response.b[0] * x)));
        let Y = if response.sees_acceleration { response.H } else { [[0.0; 6]; 6] };
        for (body, changes) in bodies.iter().zip(changes).filter(|(body, _)| body.moves) {
            let columns: [[f64; 6]; 6] =
                core::array::from_fn(|k| wrench_change(response, &relative, body, &changes[k], unit(k)));
            let turned: [f64; 6] = core::array::from_fn(|k| changes[k].turn.cross(f).x);
            let local = |m: Motion| {
                let m = m.shifted(body.r);
                let (lin, ang) = (*frame * m.lin, *frame * m.ang);
                [lin.x, lin.y, lin.z, ang.x, ang.y, ang.z]
            };
            let by_columns = |i: usize, x: &[f64; 6]| (0..6).map(|k| columns[k][i] * x[k]).sum::<f64>();
            let by_row = |row: &[f64; 6], x: &[f64; 6]| -body.sign * dot(row, x);
            for dof in dofs_of(model, body.id) {
                let S = local(data.position.S[dof]);
                let (S_dot, sigma) = (local(chain.S_dot[dof]), local(chain.sigma[dof]));
                // (1)
                let q: [f64; 3] =
                    core::array::from_fn(|i| by_columns(i, &S) + by_row(&B[i], &S_dot) + by_row(&Y[i], &sigma));
                let v: [f64; 3] = core::array::from_fn(|i| by_row(&B[i], &S));
                let a: [f64; 3] = core::array::from_fn(|i| by_row(&Y[i], &S));
                let normal = [q[0] - dot(&turned, &S), v[0], a[0]];
                for ((out, change), normal) in
                    [&mut self.q, &mut self.v, &mut self.a].into_iter().zip([q, v, a]).zip(normal)
                {
                    out[dof] += normal;
                    world(change).iter().enumerate().for_each(|(i, x)| out[(1 + i) * nv + dof] += x);
                }
            }
        }
    }
}

fn dot(x: &[f64; 6], y: &[f64; 6]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
