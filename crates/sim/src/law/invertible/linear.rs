//! Linearization of the law at one acceleration, for derivatives: impulses f = f(z,
//! R), z = u + J y, y = M⁻¹ Jᵀ p, p = ∇d_V(u), with u the velocities of the rows at the end of the
//! step, and
//!   ∂f = −C (∂z + f ∘ ∂R) + f ∂β/β,   ∂p = G (∂u − ∂v_min) + p ∂β/β,
//! ∂R at constant weight β; in addition the effect of distances on other contacts of the same
//! bodies (`share`).

use super::barrier;
use super::bend::{self, Square};
use super::distance::Distance;
use super::problem::{Change, Slopes, change_by_gravity, change_by_loss, residual_slopes, update_rows, update_slopes};
use super::response::{Response, by_friction};
use super::rows::{Kind, MAX_DIM, Rows};
use super::share::{Shares, barrier_share};
use crate::data::{Block, Data, RowKind};
use crate::model::Model;

/// All vectors are by rows, as in `data.constraints`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    rows: Rows,
    /// u, then z.
    z: Vec<f64>,
    p: Vec<f64>,
    G: Vec<f64>,
    response: Response,
    /// Stored at the first rows of blocks.
    slopes: Vec<Slopes>,
    /// Index of the group whose first row this is.
    group: Vec<u32>,
    shares: Shares,
    /// Effect of the distances of contacts on the impulses f and the slopes p of other contacts, as
    /// wrenches; stored at first rows.
    shared_f: Vec<[f64; MAX_DIM]>,
    shared_p: Vec<[f64; MAX_DIM]>,
    /// The part of p that scales with the share.
    changing: Vec<f64>,
}

/// f of a group of rows, C, and −∂f with respect to the residual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub f: [f64; MAX_DIM],
    pub C: [[f64; MAX_DIM]; MAX_DIM],
    pub by_residual: [f64; MAX_DIM],
}

impl Linear {
    /// p and G at acceleration `a`.
    pub fn update_barrier(&mut self, model: &Model, data: &Data, a: &[f64]) {
        update_rows(model, &data.contacts, &data.constraints, &mut self.shares, &mut self.rows);
        update_slopes(model, data, &self.shares, &mut self.slopes);
        self.update_velocity(model, data, a);
        for x in [&mut self.p, &mut self.G] {
            x.clear();
            x.resize(data.constraints.len(), 0.0);
        }
        for &i in &self.rows.normals {
            let i = i as usize;
            (self.p[i], self.G[i]) = barrier::derivatives(&self.rows, i, self.z[i], false);
        }
        barrier_share(&self.rows, &self.p, &mut self.changing);
        write_shared(&self.shares, data, &self.changing, &mut self.shared_p);
    }

    /// f and C at the acceleration `a` + y/h.
    pub fn update_response(&mut self, model: &Model, data: &Data, a: &[f64]) {
        self.update_velocity(model, data, a);
        self.response.update(&self.rows, &self.z);
        self.response.update_factors(&self.rows, &self.z);
        self.group.resize(self.rows.len(), 0);
        for (k, group) in self.rows.groups.iter().enumerate() {
            self.group[group.start as usize] = k as u32;
        }
        write_shared(&self.shares, data, &self.response.f, &mut self.shared_f);
    }

    fn update_velocity(&mut self, model: &Model, data: &Data, a: &[f64]) {
        let (rows, h) = (&data.constraints, model.options.timestep);
        self.z.resize(rows.len(), 0.0);
        rows.mul(a, &mut self.z);
        self.z.iter_mut().zip(&rows.vel).for_each(|(z, v)| *z = v + h * *z);
    }

    /// Whether barriers of velocities couple the rows.
    pub fn is_coupled(&self) -> bool {
        !self.rows.normals.is_empty()
    }

    /// p by rows.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// Effect of the distance of a contact on the impulses of other contacts of the same bodies,
    /// and on the slopes of their barriers: wrenches in contact axes, at the contact.
    pub fn shared(&self, block: &Block) -> [[f64; MAX_DIM]; 2] {
        let i = block.rows.start as usize;
        [self.shared_f[i], self.shared_p[i]]
    }

    /// p of a block's first row, G, and the derivative of p with respect to the residual.
    pub fn barrier(&self, block: &Block) -> [f64; 3] {
        let i = block.rows.start as usize;
        let slopes = &self.slopes[i];
        [self.p[i], self.G[i], slopes.weight * self.p[i] - self.G[i] * slopes.bound]
    }

    /// Derivative of f of a contact with respect to its friction coefficients, in the direction
    /// `d`.
    pub fn by_friction(&self, block: &Block, d: [f64; MAX_DIM - 1]) -> [f64; MAX_DIM] {
        let i = block.rows.start as usize;
        let group = &self.rows.groups[self.group[i] as usize];
        by_friction(&self.rows, group, &self.z, self.response.f[i], self.response.lambda[i], d)
    }

    /// Derivative of f of dry friction with respect to the friction loss.
    pub fn by_loss(&self, model: &Model, data: &Data, block: &Block) -> f64 {
        let change = change_by_loss(&Distance::of_model(model), &data.constraints, block);
        self.by_change(block, change)[0]
    }

