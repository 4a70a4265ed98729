//! Refines contacts with cylinders and ellipsoids to round-off.
//!
//! GJK and EPA bound the error of the distance, which is stationary in the normal: a bound of 1e-14
//! leaves an error of 1e-7 in the normal, and EPA's faces a larger one. From there the normal is
//! found by Newton's method. For a unit vector n from A to B the gap between the shapes' tangent
//! planes is
//!
//!   g(n) = n · w,   w = b − a,   a = argmax n · A,   b = argmin n · B                          (1)
//!
//! whose maximum is the distance (or minus the depth). w is the gradient of g; its derivative is
//! minus the sum H of the Hessians of both support functions. At a maximum over unit vectors w is
//! parallel to n, and the Newton step is
//!
//!   (H + g) δ = w − n g,   perpendicular to n.                                                 (2)
//!
//! If the contact feature of a shape is a straight edge (a capsule's core, a cylinder's side), g
//! has a ridge: n stays perpendicular to the edge, (2) applies to the remaining directions, and the
//! point on the edge is the one that makes w parallel to n. Two edges determine the normal, and so
//! does a face. The contact patches are guessed from the first normal. The guess was right if the
//! points lie on the patches, H + g is positive definite on the remaining directions, and g has not
//! decreased: then the gap is a local maximum.

use super::feature::Feature;
use crate::collide::gjk::Vertex;
use crate::collide::shape::Shape;
use crate::collide::support::Convex;
use crate::model::kinds::GeomShape as G;
use saltus_math::{Vec3, normalize};

/// A normal of maximal gap, and the closest points of both shapes.
pub(super) struct Polished {
    pub normal: Vec3,
    pub gap: f64,
    pub a: Vec3,
    pub b: Vec3,
}

/// Error bound of EPA's normals between curved shapes: the slope up to which a patch is guessed.
const GUESS: f64 = 1e-2;
/// Newton's method converges quadratically: after a step this small only round-off remains.
const LAST: f64 = 1e-8;
const ITERATIONS: usize = 12;
/// Sine of the angle between edges below which their crossing is too uncertain.
const PARALLEL: f64 = 1e-6;

/// Contact patch of a shape.
#[derive(Clone, Copy)]
enum Patch {
    /// A point that may move with the normal: a corner, a point of an ellipsoid or of the rim of a
    /// cylinder.
    Point,
    /// A straight edge along a unit vector: on the side of a cylinder, or with the support point in
    /// its middle.
    Edge { along: Vec3, middle: Vec3, half: f64, radius: f64 },
    /// A face with this outward normal.
    Face(Vec3),
}

/// Patches to try, the most likely first.
struct Guesses {
    patch: [Patch; 2],
    len: usize,
}

impl Guesses {
    fn one(patch: Patch) -> Self {
        Self { patch: [patch; 2], len: 1 }
    }

    /// A point if `slope` is large, `first` if it is negligible, and both to be tried in between.
    fn by_slope(slope: f64, first: Patch) -> Self {
        match slope {
            s if s > GUESS => Self::one(Patch::Point),
            s if s > LAST => Self { patch: [first, Patch::Point], len: 2 },
            _ => Self::one(first),
        }
    }

    fn of(shape: &Convex, direction: Vec3) -> Self {
        match shape {
            Convex::Point { .. } | Convex::Prism { .. } => Self::one(Patch::Point),
            Convex::Segment { p, half } => {
                let (along, length) = normalize(*half);
                if length == 0.0 {
                    return Self::one(Patch::Point);
                }
                let edge = Patch::Edge { along, middle: *p, half: length, radius: 0.0 };
                Self::by_slope(along.dot(direction).abs(), edge)
            }
            Convex::Placed { shape } => Self::of_placed(shape, direction),
        }
    }

    fn of_placed(shape: &Shape, direction: Vec3) -> Self {
        match shape.kind {
            G::Cylinder => {
                let axis = shape.axis();
                let slope = axis.dot(direction);
                if slope.abs() < 0.5 {
                    let (half, radius) = (shape.half_length(), shape.radius());
                    Self::by_slope(slope.abs(), Patch::Edge { along: axis, middle: shape.p, half, radius })
                } else {
                    Self::by_slope(axis.cross(direction).length(), Patch::Face(axis * slope.signum()))
                }
            }
            G::Box | G::Mesh => Self::one(of_polyhedron(shape, direction).unwrap_or(Patch::Point)),
            _ => Self::one(Patch::Point),
        }
    }

