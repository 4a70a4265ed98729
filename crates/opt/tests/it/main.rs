//! Integration tests of the planner.
#![allow(non_snake_case)]
mod geometry;
mod merit;
mod models;
mod products;
mod sqp;
mod tasks;
mod terms;
