//! Forward: impulses and velocities from the velocity c without impulses.
//!
//! The minimizer of (17) is where z = v + A ∇d_V(v) with v = c + A f(z); f(z) is the answer of the rows by themselves
//! (`response`), smooth and inside the cones for every z. So the unknown is z: no bounds, no steps that must stop at a
//! surface, and impulses that come as close to the cone's surface as a small κ demands without loss of digits. With
//! C = −∂f/∂z = L Lᵀ, G = ∇²d_V and K = A + A G A, Newton's step is
//!   (1 + Lᵀ K L) y = Lᵀ r,  r = v + A ∇d_V(v) − z,  δf = −L y,  δz = r + K δf,       (a)
//! which is the Newton step of (17) in f. Its cost is the measure of progress (`descend`). When it is close, `polish` makes
//! v the unknown, so that v is exact even where it is a small difference of c and A f:
//!   r = c + A f(z(v)) − v,  (1 + Lᵀ K L) y = Lᵀ (r + A G r),  δv = r − A L y.        (b)
//! If the direct way is long, κ is raised and lowered again in stages.

use super::barrier::{self, Wall};
use super::dense::Dense;
use super::inertia::{DenseInertia, Inertia};
use super::response::Response;
use super::rows::{Error, Kind, Rows, check_values};
use super::{Report, cone};
use crate::data::SolverStatus;
use saltus_math::dot;

/// Newton steps at one κ.
const ITERATIONS: u32 = 40;
/// Factor of κ of the first stage, used when the direct way fails, and what κ is divided by from stage to stage.
const SMOOTHER: f64 = 1e6;
const RATIO: f64 = 10.0;
/// A ratio below which stages are given up.
const LEAST_RATIO: f64 = 1.01;
/// Newton decrement, relative to κ, at which `polish` takes over.
const CLOSE: f64 = 0.03;
/// Steps of `polish`.
const POLISH: u32 = 20;
/// Change of velocities, relative to the largest, of a result that counts as converged, and residual relative to c: the
/// velocities cannot be known better than c is.
const ACCEPTED: f64 = 1e-10;
const ROUND_OFF: f64 = 1e-13;

/// Working memory of forward. Vectors have one entry per row.
#[derive(Clone, Debug, Default)]
pub struct Forward {
    response: Response,
    pub(super) v: Vec<f64>,
    z: Vec<f64>,
    /// First and second derivative of the barrier of velocities, and A times the first.
    p: Vec<f64>,
    pub(super) G: Vec<f64>,
    Ap: Vec<f64>,
    r: Vec<f64>,
    y: Vec<f64>,
    d: Vec<f64>,
    dv: Vec<f64>,
    dz: Vec<f64>,
    z_old: Vec<f64>,
    z_good: Vec<f64>,
    product: Vec<f64>,
    /// The rows with κ of the stage.
    staged: Rows,
    /// d_V instead of d̄_V.
    plain: bool,
    cost: f64,
}

/// Where a search begins: the cost, its slope along the step, and the Newton decrement relative to κ.
struct Start {
    cost: f64,
    slope: f64,
    decrement: f64,
}

/// f and v from c. Checks everything.
pub fn forward(rows: &Rows, A: &Dense, c: &[f64], wall: Wall) -> Result<(Vec<f64>, Vec<f64>, Report), Error> {
    rows.check()?;
    check_values("c", c, rows.len())?;
    if A.n() != rows.len() {
        return Err(Error::Size { what: "A", expected: rows.len(), found: A.n() });
    }
    let mut work = Forward::default();
    let report = work.solve(rows, &mut DenseInertia::new(A.clone()), c, wall);
    Ok((work.response.f, work.v, report))
}

