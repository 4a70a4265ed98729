//! Rows laid out for sweeps. Neighbouring rows on the same links are one *group*, relaxed together with the result of relaxing one
//! after the other: its critical path is that of one row.
//!
//! With the rows J of a group, responses Y = W Jᵀ, A = J Y, compliances R and relaxation ω, Gauss–Seidel without bounds is
//! (1) Δf = T (c − R f − J V) with T = (diag(A + R)/ω + lower(A))⁻¹, kept as P = T J, C = T R and b = T c, so that Δf = b − C f − P V.
//! Rows with bounds are (2) u = b − R f − P V, each row scaled by its step s = ω / (A + R), then in turn Δf_r = bounded(f_r + u_r) − f_r and
//! u −= C_r Δf_r with C = s lower(A). In either case (3) V ← V + Y Δf.
//!
//! Rows are the lanes of P, C, b and f: quads of four, padded with zeros.

use crate::options::{Cone, FrictionBound, Options};
use crate::rows::{Bound, Kind, LANES, Rows};
use crate::six::Six;

/// Most rows of a group, and most links that a row is on.
pub const MOST_ROWS: usize = 8;
pub const MOST_LINKS: usize = 4;

/// A number of each of four rows.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub struct Quad(pub [f64; 4]);

/// How the impulses of a group are bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not at all (1).
    Linear,
    /// Each by its own constants (2).
    Bounded,
    /// Each by μ times the present impulse of its normal (2).
    Pyramid,
    /// All of one contact together: Σ (f/μ)² ≤ f_n².
    Cone,
}

/// Rows of one form on the same links.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub form: Form,
    pub rows: usize,
    /// Links of J; `reach` in `Packed::reach` are those of the response.
    pub links: [u32; MOST_LINKS],
    pub slots: usize,
    pub reach: (usize, usize),
    /// First quad of rows, of P, of C; first of Y.
    pub quad: usize,
    pub P: usize,
    pub C: usize,
    pub Y: usize,
}

impl Group {
    /// Whether it is one row by itself.
    pub fn is_single(&self) -> bool {
        self.rows == 1 && self.form != Form::Cone
    }
    /// Quads of rows.
    pub fn quads(&self) -> usize {
        self.rows.div_ceil(4)
    }
}

/// All groups; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    pub groups: Vec<Group>,
    pub reach: Vec<u32>,
    /// slots × 6 × quads; of single rows slots × 2, along the coordinates.
    pub P: Vec<Quad>,
    /// rows × quads.
    pub C: Vec<Quad>,
    /// rows × reach.
    pub Y: Vec<Six>,
    /// Of each lane: b, f, f of the last step, bounds.
    pub b: [Vec<Quad>; LANES],
    pub f: [Vec<Quad>; LANES],
    pub last: [Vec<Quad>; LANES],
    pub low: [Vec<Quad>; LANES],
    pub high: [Vec<Quad>; LANES],
    /// Scaled R of rows with bounds; μ, and the place of the normal.
    pub R: Vec<Quad>,
    pub mu: Vec<Quad>,
    pub normal: Vec<[u32; 4]>,
    /// Row of each place; its inverse is `place`.
    pub row: Vec<u32>,
    place: Vec<u32>,
}

/// The row of a place that is only padding.
const NONE: u32 = u32::MAX;

impl Packed {
    pub fn clear(&mut self) {
        self.groups.clear();
        self.reach.clear();
        self.P.clear();
        self.C.clear();
        self.Y.clear();
        let lanes = [&mut self.b, &mut self.f, &mut self.last, &mut self.low, &mut self.high];
        lanes.into_iter().flatten().for_each(Vec::clear);
        self.R.clear();
        self.mu.clear();
        self.normal.clear();
        self.row.clear();
    }

    /// Groups of the rows `order`, in their order; neighbours are put together if `merged`.
    pub fn push(&mut self, options: &Options, rows: &Rows, order: impl Iterator<Item = usize>, merged: bool) {
        for i in order {
            let form = form(options, rows, i);
            let joins = merged && self.groups.last().is_some_and(|g| self.joins(g, form, rows, i));
            if !joins {
                self.open(form, rows, i);
            }
            let Some(group) = self.groups.last_mut() else { continue };
            group.rows += 1;
            if group.rows.div_ceil(4) * 4 > self.row.len() - group.quad * 4 {
                self.row.extend([NONE; 4]);
            }
            let at = group.quad * 4 + group.rows - 1;
            self.row[at] = i as u32;
        }
    }

    fn joins(&self, group: &Group, form: Form, rows: &Rows, i: usize) -> bool {
        let blocks = rows.blocks(i);
        let first = self.row[group.quad * 4] as usize;
        group.rows < MOST_ROWS
            && group.form == form
            && group.slots == blocks.len()
            && blocks.iter().zip(group.links).all(|(b, l)| b.link == l)
            && (form != Form::Cone || contact(rows.rows[first].kind) == contact(rows.rows[i].kind))
    }

