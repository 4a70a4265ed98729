//! Rows laid out for sweeps. Neighbouring rows on the same links are one *group*, relaxed together with the result of relaxing one
//! after the other: its critical path is that of one row.
//!
//! With the rows J of a group, responses Y = W Jᵀ, A = J Y, compliances R and relaxation ω, Gauss–Seidel without bounds is
//! (1) Δf = T (c − R f − J V) with T = (diag(A + R)/ω + lower(A))⁻¹, kept as P = T J, C = T R and b = T c, so that Δf = b − C f − P V.
//! Rows with bounds are (2) u = b − R f − P V, each row scaled by its step s = ω / (A + R), then in turn Δf_r = bounded(f_r + u_r) − f_r and
//! u −= C_r Δf_r with C = s lower(A), times 1 − ε where impulses are smoothed. In either case (3) V ← V + Y Δf.
//!
//! Rows are the lanes of P, C, b and f: quads of four, padded with zeros. What a sweep reads of one group lies together:
//!     rows of a joint        as in [`bond`](crate::bond)
//!     rows without bounds    b of each lane | C | P | Y
//!     rows with bounds       b, last f, low and high of each lane | R | μ (of a cone 1/μ) | C | P | Y
//!     a single row           (b, last f, low, high) of each lane | (R, μ) | P | Y
//! with C rows × quads, P links × 6 × quads (of a single row links × 2, along the coordinates), Y rows × reach × 2.

use crate::bond::{self, Bonds};
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

/// A velocity of a link or an impulse on it: angular and linear part.
pub type Twist = [Quad; 2];

/// How the impulses of a group are bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not at all, all rows of one joint.
    Joint,
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
    /// Whether it acts on its own links only, in their order.
    pub near: bool,
    pub rows: usize,
    /// Links of J; `reach` in `Packed::reach` are those of the response.
    pub links: [u32; MOST_LINKS],
    pub slots: usize,
    pub reach: (u32, u32),
    /// First row of `Rows`; first quad of impulses, and of `Packed::numbers`.
    pub first: usize,
    pub quad: usize,
    pub at: usize,
}

impl Group {
    /// Whether it is one row by itself.
    pub fn is_single(&self) -> bool {
        self.rows == 1 && !matches!(self.form, Form::Cone | Form::Joint)
    }
    /// Quads of impulses.
    pub fn quads(&self) -> usize {
        if self.form == Form::Joint { bond::WRENCH } else { self.rows.div_ceil(4) }
    }
}

/// Quads of the parts of a group, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// b and bounds.
    pub head: usize,
    pub C: usize,
    pub P: usize,
    pub Y: usize,
}

impl Parts {
    #[inline(always)]
    pub fn of_single(slots: usize, reach: usize) -> Self {
        Self { head: LANES + 1, C: 0, P: 2 * slots, Y: 2 * reach }
    }
    #[inline(always)]
    pub fn of_several(form: Form, rows: usize, slots: usize, reach: usize) -> Self {
        let quads = rows.div_ceil(4);
        let head = if form == Form::Linear { LANES * quads } else { (4 * LANES + 2) * quads };
        Self { head, C: rows * quads, P: 6 * slots * quads, Y: 2 * rows * reach }
    }
    /// The parts of the group that begins at `at`.
    #[inline(always)]
    pub fn split(self, numbers: &[Quad], at: usize) -> [&[Quad]; 4] {
        let all = &numbers[at..at + self.len()];
        let (head, all) = all.split_at(self.head);
        let (C, all) = all.split_at(self.C);
        let (P, Y) = all.split_at(self.P);
        [head, C, P, Y]
    }
    fn split_mut(self, numbers: &mut [Quad]) -> [&mut [Quad]; 4] {
        let (head, all) = numbers.split_at_mut(self.head);
        let (C, all) = all.split_at_mut(self.C);
        let (P, Y) = all.split_at_mut(self.P);
        [head, C, P, Y]
    }
    #[inline(always)]
    fn len(self) -> usize {
        self.head + self.C + self.P + self.Y
    }
}

/// All groups; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    pub groups: Vec<Group>,
    pub numbers: Vec<Quad>,
    reach: Vec<u32>,
    /// Places of the normals that bound friction, by quads of rows.
    pub normal: Vec<[u32; 4]>,
    /// Row of each place; its inverse is `place`.
    pub row: Vec<u32>,
    place: Vec<u32>,
}

