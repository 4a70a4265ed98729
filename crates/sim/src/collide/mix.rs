//! Contact parameters, combined from two geoms, or those of an explicit pair or of the options'
//! override.

use super::{Candidate, PairIndex, near, overridden};
use crate::data::{Contact, Position};
use crate::model::Model;
use core::cmp::Ordering;
use saltus_math::{MIN_VAL, Vec3};

/// Lower bound of friction coefficients; zero would make the friction cone degenerate.
const MIN_FRICTION: f64 = 1e-5;

/// Distances below which a pair exerts force and is detected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Distance relative to which penetration is measured.
    pub margin: f64,
    pub force: f64,
    pub detect: f64,
    /// Detection distance beyond the margin if it is not that of the law; otherwise infinite.
    pub own: f64,
}

/// Margin, and margin + gap; the override replaces the margin only.
pub(super) fn reach(model: &Model, candidate: &Candidate) -> Reach {
    let (margin, gap) = own_margins(model, candidate);
    let force = if overridden(model) { model.options.override_margin } else { margin };
    let (own, whole) = (near::own_reach(model, candidate), model.options.laws.contact_reach());
    let beyond = own.unwrap_or(whole);
    let own = own.unwrap_or(f64::INFINITY);
    Reach { margin: force, force: force + beyond, detect: force + gap.max(beyond), own }
}

/// Margin and gap of a pair, without the override.
pub(super) fn own_margins(model: &Model, candidate: &Candidate) -> (f64, f64) {
    let [g1, g2] = candidate.geoms.map(|g| g as usize);
    match candidate.pair {
        PairIndex::NONE => {
            let geoms = &model.geoms;
            (geoms.margin[g1] + geoms.margin[g2], geoms.gap[g1] + geoms.gap[g2])
        }
        PairIndex(k) => (model.pairs.margin[k as usize], model.pairs.gap[k as usize]),
    }
}

/// Parameters of a pair, without the override.
pub(super) fn own_parameters(model: &Model, candidate: &Candidate) -> Contact {
    match candidate.pair {
        PairIndex::NONE => mixed(model, candidate.geoms.map(|g| g as usize)),
        PairIndex(k) => explicit(model, k as usize),
    }
}

/// A contact of which only the parameters are set.
pub(super) fn parameters(model: &Model, candidate: &Candidate) -> Contact {
    let mut contact = own_parameters(model, candidate);
    if overridden(model) {
        let options = &model.options;
        contact.friction = options.override_friction;
        contact.solref = options.override_solref;
        contact.solref_friction = options.override_solref;
        contact.solimp = options.override_solimp;
    }
    contact.friction = contact.friction.map(|f| f.max(MIN_FRICTION));
    contact
}

fn explicit(model: &Model, k: usize) -> Contact {
    let pairs = &model.pairs;
    Contact {
        dim: pairs.dim[k] as u8,
        friction: pairs.friction[k],
        solref: pairs.solref[k],
        solref_friction: pairs.solref_friction[k],
        solimp: pairs.solimp[k],
        adhesion: pairs.adhesion[k],
        ..Contact::default()
    }
}

/// The geom with the higher priority determines the parameters. With equal priorities they are
/// mixed: largest friction and dimension, solver parameters weighted by `solmix` (direct stiffness
/// and damping, which are negative, are not averaged: the smaller numbers are taken).
fn mixed(model: &Model, [g1, g2]: [usize; 2]) -> Contact {
    let geoms = &model.geoms;
    let one = |g: usize| {
        let [slide, spin, roll] = geoms.friction[g];
        Contact {
            dim: geoms.condim[g] as u8,
            friction: [slide, slide, spin, roll, roll],
            solref: geoms.solref[g],
            solimp: geoms.solimp[g],
            adhesion: geoms.adhesion[g],
            ..Contact::default()
        }
    };
    let (a, b) = (one(g1), one(g2));
    match geoms.priority[g1].cmp(&geoms.priority[g2]) {
        Ordering::Greater => return a,
        Ordering::Less => return b,
        Ordering::Equal => {}
    }
    let w = weight(geoms.solmix[g1], geoms.solmix[g2]);
    let mix = |x: f64, y: f64| w * x + (1.0 - w) * y;
    let solref = if a.solref[0] > 0.0 && b.solref[0] > 0.0 {
        [mix(a.solref[0], b.solref[0]), mix(a.solref[1], b.solref[1])]
    } else {
        [a.solref[0].min(b.solref[0]), a.solref[1].min(b.solref[1])]
    };
    Contact {
        dim: a.dim.max(b.dim),
        friction: core::array::from_fn(|k| a.friction[k].max(b.friction[k])),
        solref,
        solimp: core::array::from_fn(|k| mix(a.solimp[k], b.solimp[k])),
        adhesion: a.adhesion + b.adhesion,
        ..Contact::default()
    }
}

