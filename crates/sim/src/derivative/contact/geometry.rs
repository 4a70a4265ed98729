//! How a contact's point, frame and distance move with its two bodies.
//!
//! In contact axes, origin at the contact point: the normal is n = e₀, the core points are c₁ = −(r₁ + dist/2) n and
//! c₂ = (r₂ + dist/2) n, d = c₂ − c₁ = L n. The first body is held and the second moves by a twist; where both move alike the
//! contact moves along, which gives the response to the first. A core point moves with its body (∂c, or as its slide
//! says) and along the tangents T of its feature, by u; tangents stay orthogonal to the normal, with B = c'' · n the
//! curvature of the feature:
//!   T · ∂n + (ω × T) · n + B u = 0   for each side,      ∂c₂ + T₂ u₂ − ∂c₁ − T₁ u₁ = L ∂n   across n.             (1)
//! Then ∂dist = n · (∂c₂ − ∂c₁). The frame turns by φ with ∂n = φ × n, and about the normal as the first tangent follows its
//! hint h: φ · n = (∂h · t₂ − (n · h)(∂n · t₂)) / |h − n (n · h)|.                                                    (2)

use super::feature::{Feature, Features, Hint, Side, Slide};
use saltus_math::{Motion, Vec3};

/// Change of a contact's geometry, in its own axes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    pub point: Vec3,
    /// Turn of the frame.
    pub turn: Vec3,
    pub dist: f64,
}

/// Change of point, normal and distance; the turn about the normal is found last.
struct Raw {
    point: Vec3,
    normal: Vec3,
    dist: f64,
}

const N: Vec3 = Vec3::X;

/// The response to a twist of body `k` (0 or 1), in contact axes at the contact point.
pub(super) fn change(features: &Features, dist: f64, k: usize, twist: Motion) -> Change {
    let mut raw = of_second(features, dist, twist);
    if k == 0 {
        raw = Raw { point: twist.lin - raw.point, normal: twist.ang.cross(N) - raw.normal, dist: -raw.dist };
    }
    let (hint, hint_change) = match features.hint {
        Hint::World(h) => (h, 0.0),
        Hint::Second(h) => (h, if k == 1 { twist.ang.cross(h).z } else { 0.0 }),
    };
    let across = (hint.y * hint.y + hint.z * hint.z).sqrt();
    let about = if across > 0.0 { (hint_change - hint.x * raw.normal.z) / across } else { 0.0 };
    Change { point: raw.point, turn: Vec3::new(about, -raw.normal.z, raw.normal.y), dist: raw.dist }
}

/// Change of the core point of side `i` at `c` when the second body moves, apart from its own tangents.
fn core_change(side: &Side, i: usize, c: Vec3, twist: Motion) -> Vec3 {
    let second = twist.lin + twist.ang.cross(c);
    let own = if i == 1 { second } else { Vec3::ZERO };
    match side.slide {
        Slide::None => own,
        Slide::Cut { line, plane, line_of } => {
            let (on_line, on_plane) = if line_of == 1 { (second, Vec3::ZERO) } else { (Vec3::ZERO, second) };
            on_line - line * (plane.dot(on_line - on_plane) / plane.dot(line))
        }
        Slide::Spin { along, rate } => own + along * (rate.dot(twist.ang) * if i == 1 { 1.0 } else { -1.0 }),
    }
}

/// The second body moves, the first is held.
fn of_second(features: &Features, dist: f64, twist: Motion) -> Raw {
    let [first, second] = &features.sides;
    let c = [-N * (first.radius + 0.5 * dist), N * (second.radius + 0.5 * dist)];
    let dc = [core_change(first, 0, c[0], twist), core_change(second, 1, c[1], twist)];
    let d_dist = dc[1].x - dc[0].x;
    // A plane alone decides the normal.
    match (first.feature, second.feature) {
        (Feature::Plane, Feature::Point) => {
            return Raw { point: dc[1] - N * (0.5 * d_dist), normal: Vec3::ZERO, dist: d_dist };
        }
        (Feature::Point, Feature::Plane) => {
            let normal = twist.ang.cross(N);
            let point = dc[0] + normal * (first.radius + 0.5 * dist) + N * (0.5 * d_dist);
            return Raw { point, normal, dist: d_dist };
        }
        _ => {}
    }
    let apart = first.radius + second.radius + dist;
    let mut system = System::default();
    let (t1, t2) = (first.feature.tangents(), second.feature.tangents());
    let (k1, k2) = (t1.count, t2.count);
    let (y, z) = (k1 + k2, k1 + k2 + 1);
    system.n = k1 + k2 + 2;
    for (tangents, start, turn) in [(&t1, 0, Vec3::ZERO), (&t2, k1, twist.ang)] {
        for a in 0..tangents.count {
            let T = tangents.T[a];
            let row = &mut system.A[start + a];
            (row[y], row[z]) = (T.y, T.z);
            for b in 0..tangents.count {
                row[start + b] = tangents.B[a][b];
            }
            system.b[start + a] = -turn.cross(T).x;
        }
    }
    for (row, axis) in [(y, 1), (z, 2)] {
        for a in 0..k1 {
            system.A[row][a] = -t1.T[a][axis];
        }
        for a in 0..k2 {
            system.A[row][k1 + a] = t2.T[a][axis];
        }
        system.A[row][row] -= apart;
        system.b[row] = dc[0][axis] - dc[1][axis];
    }
    let x = system.solve();
    let normal = Vec3::new(0.0, x[y], x[z]);
    let mut foot = dc[0];
    for a in 0..k1 {
        foot += t1.T[a] * x[a];
    }
    let point = foot + normal * (first.radius + 0.5 * dist) + N * (0.5 * d_dist);
    Raw { point, normal, dist: d_dist }
}

/// Tangents of a feature and its curvature along the contact's normal.
pub(super) struct Tangents {
    pub count: usize,
    pub T: [Vec3; 2],
    pub B: [[f64; 2]; 2],
}

impl Feature {
    fn tangents(&self) -> Tangents {
        let mut out = Tangents { count: 0, T: [Vec3::Y, Vec3::Z], B: [[0.0; 2]; 2] };
        match *self {
            Feature::Point => {}
            Feature::Line(t) => (out.count, out.T[0]) = (1, t),
            Feature::Curve(t, bend) => (out.count, out.T[0], out.B[0][0]) = (1, t, bend),
            Feature::Plane => out.count = 2,
            Feature::Surface(B) => (out.count, out.B) = (2, B),
        }
        out
    }
}

/// At most six linear equations.
#[derive(Default)]
struct System {
    n: usize,
    A: [[f64; 6]; 6],
    b: [f64; 6],
}

impl System {
    /// The solution, by elimination with pivots; zero where the equations are singular.
    fn solve(&mut self) -> [f64; 6] {
        let n = self.n;
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| self.A[i][k].abs().total_cmp(&self.A[j][k].abs())).unwrap_or(k);
            self.A.swap(k, pivot);
            self.b.swap(k, pivot);
            let p = self.A[k][k];
            if p == 0.0 {
                continue;
            }
            for i in k + 1..n {
                let s = self.A[i][k] / p;
                if s != 0.0 {
                    for j in k..n {
                        self.A[i][j] -= s * self.A[k][j];
                    }
                    self.b[i] -= s * self.b[k];
                }
            }
        }
        let mut x = [0.0; 6];
        for k in (0..n).rev() {
            let rest: f64 = (k + 1..n).map(|j| self.A[k][j] * x[j]).sum();
            x[k] = if self.A[k][k] == 0.0 { 0.0 } else { (self.b[k] - rest) / self.A[k][k] };
        }
        x
    }
}
