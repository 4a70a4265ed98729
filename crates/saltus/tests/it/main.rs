//! Tests of the front door: files, names, errors.
mod by_name;
mod common;
mod models;
mod stale;
