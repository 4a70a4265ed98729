//! Integration tests of the engine.
mod compile_bodies;
