//! A contact between two geoms.

use crate::ids::GeomId;
use saltus_math::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// A point at which two geoms touch or nearly touch · by `collide::update_contacts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// Distance between the surfaces along the normal, m; negative for penetration.
    pub dist: f64,
    /// Midpoint between the two surfaces in the world.
    pub pos: Vec3,
    /// Contact axes in the world, as rows: the normal from geom 1 to geom 2 and two tangents.
    pub frame: Mat3,
    /// The first geom.
    pub geom1: GeomId,
    /// The second geom, towards which the normal points.
    pub geom2: GeomId,
    /// Dimension of the contact force: 1, 3, 4 or 6.
    pub dim: u8,
    /// Distance below which the contact exerts force, m.
    pub include_margin: f64,
    /// Distance beyond the margin at which laws that act at a distance detect this contact, m;
    /// infinite for the reach of the law.
    pub reach: f64,
    /// Friction coefficients: two tangential, one torsional, two rolling.
    pub friction: [f64; 5],
    /// Reference parameters (`solref`) in the normal direction.
    pub solref: [f64; 2],
    /// Reference parameters in the tangential directions; zero if they are those of the normal.
    pub solref_friction: [f64; 2],
    /// Impedance parameters (`solimp`): impedance at zero and at the width, width, midpoint, power.
    pub solimp: [f64; 5],
    /// Largest adhesive (pulling) force, N.
    pub adhesion: f64,
    /// Velocity of surface 2 relative to surface 1 in contact axes: along both tangents, and spin
    /// about the normal.
    pub surface_velocity: [f64; 3],
    /// Whether the contact is detected but too far away to exert force.
    pub in_gap: bool,
    /// Friction coefficient of the regularized elliptic cone · by `constraint`.
    pub mu: f64,
    /// Index of its first row in [`Constraints`](super::Constraints); −1 if it has none · by
    /// `constraint`.
    pub first_row: i32,
}