/// Mixing weight of the first of two geoms.
fn weight(mix1: f64, mix2: f64) -> f64 {
    match (mix1 >= MIN_VAL, mix2 >= MIN_VAL) {
        (true, true) => mix1 / (mix1 + mix2),
        (false, false) => 0.5,
        (false, true) => 0.0,
        (true, false) => 1.0,
    }
}

/// Which coefficients of a contact between two geoms depend on friction `k` (slide, spin, roll) of
/// geom `g`, one of the two: those of the higher priority, or the larger ones for equal priorities,
/// both if the geoms are the same.
pub(crate) fn friction_follows(model: &Model, [g1, g2]: [usize; 2], g: usize, k: usize) -> [f64; 5] {
    let (geoms, other) = (&model.geoms, if g == g1 { g2 } else { g1 });
    let own = geoms.friction[g][k];
    let decides = match geoms.priority[g].cmp(&geoms.priority[other]) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => own >= geoms.friction[other][k],
    };
    if overridden(model) || !decides || own < MIN_FRICTION || explicit_pair(model, [g1, g2]).is_some() {
        return [0.0; 5];
    }
    match k {
        0 => [1.0, 1.0, 0.0, 0.0, 0.0],
        1 => [0.0, 0.0, 1.0, 0.0, 0.0],
        _ => [0.0, 0.0, 0.0, 1.0, 1.0],
    }
}

/// The same for coefficient `k` of an explicit pair.
pub(crate) fn friction_follows_pair(model: &Model, geoms: [usize; 2], pair: usize, k: usize) -> [f64; 5] {
    let follows = !overridden(model)
        && explicit_pair(model, geoms) == Some(pair)
        && model.pairs.friction[pair][k] >= MIN_FRICTION;
    core::array::from_fn(|i| f64::from(follows && i == k))
}

/// The explicit pair of two geoms.
fn explicit_pair(model: &Model, [g1, g2]: [usize; 2]) -> Option<usize> {
    let pairs = &model.pairs;
    (0..pairs.geom1.len()).find(|&k| {
        let pair = [pairs.geom1[k].idx(), pairs.geom2[k].idx()];
        pair == [g1, g2] || pair == [g2, g1]
    })
}

/// Velocity of surface 2 relative to surface 1 at the contact: along both tangents, and spin about
/// the normal.
pub(super) fn surface_velocity(model: &Model, x: &Position, contact: &Contact) -> [f64; 3] {
    let mut relative = [0.0; 3];
    for (geom, sign) in [(contact.geom1.idx(), -1.0), (contact.geom2.idx(), 1.0)] {
        let field = model.geoms.surface_velocity[geom];
        if field == [0.0; 6] {
            continue;
        }
        let R = x.R_WG[geom];
        let linear = R * Vec3::new(field[0], field[1], field[2]);
        let angular = R * Vec3::new(field[3], field[4], field[5]);
        let v = linear + angular.cross(contact.pos - x.p_WG[geom]);
        relative[0] += sign * contact.frame.r1.dot(v);
        relative[1] += sign * contact.frame.r2.dot(v);
        relative[2] += sign * contact.frame.r0.dot(angular);
    }
    relative
}
