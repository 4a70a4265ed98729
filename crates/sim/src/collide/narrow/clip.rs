//! Clipping of convex polygons (Sutherland–Hodgman).

use saltus_math::Vec3;

/// Relative height below which a point counts as lying on a plane.
const ON_PLANE: f64 = 1e-13;

/// Keeps the part of a closed convex polygon where `normal · x ≤ offset`. Edges are processed from
/// the first, so the result begins with the former second corner. `spare` is working memory. Two
/// corners represent a segment there and back, so that a clipped end occurs twice.
pub(super) fn clip(polygon: &mut Vec<Vec3>, spare: &mut Vec<Vec3>, normal: Vec3, offset: f64) {
    spare.clear();
    let Some(&first) = polygon.first() else { return };
    // Corners on the plane up to round-off are kept: edges in the plane are not clipped.
    let height = |p: Vec3| {
        let (along, size) = (normal.dot(p), ON_PLANE * (offset.abs() + p.length()));
        if (along - offset).abs() <= size { 0.0 } else { along - offset }
    };
    let mut a = first;
    let mut above_a = height(a);
    for &b in polygon[1..].iter().chain([&first]) {
        let above_b = height(b);
        if (above_a > 0.0) != (above_b > 0.0) {
            spare.push(a + (b - a) * (above_a / (above_a - above_b)));
        }
        if above_b <= 0.0 {
            spare.push(b);
        }
        (a, above_a) = (b, above_b);
    }
    core::mem::swap(polygon, spare);
}
