//! Sweeps over unilateral rows in their own coordinates, for exact joints: trees that touch each
//! other are one *component*, small enough to have its matrix A = J K Jᵀ + R written out.
//!
//! With w = J V − c + R f, (1) f_i ← bounded(f_i − s_i w_i) with s_i = ω / A_ii, (2) w ← w + A_·i
//! Δf_i. The friction of a contact is one projected gradient step where cones are elliptic, as in
//! [`relax`](crate::relax). A row costs as much as its component has rows; links that joints carry
//! an impulse to do not matter. Both lanes go through the rows side by side: neither waits for the
//! other.

use crate::four::{Four, Quad};
use crate::islands::Islands;
use crate::options::{Cone, FrictionBound, Options, Order};
use crate::rows::{Bound, LANES, Rows};
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
    /// Place of each row in its component.
    place: Vec<u32>,
    part: Part,
    /// Of each lane.
    w: [Vec<Quad>; LANES],
    f: [Vec<f64>; LANES],
    /// What one row does to the links.
    response: Vec<Six>,
}

/// What sweeps over one component read.
#[derive(Clone, Debug, Default)]
struct Part {
    smoothing: f64,
    /// Columns of A.
    A: Vec<Quad>,
    units: Vec<Unit>,
    /// μ and 1/μ of each row, 0 where there is none; impulses of the last step.
    mu: Vec<[f64; 2]>,
    last: Vec<[f64; LANES]>,
}

/// What is relaxed at once: a row, or the friction of a contact in an elliptic cone.
#[derive(Clone, Copy, Debug)]
struct Unit {
    first: usize,
    count: usize,
    friction: bool,
    cone: bool,
    /// s of (1); of a cone below 2/(largest eigenvalue) in the coordinates f/μ.
    step: f64,
    /// Place of the normal whose present impulse bounds it.
    normal: Option<u32>,
    /// Else its bounds in each lane; of a cone the normal's last impulse.
    low: [f64; LANES],
    high: [f64; LANES],
}

impl Dense {
    /// Impulses of the rows from the first unilateral one on, for velocities V without them; `None`
    /// if a component is too large or the rows have another order. `root` is the first link of each
    /// link's tree; `coupled` says that loops connect all of them.
    pub fn solve(
        &mut self,
        options: &Options,
        root: &[u32],
        coupled: bool,
        rows: &mut Rows,
        lanes: Range<usize>,
        V: &[Vec<Six>; LANES],
    ) -> Option<Outcome> {
        if options.order != Order::Grouped || !self.gather(root, coupled, rows) {
            return None;
        }
        let islands = core::mem::take(&mut self.islands);
        let solved = islands.each().map(|ids| self.solve_component(options, ids, rows, lanes.clone(), V));
        let outcome = solved.fold(Outcome::OF_NONE, Outcome::worse);
        self.islands = islands;
        Some(outcome)
    }

    /// Sorts rows by component; whether all components are small.
    fn gather(&mut self, root: &[u32], coupled: bool, rows: &Rows) -> bool {
        let first = rows.end_bilateral;
        let key = |link: u32| if coupled { 0 } else { root[link as usize] };
        self.islands.clear(root.len());
        for i in first..rows.len() {
            let mut links = rows.blocks(i).iter().map(|b| key(b.link));
            let Some(one) = links.next() else { continue };
            links.for_each(|other| self.islands.join(one, other));
        }
        let of_row = |i: u32| rows.blocks(i as usize).first().map_or(0, |b| key(b.link));
        self.islands.sort(first as u32..rows.len() as u32, of_row);
        self.islands.each().all(|ids| ids.len() <= MOST)
    }