impl Forward {
    /// The impulses of the last solution.
    pub fn f(&self) -> &[f64] {
        &self.response.f
    }
    /// The velocities of the last solution.
    pub fn v(&self) -> &[f64] {
        &self.v
    }
    /// The minimizer of (17), for rows, inertia and c that were checked.
    pub fn solve(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], wall: Wall) -> Report {
        self.solve_from(rows, A, c, None, wall)
    }
    /// [`Self::solve`], with velocities that may be close to those of the solution.
    pub fn solve_from(
        &mut self,
        rows: &Rows,
        A: &mut impl Inertia,
        c: &[f64],
        guess: Option<&[f64]>,
        wall: Wall,
    ) -> Report {
        let n = rows.len();
        for v in
            [&mut self.v, &mut self.z, &mut self.p, &mut self.G, &mut self.r, &mut self.y, &mut self.d, &mut self.dz]
        {
            v.clear();
            v.resize(n, 0.0);
        }
        let mut report = Report::default();
        self.response.f.resize(n, 0.0);
        if n == 0 {
            return report;
        }
        self.start(rows, A, c);
        if let Some(guess) = guess {
            self.choose_start(rows, A, c, guess);
        }
        self.descend(rows, A, c, wall, &mut report);
        self.polish(rows, A, c, &mut report);
        if report.status == SolverStatus::Converged {
            return report;
        }
        self.start(rows, A, c);
        self.descend_in_stages(rows, A, c, wall, &mut report);
        self.polish(rows, A, c, &mut report);
        report
    }
    /// Raises κ, then lowers it as fast as Newton's method follows.
    fn descend_in_stages(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], wall: Wall, report: &mut Report) {
        let mut staged = core::mem::take(&mut self.staged);
        let mut good = core::mem::take(&mut self.z_good);
        good.clone_from(&self.z);
        let (mut factor, mut ratio) = (SMOOTHER * RATIO, RATIO);
        while factor > 1.0 && ratio > LEAST_RATIO {
            let next = (factor / ratio).max(1.0);
            staged.clone_from(rows);
            staged.multiply_kappa(next);
            self.descend(&staged, A, c, wall, report);
            if report.status == SolverStatus::Converged {
                (factor, ratio) = (next, (ratio * ratio).min(RATIO));
                good.clone_from(&self.z);
            } else {
                ratio = ratio.sqrt();
                self.z.clone_from(&good);
            }
        }
        (self.staged, self.z_good) = (staged, good);
        self.evaluate(rows, A, c);
    }
    /// z of rows that are alone with their own inertia.
    fn start(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64]) {
        for group in &rows.groups {
            for i in group.range() {
                let (R, diag) = (rows.R[i], A.diagonal(i));
                self.z[i] = c[i] * R / (R + diag);
            }
            if let Some(n) = group.normal() {
                let kappa = if group.kind == Kind::Contact { 3.0 } else { 1.0 } * rows.kappa[n];
                let approach = c[n].min(c[n] - rows.bound[n]);
                let f = cone::positive_root(A.diagonal(n) + rows.R[n], approach, kappa);
                self.z[n] = kappa / f - rows.R[n] * f;
            }
        }
    }
    /// Replaces z by that of the velocities `guess` if it costs less.
    fn choose_start(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], guess: &[f64]) {
        self.plain = false;
        let cold = self.evaluate(rows, A, c);
        self.z_old.clone_from(&self.z);
        self.v.copy_from_slice(guess);
        self.update_z(rows, A);
        if self.evaluate(rows, A, c) > cold {
            self.z.clone_from(&self.z_old);
        }
    }
    /// f, v, the barrier's derivatives and r at z; returns the cost (17).
    fn evaluate(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64]) -> f64 {
        self.response.update(rows, &self.z);
        let f = &self.response.f;
        A.mul(f, &mut self.v);
        let mut cost = self.response.cost(rows);
        for i in 0..rows.len() {
            self.v[i] += c[i];
            cost += 0.5 * f[i] * (self.v[i] + c[i]);
        }
        for &i in &rows.normals {
            let i = i as usize;
            let s = self.v[i] - rows.bound[i];
            let (kappa, slope) = (rows.kappa[i], rows.slope[i]);
            let [d, p, G] = if self.plain { barrier::log(s, kappa) } else { barrier::elastic(s, kappa, slope) };
            cost += d;
            (self.p[i], self.G[i]) = (p, G);
        }
        if !cost.is_finite() {
            return f64::INFINITY;
        }
        self.cost = cost;
        A.mul_normals(rows, &self.p, &mut self.Ap);
        for i in 0..rows.len() {
            self.r[i] = self.v[i] + self.Ap[i] - self.z[i];
        }
        cost
    }
    /// Newton's method (a) until it is close.
    fn descend(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], wall: Wall, report: &mut Report) {
        let kappa = rows.kappa.iter().copied().fold(f64::INFINITY, f64::min);
        self.plain = false;
        let mut cost = self.evaluate(rows, A, c);
        report.status = SolverStatus::IterationLimit;
        for _ in 0..ITERATIONS {
            report.iterations += 1;
            if wall == Wall::Published && !self.plain && barrier::is_feasible(rows, &self.v) {
                self.plain = true;
                cost = self.evaluate(rows, A, c);
            }
            self.response.update_factors(rows, &self.z);
            let (response, r) = (&self.response, &self.r);
            if !A.newton(rows, &response.L, &self.G, |y| response.mul_transposed(rows, r, y), &mut self.y) {
                report.status = SolverStatus::Stalled;
                return;
            }
            self.response.mul_negative(rows, &self.y, &mut self.d);
            let slope = dot(&self.r, &self.d);
            let decrement = (-slope / kappa).max(0.0).sqrt();
            self.update_step(rows, A);
            self.z_old.clone_from(&self.z);
            let found = self.search(rows, A, c, &Start { cost, slope, decrement });
            if decrement < CLOSE {
                report.status = SolverStatus::Converged;
                return;
            }
            if !found {
                report.status = SolverStatus::Stalled;
                return;
            }
            cost = self.cost;
        }
    }
    /// δz = r + A δf + A G A δf.
    fn update_step(&mut self, rows: &Rows, A: &mut impl Inertia) {
        A.mul(&self.d, &mut self.dv);
        self.product.clear();
        self.product.resize(rows.len(), 0.0);
        for &i in &rows.normals {
            let i = i as usize;
            self.product[i] = self.G[i] * self.dv[i];
        }
        A.mul_normals(rows, &self.product, &mut self.dz);
        for i in 0..rows.len() {
            self.dz[i] += self.r[i] + self.dv[i];
        }
    }
    /// Goes along δz to where the cost falls and its slope is small; false if that is nowhere.
    fn search(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], start: &Start) -> bool {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let (mut slope_low, mut slope_high) = (start.slope, 0.0);
        let mut alpha = 1.0;
        for trial in 0..50 {
            for i in 0..rows.len() {
                self.z[i] = self.z_old[i] + alpha * self.dz[i];
            }
            let cost = self.evaluate(rows, A, c);
            if start.decrement < CLOSE && cost < f64::INFINITY {
                return true;
            }
            let slope = if cost < f64::INFINITY { self.slope(rows) } else { f64::INFINITY };
            // The path is curved: a flat end may lie beyond a hill. Costs that differ by round-off cannot tell.
            let is_lower = cost <= start.cost + 1e-12 * start.cost.abs();
            let goal = if trial < 8 { 0.2 } else { 0.8 };
            if is_lower && slope.abs() <= goal * start.slope.abs() {
                return true;
            }
            if is_lower && slope < 0.0 {
                if alpha >= 1.0 {
                    return true;
                }
                (low, slope_low) = (alpha, slope);
            } else {
                (high, slope_high) = (alpha, slope);
            }
            let part = slope_low / (slope_low - slope_high);
            let part = if slope_high.is_finite() && slope_high > 0.0 { part } else { 0.5 };
            alpha = low + (high - low) * part.clamp(0.05, 0.7);
        }
        low > 0.0
    }
    /// Slope of the cost along δz at z: rᵀ ∂f/∂z δz.
    fn slope(&mut self, rows: &Rows) -> f64 {
        self.response.update_factors(rows, &self.z);
        self.response.mul_transposed(rows, &self.dz, &mut self.y);
        self.response.mul_negative(rows, &self.y, &mut self.d);
        dot(&self.r, &self.d)
    }
    /// Newton's method (b) to round-off.
    fn polish(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], report: &mut Report) {
        self.z_old.clone_from(&self.z);
        // What c + A f is summed from.
        let diagonal = (0..rows.len()).map(|i| A.diagonal(i)).fold(0.0, f64::max);
        let terms = size(c).max(diagonal * size(&self.response.f)).max(f64::MIN_POSITIVE);
        let (mut last, mut change) = (f64::INFINITY, f64::INFINITY);
        let mut good = false;
        for _ in 0..POLISH {
            report.iterations += 1;
            self.update_residual(rows, A, c);
            if !self.update_velocity_step(rows, A) {
                break;
            }
            self.v.iter_mut().zip(&self.dv).for_each(|(v, dv)| *v += dv);
            last = last.min(change);
            let step = size(&self.dv);
            change = step / size(&self.v).max(f64::MIN_POSITIVE);
            good = change <= ACCEPTED || step <= ROUND_OFF * terms;
            if change <= 4.0 * f64::EPSILON || (good && change >= last) {
                break;
            }
        }
        report.status = if good { SolverStatus::Converged } else { SolverStatus::Stalled };
        if good {
            // The last change of f: what is below the digits of v, and not below those of f where d̄_V is steep.
            self.response.f.iter_mut().zip(&self.d).for_each(|(f, d)| *f += d);
            A.mul(&self.response.f, &mut self.r);
            (0..rows.len()).for_each(|i| self.r[i] += c[i] - self.v[i]);
            report.residual = size(&self.r) / terms;
        } else {
            // What `descend` found is better than what went astray.
            self.z.clone_from(&self.z_old);
            self.evaluate(rows, A, c);
            report.residual = size(&self.r) / size(&self.z).max(f64::MIN_POSITIVE);
        }
    }
    /// δf and δv of (b).
    fn update_velocity_step(&mut self, rows: &Rows, A: &mut impl Inertia) -> bool {
        self.response.update_factors(rows, &self.z);
        for &i in &rows.normals {
            let i = i as usize;
            self.p[i] = self.G[i] * self.r[i];
        }
        A.mul_normals(rows, &self.p, &mut self.product);
        self.product.iter_mut().zip(&self.r).for_each(|(x, r)| *x += r);
        let (response, product) = (&self.response, &self.product);
        if !A.newton(rows, &response.L, &self.G, |y| response.mul_transposed(rows, product, y), &mut self.y) {
            return false;
        }
        self.response.mul_negative(rows, &self.y, &mut self.d);
        A.mul(&self.d, &mut self.dv);
        self.dv.iter_mut().zip(&self.r).for_each(|(dv, r)| *dv += r);
        true
    }
    /// z = v + A ∇d_V(v), with the barrier's derivatives.
    fn update_z(&mut self, rows: &Rows, A: &mut impl Inertia) {
        for &i in &rows.normals {
            let i = i as usize;
            (self.p[i], self.G[i]) = barrier::derivatives(rows, i, self.v[i], self.plain);
        }
        A.mul_normals(rows, &self.p, &mut self.Ap);
        for i in 0..rows.len() {
            self.z[i] = self.v[i] + self.Ap[i];
        }
    }
    /// z and f from v, and r = c + A f − v.
    fn update_residual(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64]) {
        self.update_z(rows, A);
        self.response.update(rows, &self.z);
        A.mul(&self.response.f, &mut self.r);
        for i in 0..rows.len() {
            self.r[i] += c[i] - self.v[i];
        }
    }
}

/// Largest magnitude.
fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| x.abs().max(m))
}
