//! Errors of models, options and steps in maximal coordinates.

/// Why a model, an option or a step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// An option is out of range.
    #[error("option {name} must be {expected}, not {value}")]
    Option { name: &'static str, value: f64, expected: &'static str },
    /// A part of the model cannot be expressed in maximal coordinates.
    #[error("{part} {name:?} cannot be expressed in maximal coordinates: {reason}")]
    Unsupported { part: &'static str, name: String, reason: &'static str },
    /// A moving link has no mass or inertia, so that its equations of motion are singular.
    #[error("the moving body {body:?} has no mass or no inertia about some axis; maximal coordinates need both")]
    Massless { body: String },
    /// The joint axes of a body are linearly dependent.
    #[error(
        "the joints of body {body:?} have linearly dependent axes in the reference configuration, so that their velocities are not defined"
    )]
    DependentAxes { body: String },
    /// Equality constraints contradict each other or the joints.
    #[error(
        "{constraint} is over-determined at t = {time} s: its rows depend on those of the joints or of other equalities, and contradict them by {residual:.3e}"
    )]
    OverDetermined { constraint: String, time: f64, residual: f64 },
    /// An attachment cannot be made or does not exist.
    #[error("cannot attach or detach: {reason}")]
    Attachment { reason: &'static str },
    /// Pivoting found no solution.
    #[error("the direct solver found no solution for {rows} rows at t = {time} s; use the solver `tree` or `sweeps`")]
    Pivoting { rows: usize, time: f64 },
    /// The data belongs to another model.
    #[error("the data or the simulation belongs to another model")]
    Mismatch,
    /// A quantity is not finite or excessively large. The state is that before the step.
    #[error("the {quantity} of body {body:?} is {value} at t = {time} s")]
    Diverged { quantity: &'static str, body: String, value: f64, time: f64 },
    /// A coordinate, velocity or control is not finite before the step.
    #[error("{quantity}[{index}] is {value} at t = {time} s")]
    Input { quantity: &'static str, index: usize, value: f64, time: f64 },
}
