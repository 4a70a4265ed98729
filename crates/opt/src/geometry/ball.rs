//! Balls, and how far a point or a ball sticks out of the convex hull of balls.
//!
//! The distance of a point p to a convex set C = conv(balls) is by the method of [Gilbert1988]: x
//! is the point nearest to p in the hull of at most four points of C; the farthest point w of C
//! towards p either bounds the distance, |p − x|² − (p − x)·(w − x) ≤ |p − x| dist(p, C), or joins
//! the simplex.

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
    // Relative to p: the distance is that of the origin.
    let mut simplex = Simplex { points: [first.centre - p; 4], len: 1 };
    let mut x = first.centre - p;
    for _ in 0..100 {
        let length = x.length();
        if length < 1e-12 {
            return 0.0;
        }
        let direction = -x / length;
        let mut far = (f64::NEG_INFINITY, first);
        for ball in balls {
            let h = ball.support(direction);
            if h > far.0 {
                far = (h, ball);
            }
        }
        let w = far.1.centre + direction * far.1.radius - p;
        // Distance from above minus distance from below.
        if length + w.dot(direction) < 1e-9 + 1e-7 * length {
            return length;
        }
        simplex.push(w);
        let (nearest, face) = simplex.nearest();
        // No progress but for round-off.
        if nearest.length() >= length * (1.0 - 1e-14) {
            return length;
        }
        (x, simplex) = (nearest, face);
        if simplex.len == 4 {
            return 0.0;
        }
    }
    x.length()
}

/// Up to four points.
#[derive(Clone, Copy, Debug)]
struct Simplex {
    points: [Vec3; 4],
    len: usize,
}

impl Simplex {
    fn push(&mut self, p: Vec3) {
        if self.len < 4 {
            self.points[self.len] = p;
            self.len += 1;
        }
    }

    /// The point nearest to the origin, and the smallest face that holds it: all faces are tried.
    fn nearest(&self) -> (Vec3, Simplex) {
        let mut best = (self.points[0], Simplex { len: 1, ..*self });
        for mask in 1u32..1 << self.len {
            let mut face = Simplex { points: [Vec3::ZERO; 4], len: 0 };
            (0..self.len).filter(|i| mask >> i & 1 == 1).for_each(|i| face.push(self.points[i]));
            let Some(x) = face.nearest_of_plane() else { continue };
            if x.length_squared() < best.0.length_squared() {
                best = (x, face);
            }
        }
        best
    }

    /// The point nearest to the origin in the affine hull, where it lies between the points.
    fn nearest_of_plane(&self) -> Option<Vec3> {
        let (first, n) = (self.points[0], self.len - 1);
        let edges = [1, 2, 3].map(|k| self.points[k] - first);
        // Normal equations of the weights, by elimination.
        let mut a = [[0.0; 4]; 3];
        for i in 0..n {
            for j in 0..n {
                a[i][j] = edges[i].dot(edges[j]);
            }
            a[i][3] = -edges[i].dot(first);
        }
        for k in 0..n {
            if a[k][k] <= 1e-14 * edges[k].length_squared() {
                return None;
            }
            for i in (0..n).filter(|i| *i != k) {
                let s = a[i][k] / a[k][k];
                (k..4).for_each(|j| a[i][j] -= s * a[k][j]);
            }
        }
        let mut x = first;
        let mut rest = 1.0;
        for k in 0..n {
            let weight = a[k][3] / a[k][k];
            if weight < -1e-12 {
                return None;
            }
            rest -= weight;
            x += edges[k] * weight;
        }
        (rest >= -1e-12).then_some(x)
    }
}

/// The balls that are farthest in some of `count` directions, where there are more than that.
pub(super) fn extremes(balls: &[Ball], count: usize) -> Vec<Ball> {
    if balls.len() <= count {
        return balls.to_vec();
    }
    let mut picked = vec![false; balls.len()];
    for u in directions(count) {
        let mut far = (f64::NEG_INFINITY, 0);
        for (i, ball) in balls.iter().enumerate() {
            let h = ball.support(u);
            if h > far.0 {
                far = (h, i);
            }
        }
        picked[far.1] = true;
    }
    balls.iter().zip(picked).filter(|(_, p)| *p).map(|(b, _)| *b).collect()
}

/// How far a ball sticks out of the hull of others: max over u of h_ball(u) − h_hull(u), which is
/// exact where the centre is outside, and over sampled directions where it is inside.
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
