//! Integration tests of the engine.
#![allow(non_snake_case)]
mod calculus;
mod compile_bodies;
mod compile_validate;
mod laws_inertia;
mod laws_jacobian;
mod laws_motion;
mod random_tree;
mod wrapping;
