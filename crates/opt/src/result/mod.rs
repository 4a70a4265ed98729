//! What a result is, and how it is judged.

pub mod certify;
pub mod coarse;
pub mod feedback;
pub mod names;
pub mod plan;
pub mod stance;
pub mod steps;
pub mod summary;
pub mod unfold;
