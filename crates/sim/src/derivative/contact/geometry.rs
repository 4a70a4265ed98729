//! How a contact's point, frame and distance move with its two bodies.
//!
//! In contact axes, origin at the contact point: the normal is e₀, the core points are c₁ = −(r₁ + dist/2) e₀ and
//! c₂ = (r₂ + dist/2) e₀, and d = c₂ − c₁. One body is held, the other moves by a twist; where both move alike the contact
//! moves along, which gives the response to the first body. For lines the feet slide: with directions a, b,
//!   ∂d = ∂c₂ + b ∂t − a ∂s,   ∂d · a = 0,   ∂d · b + d · ∂b = 0,                                                    (1)
//! then ∂dist = n · ∂d, ∂n = (∂d − n ∂dist)/|d|. The frame turns by φ with ∂n = φ × n, and about the normal as the first
//! tangent follows its hint h: φ · n = (∂h · t₂ − (n · h)(∂n · t₂)) / |h − n (n · h)|.                               (2)

use super::feature::{Feature, Features, Hint};
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
    // Features hold the body with a plane, and the first otherwise.
    let moved = if features.sides[1].feature == Feature::Plane { 0 } else { 1 };
    let mut raw = if moved == 0 { point_over_second(features, dist, twist) } else { of_second(features, dist, twist) };
    if moved != k {
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

/// A point of the first body over a plane of the second, which is held.
fn point_over_second(features: &Features, dist: f64, twist: Motion) -> Raw {
    let core = twist.lin + twist.ang.cross(-N * (features.sides[0].radius + 0.5 * dist));
    Raw { point: core - N * (0.5 * core.x), normal: Vec3::ZERO, dist: -core.x }
}

/// The second body moves, the first is held.
fn of_second(features: &Features, dist: f64, twist: Motion) -> Raw {
    let [first, second] = &features.sides;
    let core = twist.lin + twist.ang.cross(N * (second.radius + 0.5 * dist));
    let apart = first.radius + second.radius + dist;
    let (slide, d) = match (first.feature, second.feature) {
        (Feature::Plane, _) => {
            return Raw { point: core - N * (0.5 * core.x), normal: Vec3::ZERO, dist: core.x };
        }
        (Feature::Line(a), Feature::Line(b)) => {
            let turn = apart * N.dot(twist.ang.cross(b));
            let (cosine, u, w) = (a.dot(b), a.dot(core), b.dot(core) + turn);
            // (1): s − cos t = u, cos s − t = w.
            let sine_squared = a.cross(b).length_squared();
            let (s, t) = ((u - cosine * w) / sine_squared, (cosine * u - w) / sine_squared);
            (a * s, core + b * t - a * s)
        }
        (Feature::Line(a), _) => {
            let slide = a * a.dot(core);
            (slide, core - slide)
        }
        (_, Feature::Line(b)) => {
            let t = -b.dot(core) - apart * N.dot(twist.ang.cross(b));
            (Vec3::ZERO, core + b * t)
        }
        _ => (Vec3::ZERO, core),
    };
    let normal = (d - N * d.x) / apart;
    Raw { point: slide + normal * (first.radius + 0.5 * dist) + N * (0.5 * d.x), normal, dist: d.x }
}
