//! Contact frames.

use saltus_math::{Mat3, Vec3};

/// Rows: normal, and two tangents. The first tangent is along `hint` (orthogonalized) or, if the
/// hint is too short or too close to the normal, along y, or along z for normals within 60° of ±y.
pub(super) fn contact_frame(normal: Vec3, hint: Vec3) -> Mat3 {
    let hint = if hint.length() < 0.5 { if normal.y.abs() < 0.5 { Vec3::Y } else { Vec3::Z } } else { hint };
    let (tangent, _) = saltus_math::normalize(hint - normal * normal.dot(hint));
    Mat3::new(normal, tangent, normal.cross(tangent))
}
