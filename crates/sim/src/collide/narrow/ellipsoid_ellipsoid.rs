//! Two ellipsoids: one point, by maximizing the gap over directions.
//!
//! In the frame of the first, with c the centre of the second and X, Y the matrices of the
//! ellipsoids (squared half axes on the diagonal in their own frames), the gap along a unit vector
//! n is
//!     g(n) = n·c − √(n·X n) − √(n·Y n),                                                      (1)
//! and its maximum is the signed distance, attained where the difference of the contact points,
//! w = c − X n/√(n·X n) − Y n/√(n·Y n), is parallel to n. Newton's method on the sphere, with
//! −∇²g = K:
//!     (K + g) δ = w − g n,  δ ⟂ n.                                                           (2)
//! If the ellipsoids are separated, K + g is positive definite and the maximum unique. A ball of
//! the smallest radius of curvature rolls inside a convex shape [Blaschke], and radii of a
//! difference of shapes add up: a maximum that is no deeper than their sum is the only one. Deeper
//! overlaps are left to the general method.

use super::{Scratch, Settings, Touch, convex};
use crate::collide::shape::Shape;
use saltus_math::{Mat3, Vec3, normalize};

/// Maximum number of iterations; about five are needed.
const ITERATIONS: usize = 30;
/// Step length (angle) after which the iteration ends: convergence is quadratic, so the next step
/// would be round-off.
const LAST: f64 = 1e-8;

pub(super) fn collide(
    a: &Shape,
    b: &Shape,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) {
    match Pair::new(a, b).maximum(margin) {
        Maximum::Beyond => {}
        Maximum::At(gap) => {
            let normal = a.R * gap.n;
            out.push(Touch::new(gap.dist, a.to_world(gap.on_a) + normal * (0.5 * gap.dist), normal));
        }
        Maximum::Unknown => convex::collide(a, b, margin, settings, scratch, out),
    }
}

/// Two ellipsoids in the frame of the first.
struct Pair {
    c: Vec3,
    X: Vec3,
    Y: Mat3,
    /// Sum of the smallest radii of curvature.
    radius: f64,
}

/// The gap along a direction.
#[derive(Clone, Copy)]
struct Gap {
    n: Vec3,
    dist: f64,
    /// Support heights of the ellipsoids along n, and their support points (the second's relative
    /// to its centre).
    height: [f64; 2],
    on_a: Vec3,
    on_b: Vec3,
}

/// Result of the search for the largest gap.
enum Maximum {
    Beyond,
    At(Gap),
    Unknown,
}

impl Pair {
    fn new(a: &Shape, b: &Shape) -> Self {
        let axes = a.R.transpose() * b.R;
        let squares = b.size * b.size;
        let scaled = Mat3::from_cols(axes.col(0) * squares.x, axes.col(1) * squares.y, axes.col(2) * squares.z);
        let least = |size: Vec3| size.min_element() * size.min_element() / size.max_element();
        Self {
            c: a.to_local(b.p),
            X: a.size * a.size,
            Y: scaled * axes.transpose(),
            radius: least(a.size) + least(b.size),
        }
    }

    /// (1)
    fn gap(&self, n: Vec3) -> Gap {
        let (p, q) = (self.X * n, self.Y * n);
        let height = [p.dot(n).sqrt(), q.dot(n).sqrt()];
        Gap { n, dist: n.dot(self.c) - height[0] - height[1], height, on_a: p / height[0], on_b: q / height[1] }
    }

    fn maximum(&self, margin: f64) -> Maximum {
        // Initial normal: that of an ellipsoid similar to the sum of both, where the line of
        // centres leaves it.
        let [x, y, z] =
            [self.Y.r0 + Vec3::X * self.X.x, self.Y.r1 + Vec3::Y * self.X.y, self.Y.r2 + Vec3::Z * self.X.z];
        let (n, length) = normalize_any(y.cross(z) * self.c.x + z.cross(x) * self.c.y + x.cross(y) * self.c.z);
        if length.is_nan() || length <= 0.0 {
            return Maximum::Unknown;
        }
        let mut gap = self.gap(n);
        for _ in 0..ITERATIONS {
            if gap.dist > margin {
                return Maximum::Beyond;
            }
            let step = self.newton_step(&gap);
            let last = step.length_squared() <= LAST * LAST;
            let Some(next) = self.advance(&gap, step, last) else { return Maximum::Unknown };
            gap = next;
            if last {
                return if gap.dist > -self.radius { Maximum::At(gap) } else { Maximum::Unknown };
            }
        }
        Maximum::Unknown
    }

