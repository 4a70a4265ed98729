//! Contact laws: what force answers a constraint problem.

pub mod invertible;
pub mod soft;
