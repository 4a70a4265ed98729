//! Derivatives of a contact's point, frame and distance with respect to the motion of its two
//! bodies.
//!
//! In contact axes, origin at the contact point: the normal is n = e₀, the core points are
//! c₁ = −(r₁ + dist/2) n and c₂ = (r₂ + dist/2) n, d = c₂ − c₁ = L n. The first body is held and
//! the second moves by a twist; a common motion of both carries the contact along, which gives the
//! response to the first. A core point moves with its body (by ∂c, or as its slide specifies) and
//! along the tangents T of its feature, by u; tangents stay orthogonal to the normal, with
//! B = c'' · n the curvature of the feature:
//!   T · ∂n + (ω × T) · n + B u = 0   for each side,
//!   ∂c₂ + T₂ u₂ − ∂c₁ − T₁ u₁ = L ∂n   perpendicular to n.                                   (1)
//! Then ∂dist = n · (∂c₂ − ∂c₁). The frame rotates by φ with ∂n = φ × n, and about the normal as
//! the first tangent follows its hint h:
//!   φ · n = (∂h · t₂ − (n · h)(∂n · t₂)) / |h − n (n · h)|.                                  (2)

use super::feature::{Feature, Features, Hint, Side, Slide};
use saltus_math::{Motion, Vec3};

/// Derivative of a contact's geometry, in its own axes.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::derivative) struct Change {
    pub point: Vec3,
    /// Rotation of the frame.
    pub turn: Vec3,
    pub dist: f64,
}

/// Derivative of point, normal and distance, before the rotation about the normal is known.
#[derive(Clone, Copy)]
struct Raw {
    point: Vec3,
    normal: Vec3,
    dist: f64,
}

const N: Vec3 = Vec3::X;

/// The responses to unit twists of the first and of the second body along contact axes, linear
/// first.
pub(in crate::derivative) type Changes = [[Change; 6]; 2];

/// Unit twist along contact axes: linear first, as contact directions are.
pub(super) fn unit(axis: usize) -> Motion {
    let mut m = Motion::ZERO;
    if axis < 3 {
        m.lin[axis] = 1.0
    } else {
        m.ang[axis - 3] = 1.0
    }
    m
}

/// Writes the responses to all bodies that move. In place, because there are a hundred numbers.
pub(super) fn write_changes(features: &Features, dist: f64, moves: [bool; 2], out: &mut Changes) {
    let twists: [Motion; 6] = core::array::from_fn(unit);
    let raw = of_second(features, dist, &twists);
    for k in (0..2).filter(|&k| moves[k]) {
        for (axis, change) in out[k].iter_mut().enumerate() {
            *change = raw[axis].finish(features, k, twists[axis]);
        }
    }
}

/// The response to a twist of body `k` (0 or 1), in contact axes at the contact point.
pub(super) fn change(features: &Features, dist: f64, k: usize, twist: Motion) -> Change {
    let [raw] = of_second(features, dist, &[twist]);
    raw.finish(features, k, twist)
}

impl Raw {
    /// Converts the response to a twist of the second body into that of body `k`, with the rotation
    /// about the normal.
    fn finish(&self, features: &Features, k: usize, twist: Motion) -> Change {
        let Raw { mut point, mut normal, mut dist } = *self;
        if k == 0 {
            (point, normal, dist) = (twist.lin - point, twist.ang.cross(N) - normal, -dist);
        }
        let (hint, hint_change) = match features.hint {
            Hint::World(h) => (h, 0.0),
            Hint::Second(h) => (h, if k == 1 { twist.ang.cross(h).z } else { 0.0 }),
        };
        let across = (hint.y * hint.y + hint.z * hint.z).sqrt();
        let about = if across > 0.0 { (hint_change - hint.x * normal.z) / across } else { 0.0 };
        Change { point, turn: Vec3::new(about, -normal.z, normal.y), dist }
    }
}

/// Motion of the core point `c` of side `i` when the second body moves, without the motion along
/// its own tangents.
#[inline]
fn core_change(side: &Side, i: usize, c: Vec3, twist: Motion) -> Vec3 {
    let second = twist.lin + twist.ang.cross(c);
    let own = if i == 1 { second } else { Vec3::ZERO };
    match side.slide {
        Slide::None => own,
        Slide::Cut { line, plane, line_of } => {
            let (on_line, on_plane) = if line_of == 1 { (second, Vec3::ZERO) } else { (Vec3::ZERO, second) };
            on_line - line * (plane.dot(on_line - on_plane) / plane.dot(line))
        }
        Slide::Onto { at, cut, normal } => {
            let mut moved = twist.lin + twist.ang.cross(at);
            if let Some([line, plane]) = cut {
                moved -= line * (plane.dot(moved) / plane.dot(line));
            }
            moved - normal * normal.dot(moved)
        }
        Slide::Spin { along, rate } => own + along * (rate.dot(twist.ang) * if i == 1 { 1.0 } else { -1.0 }),
    }
}

