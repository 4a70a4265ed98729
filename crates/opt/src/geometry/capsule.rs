//! Capsules around links and the distance between two of them, with its gradient.
//!
//! The points p(s) = p₀ + s (p₁ − p₀) and r(t) of two segments with lengths ℓ and m are chosen by
//!   V(q) = min over s, t ∈ [0, 1] of ½ |p(s) − r(t)|² + ½ ε (ℓ² (s − ½)² + m² (t − ½)²),                         (1)
//!   distance = √(2 V + δ²) − R_p − R_r.                                                                        (2)
//! Without ε the nearest points of segments that become parallel jump from one end to the other;
//! with it (1) is strictly convex, s and t are continuous, and by Danskin's theorem V is C¹ with ∂V
//! = (p − r) · (∂p − ∂r) at fixed s and t: the gradient is exact. δ keeps (2) smooth where the
//! segments cross. Both make the distance a little too large: by at most (ε (ℓ² + m²)/4 + δ²) / (2
//! |p − r|), about 0.02 mm for arms of 0.3 m whose axes are 0.1 m apart.

use saltus_math::Vec3;
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::jacobian::apply_wrench;
use saltus_sim::{Data, Model};

/// ε of (1).
const STRAIGHTEN: f64 = 1e-4;
/// δ of (2), relative to the sum of the radii.
const SOFTEN: f64 = 1e-3;

/// A capsule fixed in a body that holds all of the body's shapes that collide.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkCapsule {
    /// In the compiled planning model.
    pub body: BodyId,
    /// Name of the body.
    pub body_name: String,
    /// Ends of the axis in the frame of the body.
    pub p0: Vec3,
    /// End of the axis in the frame of the body.
    pub p1: Vec3,
    /// Radius, m.
    pub radius: f64,
}

/// Two capsules that must stay apart.
#[derive(Clone, Debug, PartialEq)]
pub struct CapsulePair {
    /// Indices in [`Planning::capsules`](super::Planning::capsules).
    pub index: [usize; 2],
    /// The two capsules.
    pub capsules: [LinkCapsule; 2],
    /// Sum of the radii of balls around the two.
    extent: f64,
}

impl CapsulePair {
    /// A pair of capsules, by their indices.
    pub fn new(index: [usize; 2], capsules: [LinkCapsule; 2]) -> Self {
        let extent = capsules.iter().map(|c| c.radius + 0.5 * (c.p1 - c.p0).length()).sum();
        Self { index, capsules, extent }
    }

    /// Whether balls around the two are farther from each other than `distance`, and so are they.
    pub fn is_farther(&self, data: &Data, distance: f64) -> bool {
        let centre = |c: &LinkCapsule| {
            let (p, R) = (data.position.p_WB[c.body.idx()], data.position.R_WB[c.body.idx()]);
            p + R * ((c.p0 + c.p1) * 0.5)
        };
        let apart = centre(&self.capsules[0]) - centre(&self.capsules[1]);
        let least = distance + self.extent;
        apart.length_squared() > least * least
    }
}

/// Signed distance of two capsules at the present positions, and its gradient by the dofs · nv
/// numbers, overwritten; with an empty slice the distance only. `data` has kinematics and centres
/// of mass of the planning model (as after `update_position`). Continuous, with a continuous
/// gradient, at every state. Does not allocate.
pub fn capsule_distance(model: &Model, data: &Data, pair: &CapsulePair, grad: &mut [f64]) -> f64 {
    let [a, b] = pair.capsules.each_ref().map(|c| segment(data, c));
    let [s, t] = nearest(&a, &b);
    let (p, r) = (a.at(s), b.at(t));
    let apart = p - r;
    let squared = apart.length_squared() + STRAIGHTEN * (a.pull(s) + b.pull(t));
    let radii = pair.capsules[0].radius + pair.capsules[1].radius;
    let distance = (squared + (SOFTEN * radii).powi(2)).sqrt();
    if !grad.is_empty() {
        grad.fill(0.0);
        let force = if distance > 0.0 { apart / distance } else { Vec3::ZERO };
        apply_wrench(model, data, pair.capsules[0].body.idx(), p, force, Vec3::ZERO, grad);
        apply_wrench(model, data, pair.capsules[1].body.idx(), r, -force, Vec3::ZERO, grad);
    }
    distance - radii
}

/// A segment in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub start: Vec3,
    pub along: Vec3,
}

impl Segment {
    fn at(&self, s: f64) -> Vec3 {
        self.start + self.along * s
    }
    fn pull(&self, s: f64) -> f64 {
        self.along.length_squared() * (s - 0.5).powi(2)
    }
}

fn segment(data: &Data, capsule: &LinkCapsule) -> Segment {
    let (p, R) = (data.position.p_WB[capsule.body.idx()], data.position.R_WB[capsule.body.idx()]);
    Segment { start: p + R * capsule.p0, along: R * (capsule.p1 - capsule.p0) }
}

/// The minimizer of (1): inside the square, or the best of its four sides.
pub(super) fn nearest(a: &Segment, b: &Segment) -> [f64; 2] {
    let (d, e, w) = (a.along, b.along, a.start - b.start);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    // The gradient of (1) is H (s, t) − g.
    let (h11, h22, h12) = (dd * (1.0 + STRAIGHTEN), ee * (1.0 + STRAIGHTEN), -de);
    let g = [0.5 * STRAIGHTEN * dd - d.dot(w), 0.5 * STRAIGHTEN * ee + e.dot(w)];
    let det = h11 * h22 - h12 * h12;
    if det > 0.0 {
        let free = [(h22 * g[0] - h12 * g[1]) / det, (h11 * g[1] - h12 * g[0]) / det];
        if free.iter().all(|x| (0.0..=1.0).contains(x)) {
            return free;
        }
    }
    let cost = |[s, t]: [f64; 2]| {
        let quadratic = 0.5 * (h11 * s * s + 2.0 * h12 * s * t + h22 * t * t);
        quadratic - g[0] * s - g[1] * t
    };
    let ratio = |x: f64, h: f64| if h > 0.0 { (x / h).clamp(0.0, 1.0) } else { 0.5 };
    let mut best = [0.5, 0.5];
    let mut least = f64::INFINITY;
    for side in [0.0, 1.0] {
        for point in [[side, ratio(g[1] - h12 * side, h22)], [ratio(g[0] - h12 * side, h11), side]] {
            let c = cost(point);
            if c < least {
                (best, least) = (point, c);
            }
        }
    }
    best
}
