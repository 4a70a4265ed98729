//! The `saltus` binary from outside.

mod bench;
mod common;
mod laws;
mod maximal;
mod models;
mod optimize;
mod output;
mod sim;
