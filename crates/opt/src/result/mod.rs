//! What a result is, and how it is judged.

pub mod certify;
pub mod clearance;
pub mod coarse;
mod feedback;
pub mod names;
pub mod plan;
pub mod stance;
pub mod steps;
pub mod summary;
pub(crate) mod unfold;