    fn iter(&self) -> impl Iterator<Item = Patch> {
        self.patch.into_iter().take(self.len)
    }
}

/// None for a corner.
fn of_polyhedron(shape: &Shape, direction: Vec3) -> Option<Patch> {
    let feature = Feature::of(shape, direction)?;
    let mut patch = None;
    match feature.rank {
        1 => {}
        2 => feature.for_edges(shape, |edge| {
            patch = edge.ends.map(|[p, q]| {
                let half = 0.5 * (q - p).length();
                Patch::Edge { along: edge.direction, middle: 0.5 * (p + q), half, radius: 0.0 }
            });
        }),
        _ => feature.for_faces(shape, |face| patch = Some(Patch::Face(shape.R * face.normal))),
    }
    patch
}

/// The Hessian of a shape's support function in a direction, times a vector perpendicular to that
/// direction.
fn bend(shape: &Convex, patch: Patch, direction: Vec3, x: Vec3) -> Vec3 {
    if let Patch::Edge { radius, .. } = patch {
        // A side: x is perpendicular to the edge and the direction.
        return x * radius;
    }
    let Convex::Placed { shape } = shape else { return Vec3::ZERO };
    let (d, x) = (shape.R.tmul(direction), shape.R.tmul(x));
    let local = match shape.kind {
        // Hessian of r √(d₁² + d₂²).
        G::Cylinder => {
            let (d, x) = (Vec3::new(d.x, d.y, 0.0), Vec3::new(x.x, x.y, 0.0));
            let (u, across) = normalize(d);
            (x - u * u.dot(x)) * (shape.radius() / across)
        }
        // Hessian of |S d|.
        G::Ellipsoid => {
            let (s, height) = normalize(shape.size * d);
            let y = shape.size * x;
            shape.size * (y - s * s.dot(y)) / height
        }
        _ => Vec3::ZERO,
    };
    shape.R * local
}

/// A guess of the contact patches of two shapes.
struct Pair<'a> {
    shapes: [&'a Convex<'a>; 2],
    patches: [Patch; 2],
}

