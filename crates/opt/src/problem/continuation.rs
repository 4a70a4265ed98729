//! How hard contact is, from the beginning of a path of continuation to its end.

use saltus_math::real;
use saltus_sim::Model;
use serde::{Deserialize, Serialize};

/// How hard contact is at a point of the continuation path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hardness {
    /// Dimensionless smoothing of the invertible law.
    pub smoothing: f64,
    /// Distance between surfaces at which bodies rest, m.
    pub hover: f64,
    /// Depth of the modelled contact surfaces below those of the shapes, m.
    pub inset: f64,
    /// Distance at which contact forces have decayed to zero, m.
    pub reach: f64,
}

impl Hardness {
    /// The point at `s` between two others, by geometric interpolation.
    pub fn between(from: &Self, to: &Self, s: f64) -> Self {
        let mix = |a: f64, b: f64| if a > 0.0 && b > 0.0 { a * real::powf(b / a, s) } else { a + s * (b - a) };
        Self {
            smoothing: mix(from.smoothing, to.smoothing),
            hover: mix(from.hover, to.hover),
            inset: mix(from.inset, to.inset),
            reach: mix(from.reach, to.reach),
        }
    }

    /// Sets the contact law of a model to this point.
    pub fn set(&self, model: &mut Model) {
        let laws = &mut model.options.laws;
        laws.invertible.smoothing = self.smoothing;
        laws.invertible.hover = self.hover;
        laws.invertible.inset = self.inset;
        // With walls, friction would add to the sliding. Penetration has a constraint of its own.
        laws.invertible.walls = false;
        laws.reach = self.reach;
    }
}

/// The path of continuation; equal ends: no continuation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Continuation {
    /// Where it begins.
    pub from: Hardness,
    /// Where it ends.
    pub to: Hardness,
    /// How far it may be followed beyond its end, in units of its length, while the residual
    /// without a contact law is too large.
    pub beyond: f64,
}

impl Continuation {
    /// How hard contact is at a point of the path; 0 is its beginning and 1 its end.
    pub fn at(&self, s: f64) -> Hardness {
        Hardness::between(&self.from, &self.to, s)
    }

    /// Whether both ends are the same point.
    pub fn is_single_point(&self) -> bool {
        self.from == self.to
    }
}
