//! What was made of a model's shapes, and how well it fits.

use core::fmt;

/// The candidates of one body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyFit {
    /// The body.
    pub body: String,
    /// How many points of it may touch.
    pub candidates: usize,
    /// Largest distance from the hull of the body's shapes to that of its candidates, m. Candidates
    /// are never outside.
    pub error: f64,
}

/// What was done to make the model for planning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeometryReport {
    /// Bodies that have candidates.
    pub bodies: Vec<BodyFit>,
    /// Pairs of a candidate and a shape.
    pub pairs: usize,
    /// No body can touch the environment: there is none, or filters or options keep all away.
    pub nothing_touches: bool,
    /// What was changed or left out, in words.
    pub notes: Vec<String>,
}

impl GeometryReport {
    /// Number of points that may touch.
    pub fn candidates(&self) -> usize {
        self.bodies.iter().map(|b| b.candidates).sum()
    }

    /// Largest fitting error of all bodies, m.
    pub fn worst_error(&self) -> f64 {
        self.bodies.iter().fold(0.0, |worst, b| worst.max(b.error))
    }

    pub(super) fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

impl fmt::Display for GeometryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for b in &self.bodies {
            writeln!(f, "{}: {} candidates, error {:.1} mm", b.body, b.candidates, 1e3 * b.error)?;
        }
        if self.nothing_touches {
            writeln!(f, "nothing can touch the environment")?;
        }
        self.notes.iter().try_for_each(|n| writeln!(f, "{n}"))
    }
}