impl Pair<'_> {
    /// Support point of the patch of shape `i` along the normal (0) or against it (1); for an edge
    /// its middle.
    fn point(&self, i: usize, n: Vec3) -> Vec3 {
        let direction = if i == 0 { n } else { -n };
        match self.patches[i] {
            Patch::Edge { middle, radius, .. } => middle + direction * radius,
            _ => self.shapes[i].support(direction),
        }
    }

    /// w of (1), from the patches.
    fn apart(&self, n: Vec3) -> Vec3 {
        self.point(1, n) - self.point(0, n)
    }

    /// H x for x perpendicular to n.
    fn bend(&self, n: Vec3, x: Vec3) -> Vec3 {
        bend(self.shapes[0], self.patches[0], n, x) + bend(self.shapes[1], self.patches[1], -n, x)
    }

    fn normal(&self, n: Vec3) -> Option<Vec3> {
        match self.patches {
            [Patch::Face(normal), Patch::Point] => Some(normal),
            [Patch::Point, Patch::Face(normal)] => Some(-normal),
            // The closest points are not unique.
            [Patch::Face(_), _] | [_, Patch::Face(_)] => None,
            [Patch::Edge { along: e, .. }, Patch::Edge { along: f, .. }] => {
                let (across, sine) = normalize(e.cross(f));
                (sine > PARALLEL).then(|| across * across.dot(n).signum())
            }
            [Patch::Edge { along, .. }, Patch::Point] | [Patch::Point, Patch::Edge { along, .. }] => {
                self.along_ridge(n, along)
            }
            [Patch::Point, Patch::Point] => self.on_sphere(n),
        }
    }

    /// (2) on the unit vectors perpendicular to an edge.
    fn along_ridge(&self, n: Vec3, edge: Vec3) -> Option<Vec3> {
        let (mut n, _) = normalize(n - edge * edge.dot(n));
        for _ in 0..ITERATIONS {
            let (w, t) = (self.apart(n), edge.cross(n));
            let stiffness = t.dot(self.bend(n, t)) + n.dot(w);
            let step = t.dot(w) / stiffness;
            if !(stiffness > 0.0 && step.abs() < 1.0) {
                return None;
            }
            n = normalize(n + t * step).0;
            if step.abs() < LAST {
                return Some(n);
            }
        }
        None
    }

    /// (2) on all unit vectors.
    fn on_sphere(&self, mut n: Vec3) -> Option<Vec3> {
        for _ in 0..ITERATIONS {
            let w = self.apart(n);
            let t = n.any_orthonormal_vector();
            let s = n.cross(t);
            let (ht, hs, g) = (self.bend(n, t), self.bend(n, s), n.dot(w));
            let (tt, ts, ss) = (t.dot(ht) + g, t.dot(hs), s.dot(hs) + g);
            let det = tt * ss - ts * ts;
            if !(tt > 0.0 && det > 0.0) {
                return None;
            }
            let (wt, ws) = (t.dot(w), s.dot(w));
            let step = t * ((ss * wt - ts * ws) / det) + s * ((tt * ws - ts * wt) / det);
            let length = step.length();
            if length.is_nan() || length >= 1.0 {
                return None;
            }
            n = normalize(n + step).0;
            if length < LAST {
                return Some(n);
            }
        }
        None
    }

    /// The points of both patches that lie along the normal from each other; None if one is outside
    /// its patch.
    fn nearest(&self, n: Vec3) -> Option<[Vec3; 2]> {
        let [a, b] = [self.point(0, n), self.point(1, n)];
        let w = b - a;
        match self.patches {
            [Patch::Edge { along: e, half: i, .. }, Patch::Edge { along: f, half: j, .. }] => {
                let (we, wf, c) = (e.dot(w), f.dot(w), e.dot(f));
                let square = e.cross(f).length_squared();
                let (s, t) = ((we - c * wf) / square, (c * we - wf) / square);
                (s.abs() <= i && t.abs() <= j).then(|| [a + e * s, b + f * t])
            }
            [Patch::Edge { along, half, .. }, _] => {
                let s = along.dot(w);
                (s.abs() <= half).then(|| [a + along * s, b])
            }
            [_, Patch::Edge { along, half, .. }] => {
                let s = -along.dot(w);
                (s.abs() <= half).then(|| [a, b + along * s])
            }
            [Patch::Face(_), _] => {
                let on_face = b - n * n.dot(w);
                self.on_face(0, on_face).then_some([on_face, b])
            }
            [_, Patch::Face(_)] => {
                let on_face = a + n * n.dot(w);
                self.on_face(1, on_face).then_some([a, on_face])
            }
            _ => Some([a, b]),
        }
    }

    /// Whether a point of the plane of a face is on the face. Faces of hulls have general borders:
    /// outside them the gap along the face's normal is smaller, which the final test detects.
    fn on_face(&self, i: usize, p: Vec3) -> bool {
        let Convex::Placed { shape } = self.shapes[i] else { return false };
        let local = shape.to_local(p);
        match shape.kind {
            G::Cylinder => local.x * local.x + local.y * local.y <= shape.radius() * shape.radius(),
            G::Box => (local.abs() - shape.size).max_element() <= 1e-9 * shape.bound_radius,
            _ => true,
        }
    }
}

/// Whether there is anything to refine: the results for shapes with corners only are exact.
fn curved(shape: &Convex) -> bool {
    matches!(shape, Convex::Placed { shape } if matches!(shape.kind, G::Cylinder | G::Ellipsoid))
}

/// The contact of two shapes near the one with `normal`, to round-off. None if the shapes are not
/// curved or touch in more than one point.
pub(super) fn polish(a: &Convex, b: &Convex, normal: Vec3) -> Option<Polished> {
    if !curved(a) && !curved(b) {
        return None;
    }
    let gap = |n: Vec3| {
        let vertex = Vertex::support(a, b, -n);
        (n.dot(vertex.w), vertex.a.length() + vertex.b.length())
    };
    let (before, scale) = gap(normal);
    let (guesses_a, guesses_b) = (Guesses::of(a, normal), Guesses::of(b, -normal));
    for patch_a in guesses_a.iter() {
        for patch_b in guesses_b.iter() {
            let pair = Pair { shapes: [a, b], patches: [patch_a, patch_b] };
            let Some(n) = pair.normal(normal) else { continue };
            let Some([on_a, on_b]) = pair.nearest(n) else { continue };
            let (after, _) = gap(n);
            if after >= before - 1e-14 * scale {
                return Some(Polished { normal: n, gap: n.dot(on_b - on_a), a: on_a, b: on_b });
            }
        }
    }
    None
}
