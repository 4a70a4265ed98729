//! Access to a [`Data`] by the typed ids that [`Model`] finds by name.
//!
//! All methods take the model first, as the functions of the pipeline do. State and inputs can be
//! read and written at any time. Results belong to the state that they were computed from; reading
//! them at another state is an error that says what to call.
//!
//! Ids of another model may be out of range, which panics as an index into a slice does.

mod contact_force;
mod input;
mod result;

pub use contact_force::{ContactForce, contact_force};
pub use input::WrongLength;
pub use result::Pose;
