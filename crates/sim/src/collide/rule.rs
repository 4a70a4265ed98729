//! What a model says about two of its geoms: whether they may touch, and with which parameters.

use super::{filter, mix};
use crate::ids::GeomId;
use crate::model::Model;

/// Parameters of the contacts of two geoms, before the options' override.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRule {
    /// Dimension of the contact force: 1, 3, 4 or 6.
    pub dim: u8,
    /// Two tangential, one torsional, two rolling.
    pub friction: [f64; 5],
    /// Reference of the normal direction, and of friction where that differs (zeros: the same).
    pub solref: [f64; 2],
    /// As `solref`, of dry friction; of contacts in tangential directions.
    pub solref_friction: [f64; 2],
    /// Impedance of the constraint: at zero, at the width, width, midpoint, power.
    pub solimp: [f64; 5],
    /// Distance below which the constraint is active, m or rad.
    pub margin: f64,
    /// Part of the margin in which there is a contact but no force, m.
    pub gap: f64,
    /// Force that pulls a contact together, N.
    pub adhesion: f64,
}

/// The rule of two geoms: that of their explicit pair, else what their own parameters mix to. Nothing where the model's
/// filters (masks, rigid groups, parents, exclusions) keep them from touching, and for ids that are not a geom's.
pub fn pair_rule(model: &Model, geom1: GeomId, geom2: GeomId) -> Option<PairRule> {
    let (g1, g2) = (geom1.idx(), geom2.idx());
    if g1 >= model.ngeom() || g2 >= model.ngeom() || g1 == g2 {
        return None;
    }
    let candidate = filter::rule(model, g1, g2)?;
    let (contact, (margin, gap)) = (mix::own_parameters(model, &candidate), mix::own_margins(model, &candidate));
    Some(PairRule {
        dim: contact.dim,
        friction: contact.friction,
        solref: contact.solref,
        solref_friction: contact.solref_friction,
        solimp: contact.solimp,
        margin,
        gap,
        adhesion: contact.adhesion,
    })
}