    fn solve_component(
        &mut self,
        options: &Options,
        ids: &[u32],
        rows: &mut Rows,
        lanes: Range<usize>,
        V: &[Vec<Six>; LANES],
    ) -> Outcome {
        self.fill_matrix(ids, rows, V[0].len());
        self.part.fill(options, ids, &self.place, rows);
        lanes.clone().for_each(|lane| self.start_lane(ids, rows, lane, &V[lane]));
        let (part, f, w) = (&self.part, &mut self.f, &mut self.w);
        let mut outcome = Outcome::default();
        while outcome.sweeps < options.iterations && !outcome.converged {
            outcome.change = part.sweep(&part.units, lanes.clone(), f, w);
            outcome.sweeps += 1;
            outcome.converged = outcome.change <= options.tolerance;
        }
        let friction = part.units.partition_point(|unit| !unit.friction);
        for _ in 0..options.friction_sweeps {
            part.sweep(&part.units[friction..], lanes.clone(), f, w);
        }
        for (k, i) in ids.iter().enumerate() {
            lanes.clone().for_each(|l| rows.rows[*i as usize].force[l] = f[l][k]);
        }
        outcome
    }

    /// A of a component, and where its rows are in it.
    fn fill_matrix(&mut self, ids: &[u32], rows: &Rows, links: usize) {
        let quads = ids.len().div_ceil(4);
        self.place.resize(rows.len(), 0);
        ids.iter().enumerate().for_each(|(k, i)| self.place[*i as usize] = k as u32);
        let A = &mut self.part.A;
        A.clear();
        A.resize(ids.len() * quads, Quad::default());
        self.response.resize(links, Six::ZERO);
        for ((c, &i), column) in ids.iter().enumerate().zip(A.chunks_exact_mut(quads)) {
            let i = i as usize;
            for block in rows.responses(i) {
                self.response[block.link as usize] = block.value;
            }
            for (r, &j) in ids.iter().enumerate() {
                column[r / 4].0[r % 4] = rows.velocity(j as usize, &self.response);
            }
            column[c / 4].0[c % 4] += rows.rows[i].compliance;
            // Rows of one component may reach different links of it.
            for block in rows.responses(i) {
                self.response[block.link as usize] = Six::ZERO;
            }
        }
    }

    /// f and w to begin with.
    fn start_lane(&mut self, ids: &[u32], rows: &Rows, lane: usize, V: &[Six]) {
        let (w, f) = (&mut self.w[lane], &mut self.f[lane]);
        f.clear();
        f.extend(ids.iter().map(|i| rows.rows[*i as usize].force[lane]));
        w.clear();
        w.resize(ids.len().div_ceil(4), Quad::default());
        for (r, &i) in ids.iter().enumerate() {
            let i = i as usize;
            w[r / 4].0[r % 4] = rows.velocity(i, V) - rows.rows[i].target[lane];
        }
        for (f, column) in f.iter().zip(self.part.A.chunks_exact(w.len().max(1))) {
            add_column(*f, column, w);
        }
    }
}

impl Part {
    /// All of a component but its matrix.
    fn fill(&mut self, options: &Options, ids: &[u32], place: &[u32], rows: &Rows) {
        self.smoothing = options.smoothing;
        let row = |k: usize| &rows.rows[ids[k] as usize];
        self.last.clear();
        self.last.extend((0..ids.len()).map(|k| row(k).last));
        self.mu.clear();
        self.mu.extend((0..ids.len()).map(|k| match row(k).bound {
            Bound::Friction { mu, .. } if mu > 0.0 => [mu, 1.0 / mu],
            _ => [0.0; 2],
        }));
        self.units.clear();
        let mut first = 0;
        while first < ids.len() {
            let mut unit = unit(options, place, rows, ids[first] as usize);
            unit.first = first;
            if unit.cone {
                let same = |k: &usize| row(*k).kind.friction_of() == row(first).kind.friction_of();
                unit.count = (first..ids.len()).take_while(same).count().min(MOST_FRICTION);
                let stiffness = |k: usize| self.mu[k][0] * self.mu[k][0] / row(k).inv_diag;
                let moved = (first..first + unit.count).filter(|k| row(*k).inv_diag > 0.0);
                let trace: f64 = moved.map(stiffness).sum();
                unit.step = if trace > 0.0 { 1.5 / trace } else { 0.0 };
            }
            first += unit.count;
            self.units.push(unit);
        }
    }

