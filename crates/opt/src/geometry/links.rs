//! Which links get a capsule, and which capsules are checked against each other.

use super::GeometryOptions;
use super::ball::Ball;
use super::capsule::{CapsulePair, LinkCapsule, capsule_distance};
use super::fit::{Capsule, enclosing};
use super::report::GeometryReport;
use super::shape::Placed;
use saltus_math::Vec3;
use saltus_sim::collide::{geom_distance, pair_rule};
use saltus_sim::ids::{BodyId, GeomId};
use saltus_sim::model::kinds::GeomShape;
use saltus_sim::{Data, Model};

/// One capsule for each rigid group that moves and has shapes that collide, in frames of the model.
pub(super) fn capsules(model: &Model) -> Vec<LinkCapsule> {
    let mut out = Vec::new();
    for body in (0..model.nbody()).filter(|&b| model.bodies.tree[b].is_some()) {
        let geoms: Vec<Placed<'_>> =
            model.bodies.geoms[body].range().filter(|&g| collides(model, g)).map(|g| Placed::of(model, g)).collect();
        if let Some(Capsule { ends: [p0, p1], radius }) = around(&geoms) {
            let body_name = super::body_name(model, body);
            out.push(LinkCapsule { body: BodyId::new(body), body_name, p0, p1, radius });
        }
    }
    out
}

/// Whether a geom can touch anything at all.
pub(super) fn collides(model: &Model, g: usize) -> bool {
    let paired = || model.pairs.geom1.iter().chain(&model.pairs.geom2).any(|p| p.idx() == g);
    model.geoms.contype[g] != 0 || model.geoms.conaffinity[g] != 0 || paired()
}

/// The capsule around some geoms; a capsule or a sphere alone stays what it is.
pub(super) fn around(geoms: &[Placed<'_>]) -> Option<Capsule> {
    if let [only] = geoms {
        let radius = only.size.x;
        match only.kind {
            GeomShape::Capsule => return Some(Capsule { ends: only.ends(), radius }),
            GeomShape::Sphere => return Some(Capsule { ends: [only.to_body(Vec3::ZERO); 2], radius }),
            _ => {}
        }
    }
    let balls: Vec<Ball> = geoms.iter().flat_map(|g| g.hull()).collect();
    let axes: Vec<Vec3> = geoms.iter().take(8).flat_map(|g| g.axes()).collect();
    enclosing(&balls, &axes)
}

/// A model in its nominal pose.
pub(super) struct Links<'a> {
    pub model: &'a Model,
    pub nominal: &'a Data,
}

impl Links<'_> {
    /// Pairs of capsules that the model's filters let collide and that joints can separate.
    pub fn pairs(
        &self,
        capsules: &[LinkCapsule],
        touching: &[[usize; 2]],
        options: &GeometryOptions,
        report: &mut GeometryReport,
    ) -> Vec<CapsulePair> {
        let Self { model, nominal } = *self;
        let mut out = Vec::new();
        for (i, a) in capsules.iter().enumerate() {
            for (j, b) in capsules.iter().enumerate().skip(i + 1) {
                let [first, second] = [a.body.idx(), b.body.idx()];
                let contact = touching.contains(&[first, second]) || touching.contains(&[second, first]);
                if contact || joints_between(model, first, second) <= 1 || !may_collide(model, first, second) {
                    continue;
                }
                let pair = CapsulePair::new([i, j], [a.clone(), b.clone()]);
                if capsule_distance(model, nominal, &pair, &mut []) < 0.0 {
                    if joints_between(model, first, second) <= options.near {
                        continue;
                    }
                    report.note(format!(
                        "the capsules of {} and {} overlap in the nominal pose and are kept: more than {} joints are between them",
                        a.body_name, b.body_name, options.near
                    ));
                }
                out.push(pair);
            }
        }
        out
    }
}

/// Whether any shapes of two bodies may touch by the model's own filters.
fn may_collide(model: &Model, a: usize, b: usize) -> bool {
    let geoms = |body: usize| model.bodies.geoms[body].range().map(GeomId::new);
    geoms(a).any(|g| geoms(b).any(|h| pair_rule(model, g, h).is_some()))
}

/// Whether two geoms are next to each other by construction: one of a link, the other of the
/// machine's base, which is fixed to the world but not the world itself. Either the link is mounted
/// on that body, or few joints are between them and one is inside the other in the nominal pose.
pub(super) fn is_built_in(model: &Model, nominal: &Data, geom: usize, fixed: usize, near: usize) -> bool {
    let bodies = &model.bodies;
    let (mut link, base) = (model.geoms.body[geom].idx(), model.geoms.body[fixed].idx());
    let mut joints = 0;
    while bodies.tree[link].is_some() {
        joints += usize::from(!bodies.joints[link].is_empty());
        link = bodies.parent[link].idx();
    }
    // `link` is now what the chain is mounted on.
    if base == 0 || link == 0 || bodies.root[base] != bodies.root[link] {
        return false;
    }
    let overlap = || geom_distance(model, nominal, GeomId::new(geom), GeomId::new(fixed), 0.0).is_some();
    joints <= 1 && base == link || joints <= near && overlap()
}

/// Bodies with joints on the path from one body to another; many where the path goes through the
/// world.
pub(crate) fn joints_between(model: &Model, a: usize, b: usize) -> usize {
    let bodies = &model.bodies;
    if bodies.tree[a] != bodies.tree[b] {
        return usize::MAX;
    }
    let (mut a, mut b, mut count) = (a, b, 0);
    while a != b {
        // A parent's id is below its children's.
        let lower = if a > b { &mut a } else { &mut b };
        count += usize::from(!bodies.joints[*lower].is_empty());
        *lower = bodies.parent[*lower].idx();
    }
    count
}
