//! Integration tests of the engine.
#![allow(non_snake_case)]
mod calculus;
mod collide_curved;
mod collide_filter;
mod collide_laws;
mod collide_pairs;
mod collide_ray;
mod compile_bodies;
mod compile_validate;
mod derivative_inverse;
mod integrators;
mod invertible;
mod invertible_limit;
mod invertible_plain;
mod invertible_random;
mod laws_inertia;
mod laws_jacobian;
mod laws_motion;
mod random_tree;
mod rollouts;
mod stepping;
mod velocity_derivatives;
mod wrapping;