    fn open(&mut self, form: Form, rows: &Rows, i: usize) {
        let mut links = [0; MOST_LINKS];
        let blocks = rows.blocks(i);
        let slots = blocks.len().min(MOST_LINKS);
        blocks.iter().zip(&mut links).for_each(|(b, l)| *l = b.link);
        let reach = (self.reach.len(), rows.responses(i).len());
        self.reach.extend(rows.responses(i).iter().map(|b| b.link));
        let quad = self.row.len() / 4;
        self.groups.push(Group { form, rows: 0, links, slots, reach, quad, P: 0, C: 0, Y: 0 });
    }

    /// Fills in the numbers of all groups.
    pub fn fill(&mut self, options: &Options, rows: &Rows) {
        self.place.clear();
        self.place.resize(rows.len(), 0);
        for (place, &row) in self.row.iter().enumerate().filter(|(_, r)| **r != NONE) {
            self.place[row as usize] = place as u32;
        }
        let quads = self.row.len() / 4;
        let lanes = [&mut self.b, &mut self.f, &mut self.last, &mut self.low, &mut self.high];
        lanes.into_iter().flatten().for_each(|x| x.resize(quads, Quad::default()));
        self.R.resize(quads, Quad::default());
        self.mu.resize(quads, Quad::default());
        self.normal.resize(quads, [0; 4]);
        for g in 0..self.groups.len() {
            self.fill_rows(options, rows, g);
            self.fill_matrices(options, rows, g);
        }
    }

    /// Impulses and bounds.
    fn fill_rows(&mut self, options: &Options, rows: &Rows, g: usize) {
        let group = self.groups[g];
        for place in group.quad * 4..group.quad * 4 + group.rows {
            let (q, k) = (place / 4, place % 4);
            let row = &rows.rows[self.row[place] as usize];
            for lane in 0..LANES {
                self.f[lane][q].0[k] = row.force[lane];
                self.last[lane][q].0[k] = row.last[lane];
                let [low, high] = match row.bound {
                    Bound::None => [f64::NEG_INFINITY, f64::INFINITY],
                    Bound::OneSided => [0.0, f64::INFINITY],
                    Bound::Constant(most) => [-most, most],
                    Bound::Friction { mu, normal } => {
                        let last = rows.rows[normal as usize].last[lane];
                        [-mu * last, mu * last]
                    }
                };
                (self.low[lane][q].0[k], self.high[lane][q].0[k]) = (low, high);
            }
            if let Bound::Friction { mu, normal } = row.bound {
                self.mu[q].0[k] = mu;
                self.normal[q][k] = self.place[normal as usize];
            }
        }
        if group.form == Form::Cone && options.friction_bound == FrictionBound::LastStep {
            // The bounds of the cone are those of its normal: `high` holds the impulse itself.
            for place in group.quad * 4..group.quad * 4 + group.rows {
                let Bound::Friction { normal, .. } = rows.rows[self.row[place] as usize].bound else { continue };
                for lane in 0..LANES {
                    self.high[lane][place / 4].0[place % 4] = rows.rows[normal as usize].last[lane];
                }
            }
        }
    }

    /// P, C, R, b and Y.
    fn fill_matrices(&mut self, options: &Options, rows: &Rows, g: usize) {
        let mut group = self.groups[g];
        let (m, quads, at) = (group.rows, group.quads(), group.quad);
        let mut ids = [0; MOST_ROWS];
        (0..m).for_each(|r| ids[r] = self.row[at * 4 + r] as usize);
        let ids = &ids[..m];
        let coupling = couplings(rows, ids);
        let step = steps(options, group.form, rows, ids);
        (group.P, group.C, group.Y) = (self.P.len(), self.C.len(), self.Y.len());
        self.groups[g] = group;
        let T = transform(group.form, &coupling, &step, m);
        if group.is_single() {
            for block in rows.blocks(ids[0]) {
                let P = block.value.0.map(|J| step[0] * J);
                self.P.extend([Quad([P[0], P[1], P[2], P[3]]), Quad([P[4], P[5], P[6], P[7]])]);
            }
        } else {
            self.fill_columns(rows, &group, ids, &T);
        }
        let mut b = [[0.0; MOST_ROWS]; LANES];
        for (c, &i) in ids.iter().enumerate() {
            (0..LANES).for_each(|lane| add_scaled(rows.rows[i].target[lane], &T[c], &mut b[lane]));
        }
        (0..LANES).for_each(|lane| write_quads(&mut self.b[lane][at..at + quads], &b[lane]));
        self.C.resize(self.C.len() + m * quads, Quad::default());
        let out = self.C[group.C..].chunks_exact_mut(quads);
        let mut R = [0.0; MOST_ROWS];
        for ((c, &i), out) in ids.iter().enumerate().zip(out) {
            let compliance = rows.rows[i].compliance;
            let mut C = [0.0; MOST_ROWS];
            match group.form {
                Form::Linear => add_scaled(compliance, &T[c], &mut C),
                Form::Bounded | Form::Pyramid => (c + 1..m).for_each(|r| C[r] = step[r] * coupling[r][c]),
                Form::Cone => {}
            }
            write_quads(out, &C);
            R[c] = step[c] * compliance;
        }
        write_quads(&mut self.R[at..at + quads], &R);
        for &i in ids {
            self.Y.extend(rows.responses(i).iter().map(|b| b.value));
        }
    }