/// The second body moves by each of the twists, the first is held fixed.
fn of_second<const M: usize>(features: &Features, dist: f64, twists: &[Motion; M]) -> [Raw; M] {
    let [first, second] = &features.sides;
    let c = [-N * (first.radius + 0.5 * dist), N * (second.radius + 0.5 * dist)];
    // Loops, because the compiler does not inline `map` over arrays of vectors.
    let mut cores = [[Vec3::ZERO; 2]; M];
    for (core, twist) in cores.iter_mut().zip(twists) {
        *core = [core_change(first, 0, c[0], *twist), core_change(second, 1, c[1], *twist)];
    }
    let mut out = [Raw { point: Vec3::ZERO, normal: Vec3::ZERO, dist: 0.0 }; M];
    // A plane alone determines the normal.
    match (first.feature, second.feature) {
        (Feature::Plane, Feature::Point) => {
            for (raw, dc) in out.iter_mut().zip(&cores) {
                let d_dist = dc[1].x - dc[0].x;
                *raw = Raw { point: dc[1] - N * (0.5 * d_dist), normal: Vec3::ZERO, dist: d_dist };
            }
            return out;
        }
        (Feature::Point, Feature::Plane) => {
            for ((raw, dc), twist) in out.iter_mut().zip(&cores).zip(twists) {
                let (d_dist, normal) = (dc[1].x - dc[0].x, twist.ang.cross(N));
                let point = dc[0] + normal * (first.radius + 0.5 * dist) + N * (0.5 * d_dist);
                *raw = Raw { point, normal, dist: d_dist };
            }
            return out;
        }
        _ => {}
    }
    let apart = first.radius + second.radius + dist;
    let mut system = System { n: 0, A: [[0.0; 6]; 6], b: [[0.0; M]; 6] };
    let (t1, t2) = (first.feature.tangents(), second.feature.tangents());
    let (k1, k2) = (t1.count, t2.count);
    let (y, z) = (k1 + k2, k1 + k2 + 1);
    system.n = k1 + k2 + 2;
    for (tangents, start) in [(&t1, 0), (&t2, k1)] {
        for a in 0..tangents.count {
            let T = tangents.T[a];
            let row = &mut system.A[start + a];
            (row[y], row[z]) = (T.y, T.z);
            let curvature = &tangents.B[a][..tangents.count];
            row[start..start + curvature.len()].copy_from_slice(curvature);
        }
    }
    for a in 0..k2 {
        system.b[k1 + a] = twists.map(|twist| -twist.ang.cross(t2.T[a]).x);
    }
    for (row, axis) in [(y, 1), (z, 2)] {
        for a in 0..k1 {
            system.A[row][a] = -t1.T[a][axis];
        }
        for a in 0..k2 {
            system.A[row][k1 + a] = t2.T[a][axis];
        }
        system.A[row][row] -= apart;
        system.b[row] = cores.map(|dc| dc[0][axis] - dc[1][axis]);
    }
    let x = system.solve();
    for (m, (raw, dc)) in out.iter_mut().zip(&cores).enumerate() {
        let (d_dist, normal) = (dc[1].x - dc[0].x, Vec3::new(0.0, x[y][m], x[z][m]));
        let mut foot = dc[0];
        for a in 0..k1 {
            foot += t1.T[a] * x[a][m];
        }
        let point = foot + normal * (first.radius + 0.5 * dist) + N * (0.5 * d_dist);
        *raw = Raw { point, normal, dist: d_dist };
    }
    out
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

/// Up to six linear equations, with several right-hand sides.
struct System<const M: usize> {
    n: usize,
    A: [[f64; 6]; 6],
    b: [[f64; M]; 6],
}

impl<const M: usize> System<M> {
    /// Solves by elimination with pivoting; zero if the equations are singular.
    fn solve(&mut self) -> [[f64; M]; 6] {
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
                    for m in 0..M {
                        self.b[i][m] -= s * self.b[k][m];
                    }
                }
            }
        }
        let mut x = [[0.0; M]; 6];
        for k in (0..n).rev() {
            for m in 0..M {
                let rest: f64 = (k + 1..n).map(|j| self.A[k][j] * x[j][m]).sum();
                x[k][m] = if self.A[k][k] == 0.0 { 0.0 } else { (self.b[k][m] - rest) / self.A[k][k] };
            }
        }
        x
    }
}
