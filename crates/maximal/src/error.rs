//! What cannot be simulated in maximal coordinates, and what went wrong in a step.

/// Why a model, an option or a step was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// An option outside of its range.
    #[error("option {name} is {value}, but must be {expected}")]
    Option { name: &'static str, value: f64, expected: &'static str },
    /// A part of the model that has no rows here.
    #[error("{part} {name:?} cannot be expressed in maximal coordinates: {reason}")]
    Unsupported { part: &'static str, name: String, reason: &'static str },
    /// A moving link without mass or inertia: its six degrees of freedom would have no equation.
    #[error("the moving body {body:?} has no mass or no inertia about some axis; maximal coordinates need both")]
    Massless { body: String },
    /// Joint axes of one body that move it alike.
    #[error("the joints of body {body:?} have dependent axes in the reference pose; their velocities have no meaning")]
    DependentAxes { body: String },
    /// Equalities that contradict each other or the joints.
    #[error(
        "{constraint} is over-determined at t = {time} s: its rows depend on those of the joints or of other equalities, and contradict them by {residual:.3e}"
    )]
    OverDetermined { constraint: String, time: f64, residual: f64 },
    /// An attachment that cannot be made, or is not there.
    #[error("cannot attach or detach: {reason}")]
    Attachment { reason: &'static str },
    /// Pivoting that found no solution.
    #[error("the direct method found no solution for {rows} rows at t = {time} s; use sweeps or tree")]
    Pivoting { rows: usize, time: f64 },
    /// Data made for another model.
    #[error("the data or the simulation belongs to another model")]
    Mismatch,
    /// A number that is not finite or beyond reason. The state is as before the step.
    #[error("the {quantity} of body {body:?} is {value} at t = {time} s")]
    Diverged { quantity: &'static str, body: String, value: f64, time: f64 },
    /// A coordinate, velocity or control that is not finite before the step.
    #[error("{quantity}[{index}] is {value} at t = {time} s")]
    Input { quantity: &'static str, index: usize, value: f64, time: f64 },
}