    /// P = T J, column by column.
    fn fill_columns(&mut self, rows: &Rows, group: &Group, ids: &[usize], T: &[[f64; MOST_ROWS]; MOST_ROWS]) {
        let quads = group.quads();
        self.P.resize(group.P + group.slots * 6 * quads, Quad::default());
        let mut out = self.P[group.P..].chunks_exact_mut(quads);
        for slot in 0..group.slots {
            let mut J = [&Six::ZERO; MOST_ROWS];
            ids.iter().zip(&mut J).for_each(|(i, J)| *J = &rows.blocks(*i)[slot].value);
            for (k, out) in (0..6).zip(&mut out) {
                let mut P = [0.0; MOST_ROWS];
                J.iter().zip(T).take(ids.len()).for_each(|(J, T)| add_scaled(J.0[k], T, &mut P));
                write_quads(out, &P);
            }
        }
    }

    /// The impulses back into the rows.
    pub fn write(&self, lanes: core::ops::Range<usize>, rows: &mut Rows) {
        for (place, &row) in self.row.iter().enumerate().filter(|(_, r)| **r != NONE) {
            for lane in lanes.clone() {
                rows.rows[row as usize].force[lane] = self.f[lane][place / 4].0[place % 4];
            }
        }
    }
}

fn contact(kind: Kind) -> Option<u32> {
    match kind {
        Kind::Friction { contact, .. } => Some(contact),
        _ => None,
    }
}

fn form(options: &Options, rows: &Rows, i: usize) -> Form {
    match (rows.rows[i].bound, options.cone, options.friction_bound) {
        (Bound::None, ..) => Form::Linear,
        (Bound::Friction { .. }, Cone::Elliptic, _) => Form::Cone,
        (Bound::Friction { .. }, Cone::Pyramidal, FrictionBound::Present) => Form::Pyramid,
        _ => Form::Bounded,
    }
}

/// A below its diagonal.
fn couplings(rows: &Rows, ids: &[usize]) -> [[f64; MOST_ROWS]; MOST_ROWS] {
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
fn transform(
    form: Form,
    A: &[[f64; MOST_ROWS]; MOST_ROWS],
    step: &[f64; MOST_ROWS],
    m: usize,
) -> [[f64; MOST_ROWS]; MOST_ROWS] {
    let mut T = [[0.0; MOST_ROWS]; MOST_ROWS];
    for c in 0..m {
        T[c][c] = step[c];
        if form == Form::Linear {
            for r in c + 1..m {
                let sum: f64 = (c..r).map(|s| A[r][s] * T[c][s]).sum();
                T[c][r] = -sum * step[r];
            }
        }
    }
    T
}

#[inline(always)]
fn add_scaled(s: f64, x: &[f64; MOST_ROWS], sum: &mut [f64; MOST_ROWS]) {
    for r in 0..MOST_ROWS {
        sum[r] = s.mul_add(x[r], sum[r]);
    }
}

/// Steps s of (2). For cones the step of all rows is below 2/(largest eigenvalue) in the coordinates f/μ, where the cone is a ball.
fn steps(options: &Options, form: Form, rows: &Rows, ids: &[usize]) -> [f64; MOST_ROWS] {
    let mut step = [0.0; MOST_ROWS];
    let mu = |i: usize| if let Bound::Friction { mu, .. } = rows.rows[i].bound { mu } else { 0.0 };
    let stiffness = |i: usize| {
        let inverse = rows.rows[i].inv_diag;
        if inverse > 0.0 { mu(i) * mu(i) / inverse } else { 0.0 }
    };
    let trace: f64 = ids.iter().map(|i| stiffness(*i)).sum();
    for (s, i) in step.iter_mut().zip(ids) {
        *s = match form {
            Form::Cone if trace > 0.0 => 1.5 * mu(*i) * mu(*i) / trace,
            Form::Cone => 0.0,
            _ => options.relaxation * rows.rows[*i].inv_diag,
        };
    }
    step
}

fn write_quads(out: &mut [Quad], x: &[f64; MOST_ROWS]) {
    out.iter_mut().zip(x.chunks_exact(4)).for_each(|(q, c)| q.0.copy_from_slice(c));
}
