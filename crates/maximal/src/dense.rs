//! Sweeps over unilateral rows in their own coordinates, for exact joints: trees that touch each other are one *component*, small enough to
//! have its matrix A = J K Jᵀ + R written out.
//!
//! With w = J V − c + R f, (1) f_i ← bounded(f_i − s_i w_i) with s_i = ω / A_ii, (2) w ← w + A_·i Δf_i. The friction of a contact is one projected
//! gradient step where cones are elliptic, as in [`relax`](crate::relax). A row costs as much as its component has rows; links that joints carry an
//! impulse to do not matter.

use crate::islands::Islands;
use crate::options::{Cone, FrictionBound, Options, Order};
use crate::packed::Quad;
use crate::rows::{Bound, Kind, LANES, Rows};
use crate::six::Six;
use crate::sweeps::Outcome;
use core::ops::Range;

/// Most rows of a component.
const MOST: usize = 192;
/// Most friction rows of a contact.
const MOST_FRICTION: usize = 5;

/// Components and the matrix of one of them; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    /// Of the first links of trees.
    islands: Islands,
    /// Rows by component, and the component of each.
    rows: Vec<u32>,
    keys: Vec<u32>,
    /// Place of each row in its component.
    place: Vec<u32>,
    /// Columns of A.
    A: Vec<Quad>,
    /// Of each lane.
    w: [Vec<Quad>; LANES],
    f: [Vec<f64>; LANES],
    step: Vec<f64>,
    /// What one row does to the links.
    response: Vec<Six>,
}

/// One component.
struct Part<'a> {
    options: &'a Options,
    rows: &'a Rows,
    ids: &'a [u32],
    place: &'a [u32],
    A: &'a [Quad],
    step: &'a [f64],
    /// First friction row.
    friction: usize,
}

impl Dense {
    /// Impulses of the rows from `first` on, for velocities V without them; `None` if a component is too large or the rows have another
    /// order. `root` is the first link of each link's tree; `coupled` says that loops connect all of them.
    pub fn solve(
        &mut self,
        options: &Options,
        (root, coupled): (&[u32], bool),
        rows: &mut Rows,
        lanes: Range<usize>,
        V: &[Vec<Six>; LANES],
    ) -> Option<Outcome> {
        if options.order != Order::Grouped || !self.gather(root, coupled, rows) {
            return None;
        }
        let mut outcome = Outcome { converged: true, ..Outcome::default() };
        let mut start = 0;
        while start < self.rows.len() {
            let key = self.keys[self.rows[start] as usize];
            let count = self.rows[start..].iter().take_while(|i| self.keys[**i as usize] == key).count();
            let one = self.solve_component(options, start..start + count, rows, lanes.clone(), V);
            outcome.sweeps = outcome.sweeps.max(one.sweeps);
            outcome.change = outcome.change.max(one.change);
            outcome.converged &= one.converged;
            start += count;
        }
        Some(outcome)
    }

    /// Sorts rows by component; whether all components are small.
    fn gather(&mut self, root: &[u32], coupled: bool, rows: &Rows) -> bool {
        let first = rows.end_bilateral;
        self.islands.clear(root.len());
        let key = |link: u32| if coupled { 0 } else { root[link as usize] };
        for i in first..rows.len() {
            let mut links = rows.blocks(i).iter().map(|b| key(b.link));
            let Some(one) = links.next() else { continue };
            links.for_each(|other| self.islands.join(one, other));
        }
        self.keys.clear();
        self.keys.resize(rows.len(), 0);
        for i in first..rows.len() {
            self.keys[i] = rows.blocks(i).first().map_or(0, |b| self.islands.find(key(b.link)));
        }
        self.rows.clear();
        self.rows.extend(first as u32..rows.len() as u32);
        let keys = &self.keys;
        self.rows.sort_unstable_by_key(|i| (keys[*i as usize], *i));
        self.rows.chunk_by(|a, b| keys[*a as usize] == keys[*b as usize]).all(|part| part.len() <= MOST)
    }

    fn solve_component(
        &mut self,
        options: &Options,
        range: Range<usize>,
        rows: &mut Rows,
        lanes: Range<usize>,
        V: &[Vec<Six>; LANES],
    ) -> Outcome {
        self.fill(options, range.clone(), rows, lanes.clone(), V);
        let ids = &self.rows[range];
        let friction = ids.partition_point(|i| (*i as usize) < rows.end_normals);
        let part = Part { options, rows, ids, place: &self.place, A: &self.A, step: &self.step, friction };
        let mut outcome = Outcome::default();
        while outcome.sweeps < options.iterations && !outcome.converged {
            outcome.change =
                lanes.clone().map(|l| part.sweep(0, l, &mut self.f[l], &mut self.w[l])).fold(0.0, f64::max);
            outcome.sweeps += 1;
            outcome.converged = outcome.change <= options.tolerance;
        }
        for _ in 0..options.friction_sweeps {
            lanes.clone().for_each(|l| _ = part.sweep(friction, l, &mut self.f[l], &mut self.w[l]));
        }
        for (k, i) in ids.iter().enumerate() {
            lanes.clone().for_each(|l| rows.rows[*i as usize].force[l] = self.f[l][k]);
        }
        outcome
    }

