//! Balls, and how far a point or a ball sticks out of the convex hull of balls.
//!
//! The distance of a point p to a convex set C = conv(balls) is by Gilbert's method with the simplex of Johnson and Keerthi:
//! x is the point nearest to p in the hull of at most four points of C; the farthest point w of C towards p either bounds the
//! distance, |p − x|² − (p − x)·(w − x) ≤ |p − x| dist(p, C), or joins the simplex.

use saltus_math::{Vec3, normalize};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ball {
    pub centre: Vec3,
    pub radius: f64,
}

impl Ball {
    pub fn point(centre: Vec3) -> Self {
        Self { centre, radius: 0.0 }
    }
    fn support(&self, direction: Vec3) -> f64 {
        self.centre.dot(direction) + self.radius
    }
    /// Whether this ball is inside the other, to within `slack`.
    pub fn is_inside(&self, other: &Ball, slack: f64) -> bool {
        (self.centre - other.centre).length() + self.radius <= other.radius + slack
    }
}

/// Distance of a point to the hull of balls; 0 inside, infinite where there are none.
pub(super) fn distance_to_hull(p: Vec3, balls: &[Ball]) -> f64 {
    let Some(first) = balls.first() else { return f64::INFINITY };
    // Difference points, relative to p; the distance is that of the origin.
    let mut simplex = vec![first.centre - p];
    let mut x = simplex[0];
    for _ in 0..100 {
        let length = x.length();
        if length < 1e-12 {
            return 0.0;
        }
        let direction = -x / length;
        let Some(best) = balls.iter().max_by(|a, b| a.support(direction).total_cmp(&b.support(direction))) else {
            break;
        };
        let w = best.centre + direction * best.radius - p;
        // Distance from above minus distance from below.
        if length + w.dot(direction) < 1e-9 + 1e-7 * length {
            return length;
        }
        simplex.push(w);
        let nearest = nearest_of_simplex(&simplex);
        // No progress but for round-off.
        if nearest.0.length() >= length * (1.0 - 1e-14) {
            return length;
        }
        (x, simplex) = nearest;
        if simplex.len() == 4 {
            return 0.0;
        }
    }
    x.length()
}

/// The point of a simplex nearest to the origin, and the smallest face that holds it: all faces are tried.
fn nearest_of_simplex(points: &[Vec3]) -> (Vec3, Vec<Vec3>) {
    let mut best = (points[0], vec![points[0]]);
    for mask in 1u32..1 << points.len() {
        let face: Vec<Vec3> = (0..points.len()).filter(|i| mask >> i & 1 == 1).map(|i| points[i]).collect();
        let Some(x) = nearest_of_plane(&face) else { continue };
        if x.length_squared() < best.0.length_squared() {
            best = (x, face);
        }
    }
    best
}

/// The point nearest to the origin in the affine hull of up to four points, where it lies between them.
fn nearest_of_plane(face: &[Vec3]) -> Option<Vec3> {
    let edges: Vec<Vec3> = face[1..].iter().map(|p| *p - face[0]).collect();
    // Gram–Schmidt: the rest of −p₀ along each new direction, back-substituted for the weights.
    let n = edges.len();
    let mut a = [[0.0; 4]; 3];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = edges[i].dot(edges[j]);
        }
        a[i][3] = -edges[i].dot(face[0]);
    }
    for k in 0..n {
        let scale = edges[k].length_squared();
        if a[k][k] <= 1e-14 * scale {
            return None;
        }
        for i in 0..n {
            if i != k {
                let s = a[i][k] / a[k][k];
                for j in k..4 {
                    a[i][j] -= s * a[k][j];
                }
            }
        }
    }
    let weights = [0, 1, 2].map(|k| if k < n { a[k][3] / a[k][k] } else { 0.0 });
    let first = 1.0 - weights.iter().sum::<f64>();
    if first < -1e-12 || weights[..n].iter().any(|w| *w < -1e-12) {
        return None;
    }
    Some(edges.iter().zip(weights).fold(face[0], |x, (e, w)| x + *e * w))
}

/// How far a ball sticks out of the hull of others: max over u of h_ball(u) − h_hull(u), which is exact where the centre is
/// outside, and over sampled directions where it is inside.
pub(super) fn protrusion(ball: &Ball, hull: &[Ball]) -> f64 {
    let outside = distance_to_hull(ball.centre, hull);
    if outside > 0.0 {
        return outside + ball.radius;
    }
    if ball.radius == 0.0 {
        return 0.0;
    }
    let support = |u: Vec3| hull.iter().fold(f64::NEG_INFINITY, |h, b| h.max(b.support(u)));
    directions(500).fold(0.0, |most, u| most.max(ball.support(u) - support(u)))
}

/// `count` directions, spread evenly over the sphere.
pub(super) fn directions(count: usize) -> impl Iterator<Item = Vec3> {
    let golden = core::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count).map(move |k| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (s, c) = saltus_math::real::sin_cos(golden * k as f64);
        normalize(Vec3::new(c * (1.0 - z * z).sqrt(), s * (1.0 - z * z).sqrt(), z)).0
    })
}