    /// A step that increases the gap, halved as often as needed; the last step is taken
    /// unconditionally.
    fn advance(&self, gap: &Gap, step: Vec3, last: bool) -> Option<Gap> {
        let mut scale = 1.0;
        for _ in 0..ITERATIONS {
            let next = self.gap(normalize(gap.n + step * scale).0);
            if last || next.dist > gap.dist {
                return next.dist.is_finite().then_some(next);
            }
            scale *= 0.5;
        }
        None
    }

    /// (2), in two directions perpendicular to n. If K + g is not positive definite, K alone, which
    /// is also an ascent direction.
    fn newton_step(&self, gap: &Gap) -> Vec3 {
        let Gap { n, dist, height: [ha, hb], on_a, on_b } = *gap;
        let w = self.c - on_a - on_b;
        let u = n.any_orthonormal_vector();
        let v = n.cross(u);
        let (Yu, Yv) = (self.Y * u, self.Y * v);
        let curvature = |s: Vec3, t: Vec3, Yt: Vec3| {
            ((self.X * s).dot(t) - on_a.dot(s) * on_a.dot(t)) / ha + (s.dot(Yt) - on_b.dot(s) * on_b.dot(t)) / hb
        };
        let (uu, uv, vv) = (curvature(u, u, Yu), curvature(u, v, Yv), curvature(v, v, Yv));
        let (wu, wv) = (w.dot(u), w.dot(v));
        let solve = |shift: f64| {
            let (a, d) = (uu + shift, vv + shift);
            let det = a * d - uv * uv;
            let step = (u * (d * wu - uv * wv) + v * (a * wv - uv * wu)) / det;
            (a > 0.0 && det > 1e-6 * uu * vv).then_some(step)
        };
        solve(dist).or_else(|| solve(0.0)).unwrap_or(u * wu + v * wv)
    }
}

/// [`normalize`] for a vector of any magnitude.
fn normalize_any(v: Vec3) -> (Vec3, f64) {
    let length = v.length();
    (v / length, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::kinds::GeomShape;
    use saltus_math::{Quat, Random};

    fn shape(size: Vec3, p: Vec3, q: [f64; 4]) -> Shape<'static> {
        let R = Quat { w: q[0], x: q[1], y: q[2], z: q[3] }.normalized().to_mat3();
        Shape::primitive(GeomShape::Ellipsoid, size, p, R)
    }

    #[test]
    fn agrees_with_the_general_method_and_is_a_maximum() {
        let (settings, mut scratch) = (Settings::default(), Scratch::default());
        let mut known = 0;
        for seed in 0..4000 {
            let mut random = Random(seed);
            let mut next = || random.signed();
            let mut size =
                || Vec3::new(0.02 + next().abs() * 0.2, 0.02 + next().abs() * 0.2, 0.01 + next().abs() * 0.1);
            let (s1, s2) = (size(), size());
            let mut orientation = || [next(), next(), next(), next()];
            let (q1, q2) = (orientation(), orientation());
            let p = Vec3::new(next(), next(), next()) * 0.25;
            let (a, b) = (shape(s1, Vec3::ZERO, q1), shape(s2, p, q2));
            let (mut own, mut general) = (Vec::new(), Vec::new());
            convex::collide(&a, &b, 10.0, &settings, &mut scratch, &mut general);
            match Pair::new(&a, &b).maximum(10.0) {
                Maximum::Unknown => continue,
                Maximum::Beyond => unreachable!("no gap is beyond the margin"),
                Maximum::At(_) => collide(&a, &b, 10.0, &settings, &mut scratch, &mut own),
            }
            known += 1;
            let (own, general) = (own[0], general[0]);
            assert!((own.dist - general.dist).abs() < 1e-8, "{seed}: {own:?} {general:?}");
            // The polytope of the general method has corners: its normal is less accurate.
            assert!((own.normal - general.normal).length() < 2e-3, "{seed}: {own:?} {general:?}");
            // After a translation by the distance the ellipsoids touch at the point, with opposite
            // normals.
            for (s, sign) in [(&a, 1.0), (&b, -1.0)] {
                let x = s.to_local(own.pos - own.normal * (0.5 * sign * own.dist));
                assert!(((x / s.size).length() - 1.0).abs() < 1e-9, "{seed}: {own:?}");
                let outwards = s.R * normalize(x / (s.size * s.size)).0;
                assert!((outwards - own.normal * sign).length() < 1e-7, "{seed}: {own:?}");
            }
        }
        assert!(known > 2000, "{known}");
    }
}
