//! Subcommands.

pub mod bench;
pub mod check;
pub mod compare;
pub mod convert;
mod coordinates;
pub mod demo;
pub mod info;
pub mod model;
pub mod optimize;
pub mod plot;
pub mod render;
pub mod replay;
pub mod reproduce;
pub mod sim;
pub mod start;
pub mod walk;
