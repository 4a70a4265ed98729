//! Planning of motion through contact: trajectory optimization by inverse dynamics, on sim's public API only.
#![allow(non_snake_case)]

pub mod geometry;
