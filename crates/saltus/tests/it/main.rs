//! Integration tests of the whole: files to dynamics.
mod alloc;
mod atlas;
mod by_name;
mod common;
mod compliant_law;
mod constraint_rows;
mod contact_laws;
mod contact_solvers;
mod counting;

mod derivative_batch;
mod derivatives;
mod determinism;
mod honest_convergence;
mod invertible_law;
mod models;
mod stale;
mod velocity_laws;
