//! Sliding of the tangent points of a string on an obstacle when its ends move, in the frame of the
//! obstacle.
//!
//! In the plane of the string (for a cylinder its xy plane) an end at distance d and angle θ has
//! its tangent point at angle θ ± a, cos a = r/d: ∂t = r e⊥ (∂θ ± ∂a), ∂a = r ∂d / (d √(d² − r²)).
//! For a sphere the plane rotates too, about n = p₁ × p₂. On a cylinder the axial coordinate is
//! proportional to the developed length. A string through the inside touches where its length f(θ)
//! is minimal: ∂θ = −∂f_θ / f_θθ.

use crate::tendon::Obstacle;
use saltus_math::{MIN_VAL, Mat3, Vec3};

/// ∂(touching point i)/∂(end k), local.
pub(super) type Slides = [[Mat3; 2]; 2];

/// The slides for ends `p` and tangent points `t`, all in the frame of the obstacle; None if they
/// are not smooth.
pub(super) fn slides(shape: Obstacle, radius: f64, p: [Vec3; 2], t: [Vec3; 2]) -> Option<Slides> {
    let inside = match shape {
        Obstacle::Sphere => t[0] == t[1],
        Obstacle::Cylinder => t[0].truncate() == t[1].truncate(),
    };
    match shape {
        Obstacle::Sphere => {
            let n = p[0].cross(p[1]);
            let (size, scale) = (n.length(), p[0].length() * p[1].length());
            if size < 1e-9 * scale {
                return None;
            }
            let n = n / size;
            let turn = |k: usize, x: Vec3| {
                let c = if k == 0 { x.cross(p[1]) } else { p[0].cross(x) };
                (c - n * n.dot(c)) / size
            };
            let plane = Plane::new(n, radius, p, t, inside)?;
            Some(columns(|end, x| {
                let dn = turn(end, x);
                plane.points(end, x).map(|(flat, point)| flat + n * -dn.dot(point))
            }))
        }
        Obstacle::Cylinder => {
            let flat = |x: Vec3| Vec3::new(x.x, x.y, 0.0);
            let plane = Plane::new(Vec3::Z, radius, p.map(flat), t.map(flat), inside)?;
            Some(columns(|end, x| plane.on_cylinder(end, x, [p[0].z, p[1].z])))
        }
    }
}

/// The matrices of a function that maps a change of one end to the changes of both tangent points.
fn columns(f: impl Fn(usize, Vec3) -> [Vec3; 2]) -> Slides {
    let by = [0, 1].map(|end| [Vec3::X, Vec3::Y, Vec3::Z].map(|x| f(end, x)));
    [0, 1].map(|i| [0, 1].map(|end| Mat3::from_cols(by[end][0][i], by[end][1][i], by[end][2][i])))
}

/// The string in its plane through the origin with normal `n`.
struct Plane {
    n: Vec3,
    r: f64,
    p: [Vec3; 2],
    t: [Vec3; 2],
    /// Lengths of the straight parts.
    l: [f64; 2],
    /// Direction of winding about n.
    sense: f64,
    inside: bool,
}

impl Plane {
    fn new(n: Vec3, r: f64, p: [Vec3; 2], t: [Vec3; 2], inside: bool) -> Option<Self> {
        let l = [0, 1].map(|i| p[i].distance(t[i]));
        if l[0] < MIN_VAL || l[1] < MIN_VAL || p[0].length() < MIN_VAL || p[1].length() < MIN_VAL {
            return None;
        }
        let sense = if n.dot(p[0].cross(t[0])) < 0.0 { -1.0 } else { 1.0 };
        Some(Self { n, r, p, t, l, sense, inside })
    }

    /// Changes of (angle of the end, its distance, the angle a).
    fn end_change(&self, end: usize, x: Vec3) -> [f64; 3] {
        let (p, d) = (self.p[end], self.p[end].length());
        let dd = p.dot(x) / d;
        [self.n.cross(p).dot(x) / (d * d), dd, self.r * dd / (d * self.l[end])]
    }

    /// Angles by which both tangent points rotate.
    fn angles(&self, end: usize, x: Vec3) -> [f64; 2] {
        if self.inside {
            let along = self.n.cross(self.t[0]);
            let mut curvature = 0.0;
            for i in 0..2 {
                let u = (self.p[i] - self.t[0]) / self.l[i];
                curvature += (along.length_squared() - u.dot(along).powi(2)) / self.l[i] + u.dot(self.t[0]);
            }
            let u = (self.p[end] - self.t[0]) / self.l[end];
            let slope = -(along - u * u.dot(along)).dot(x) / self.l[end];
            return [-slope / curvature; 2];
        }
        let [theta, _, a] = self.end_change(end, x);
        let mut out = [0.0; 2];
        out[end] = theta + if end == 0 { self.sense } else { -self.sense } * a;
        out
    }

    /// For both tangent points: the change in the plane, and the point.
    fn points(&self, end: usize, x: Vec3) -> [(Vec3, Vec3); 2] {
        let x = x - self.n * self.n.dot(x);
        let angles = self.angles(end, x);
        [0, 1].map(|i| (self.n.cross(self.t[i]) * angles[i], self.t[i]))
    }

    /// Changes of the tangent points on a cylinder about z whose ends are at heights `z`.
    fn on_cylinder(&self, end: usize, x: Vec3, z: [f64; 2]) -> [Vec3; 2] {
        let flat = Vec3::new(x.x, x.y, 0.0);
        let points = self.points(end, flat);
        let angles = self.angles(end, flat);
        // Developed lengths l₁, arc, l₂, and their derivatives.
        let arc_angle = if self.inside { 0.0 } else { self.arc_angle() };
        let mut dl = [0.0; 2];
        for i in 0..2 {
            let u = (self.p[i] - self.t[i]) / self.l[i];
            let end_moves = if i == end { flat } else { Vec3::ZERO };
            dl[i] = u.dot(end_moves - points[i].0);
        }
        let d_arc = if self.inside { 0.0 } else { self.r * self.sense * (angles[1] - angles[0]) };
        let (arc, rise) = (self.r * arc_angle, z[1] - z[0]);
        let total = self.l[0] + arc + self.l[1];
        let d_total = dl[0] + d_arc + dl[1];
        let dz = [0, 1].map(|i| if i == end { x.z } else { 0.0 });
        let height = |at: f64, d_at: f64| {
            dz[0] + (dz[1] - dz[0]) * at / total + rise * (d_at / total - at * d_total / (total * total))
        };
        let heights = [height(self.l[0], dl[0]), height(self.l[0] + arc, dl[0] + d_arc)];
        [0, 1].map(|i| points[i].0 + Vec3::Z * heights[i])
    }

    /// Angle between the tangent points, in the direction of winding: 0 to a full turn.
    fn arc_angle(&self) -> f64 {
        let sine = self.sense * self.n.dot(self.t[0].cross(self.t[1]));
        let angle = saltus_math::real::atan2(sine, self.t[0].dot(self.t[1]));
        if angle < 0.0 { angle + 2.0 * saltus_math::real::PI } else { angle }
    }
}
