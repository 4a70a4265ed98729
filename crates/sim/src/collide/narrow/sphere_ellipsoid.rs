//! Sphere and ellipsoid: one point, at the foot of the sphere's centre on the ellipsoid.
//!
//! The foot x of a point p on Σ (xᵢ/sᵢ)² = 1 has p − x = λ x/s², so xᵢ = sᵢ² pᵢ / (sᵢ² + λ) with
//!     |y(λ)| = 1,  yᵢ = sᵢ pᵢ / (sᵢ² + λ).                                                   (1)
//! For λ > −min sᵢ² the left side decreases, and 1/|y| is concave: Newton's method on 1/|y| = 1
//! from below increases to the root monotonically. The signed distance is λ |x/s²|.

use super::{Scratch, Settings, Touch, convex};
use crate::collide::shape::Shape;
use saltus_math::{Vec3, normalize};

pub(super) fn collide(
    sphere: &Shape,
    ellipsoid: &Shape,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) {
    let p = ellipsoid.to_local(sphere.p);
    if gap_of_segment(p, Vec3::ZERO, ellipsoid.size) - sphere.radius() > margin + 1e-9 * ellipsoid.bound_radius {
        return;
    }
    let Some(foot) = Foot::of(p, ellipsoid.size) else {
        return convex::collide(sphere, ellipsoid, margin, settings, scratch, out);
    };
    out.extend(foot.touch(sphere.p, sphere.radius(), ellipsoid, margin));
}

/// Lower bound of the distance of a segment (from p − half to p + half, in the ellipsoid's frame)
/// from an ellipsoid: the gap along the normal of the ellipsoid's level set at p.
pub(super) fn gap_of_segment(p: Vec3, half: Vec3, size: Vec3) -> f64 {
    let (n, length) = normalize(p / (size * size));
    if length > 0.0 { n.dot(p) - n.dot(half).abs() - (n * size).length() } else { f64::NEG_INFINITY }
}

/// Closest point of an ellipsoid's surface to a given point.
#[derive(Clone, Copy)]
pub(super) struct Foot {
    /// Signed distance; negative inside.
    pub dist: f64,
    /// Outward normal of the surface, in the ellipsoid's frame.
    pub normal: Vec3,
}

impl Foot {
    /// The foot of `p`, in the ellipsoid's frame; None near the centre, where the foot is not
    /// unique.
    pub fn of(p: Vec3, size: Vec3) -> Option<Self> {
        let (square, pull) = (size * size, size * p.abs());
        let smallest = square.min_element();
        // Lower bounds of λ: each term of (1) alone, and all terms with the largest sᵢ.
        let mut lambda = (pull - square).max_element().max(pull.length() - square.max_element());
        if lambda.is_nan() || lambda + smallest <= 1e-6 * smallest {
            return None;
        }
        for _ in 0..50 {
            let y = pull / (square + Vec3::splat(lambda));
            let f = y.length_squared();
            let slope = (y * y / (square + Vec3::splat(lambda))).element_sum();
            let step = f * (f.sqrt() - 1.0) / slope;
            lambda += step;
            // Quadratic convergence: the next step would be round-off.
            if step.is_nan() || step <= 1e-9 * (lambda.abs() + smallest) {
                break;
            }
        }
        let (normal, length) = normalize(p / (square + Vec3::splat(lambda)));
        (length > 0.0 && lambda.is_finite()).then_some(Self { dist: lambda * length, normal })
    }

    /// A sphere at `centre`, whose foot this is, against the ellipsoid.
    pub fn touch(&self, centre: Vec3, radius: f64, ellipsoid: &Shape, margin: f64) -> Option<Touch> {
        let dist = self.dist - radius;
        let normal = -(ellipsoid.R * self.normal);
        (dist <= margin).then(|| Touch::new(dist, centre + normal * (radius + 0.5 * dist), normal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_foot_lies_on_the_surface_and_the_point_on_its_normal() {
        let size = Vec3::new(0.3, 0.1, 0.5);
        for k in 0..1000 {
            let t = f64::from(k);
            let direction = Vec3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 2.1).sin());
            let p = direction * (0.05 + 0.002 * t);
            let Some(foot) = Foot::of(p, size) else { continue };
            let x = p - foot.normal * foot.dist;
            assert!(((x / size).length() - 1.0).abs() < 1e-13, "{p:?} {foot_dist}", foot_dist = foot.dist);
            let normal = normalize(x / (size * size)).0;
            assert!((normal - foot.normal).length() < 1e-12);
            assert_eq!(foot.dist < 0.0, (p / size).length() < 1.0);
        }
    }
}
