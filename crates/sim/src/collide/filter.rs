//! Collision filters: masks, rigid groups, parents, exclusions, explicit pairs.

use super::{Candidate, PairIndex};
use crate::model::Model;
use crate::model::kinds::GeomShape;
use crate::options::Disable;
use core::ops::Range;

/// Appends the candidates of the model's explicit pairs.
pub(super) fn push_explicit_pairs(model: &Model, out: &mut Vec<Candidate>) {
    let pairs = &model.pairs;
    for k in 0..pairs.geom1.len() {
        let (g1, g2) = (pairs.geom1[k].idx(), pairs.geom2[k].idx());
        if let Some(geoms) = ordered(model, g1, g2) {
            out.push(Candidate { bodies: bodies(model, g1, g2), pair: PairIndex(k as u32), geoms });
        }
    }
}

/// Data for the filters of masks and rigid groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub types: i32,
    pub affinities: i32,
    /// The rigid group of the body, and that of its parent.
    weld: u32,
    parent: u32,
    mobile: bool,
}

impl Group {
    pub fn of(model: &Model, geom: usize) -> Self {
        let (geoms, bodies) = (&model.geoms, &model.bodies);
        let weld = bodies.weld[geoms.body[geom].idx()];
        Self {
            types: geoms.contype[geom],
            affinities: geoms.conaffinity[geom],
            weld: weld.0,
            parent: bodies.weld[bodies.parent[weld.idx()].idx()].0,
            mobile: !bodies.dofs[weld.idx()].is_empty(),
        }
    }

    /// Whether masks match and the groups are different, not both immobile, and, if `parents` is
    /// false, not parent and child. The world does not count as a parent: bodies that stand on it
    /// must collide with it.
    pub fn collides(&self, other: &Self, parents: bool) -> bool {
        let masks = (self.types & other.affinities) | (other.types & self.affinities);
        let family = (self.weld != 0 && other.parent == self.weld) || (other.weld != 0 && self.parent == other.weld);
        masks != 0 && self.weld != other.weld && (self.mobile || other.mobile) && (parents || !family)
    }
}

/// Whether parents collide with their children.
pub(super) fn parents_collide(model: &Model) -> bool {
    model.options.disable.has(Disable::FILTERPARENT)
}

/// The candidate of two geoms that are not an explicit pair, if it passes all filters.
pub(super) fn candidate(model: &Model, g1: usize, g2: usize) -> Option<Candidate> {
    let groups = [g1, g2].map(|g| Group::of(model, g));
    if groups[0].collides(&groups[1], parents_collide(model)) { candidate_of_groups(model, g1, g2) } else { None }
}

/// [`candidate`] for geoms whose groups are known to collide.
pub(super) fn candidate_of_groups(model: &Model, g1: usize, g2: usize) -> Option<Candidate> {
    let geoms = ordered(model, g1, g2)?;
    let bodies = bodies(model, g1, g2);
    if is_excluded(model, bodies) || explicit(model, bodies, g1, g2).is_some() {
        return None;
    }
    Some(Candidate { bodies, pair: PairIndex::NONE, geoms })
}

/// The candidate of two geoms by the model's own rules: their explicit pair, or a pair that passes
/// all filters.
pub(super) fn rule(model: &Model, g1: usize, g2: usize) -> Option<Candidate> {
    let bodies = bodies(model, g1, g2);
    let pair = explicit(model, bodies, g1, g2).and_then(|k| {
        let geoms = ordered(model, g1, g2)?;
        Some(Candidate { bodies, pair: PairIndex(k as u32), geoms })
    });
    pair.or_else(|| candidate(model, g1, g2))
}

/// Bodies of two geoms, smaller id first.
fn bodies(model: &Model, g1: usize, g2: usize) -> [u32; 2] {
    let (b1, b2) = (model.geoms.body[g1].0, model.geoms.body[g2].0);
    [b1.min(b2), b1.max(b2)]
}

/// Geoms in the order of their contacts: simpler shape first, then the geom of the smaller body id.
/// None if these shapes do not collide.
fn ordered(model: &Model, g1: usize, g2: usize) -> Option<[u32; 2]> {
    let geoms = &model.geoms;
    let (s1, s2) = (geoms.shape[g1], geoms.shape[g2]);
    let flat = |s| matches!(s, GeomShape::Plane | GeomShape::Hfield);
    if flat(s1) && flat(s2) {
        return None;
    }
    let in_order = if s1 == s2 { geoms.body[g1] <= geoms.body[g2] } else { s1 < s2 };
    Some(if in_order { [g1 as u32, g2 as u32] } else { [g2 as u32, g1 as u32] })
}

/// Range of a table sorted by signature that may belong to these bodies.
fn signature_run(signatures: &[i32], [b1, b2]: [u32; 2]) -> Range<usize> {
    let key = b1.wrapping_shl(16).wrapping_add(b2) as i32;
    let start = signatures.partition_point(|s| *s < key);
    start..start + signatures[start..].partition_point(|s| *s == key)
}

fn is_excluded(model: &Model, bodies: [u32; 2]) -> bool {
    let table = &model.excludes;
    signature_run(&table.signature, bodies).any(|k| [table.body1[k].0, table.body2[k].0] == bodies)
}

/// The explicit pair of two geoms.
fn explicit(model: &Model, bodies: [u32; 2], g1: usize, g2: usize) -> Option<usize> {
    let table = &model.pairs;
    signature_run(&table.signature, bodies).find(|&k| {
        let pair = (table.geom1[k].idx(), table.geom2[k].idx());
        pair == (g1, g2) || pair == (g2, g1)
    })
}
