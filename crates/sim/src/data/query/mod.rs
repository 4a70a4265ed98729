//! Questions about a [`Data`] by typed ids: what [`Model`] finds by name.
//!
//! All take the model first, as the functions of the pipeline do. State and inputs can be read and written at any time. Results
//! belong to the state that they were computed from: asked for at another one, they are an error that says what to call.
//!
//! Ids of another model may be out of range, which panics as an index into a slice does.

mod contact_force;
mod input;
mod result;

pub use contact_force::{ContactForce, contact_force};
pub use input::WrongLength;
pub use result::Pose;
