//! Residuals and their derivatives, as terms write them.

use saltus_sim::{Data, Model};
use serde::{Deserialize, Serialize};

/// A step of a trajectory, as terms see it: `data` has positions and velocities of the state,
/// inverse dynamics was evaluated.
#[derive(Debug)]
pub struct Knot<'a> {
    /// The model.
    pub model: &'a Model,
    /// Results at the step, such as positions, velocities and contacts.
    pub data: &'a Data,
    /// Number of the state, from 0; the last one of trajectories that are not periodic has no
    /// acceleration and no force.
    pub t: usize,
    /// Number of steps of the problem.
    pub steps: usize,
    /// Time step, s.
    pub h: f64,
    /// Whether the step has an acceleration and a generalized force.
    pub has_force: bool,
    /// Acceleration and total force of actuators · nv.
    pub a: &'a [f64],
    /// Generalized forces.
    pub tau: &'a [f64],
}

impl Knot<'_> {
    /// Coordinates.
    pub fn q(&self) -> &[f64] {
        &self.data.state.q
    }
    /// Velocities.
    pub fn v(&self) -> &[f64] {
        &self.data.state.v
    }
    /// Time, s.
    pub fn time(&self) -> f64 {
        self.t as f64 * self.h
    }
}

/// The quantity by which a residual is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Coordinates, in the tangent space.
    Q,
    /// Velocities.
    V,
    /// Accelerations.
    A,
    /// Generalized forces.
    Tau,
}

impl Part {
    /// Its symbol.
    pub fn word(self) -> &'static str {
        match self {
            Part::Q => "q",
            Part::V => "v",
            Part::A => "a",
            Part::Tau => "tau",
        }
    }
}

/// A derivative of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// By which quantity.
    pub part: Part,
    /// The dof.
    pub dof: u32,
    /// Its value.
    pub value: f64,
}

/// Residuals of one term at one step, row by row.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub(crate) value: Vec<f64>,
    /// First entry of each row.
    pub(crate) start: Vec<usize>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) jacobian: bool,
}

impl Rows {
    pub(crate) fn clear(&mut self, jacobian: bool) {
        self.value.clear();
        self.start.clear();
        self.entries.clear();
        self.jacobian = jacobian;
    }
    /// Whether derivatives are requested; otherwise they may be left out.
    pub fn wants_jacobian(&self) -> bool {
        self.jacobian
    }
    /// Begins a row.
    pub fn row(&mut self, value: f64) {
        self.value.push(value);
        self.start.push(self.entries.len());
    }
    /// Adds a derivative of the last row.
    #[inline]
    pub fn add(&mut self, part: Part, dof: usize, value: f64) {
        if self.jacobian && value != 0.0 {
            self.entries.push(Entry { part, dof: dof as u32, value });
        }
    }
    /// Adds the derivatives of the last row by all dofs of a quantity, multiplied by `scale`.
    pub fn add_all(&mut self, part: Part, scale: f64, values: &[f64]) {
        for (dof, value) in values.iter().enumerate() {
            self.add(part, dof, scale * value);
        }
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.value.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }
    /// Values of the residuals.
    pub fn values(&self) -> &[f64] {
        &self.value
    }
    /// Derivatives of a row.
    pub fn entries(&self, row: usize) -> &[Entry] {
        let end = self.start.get(row + 1).copied().unwrap_or(self.entries.len());
        &self.entries[self.start[row]..end]
    }
}