    /// Derivatives of f and p of all rows with respect to the magnitude of gravity, which scales
    /// the parameters.
    pub fn by_gravity(&self, model: &Model, data: &Data) -> [Vec<f64>; 2] {
        let (rows, distance) = (&data.constraints, Distance::of_model(model));
        let [mut df, mut dp] = [vec![0.0; rows.len()], vec![0.0; rows.len()]];
        for (b, block) in rows.blocks.iter().enumerate().filter(|(_, b)| b.kind != RowKind::Equality) {
            let count = self.shares.count(b);
            let (own, change) = (block.rows.range(), change_by_gravity(&distance, data, block, count));
            let i = own.start;
            df[own].iter_mut().zip(self.by_change(block, change)).for_each(|(x, d)| *x = d);
            // p is −κ/s, or q² s/κ − 2q if that is less than −q.
            let (p, q) = (self.p[i], self.rows.slope[i]);
            let on_curve = p >= -q;
            let line = 2.0 * (p + q) * change.slope - (p + 2.0 * q) * change.kappa;
            dp[i] = if on_curve { p * change.kappa } else { line };
        }
        [df, dp]
    }

    /// Derivative of f of a block's first group with respect to parameters at constant z: C times
    /// the change of the gradient of the cost, whose barrier has the gradient κ∇b.
    fn by_change(&self, block: &Block, change: Change) -> [f64; MAX_DIM] {
        let (answer, first) = (self.answer(block, 0), block.rows.start as usize);
        let group = &self.rows.groups[self.group[first] as usize];
        let (f, lambda, kappa) = (&answer.f, self.response.lambda[first], self.rows.kappa[first]);
        let mut gradient = [0.0; MAX_DIM];
        match group.kind {
            Kind::Equality => {}
            Kind::Limit => gradient[0] = -kappa / f[0] * change.kappa,
            Kind::Friction => {
                let eta = self.rows.scale[first];
                let unit = f[0] * lambda / (eta * eta);
                gradient[0] = unit * (change.kappa - lambda / (kappa * eta) * change.eta);
            }
            Kind::Contact => {
                gradient[0] = -(kappa / f[0] + lambda * f[0]) * change.kappa;
                for i in (1..group.dim as usize).filter(|&i| self.rows.scale[first + i] > 0.0) {
                    let mu = self.rows.scale[first + i];
                    gradient[i] = lambda * f[i] / (mu * mu) * change.kappa;
                }
            }
        }
        gradient.iter_mut().zip(f).for_each(|(x, f)| *x += change.R * f);
        core::array::from_fn(|i| -answer.C[i].iter().zip(&gradient).map(|(C, x)| C * x).sum::<f64>())
    }

    /// Second derivatives of Σ weights f of a contact with respect to z and its residual.
    pub fn bend(&self, distance: &Distance, data: &Data, block: &Block, weights: &[f64; MAX_DIM]) -> Square {
        let i = block.rows.start as usize;
        let group = &self.rows.groups[self.group[i] as usize];
        let (f, lambda) = (self.response.f[i], self.response.lambda[i]);
        let (slope, mut out) = bend::by_regularizer(&self.rows, group, &self.z, f, lambda, weights);
        let value = self.response.f[group.range()].iter().zip(weights).map(|(f, x)| f * x).sum();
        bend::by_residual(value, &slope, &mut out, &residual_slopes(distance, data, block));
        out
    }

    /// Response of the group that begins at row `k` of a block.
    pub fn answer(&self, block: &Block, k: usize) -> Answer {
        let i = block.rows.start as usize + k;
        let g = self.group[i] as usize;
        let (group, L) = (&self.rows.groups[g], &self.response.L[g]);
        let dim = group.dim as usize;
        let mut out = Answer { f: [0.0; MAX_DIM], C: [[0.0; MAX_DIM]; MAX_DIM], by_residual: [0.0; MAX_DIM] };
        out.f[..dim].copy_from_slice(&self.response.f[group.range()]);
        for i in 0..dim {
            for j in 0..dim {
                out.C[i][j] = (0..dim).map(|k| L[i][k] * L[j][k]).sum();
            }
        }
        let slopes = &self.slopes[block.rows.start as usize];
        // The bound of an equality is its target: R f + z = v*. For other rows the bound acts
        // through p.
        let push = if group.normal().is_none() { -slopes.bound } else { 0.0 };
        for i in 0..dim {
            let by_R = (0..dim).map(|j| out.C[i][j] * out.f[j]).sum::<f64>() * slopes.R;
            out.by_residual[i] = out.C[i][0] * push + by_R - slopes.weight * out.f[i];
        }
        out
    }
}

/// Writes the wrenches of `share` at the first rows of contacts.
fn write_shared(shares: &Shares, data: &Data, force: &[f64], out: &mut Vec<[f64; MAX_DIM]>) {
    out.clear();
    out.resize(data.constraints.len(), [0.0; MAX_DIM]);
    shares.each_wrench(&data.contacts, &data.constraints, force, |block, wrench| {
        out[block.rows.start as usize] = wrench;
    });
}
