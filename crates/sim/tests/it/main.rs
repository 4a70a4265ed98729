//! Integration tests of the engine.
#![allow(non_snake_case)]
mod collide_filter;
mod collide_laws;
mod collide_pairs;
mod collide_ray;
mod compile_bodies;
mod compile_validate;
mod random;