/// Impulses of each lane by quads of rows.
pub type Impulses = [Vec<Quad>; LANES];

/// The row of a place that is only padding.
const NONE: u32 = u32::MAX;

impl Packed {
    pub fn clear(&mut self) {
        self.groups.clear();
        self.numbers.clear();
        self.reach.clear();
        self.normal.clear();
        self.row.clear();
    }

    /// Links that a group acts on.
    #[inline]
    pub fn reach(&self, g: usize) -> &[u32] {
        let (first, count) = self.groups[g].reach;
        &self.reach[first as usize..(first + count) as usize]
    }

    /// Groups of the rows `order`, in their order; neighbours are put together if `merged`.
    pub fn push(&mut self, how: &Grouping<'_>, rows: &Rows, order: impl Iterator<Item = usize>) {
        for i in order {
            let form = how.form(rows, i);
            let joins = how.merged && self.groups.last().is_some_and(|g| joins(g, form, rows, i));
            if !joins {
                self.open(form, rows, i);
            }
            let Some(group) = self.groups.last_mut() else { continue };
            group.rows += 1;
            if group.quads() * 4 > self.row.len() - group.quad * 4 {
                self.row.resize((group.quad + group.quads()) * 4, NONE);
            }
            if form != Form::Joint {
                self.row[group.quad * 4 + group.rows - 1] = i as u32;
            }
        }
    }

    fn open(&mut self, form: Form, rows: &Rows, i: usize) {
        let mut links = [0; MOST_LINKS];
        let (blocks, responses) = (rows.blocks(i), rows.responses(i));
        let slots = blocks.len().min(MOST_LINKS);
        blocks.iter().zip(&mut links).for_each(|(b, l)| *l = b.link);
        let own = &links[..slots];
        let near = form == Form::Joint || (responses.len() == slots && responses.iter().all(|y| own.contains(&y.link)));
        let reach = (self.reach.len() as u32, if near { slots } else { responses.len() } as u32);
        match near {
            true => self.reach.extend_from_slice(own),
            false => self.reach.extend(responses.iter().map(|b| b.link)),
        }
        let quad = self.row.len() / 4;
        self.groups.push(Group { form, near, rows: 0, links, slots, reach, first: i, quad, at: 0 });
    }

    /// Fills in the numbers of all groups, and the impulses to begin with.
    pub fn fill(&mut self, how: &Grouping<'_>, rows: &Rows, f: &mut Impulses) {
        self.place.clear();
        self.place.resize(rows.len(), 0);
        let quads = self.row.len() / 4;
        for f in f.iter_mut() {
            f.clear();
            f.resize(quads, Quad::default());
        }
        for (place, &row) in self.row.iter().enumerate().filter(|(_, r)| **r != NONE) {
            self.place[row as usize] = place as u32;
            (0..LANES).for_each(|l| f[l][place / 4].0[place % 4] = rows.rows[row as usize].force[l]);
        }
        self.normal.resize(quads, [0; 4]);
        for g in 0..self.groups.len() {
            match how.bonds.filter(|_| self.groups[g].form == Form::Joint) {
                Some(bonds) => self.fill_joint(&bonds, rows, g, f),
                None => self.fill_group(how.options, rows, g),
            }
        }
    }

    fn fill_joint(&mut self, bonds: &Bonds<'_>, rows: &Rows, g: usize, f: &mut Impulses) {
        let group = &mut self.groups[g];
        group.at = self.numbers.len();
        self.numbers.resize(group.at + bond::SIZE, Quad::default());
        let links = &group.links[..group.slots];
        bonds.fill(links, rows, group.first, &mut self.numbers[group.at..]);
        bonds.read(group.links[0] as usize, rows, group.first, group.quad, f);
    }

