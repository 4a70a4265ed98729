//! Collision detection: contacts between geoms, their positions and parameters.
//!
//! Broad phase (`broad`) → filters (`filter`) → narrow phase (`narrow`, one file per pair of
//! shapes) → contact parameters (`mix`). The order of contacts is deterministic: by the two bodies;
//! explicit pairs first, then by geoms.

mod broad;
pub mod distance;
mod epa;
mod filter;
mod frame;
mod gjk;
mod mix;
pub mod narrow;
pub(crate) mod near;
mod ray;
mod rule;
pub mod shape;
mod support;

pub(crate) use distance::geom_distance_within;
pub use distance::{GeomDistance, geom_distance};
pub(crate) use mix::{friction_follows, friction_follows_pair};
pub use ray::{Hit, RayFilter, ray, ray_geom, ray_primitive};
pub use rule::{PairRule, pair_rule};

use crate::data::{Contact, Data};
use crate::ids::GeomId;
use crate::model::Model;
use crate::options::{Disable, Enable};
use narrow::Touch;
use saltus_math::Vec3;
use shape::Shape;

/// Working memory of collision detection. What it keeps between calls saves work and does not
/// affect results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    sweep: broad::Sweep,
    candidates: Vec<Candidate>,
    /// Separating directions of pairs, of the last call and of this one, in the order of
    /// candidates.
    apart: [Vec<(Candidate, Vec3)>; 2],
    /// Number of entries of the last call that precede the current candidate.
    passed: usize,
    touches: Vec<Touch>,
    narrow: narrow::Scratch,
}

impl Workspace {
    /// The separating direction of a pair in the last call. Candidates come in ascending order.
    fn last_axis(&mut self, candidate: &Candidate) -> Option<Vec3> {
        let last = &self.apart[0];
        while last.get(self.passed).is_some_and(|(c, _)| c < candidate) {
            self.passed += 1;
        }
        last.get(self.passed).filter(|(c, _)| c == candidate).map(|(_, axis)| *axis)
    }
}

/// A pair of geoms to be tested. Its ordering is the order of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Bodies, smaller first.
    bodies: [u32; 2],
    /// Explicit pairs (by index) precede all others of their bodies.
    pair: PairIndex,
    /// Geoms in the order of the contact: simpler shape first.
    geoms: [u32; 2],
}

impl Candidate {
    /// A sort key with the same order and fewer comparisons.
    fn key(&self) -> (u64, u32, u64) {
        let join = |[a, b]: [u32; 2]| u64::from(a) << 32 | u64::from(b);
        (join(self.bodies), self.pair.0, join(self.geoms))
    }
}

/// Index of an explicit pair, or [`PairIndex::NONE`], which sorts last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PairIndex(u32);
impl PairIndex {
    const NONE: PairIndex = PairIndex(u32::MAX);
}

/// Fills `data.contacts` from the geom poses of `data.position`.
pub fn update_contacts(model: &Model, data: &mut Data) {
    data.contacts.clear();
    let disable = model.options.disable;
    if disable.has(Disable::CONTACT) || disable.has(Disable::CONSTRAINT) {
        return;
    }
    let mut work = data.scratch.modules.take::<Workspace>();
    work.candidates.clear();
    filter::push_explicit_pairs(model, &mut work.candidates);
    broad::push_candidates(model, &data.position, &mut work.sweep, &mut work.candidates);
    work.candidates.sort_unstable_by_key(Candidate::key);
    work.apart.swap(0, 1);
    work.apart[1].clear();
    work.passed = 0;
    for k in 0..work.candidates.len() {
        let candidate = work.candidates[k];
        collide_pair(model, data, candidate, &mut work);
    }
    data.scratch.modules.put(work);
}

/// Narrow phase of one pair; appends its contacts.
fn collide_pair(model: &Model, data: &mut Data, candidate: Candidate, work: &mut Workspace) {
    let [g1, g2] = candidate.geoms.map(|g| g as usize);
    let reach = mix::reach(model, &candidate);
    let (s1, s2) = (Shape::of_geom(model, &data.position, g1), Shape::of_geom(model, &data.position, g2));
    if !narrow::bounds_meet(&s1, &s2, reach.detect) {
        return;
    }
    work.touches.clear();
    work.narrow.axis = work.last_axis(&candidate);
    let settings = narrow::Settings::new(model);
    narrow::collide(&s1, &s2, reach.detect, &settings, &mut work.narrow, &mut work.touches);
    if work.touches.is_empty() {
        work.apart[1].extend(work.narrow.axis.map(|axis| (candidate, axis)));
        return;
    }
    let parameters = mix::parameters(model, &candidate);
    for touch in &work.touches {
        let mut contact = Contact {
            dist: touch.dist,
            pos: touch.pos,
            frame: frame::contact_frame(touch.normal, touch.tangent),
            geom1: GeomId(candidate.geoms[0]),
            geom2: GeomId(candidate.geoms[1]),
            include_margin: reach.margin,
            reach: reach.own,
            in_gap: touch.dist >= reach.force,
            first_row: -1,
            ..parameters
        };
        if contact.in_gap && contact.adhesion > 0.0 {
            // Adhesion acts across the gap, along the normal only.
            contact.in_gap = false;
            contact.dim = 1;
        }
        contact.surface_velocity = mix::surface_velocity(model, &data.position, &contact);
        data.contacts.push(contact);
    }
}

/// Whether contact parameters are replaced by those of the options.
fn overridden(model: &Model) -> bool {
    model.options.enable.has(Enable::OVERRIDE)
}
