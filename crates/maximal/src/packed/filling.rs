//! The numbers of one group that is not a joint, from its rows.

use super::{Form, Group, MOST_ROWS};
use crate::four::Quad;
use crate::options::{FrictionBound, Options};
use crate::rows::{Bound, LANES, Rows};
use crate::six::Six;

/// A number of each row, and a matrix by columns.
type Column = [f64; MOST_ROWS];
type Matrix = [Column; MOST_ROWS];

/// A group and its rows.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    pub options: &'a Options,
    pub rows: &'a Rows,
    pub group: &'a Group,
    pub ids: &'a [usize],
}

impl Filling<'_> {
    /// All parts of a group that acts on the links `reach`.
    pub fn fill(&self, reach: &[u32], [head, C, P, Y]: [&mut [Quad]; 4]) {
        let step = self.steps();
        self.fill_responses(reach, Y);
        if self.group.is_single() {
            self.fill_single(step[0], head, P);
            return;
        }
        let A = self.couplings();
        let T = self.transform(&A, &step);
        self.fill_columns(&T, P);
        self.fill_targets(&T, head);
        self.fill_couplings(&A, &T, &step, C);
        if self.group.form != Form::Linear {
            self.fill_bounds(&step, head);
        }
    }

    fn fill_single(&self, step: f64, head: &mut [Quad], P: &mut [Quad]) {
        let i = self.ids[0];
        let row = &self.rows.rows[i];
        for lane in 0..LANES {
            let [low, high] = self.bounds(i, lane);
            head[lane].0 = [step * row.target[lane], row.last[lane], low, high];
        }
        head[LANES].0 = [step * row.compliance, friction(row.bound), 0.0, 0.0];
        for (block, out) in self.rows.blocks(i).iter().zip(P.chunks_exact_mut(2)) {
            out.iter_mut().zip(block.value.to_twist()).for_each(|(out, J)| out.0 = J.0.map(|J| step * J));
        }
    }

    /// Y, row by row.
    fn fill_responses(&self, reach: &[u32], Y: &mut [Quad]) {
        let mut out = Y.chunks_exact_mut(2);
        for &i in self.ids {
            let responses = self.rows.responses(i);
            for ((slot, link), out) in reach.iter().enumerate().zip(&mut out) {
                let own = responses.get(slot).filter(|y| y.link == *link);
                let Some(y) = own.or_else(|| responses.iter().find(|y| y.link == *link)) else { continue };
                out.copy_from_slice(&y.value.to_twist());
            }
        }
    }

    /// A below its diagonal.
    fn couplings(&self) -> Matrix {
        let (rows, ids) = (self.rows, self.ids);
        let mut A = [[0.0; MOST_ROWS]; MOST_ROWS];
        for c in 0..ids.len() {
            let response = rows.responses(ids[c]);
            for r in c + 1..ids.len() {
                for (slot, block) in rows.blocks(ids[r]).iter().enumerate() {
                    // Most responses are on the links of their row, in the same order.
                    let near = response.get(slot).filter(|y| y.link == block.link);
                    if let Some(y) = near.or_else(|| response.iter().find(|y| y.link == block.link)) {
                        A[r][c] += block.value.dot(&y.value);
                    }
                }
            }
        }
        A
    }

    /// Columns of T: (1) for rows without bounds, else the steps of (2).
    fn transform(&self, A: &Matrix, step: &Column) -> Matrix {
        let mut T = [[0.0; MOST_ROWS]; MOST_ROWS];
        for c in 0..self.ids.len() {
            T[c][c] = step[c];
            if self.group.form == Form::Linear {
                for r in c + 1..self.ids.len() {
                    let sum: f64 = (c..r).map(|s| A[r][s] * T[c][s]).sum();
                    T[c][r] = -sum * step[r];
                }
            }
        }
        T
    }

    /// P = T J, column by column.
    fn fill_columns(&self, T: &Matrix, P: &mut [Quad]) {
        let ids = self.ids;
        let mut out = P.chunks_exact_mut(self.group.quads());
        for slot in 0..self.group.slots {
            let mut J = [&Six::ZERO; MOST_ROWS];
            ids.iter().zip(&mut J).for_each(|(i, J)| *J = &self.rows.blocks(*i)[slot].value);
            for (k, out) in (0..6).zip(&mut out) {
                let mut P = [0.0; MOST_ROWS];
                J.iter().zip(T).take(ids.len()).for_each(|(J, T)| add_scaled(J.0[k], T, &mut P));
                write_quads(out, &P);
            }
        }
    }

    /// b = T c.
    fn fill_targets(&self, T: &Matrix, head: &mut [Quad]) {
        let quads = self.group.quads();
        let stride = if self.group.form == Form::Linear { quads } else { 4 * quads };
        for lane in 0..LANES {
            let mut b = [0.0; MOST_ROWS];
            for (&i, T) in self.ids.iter().zip(T) {
                add_scaled(self.rows.rows[i].target[lane], T, &mut b);
            }
            write_quads(&mut head[lane * stride..][..quads], &b);
        }
    }

    /// C.
    fn fill_couplings(&self, A: &Matrix, T: &Matrix, step: &Column, C: &mut [Quad]) {
        let kept = 1.0 - self.options.smoothing;
        for ((c, &i), out) in self.ids.iter().enumerate().zip(C.chunks_exact_mut(self.group.quads())) {
            let mut column = [0.0; MOST_ROWS];
            match self.group.form {
                Form::Linear => add_scaled(self.rows.rows[i].compliance, &T[c], &mut column),
                Form::Bounded | Form::Pyramid => {
                    (c + 1..self.ids.len()).for_each(|r| column[r] = kept * step[r] * A[r][c]);
                }
                Form::Cone | Form::Joint => {}
            }
            write_quads(out, &column);
        }
    }

    fn fill_bounds(&self, step: &Column, head: &mut [Quad]) {
        let quads = self.group.quads();
        for (r, &i) in self.ids.iter().enumerate() {
            let (row, q, k) = (&self.rows.rows[i], r / 4, r % 4);
            for lane in 0..LANES {
                let at = 4 * lane * quads + q;
                let [low, high] = self.bounds(i, lane);
                head[at + quads].0[k] = row.last[lane];
                (head[at + 2 * quads].0[k], head[at + 3 * quads].0[k]) = (low, high);
            }
            head[4 * LANES * quads + q].0[k] = step[r] * row.compliance;
            let mu = friction(row.bound);
            // A row with μ = 0 has no step and no impulse.
            let inverse = if mu > 0.0 { 1.0 / mu } else { 0.0 };
            head[(4 * LANES + 1) * quads + q].0[k] = if self.group.form == Form::Cone { inverse } else { mu };
        }
    }

    /// Lower and upper bound of a row in a lane. That of a cone is the impulse of its normal
    /// itself.
    fn bounds(&self, i: usize, lane: usize) -> [f64; 2] {
        match self.rows.rows[i].bound {
            Bound::None => [f64::MIN, f64::MAX],
            Bound::OneSided => [0.0, f64::MAX],
            Bound::Constant(most) => [-most, most],
            Bound::Friction { mu, normal } => {
                let last = self.rows.rows[normal as usize].last[lane];
                let own = self.group.form == Form::Cone && self.options.friction_bound == FrictionBound::LastStep;
                [-mu * last, if own { last } else { mu * last }]
            }
        }
    }

    /// Steps s of (2). For cones the step of all rows is below 2/(largest eigenvalue) in the
    /// coordinates f/μ, where the cone is a ball.
    fn steps(&self) -> Column {
        let rows = &self.rows.rows;
        let mu = |i: usize| friction(rows[i].bound);
        let moved = self.ids.iter().filter(|i| rows[**i].inv_diag > 0.0);
        let trace: f64 = moved.map(|i| mu(*i) * mu(*i) / rows[*i].inv_diag).sum();
        let mut step = [0.0; MOST_ROWS];
        for (s, i) in step.iter_mut().zip(self.ids) {
            *s = match self.group.form {
                Form::Cone if trace > 0.0 => 1.5 * mu(*i) * mu(*i) / trace,
                Form::Cone => 0.0,
                _ => self.options.relaxation * rows[*i].inv_diag,
            };
        }
        step
    }
}

fn friction(bound: Bound) -> f64 {
    if let Bound::Friction { mu, .. } = bound { mu } else { 0.0 }
}

#[inline(always)]
fn add_scaled(s: f64, x: &Column, sum: &mut Column) {
    for r in 0..MOST_ROWS {
        sum[r] = s.mul_add(x[r], sum[r]);
    }
}

fn write_quads(out: &mut [Quad], x: &Column) {
    out.iter_mut().zip(x.chunks_exact(4)).for_each(|(q, c)| q.0.copy_from_slice(c));
}