    /// A, w, f and steps of a component.
    fn fill(
        &mut self,
        options: &Options,
        range: Range<usize>,
        rows: &Rows,
        lanes: Range<usize>,
        V: &[Vec<Six>; LANES],
    ) {
        let ids = &self.rows[range];
        let quads = ids.len().div_ceil(4);
        self.place.resize(rows.len(), 0);
        ids.iter().enumerate().for_each(|(k, i)| self.place[*i as usize] = k as u32);
        self.A.clear();
        self.A.resize(ids.len() * quads, Quad::default());
        self.response.resize(V[0].len(), Six::ZERO);
        for (c, &i) in ids.iter().enumerate() {
            let i = i as usize;
            for block in rows.responses(i) {
                self.response[block.link as usize] = block.value;
            }
            let column = &mut self.A[c * quads..(c + 1) * quads];
            for (r, &j) in ids.iter().enumerate() {
                column[r / 4].0[r % 4] = rows.velocity(j as usize, &self.response);
            }
            column[c / 4].0[c % 4] += rows.rows[i].compliance;
            // Rows of one component may reach different links of it.
            for block in rows.responses(i) {
                self.response[block.link as usize] = Six::ZERO;
            }
        }
        self.step.clear();
        self.step.extend(ids.iter().map(|i| options.relaxation * rows.rows[*i as usize].inv_diag));
        for lane in lanes {
            let (w, f) = (&mut self.w[lane], &mut self.f[lane]);
            f.clear();
            f.extend(ids.iter().map(|i| rows.rows[*i as usize].force[lane]));
            w.clear();
            w.resize(quads, Quad::default());
            for (r, &i) in ids.iter().enumerate() {
                let i = i as usize;
                w[r / 4].0[r % 4] = rows.velocity(i, &V[lane]) - rows.rows[i].target[lane];
            }
            for (c, column) in self.A.chunks_exact(quads).enumerate() {
                add_column(f[c], column, w);
            }
        }
    }
}

impl Part<'_> {
    /// One sweep over the rows from `first` on; the largest change of an impulse relative to the largest impulse.
    fn sweep(&self, first: usize, lane: usize, f: &mut [f64], w: &mut [Quad]) -> f64 {
        let (mut change, mut largest) = (0.0f64, f64::MIN_POSITIVE);
        let mut i = first;
        while i < self.ids.len() {
            let elliptic = i >= self.friction && self.options.cone == Cone::Elliptic;
            let (moved, count) = if elliptic { self.project(i, lane, f, w) } else { (self.relax(i, lane, f, w), 1) };
            change = change.max(moved);
            f[i..i + count].iter().for_each(|f| largest = largest.max(f.abs()));
            i += count;
        }
        change / largest
    }

    /// (1) and (2).
    fn relax(&self, i: usize, lane: usize, f: &mut [f64], w: &mut [Quad]) -> f64 {
        let row = &self.rows.rows[self.ids[i] as usize];
        let free = f[i] - self.step[i] * w[i / 4].0[i % 4];
        let next = match row.bound {
            Bound::None => free,
            Bound::OneSided => free.max(0.0),
            Bound::Constant(most) => free.max(-most).min(most),
            Bound::Friction { mu, normal } => {
                let most = mu * self.normal(normal, lane, f);
                free.max(-most).min(most)
            }
        };
        self.apply(i, lane, next, f, w)
    }

    /// The normal impulse that bounds a friction row.
    fn normal(&self, normal: u32, lane: usize, f: &[f64]) -> f64 {
        match self.options.friction_bound {
            FrictionBound::Present => f[self.place[normal as usize] as usize],
            FrictionBound::LastStep => self.rows.rows[normal as usize].last[lane],
        }
    }

    fn apply(&self, i: usize, lane: usize, mut next: f64, f: &mut [f64], w: &mut [Quad]) -> f64 {
        if self.options.smoothing > 0.0 {
            next += self.options.smoothing * (self.rows.rows[self.ids[i] as usize].last[lane] - next);
        }
        let change = next - f[i];
        if change != 0.0 {
            f[i] = next;
            let quads = w.len();
            add_column(change, &self.A[i * quads..(i + 1) * quads], w);
        }
        change.abs()
    }

    /// The friction of one contact, whose first row is `i`: the largest change, and how many rows it has.
    fn project(&self, i: usize, lane: usize, f: &mut [f64], w: &mut [Quad]) -> (f64, usize) {
        let row = |k: usize| &self.rows.rows[self.ids[k] as usize];
        let Kind::Friction { contact, .. } = row(i).kind else { return (0.0, 1) };
        let of_contact = |k: &usize| matches!(row(*k).kind, Kind::Friction { contact: c, .. } if c == contact);
        let count = (i..self.ids.len()).take_while(of_contact).count().min(MOST_FRICTION);
        let mut mu = [0.0; MOST_FRICTION];
        let (mut trace, mut most) = (0.0, 0.0);
        for k in 0..count {
            if let Bound::Friction { mu: m, normal } = row(i + k).bound {
                (mu[k], most) = (m, self.normal(normal, lane, f));
            }
            if self.step[i + k] > 0.0 {
                trace += mu[k] * mu[k] / row(i + k).inv_diag;
            }
        }
        if trace <= 0.0 {
            return (0.0, count);
        }
        let mut g = [0.0; MOST_FRICTION];
        let mut size = 0.0;
        for k in (0..count).filter(|k| mu[*k] > 0.0) {
            g[k] = f[i + k] / mu[k] - 1.5 / trace * mu[k] * w[(i + k) / 4].0[(i + k) % 4];
            size += g[k] * g[k];
        }
        let scale = if size > most * most { most / size.sqrt() } else { 1.0 };
        let moved = (0..count).map(|k| self.apply(i + k, lane, mu[k] * g[k] * scale, f, w)).fold(0.0, f64::max);
        (moved, count)
    }
}

/// w += s column.
#[inline]
fn add_column(s: f64, column: &[Quad], w: &mut [Quad]) {
    for (w, a) in w.iter_mut().zip(column) {
        (0..4).for_each(|k| w.0[k] = s.mul_add(a.0[k], w.0[k]));
    }
}
