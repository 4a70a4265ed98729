//! Whether two geoms of a model may collide, and with which contact parameters.

use super::{filter, mix};
use crate::ids::GeomId;
use crate::model::Model;

/// Parameters of the contacts of two geoms, before the options' override.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRule {
    /// Dimension of the contact force: 1, 3, 4 or 6.
    pub dim: u8,
    /// Friction coefficients: two tangential, one torsional, two rolling.
    pub friction: [f64; 5],
    /// `solref` of the normal direction.
    pub solref: [f64; 2],
    /// `solref` of the tangential directions; zeros: that of the normal.
    pub solref_friction: [f64; 2],
    /// Impedance of the constraint: at zero, at the width, width, midpoint, power.
    pub solimp: [f64; 5],
    /// Distance below which the constraint is active, m or rad.
    pub margin: f64,
    /// Part of the margin in which contacts are detected but exert no force, m.
    pub gap: f64,
    /// Adhesive force, N.
    pub adhesion: f64,
}

/// The rule of two geoms: that of their explicit pair, or the mixture of their own parameters. None
/// if the model's filters (masks, rigid groups, parents, exclusions) exclude the pair, and for
/// invalid ids.
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
