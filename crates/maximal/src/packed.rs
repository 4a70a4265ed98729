//! Rows laid out for sweeps. Neighbouring rows on the same links are one *group*, relaxed together
//! with the result of relaxing one after the other: its critical path is that of one row.
//!
//! With the rows J of a group, responses Y = W Jᵀ, A = J Y, compliances R and relaxation ω,
//! Gauss–Seidel without bounds is (1) Δf = T (c − R f − J V) with T = (diag(A + R)/ω + lower(A))⁻¹,
//! kept as P = T J, C = T R and b = T c, so that Δf = b − C f − P V. Rows with bounds are (2) u = b
//! − R f − P V, each row scaled by its step s = ω / (A + R), then in turn Δf_r = bounded(f_r + u_r)
//! − f_r and u −= C_r Δf_r with C = s lower(A), times 1 − ε where impulses are smoothed. In either
//! case (3) V ← V + Y Δf.
//!
//! Rows are the lanes of P, C, b and f: quads of four, padded with zeros. What a sweep reads of one
//! group lies together:
//!     rows of a joint        as in [`bond`](crate::bond)
//!     rows without bounds    b of each lane | C | P | Y
//!     rows with bounds       b, last f, low and high of each lane | R | μ (of a cone 1/μ) | C | P | Y
//!     a single row           (b, last f, low, high) of each lane | (R, μ) | P | Y
//! with C rows × quads, P links × 6 × quads (of a single row links × 2, along the coordinates), Y
//! rows × reach × 2.

mod filling;

use self::filling::Filling;
use crate::bond::{self, Bonds};
use crate::four::Quad;
use crate::options::{Cone, FrictionBound, Options};
use crate::rows::{Bound, Impulses, Kind, LANES, Rows};

/// Most rows of a group, and most links that a row is on.
pub const MOST_ROWS: usize = 8;
pub const MOST_LINKS: usize = 4;

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
        let reach = &self.reach[group.reach.0 as usize..][..group.reach.1 as usize];
        let parts = match group.is_single() {
            true => Parts::of_single(group.slots, reach.len()),
            false => Parts::of_several(group.form, group.rows, group.slots, reach.len()),
        };
        self.numbers.resize(group.at + parts.len(), Quad::default());
        let mut ids = [0; MOST_ROWS];
        (0..group.rows).for_each(|r| ids[r] = self.row[group.quad * 4 + r] as usize);
        let ids = &ids[..group.rows];
        if matches!(group.form, Form::Pyramid | Form::Cone) {
            for (r, i) in ids.iter().enumerate() {
                let Bound::Friction { normal, .. } = rows.rows[*i].bound else { continue };
                self.normal[group.quad + r / 4][r % 4] = self.place[normal as usize];
            }
        }
        let out = parts.split_mut(&mut self.numbers[group.at..]);
        Filling { options, rows, group, ids }.fill(reach, out);
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
        && (form != Form::Cone || rows.rows[group.first].kind.friction_of() == rows.rows[i].kind.friction_of())
}
