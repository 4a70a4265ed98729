//! `[solver]`.

use super::{COUNTS, Result};
use crate::solve::optimize::{Method, OptimizeOptions};
use crate::task::table::Table;

/// Most threads that a run may ask for.
pub const MAX_THREADS: usize = 1024;

/// Methods by their names in task files.
pub(in crate::task) const METHODS: [(&str, Method); 2] = [("rounds", Method::Rounds), ("sqp", Method::Sqp)];

pub(super) fn parse(mut table: Table) -> Result<OptimizeOptions> {
    let usual = OptimizeOptions::default();
    let mut options = OptimizeOptions {
        threads: table.count("threads", 0..=MAX_THREADS)?.unwrap_or(usual.threads),
        iterations: table.count("iterations", COUNTS)?.unwrap_or(usual.iterations),
        feasibility: table.positive("feasibility")?.unwrap_or(usual.feasibility),
        restoration: table.positive("restoration")?.unwrap_or(usual.restoration),
        tolerance: table.positive("tolerance")?.unwrap_or(usual.tolerance),
        settled: table.positive("settled")?.unwrap_or(usual.settled),
        penalty: table.positive("penalty")?.unwrap_or(usual.penalty),
        penalty_growth: table.positive("penalty_growth")?.unwrap_or(usual.penalty_growth),
        penalty_limit: table.positive("penalty_limit")?.unwrap_or(usual.penalty_limit),
        path_goal: table.positive("path_goal")?.unwrap_or(usual.path_goal),
        path_limit: table.positive("path_limit")?.unwrap_or(usual.path_limit),
        path_step: table.positive("path_step")?.unwrap_or(usual.path_step),
        method: table.word("method", &METHODS)?.unwrap_or(usual.method),
        radius: table.positive("radius")?.unwrap_or(usual.radius),
        newton: table.not_negative("newton")?.unwrap_or(usual.newton),
        round_iterations: table.counts("round_iterations", COUNTS)?.unwrap_or(usual.round_iterations),
        rounds: table.counts("rounds", COUNTS)?.unwrap_or(usual.rounds),
    };
    // The first number of `rounds` alone.
    options.rounds[0] = table.count("first_rounds", COUNTS)?.unwrap_or(options.rounds[0]);
    table.finish()?;
    Ok(options)
}
