//! Distance between convex shapes by the Gilbert–Johnson–Keerthi algorithm (GJK).
//!
//! The distance between A and B is the distance of the origin from the Minkowski difference B − A.
//! A simplex of points of the difference is moved towards the origin until no support point is
//! closer: |v|² − v·w bounds |v| (|v| − distance) from above.

use super::support::Convex;
use saltus_math::Vec3;

/// Point of the difference B − A, and the points of A and B that it comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    pub w: Vec3,
    pub a: Vec3,
    pub b: Vec3,
}

impl Vertex {
    /// Support point of the difference in direction `d`.
    pub fn support(a: &Convex, b: &Convex, d: Vec3) -> Self {
        let (a, b) = (a.support(-d), b.support(d));
        Self { w: b - a, a, b }
    }
}

/// Up to four points of the difference, with the barycentric coordinates of the point nearest to
/// the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    pub vertex: [Vertex; 4],
    pub weight: [f64; 4],
    pub len: usize,
}

impl Simplex {
    fn push(&mut self, v: Vertex) {
        if self.len < 4 {
            self.vertex[self.len] = v;
            self.len += 1;
        }
    }
    /// Closest points on A and B.
    pub fn witness(&self) -> (Vec3, Vec3) {
        let (mut a, mut b) = (Vec3::ZERO, Vec3::ZERO);
        for k in 0..self.len {
            a += self.vertex[k].a * self.weight[k];
            b += self.vertex[k].b * self.weight[k];
        }
        (a, b)
    }
    fn keep(&mut self, picks: &[(usize, f64)]) {
        let old = *self;
        self.len = picks.len();
        for (k, (i, weight)) in picks.iter().enumerate() {
            self.vertex[k] = old.vertex[*i];
            self.weight[k] = *weight;
        }
    }
}

/// Outcome of a distance query.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)] // lives on the stack for a moment
pub(super) enum Distance {
    /// Separated: closest points of A and B.
    Apart { a: Vec3, b: Vec3 },
    /// Farther than the limit, along this unit vector from A to B.
    Beyond { axis: Vec3 },
    /// The shapes overlap or touch; the simplex contains the origin.
    Overlap(Simplex),
}

const MAX_ITERATIONS: usize = 200;

/// Distance between two shapes; stops early once it is known to exceed `limit`.
pub(super) fn distance(a: &Convex, b: &Convex, limit: f64) -> Distance {
    let mut v = b.centre() - a.centre();
    if v.length_squared() == 0.0 {
        v = Vec3::X;
    }
    let mut simplex = Simplex::default();
    let (mut scale, mut lower) = (0.0_f64, 0.0_f64);
    for _ in 0..MAX_ITERATIONS {
        let length = v.length();
        let w = Vertex::support(a, b, -v);
        scale = scale.max(w.w.length());
        let bound = v.dot(w.w) / length;
        if simplex.len > 0 {
            if bound > limit {
                return Distance::Beyond { axis: v / length };
            }
            lower = lower.max(bound);
            let known = (0..simplex.len).any(|k| simplex.vertex[k].w == w.w);
            if known || length - bound <= 1e-14 * scale + 1e-13 * length {
                break;
            }
        }
        let before = simplex;
        simplex.push(w);
        let nearer = nearest(&mut simplex);
        let overlap = simplex.len == 4 || nearer.length() <= 1e-13 * scale;
        if overlap && lower <= 1e-12 * scale {
            return Distance::Overlap(simplex);
        }
        // Round-off dominates if the new simplex is no nearer, or contains the origin although the
        // shapes are known to be separated.
        if overlap || (before.len > 0 && nearer.length() >= length) {
            simplex = before;
            break;
        }
        v = nearer;
    }
    let (a, b) = simplex.witness();
    Distance::Apart { a, b }
}

/// Reduces the simplex to the feature nearest to the origin, sets its weights, and returns the
/// nearest point. A simplex that still has four vertices contains the origin.
fn nearest(s: &mut Simplex) -> Vec3 {
    match s.len {
        0 | 1 => s.keep(&[(0, 1.0)]),
        2 => {
            let picks = segment(s, 0, 1);
            s.keep(&picks.picks[..picks.len]);
        }
        3 => {
            let picks = triangle(s, 0, 1, 2);
            s.keep(&picks.picks[..picks.len]);
        }
        _ => tetrahedron(s),
    }
    (0..s.len).map(|k| s.vertex[k].w * s.weight[k]).sum()
}

/// Vertices of a feature, with weights.
#[derive(Clone, Copy)]
struct Picks {
    picks: [(usize, f64); 3],
    len: usize,
}

impl Picks {
    fn one(i: usize) -> Self {
        Self { picks: [(i, 1.0), (0, 0.0), (0, 0.0)], len: 1 }
    }
    fn two(i: usize, j: usize, t: f64) -> Self {
        Self { picks: [(i, 1.0 - t), (j, t), (0, 0.0)], len: 2 }
    }
    fn point(&self, s: &Simplex) -> Vec3 {
        self.picks[..self.len].iter().map(|(i, w)| s.vertex[*i].w * *w).sum()
    }
}

fn segment(s: &Simplex, i: usize, j: usize) -> Picks {
    let (a, b) = (s.vertex[i].w, s.vertex[j].w);
    let ab = b - a;
    let (t, square) = (-a.dot(ab), ab.length_squared());
    if t <= 0.0 {
        Picks::one(i)
    } else if t >= square {
        Picks::one(j)
    } else {
        Picks::two(i, j, t / square)
    }
}

/// Barycentric coordinates in the interior by areas; otherwise the nearest of the edges.
fn triangle(s: &Simplex, i: usize, j: usize, k: usize) -> Picks {
    let (a, b, c) = (s.vertex[i].w, s.vertex[j].w, s.vertex[k].w);
    let n = (b - a).cross(c - a);
    let square = n.length_squared();
    let u = n.dot(b.cross(c));
    let v = n.dot(c.cross(a));
    let w = n.dot(a.cross(b));
    if square > 0.0 && u > 0.0 && v > 0.0 && w > 0.0 {
        let sum = u + v + w;
        return Picks { picks: [(i, u / sum), (j, v / sum), (k, w / sum)], len: 3 };
    }
    // The projection is outside, or the triangle is degenerate: the nearest of the three edges.
    let edges = [segment(s, i, j), segment(s, j, k), segment(s, k, i)];
    let mut best = edges[0];
    for e in &edges[1..] {
        if e.point(s).length_squared() < best.point(s).length_squared() {
            best = *e;
        }
    }
    best
}

fn tetrahedron(s: &mut Simplex) {
    const FACES: [([usize; 3], usize); 4] = [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)];
    let mut best: Option<Picks> = None;
    for ([i, j, k], opposite) in FACES {
        let (a, b, c, d) = (s.vertex[i].w, s.vertex[j].w, s.vertex[k].w, s.vertex[opposite].w);
        let n = (b - a).cross(c - a);
        // The origin is outside this face if it and the opposite vertex are on different sides (or
        // the tetrahedron is flat).
        let (side_origin, side_vertex) = (-n.dot(a), n.dot(d - a));
        if side_origin * side_vertex > 0.0 {
            continue;
        }
        let picks = triangle(s, i, j, k);
        if best.is_none_or(|b| picks.point(s).length_squared() < b.point(s).length_squared()) {
            best = Some(picks);
        }
    }
    match best {
        Some(picks) => s.keep(&picks.picks[..picks.len]),
        // Inside: weights are not needed.
        None => s.weight = [0.25; 4],
    }
}
