//! Integration tests of the whole: files to dynamics.
mod alloc;
mod models;
