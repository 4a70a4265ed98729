//! Results of a step.

use saltus_sim::data::SolverStatus;

/// Constraint errors of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointError {
    /// Largest distance between two points that a joint constrains to coincide, m.
    pub distance: f64,
    /// Largest angle between two orientations that a joint constrains to coincide, rad.
    pub angle: f64,
}

impl JointError {
    /// The larger of both numbers.
    pub fn largest(&self) -> f64 {
        self.distance.max(self.angle)
    }
}

/// Outcome of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    pub status: SolverStatus,
    /// Number of sweeps or pivots.
    pub iterations: u32,
    /// Number of rows of all kinds.
    pub rows: usize,
    /// Largest change of an impulse in the last sweep, relative to the largest impulse.
    pub change: f64,
    /// Largest |J V⁺ + R f − c| of bilateral rows after the solve, before positions move; m/s,
    /// rad/s.
    pub velocity_error: f64,
    /// Joint errors after the step.
    pub joints: JointError,
}