    fn fill_group(&mut self, options: &Options, rows: &Rows, g: usize) {
        let group = &mut self.groups[g];
        group.at = self.numbers.len();
        let (m, reach) = (group.rows, group.reach.1 as usize);
        let parts = match group.is_single() {
            true => Parts::of_single(group.slots, reach),
            false => Parts::of_several(group.form, m, group.slots, reach),
        };
        self.numbers.resize(group.at + parts.len(), Quad::default());
        let mut ids = [0; MOST_ROWS];
        (0..m).for_each(|r| ids[r] = self.row[group.quad * 4 + r] as usize);
        let ids = &ids[..m];
        if matches!(group.form, Form::Pyramid | Form::Cone) {
            for (r, i) in ids.iter().enumerate() {
                let Bound::Friction { normal, .. } = rows.rows[*i].bound else { continue };
                self.normal[group.quad + r / 4][r % 4] = self.place[normal as usize];
            }
        }
        let [head, C, P, Y] = parts.split_mut(&mut self.numbers[group.at..]);
        let step = steps(options, group.form, rows, ids);
        let reach = &self.reach[group.reach.0 as usize..][..reach];
        fill_responses(rows, ids, reach, Y);
        if group.is_single() {
            fill_single(options, rows, ids[0], step[0], head, P);
            return;
        }
        let A = couplings(rows, ids);
        let T = transform(group.form, &A, &step, m);
        fill_columns(rows, ids, group.slots, &T, P);
        let (quads, kept) = (group.quads(), 1.0 - options.smoothing);
        let mut b = [[0.0; MOST_ROWS]; LANES];
        for (c, &i) in ids.iter().enumerate() {
            (0..LANES).for_each(|lane| add_scaled(rows.rows[i].target[lane], &T[c], &mut b[lane]));
        }
        let stride = if group.form == Form::Linear { quads } else { 4 * quads };
        (0..LANES).for_each(|lane| write_quads(&mut head[lane * stride..][..quads], &b[lane]));
        for ((c, &i), out) in ids.iter().enumerate().zip(C.chunks_exact_mut(quads)) {
            let mut C = [0.0; MOST_ROWS];
            match group.form {
                Form::Joint | Form::Linear => add_scaled(rows.rows[i].compliance, &T[c], &mut C),
                Form::Bounded | Form::Pyramid => (c + 1..m).for_each(|r| C[r] = kept * step[r] * A[r][c]),
                Form::Cone => {}
            }
            write_quads(out, &C);
        }
        if group.form != Form::Linear {
            fill_bounds(options, rows, (group.form, ids), &step, head);
        }
    }

    /// The impulses back into the rows.
    pub fn write(&self, how: &Grouping<'_>, lanes: core::ops::Range<usize>, f: &Impulses, rows: &mut Rows) {
        for (place, &row) in self.row.iter().enumerate().filter(|(_, r)| **r != NONE) {
            for lane in lanes.clone() {
                rows.rows[row as usize].force[lane] = f[lane][place / 4].0[place % 4];
            }
        }
        let Some(bonds) = how.bonds else { return };
        for group in self.groups.iter().filter(|g| g.form == Form::Joint) {
            for lane in lanes.clone() {
                bonds.write(group.links[0] as usize, &f[lane][group.quad..], lane, &mut rows.rows[group.first..]);
            }
        }
    }
}

/// What groups are made with.
#[derive(Clone, Copy, Debug)]
pub struct Grouping<'a> {
    pub options: &'a Options,
    /// Whether neighbours are put together.
    pub merged: bool,
    /// Joints whose rows are wrenches.
    pub bonds: Option<Bonds<'a>>,
}

impl Grouping<'_> {
    fn form(&self, rows: &Rows, i: usize) -> Form {
        let row = &rows.rows[i];
        match (row.bound, self.options.cone, self.options.friction_bound) {
            (Bound::None, ..) if self.bonds.is_some() && matches!(row.kind, Kind::Joint { .. }) => Form::Joint,
            (Bound::None, ..) => Form::Linear,
            (Bound::Friction { .. }, Cone::Elliptic, _) => Form::Cone,
            (Bound::Friction { .. }, Cone::Pyramidal, FrictionBound::Present) => Form::Pyramid,
            _ => Form::Bounded,
        }
    }
}

fn joins(group: &Group, form: Form, rows: &Rows, i: usize) -> bool {
    let blocks = rows.blocks(i);
    group.rows < MOST_ROWS
        && group.form == form
        && group.slots == blocks.len()
        && blocks.iter().zip(group.links).all(|(b, l)| b.link == l)
        && (form != Form::Cone || contact(rows.rows[group.first].kind) == contact(rows.rows[i].kind))
}

