//! Clipping of convex polygons (Sutherland–Hodgman).

use saltus_math::Vec3;

/// Keeps the part of a closed convex polygon where `normal · x ≤ offset`. `spare` is working memory.
pub(super) fn clip(polygon: &mut Vec<Vec3>, spare: &mut Vec<Vec3>, normal: Vec3, offset: f64) {
    spare.clear();
    let Some(&last) = polygon.last() else { return };
    let mut a = last;
    let mut above_a = normal.dot(a) - offset;
    for &b in polygon.iter() {
        let above_b = normal.dot(b) - offset;
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
