//! Integration tests of the engine.
mod compile_bodies;
mod compile_validate;