/// Lower and upper bound of a row in a lane. The bound of a cone is the impulse of its normal itself.
fn bounds(options: &Options, form: Form, rows: &Rows, i: usize, lane: usize) -> [f64; 2] {
    match rows.rows[i].bound {
        Bound::None => [f64::MIN, f64::MAX],
        Bound::OneSided => [0.0, f64::MAX],
        Bound::Constant(most) => [-most, most],
        Bound::Friction { mu, normal } => {
            let last = rows.rows[normal as usize].last[lane];
            let own = form == Form::Cone && options.friction_bound == FrictionBound::LastStep;
            [-mu * last, if own { last } else { mu * last }]
        }
    }
}

fn friction(bound: Bound) -> f64 {
    if let Bound::Friction { mu, .. } = bound { mu } else { 0.0 }
}

fn fill_single(options: &Options, rows: &Rows, i: usize, step: f64, head: &mut [Quad], P: &mut [Quad]) {
    let row = &rows.rows[i];
    for lane in 0..LANES {
        let [low, high] = bounds(options, Form::Bounded, rows, i, lane);
        // The other factor of b is T, which is the step.
        head[lane].0 = [row.target[lane].mul_add(step, 0.0), row.last[lane], low, high];
    }
    head[LANES].0 = [step * row.compliance, friction(row.bound), 0.0, 0.0];
    for (block, out) in rows.blocks(i).iter().zip(P.chunks_exact_mut(2)) {
        out.iter_mut().zip(block.value.to_twist()).for_each(|(out, J)| out.0 = J.0.map(|J| step * J));
    }
}

fn fill_bounds(
    options: &Options,
    rows: &Rows,
    (form, ids): (Form, &[usize]),
    step: &[f64; MOST_ROWS],
    head: &mut [Quad],
) {
    let quads = ids.len().div_ceil(4);
    for (r, &i) in ids.iter().enumerate() {
        let (row, q, k) = (&rows.rows[i], r / 4, r % 4);
        for lane in 0..LANES {
            let at = 4 * lane * quads + q;
            let [low, high] = bounds(options, form, rows, i, lane);
            head[at + quads].0[k] = row.last[lane];
            (head[at + 2 * quads].0[k], head[at + 3 * quads].0[k]) = (low, high);
        }
        head[4 * LANES * quads + q].0[k] = step[r] * row.compliance;
        let mu = friction(row.bound);
        // A row with μ = 0 has no step and no impulse.
        let inverse = if mu > 0.0 { 1.0 / mu } else { 0.0 };
        head[(4 * LANES + 1) * quads + q].0[k] = if form == Form::Cone { inverse } else { mu };
    }
}

/// Y, row by row.
fn fill_responses(rows: &Rows, ids: &[usize], reach: &[u32], Y: &mut [Quad]) {
    let mut out = Y.chunks_exact_mut(2);
    for &i in ids {
        let responses = rows.responses(i);
        for ((slot, link), out) in reach.iter().enumerate().zip(&mut out) {
            let own = responses.get(slot).filter(|y| y.link == *link);
            let Some(y) = own.or_else(|| responses.iter().find(|y| y.link == *link)) else { continue };
            out.copy_from_slice(&y.value.to_twist());
        }
    }
}

/// P = T J, column by column.
fn fill_columns(rows: &Rows, ids: &[usize], slots: usize, T: &[[f64; MOST_ROWS]; MOST_ROWS], P: &mut [Quad]) {
    let mut out = P.chunks_exact_mut(ids.len().div_ceil(4));
    for slot in 0..slots {
        let mut J = [&Six::ZERO; MOST_ROWS];
        ids.iter().zip(&mut J).for_each(|(i, J)| *J = &rows.blocks(*i)[slot].value);
        for (k, out) in (0..6).zip(&mut out) {
            let mut P = [0.0; MOST_ROWS];
            J.iter().zip(T).take(ids.len()).for_each(|(J, T)| add_scaled(J.0[k], T, &mut P));
            write_quads(out, &P);
        }
    }
}

fn contact(kind: Kind) -> Option<u32> {
    match kind {
        Kind::Friction { contact, .. } => Some(contact),
        _ => None,
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
    let mu = |i: usize| friction(rows.rows[i].bound);
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
