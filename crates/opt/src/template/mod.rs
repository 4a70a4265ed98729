//! Templates: problems for robots that were never seen before.

pub mod symmetry;
