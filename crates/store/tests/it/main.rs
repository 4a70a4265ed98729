//! Integration tests of results on disk.
mod common;
mod damaged;
mod folders;
mod older;
