//! Continuation of `forward` through smoother problems: κ is raised, then lowered in stages. The
//! solution is smooth in κ: each stage starts from an extrapolation of the last two.

use super::Report;
use super::barrier::Wall;
use super::forward::{Forward, ITERATIONS};
use super::inertia::Inertia;
use super::rows::Rows;
use crate::data::SolverStatus;

/// Factors of κ of the first stage, when the direct solution fails and when the first attempt fails
/// too; and the ratio of κ between stages.
pub(super) const SMOOTHER: [f64; 2] = [1e2, 1e6];
const RATIO: f64 = 10.0;
/// Ratio of κ between stages below which continuation is given up.
const LEAST_RATIO: f64 = 1.01;

impl Forward {
    /// Raises κ by a factor, then lowers it as fast as Newton's method converges.
    pub(super) fn descend_in_stages(
        &mut self,
        rows: &Rows,
        A: &mut impl Inertia,
        c: &[f64],
        smoother: f64,
        wall: Wall,
        report: &mut Report,
    ) {
        let mut staged = core::mem::take(&mut self.staged);
        let mut good = core::mem::take(&mut self.backup.stage);
        let mut before = core::mem::take(&mut self.backup.stage_before);
        good.clone_from(&self.z);
        before.clone_from(&self.z);
        let (mut factor, mut ratio) = (smoother * RATIO, RATIO);
        let mut factor_before = f64::INFINITY;
        while factor > 1.0 && ratio > LEAST_RATIO {
            let next = (factor / ratio).max(1.0);
            staged.clone_from(rows);
            staged.multiply_kappa(next);
            let ahead = (factor - next) / (factor_before - factor);
            self.plain = false;
            let there = self.evaluate(&staged, A, c);
            for i in 0..rows.len() {
                self.z[i] = good[i] + ahead * (good[i] - before[i]);
            }
            if ahead == 0.0 || self.evaluate(&staged, A, c) > there {
                self.z.clone_from(&good);
            }
            self.descend(&staged, A, c, wall, report, ITERATIONS);
            if report.status == SolverStatus::Converged {
                core::mem::swap(&mut before, &mut good);
                good.clone_from(&self.z);
                (factor_before, factor, ratio) = (factor, next, (ratio * ratio).min(RATIO));
                if factor_before > smoother {
                    factor_before = f64::INFINITY;
                }
            } else {
                ratio = ratio.sqrt();
                self.z.clone_from(&good);
            }
        }
        (self.staged, self.backup.stage, self.backup.stage_before) = (staged, good, before);
        self.evaluate(rows, A, c);
    }
}
