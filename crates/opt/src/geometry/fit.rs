//! A small capsule around balls.
//!
//! For a given direction of the axis: the smallest circle around the balls seen along it gives axis
//! and radius R. A ball of radius ρ at height t and distance d from the axis is inside if the
//! segment [t₀, t₁] comes within R − ρ of its centre:
//!   t₀ ≤ t + s,  t₁ ≥ t − s,  s = √((R − ρ)² − d²).                                                         (1)
//! The direction of least volume is searched from the principal axis of the centres and from the
//! axes of the shapes.

use super::ball::{Ball, directions, extremes};
use saltus_math::{Vec3, normalize};

/// Steps towards the farthest ball: the radius is within about 1/STEPS of the smallest.
const STEPS: usize = 200;
/// Balls for which a capsule is searched.
const OUTERMOST: usize = 150;
/// Steps with which directions are varied, rad.
const TURNS: [f64; 5] = [0.3, 0.1, 0.03, 0.01, 0.003];

/// A capsule: all within `radius` of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Capsule {
    pub ends: [Vec3; 2],
    pub radius: f64,
}

impl Capsule {
    fn volume(&self) -> f64 {
        let length = (self.ends[1] - self.ends[0]).length();
        self.radius.powi(2) * (length + 4.0 / 3.0 * self.radius)
    }
}

impl Capsule {
    /// How far the capsule reaches beyond the hull of balls, over sampled directions.
    pub fn excess(&self, balls: &[Ball]) -> f64 {
        let support = |u: Vec3| balls.iter().fold(f64::NEG_INFINITY, |h, b| h.max(b.centre.dot(u) + b.radius));
        let own = |u: Vec3| self.ends[0].dot(u).max(self.ends[1].dot(u)) + self.radius;
        directions(2000).fold(0.0, |most, u| most.max(own(u) - support(u)))
    }
}

/// A capsule that holds all balls. `axes` are directions to try besides the principal axis. None
/// without balls.
pub(super) fn enclosing(balls: &[Ball], axes: &[Vec3]) -> Option<Capsule> {
    // Found for the outermost, then widened to hold all.
    let mut found = around_few(&extremes(balls, OUTERMOST), axes)?;
    let [a, b] = found.ends;
    let along = b - a;
    let distance = |p: Vec3| {
        let s = (p - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        (p - a - along * s.clamp(0.0, 1.0)).length()
    };
    found.radius = balls.iter().fold(found.radius, |r, ball| r.max(distance(ball.centre) + ball.radius));
    Some(found)
}

fn around_few(balls: &[Ball], axes: &[Vec3]) -> Option<Capsule> {
    let mut best: Option<Capsule> = None;
    let mut try_axis = |axis: Vec3| {
        let found = along(balls, normalize(axis).0);
        let better = best.is_none_or(|b| found.volume() < b.volume() * (1.0 - 1e-9));
        if better {
            best = Some(found);
        }
        better
    };
    if balls.is_empty() {
        return None;
    }
    let mut axis = principal_axis(balls);
    try_axis(axis);
    for a in axes {
        if try_axis(*a) {
            axis = *a;
        }
    }
    for turn in TURNS {
        let (u, v) = across(normalize(axis).0);
        for step in [u, v, -u, -v] {
            while try_axis(axis + step * turn) {
                axis = normalize(axis + step * turn).0;
            }
        }
    }
    best
}

/// The capsule along a unit direction.
fn along(balls: &[Ball], axis: Vec3) -> Capsule {
    let flat: Vec<Ball> = balls.iter().map(|b| Ball { centre: b.centre - axis * axis.dot(b.centre), ..*b }).collect();
    let (centre, radius) = circle(&flat);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (b, f) in balls.iter().zip(&flat) {
        let t = axis.dot(b.centre);
        let s = ((radius - b.radius).powi(2) - (f.centre - centre).length_squared()).max(0.0).sqrt();
        // (1)
        (low, high) = (low.min(t + s), high.max(t - s));
    }
    if low > high {
        // Any height between them will do.
        low = 0.5 * (low + high);
        high = low;
    }
    Capsule { ends: [centre + axis * low, centre + axis * high], radius }
}

/// A circle around discs of one plane: towards the farthest, by ever smaller steps
/// [BadoiuClarkson2008]; the best centre seen.
fn circle(discs: &[Ball]) -> (Vec3, f64) {
    let (low, high) = discs.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), d| {
        let r = Vec3::splat(d.radius);
        (low.min(d.centre - r), high.max(d.centre + r))
    });
    let mut centre = 0.5 * (low + high);
    let reach = |c: Vec3, d: &Ball| (d.centre - c).length() + d.radius;
    let mut best = (centre, f64::INFINITY);
    for k in 0..STEPS {
        let Some(far) = discs.iter().max_by(|a, b| reach(centre, a).total_cmp(&reach(centre, b))) else { break };
        let radius = reach(centre, far);
        if radius < best.1 {
            best = (centre, radius);
        }
        let (towards, distance) = normalize(far.centre - centre);
        if distance == 0.0 {
            break;
        }
        centre += towards * ((distance + far.radius) / (k + 2) as f64).min(distance);
    }
    best
}

/// Direction in which the centres spread most, by power iteration on their covariance.
fn principal_axis(balls: &[Ball]) -> Vec3 {
    let mean = balls.iter().map(|b| b.centre).sum::<Vec3>() / balls.len() as f64;
    let mut axis = Vec3::new(1.0, 0.7, 0.4);
    for _ in 0..100 {
        let next = balls.iter().map(|b| b.centre - mean).fold(Vec3::ZERO, |sum, d| sum + d * d.dot(axis));
        let (unit, length) = normalize(next);
        if length == 0.0 {
            return Vec3::Z;
        }
        axis = unit;
    }
    axis
}

/// Two directions orthogonal to a unit vector and to each other.
fn across(axis: Vec3) -> (Vec3, Vec3) {
    let other = if axis.z.abs() < 0.9 { Vec3::Z } else { Vec3::X };
    let u = normalize(axis.cross(other)).0;
    (u, axis.cross(u))
}
