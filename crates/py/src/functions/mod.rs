//! Functions on models and data.

pub mod args;
mod inertia;
mod jacobian;
mod simulate;
mod stages;

pub use inertia::*;
pub use jacobian::*;
pub use simulate::*;
pub use stages::*;
