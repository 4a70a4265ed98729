//! The `saltus` binary from outside.

mod bench;
mod common;
mod models;
mod sim;
