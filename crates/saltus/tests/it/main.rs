//! Integration tests of the whole: files to dynamics.
mod alloc;
mod common;
mod contact_laws;
mod contact_solvers;
mod models;
