//! A contact between two geoms.

use crate::ids::GeomId;
use saltus_math::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// One point where two geoms touch or are close to it. Made by `collide::update_contacts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// Distance between the surfaces along the normal; negative: penetration.
    pub dist: f64,
    /// Midpoint between the two surfaces, world.
    pub pos: Vec3,
    /// Rows: normal from geom 1 to geom 2, first tangent, second tangent; world.
    pub frame: Mat3,
    /// First geom.
    pub geom1: GeomId,
    /// Second geom, towards which the normal points.
    pub geom2: GeomId,
    /// Dimension of the contact force: 1, 3, 4 or 6.
    pub dim: u8,
    /// Distance below which the contact makes force.
    pub include_margin: f64,
    /// How far beyond the margin laws that see contacts from a distance see this one; infinite: from their own reach on.
    pub reach: f64,
    /// Two tangential, one torsional, two rolling.
    pub friction: [f64; 5],
    /// Reference of the normal direction, and of friction where that differs (zeros: the same).
    pub solref: [f64; 2],
    /// As `solref`, in tangential directions.
    pub solref_friction: [f64; 2],
    /// Impedance: at zero, at the width, width, midpoint, power.
    pub solimp: [f64; 5],
    /// Force with which the contact can pull, N.
    pub adhesion: f64,
    /// Velocity of surface 2 relative to surface 1 in the frame: first and second tangent, spin about the normal.
    pub surface_velocity: [f64; 3],
    /// Detected, but too far to make force.
    pub in_gap: bool,
    /// Friction of the regularized elliptic cone, and the first row in `Constraints` (−1: none). By `constraint`.
    pub mu: f64,
    /// Its first row in the constraint problem; −1 if it has none.
    pub first_row: i32,
}
