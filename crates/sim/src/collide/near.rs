//! Links of one robot that are always near each other.
//!
//! Laws that see contacts from a distance would see neighbouring links of an arm or of a hand for ever: they are within the reach in every
//! pose, push each other a little and make each step dearer. A pair of geoms of one robot whose distance in the reference pose
//! is less than twice the reach is seen from half of that distance on instead: not in the reference pose, but before it touches. Pairs that
//! overlap in the reference pose are seen from a small share of the reach on. Explicit pairs, and what is not of one robot, such as a
//! floor or an object in a hand, keep the whole reach. A robot is what hangs on one body of the world: fingers of a hand that is
//! bolted down belong together though nothing that moves connects them. Springs of the compliant law do not fade, and keep theirs too.

use super::{Candidate, PairIndex, Workspace, filter, geom_distance_within};
use crate::data::Position;
use crate::ids::GeomId;
use crate::model::Model;
use crate::model::tables::NearTable;

/// Distance up to which pairs are listed, m: no reach of a robot's law is more than half of it.
const LISTED: f64 = 0.1;
/// Share of the distance in the reference pose from which a pair is seen.
const SHARE: f64 = 0.5;
/// Least share of the reach that is left to any pair.
const LEAST: f64 = 0.02;

/// Lists the pairs of a model in the reference pose.
pub(crate) fn find(model: &Model, x: &Position) -> NearTable {
    let (mut out, mut work) = (NearTable::default(), Workspace::default());
    let geoms = &model.geoms;
    let root = |g: usize| model.bodies.root[geoms.body[g].idx()].idx();
    for g1 in (0..model.ngeom()).filter(|&g| root(g) != 0) {
        for g2 in (g1 + 1..model.ngeom()).filter(|&g| root(g) == root(g1)) {
            let reach = geoms.bound_radius[g1] + geoms.bound_radius[g2] + LISTED;
            let apart = (x.p_WG[g1] - x.p_WG[g2]).length_squared() > reach * reach;
            if apart || filter::candidate(model, g1, g2).is_none() {
                continue;
            }
            let ids = [GeomId(g1 as u32), GeomId(g2 as u32)];
            if let Some(found) = geom_distance_within(model, x, ids, LISTED, &mut work) {
                out.geoms.push([g1 as u32, g2 as u32]);
                out.distance.push(found.dist);
            }
        }
    }
    out
}

/// How far beyond its margin a pair is seen, if that is less than the reach of the law.
pub(super) fn own_reach(model: &Model, candidate: &Candidate) -> Option<f64> {
    let laws = &model.options.laws;
    let reach = laws.contact_reach();
    if !laws.law.steps_velocity() || reach <= 0.0 || candidate.pair != PairIndex::NONE || model.near.geoms.is_empty() {
        return None;
    }
    let [g1, g2] = candidate.geoms;
    let k = model.near.geoms.binary_search(&[g1.min(g2), g1.max(g2)]).ok()?;
    let own = (SHARE * model.near.distance[k]).max(LEAST * reach);
    (own < reach).then_some(own)
}
