//! Integration tests of the planner.
#![allow(non_snake_case)]
mod certify;
mod clearance;
mod coarse;
mod geometry;
mod models;
mod period;
mod products;
mod replay;
mod scenes;
mod sqp;
mod stance;
mod task_text;
mod tasks;
mod terms;