    /// One sweep; the largest change of an impulse relative to the largest impulse of its lane.
    fn sweep(&self, units: &[Unit], lanes: Range<usize>, f: &mut [Vec<f64>; LANES], w: &mut [Vec<Quad>; LANES]) -> f64 {
        let (mut change, mut largest) = ([0.0f64; LANES], [f64::MIN_POSITIVE; LANES]);
        for unit in units {
            for lane in lanes.clone() {
                let (f, w) = (&mut f[lane][..], &mut w[lane][..]);
                let moved = if unit.cone { self.project(unit, lane, f, w) } else { self.relax(unit, lane, f, w) };
                change[lane] = change[lane].max(moved);
                for f in &f[unit.first..unit.first + unit.count] {
                    largest[lane] = largest[lane].max(f.abs());
                }
            }
        }
        lanes.map(|lane| change[lane] / largest[lane]).fold(0.0, f64::max)
    }

    /// (1) and (2): the change of the impulse.
    #[inline]
    fn relax(&self, unit: &Unit, lane: usize, f: &mut [f64], w: &mut [Quad]) -> f64 {
        let i = unit.first;
        let [low, high] = match unit.normal {
            Some(normal) => {
                let most = self.mu[i][0] * f[normal as usize];
                [-most, most]
            }
            None => [unit.low[lane], unit.high[lane]],
        };
        let free = f[i] - unit.step * w[i / 4].0[i % 4];
        self.apply(i, lane, free.max(low).min(high), f, w)
    }

    #[inline]
    fn apply(&self, i: usize, lane: usize, next: f64, f: &mut [f64], w: &mut [Quad]) -> f64 {
        let next = self.smoothing.mul_add(self.last[i][lane] - next, next);
        let change = next - f[i];
        if change != 0.0 {
            f[i] = next;
            add_column(change, &self.A[i * w.len()..(i + 1) * w.len()], w);
        }
        change.abs()
    }

    /// The friction of one contact: the largest change.
    #[inline]
    fn project(&self, unit: &Unit, lane: usize, f: &mut [f64], w: &mut [Quad]) -> f64 {
        if unit.step <= 0.0 {
            return 0.0;
        }
        let most = unit.normal.map_or(unit.high[lane], |normal| f[normal as usize]);
        let (mut g, mut size) = ([0.0; MOST_FRICTION], 0.0);
        let rows = unit.first..unit.first + unit.count;
        for (g, i) in g.iter_mut().zip(rows.clone()) {
            let [mu, inverse] = self.mu[i];
            *g = f[i] * inverse - unit.step * mu * w[i / 4].0[i % 4];
            size += *g * *g;
        }
        let scale = if size > most * most { most / size.sqrt() } else { 1.0 };
        let mut moved = 0.0f64;
        for (g, i) in g.iter().zip(rows) {
            moved = moved.max(self.apply(i, lane, self.mu[i][0] * g * scale, f, w));
        }
        moved
    }
}

/// How row `i` is relaxed by itself.
fn unit(options: &Options, place: &[u32], rows: &Rows, i: usize) -> Unit {
    let row = &rows.rows[i];
    let friction = i >= rows.end_normals;
    let cone = friction && options.cone == Cone::Elliptic;
    let (mut normal, mut low, mut high) = (None, [f64::MIN; LANES], [f64::MAX; LANES]);
    match row.bound {
        Bound::None => {}
        Bound::OneSided => low = [0.0; LANES],
        Bound::Constant(most) => (low, high) = ([-most; LANES], [most; LANES]),
        Bound::Friction { normal: of, .. } if options.friction_bound == FrictionBound::Present => {
            normal = Some(place[of as usize]);
        }
        Bound::Friction { mu, normal } => {
            high = rows.rows[normal as usize].last.map(|f| if cone { f } else { mu * f });
            low = high.map(|f| -f);
        }
    }
    Unit { first: 0, count: 1, friction, cone, step: options.relaxation * row.inv_diag, normal, low, high }
}

/// w += s column.
#[inline(always)]
fn add_column(s: f64, column: &[Quad], w: &mut [Quad]) {
    let s = Four::splat(s);
    for (w, a) in w.iter_mut().zip(column) {
        s.mul_add(Four::load(a), Four::load(w)).store(w);
    }
}
