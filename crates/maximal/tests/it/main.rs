//! Maximal coordinates against generalized ones, against conservation laws, and against what is
//! known in closed form.
#![allow(non_snake_case)]

mod agreement;
mod alloc;
mod attachment;
mod contact;
#[path = "../../../sim/tests/it/counting.rs"]
mod counting;
mod refusals;
mod rollouts;
mod scene;
mod sensors;
mod solvers;
mod tree;
