//! Links of one robot that are always near each other.
//!
//! Laws with a detection distance (reach) would permanently detect neighbouring links of an arm or
//! a hand: they are within the reach in every pose, push each other slightly and make each step
//! more expensive. A pair of geoms of one robot whose distance in the reference pose is less than
//! twice the reach is therefore detected from half of that distance: not in the reference pose, but
//! before it touches. Pairs that overlap in the reference pose are detected from a small fraction
//! of the reach. Explicit pairs, and pairs with geoms outside the robot, such as a floor or an
//! object in a hand, keep the whole reach. A robot consists of all bodies below one child of the
//! world: fingers of a hand that is fixed to the world belong together although no moving body
//! connects them. Springs of the compliant law do not fade, and keep the whole reach too.

use super::{Candidate, PairIndex, Workspace, filter, geom_distance_within};
use crate::data::Position;
use crate::ids::GeomId;
use crate::model::Model;
use crate::model::tables::NearTable;

/// Distance up to which pairs are listed, m: the reach of a law within a robot is at most half of
/// it.
const LISTED: f64 = 0.1;
/// Fraction of the distance in the reference pose from which a pair is detected.
const SHARE: f64 = 0.5;
/// Smallest fraction of the reach that any pair keeps.
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

/// Distance beyond its margin at which a pair is detected, if that is less than the reach of the
/// law.
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
