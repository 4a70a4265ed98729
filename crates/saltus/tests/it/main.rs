//! Tests of the front door: files, names, errors.
mod atlas;
mod by_name;
mod common;
mod models;
mod stale;
