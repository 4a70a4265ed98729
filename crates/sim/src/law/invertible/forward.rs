//! Forward map: impulses and velocities from the velocity c without impulses.
//!
//! The minimizer of (17) satisfies z = v + A ∇d_V(v) with v = c + A f(z); f(z) is the separable
//! response of the rows (`response`), smooth and inside the cones for every z. The unknown is
//! therefore z: there are no bounds, no truncated steps, and impulses come as close to the surface
//! of the cone as a small κ demands without loss of digits. With C = −∂f/∂z = L Lᵀ, G = ∇²d_V and
//! K = A + A G A, Newton's step is
//!   (1 + Lᵀ K L) y = Lᵀ r,  r = v + A ∇d_V(v) − z,  δf = −L y,  δz = r + K δf,              (a)
//! which is the Newton step of (17) in f. The cost (17) is the merit function (`descend`). Close to
//! the solution, `polish` takes v as the unknown, so that v is accurate even where it is a small
//! difference of c and A f:
//!   r = c + A f(z(v)) − v,  (1 + Lᵀ K L) y = Lᵀ (r + A G r),  δv = r − A L y.               (b)
//! If the direct solution takes too many iterations, κ is raised and lowered again (`stages`).

use super::barrier::{self, Wall};
use super::dense::Dense;
use super::dofs::DofInertia;
use super::inertia::{DenseInertia, Inertia};
use super::newton::{Newton, size};
use super::response::Response;
use super::rows::{Error, Kind, Rows, check_values};
use super::search::Start;
use super::{Report, cone};
use crate::data::SolverStatus;
use saltus_math::dot;

/// Maximum number of Newton steps at one κ, and of the direct solution when all else failed.
pub(super) const ITERATIONS: u32 = 40;
const PATIENCE: u32 = 300;
/// Norm of Newton's step (`decrement`) at which `polish` takes over.
pub(super) const CLOSE: f64 = 0.003;
/// Maximum number of steps of `polish`.
const POLISH: u32 = 20;
/// Maximum number of steps of `accelerate`.
const ACCELERATE: u32 = 4;
/// Largest change of velocities, relative to the largest velocity, of a converged result, and
/// largest residual relative to c: velocities cannot be more accurate than c.
const ACCEPTED: f64 = 1e-10;
const ROUND_OFF: f64 = 1e-13;

/// Working memory of forward. Vectors have one entry per row.
#[derive(Clone, Debug, Default)]
pub struct Forward {
    pub(super) response: Response,
    newton: Newton,
    pub(super) v: Vec<f64>,
    pub(super) z: Vec<f64>,
    /// First and second derivative of the barrier of velocities, and A times the first.
    p: Vec<f64>,
    pub(super) G: Vec<f64>,
    Ap: Vec<f64>,
    /// r of (a), and of (b).
    pub(super) r: Vec<f64>,
    r_v: Vec<f64>,
    /// The cost (17).
    pub(super) cost: f64,
    /// Uses d_V instead of d̄_V.
    pub(super) plain: bool,
    pub(super) step: Step,
    pub(super) backup: Backup,
    pub(super) products: Products,
    /// The rows with κ of the current stage.
    pub(super) staged: Rows,
    /// Change of the acceleration, by dofs.
    a_step: Vec<f64>,
}

/// Newton's step, (a) or (b).
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub y: Vec<f64>,
    /// δf, δv, and in (a) δz.
    pub f: Vec<f64>,
    pub v: Vec<f64>,
    pub z: Vec<f64>,
}

/// Saved iterates, to return to after a failed search.
#[derive(Clone, Debug, Default)]
pub(super) struct Backup {
    /// z of the cold start.
    pub cold: Vec<f64>,
    /// z and f at the beginning of a search.
    pub z: Vec<f64>,
    pub f: Vec<f64>,
    /// z at the end of the search along δz.
    pub curved: Vec<f64>,
    /// z at the end of `descend`.
    pub descended: Vec<f64>,
    /// z of the last stage that converged, and of the previous one.
    pub stage: Vec<f64>,
    pub stage_before: Vec<f64>,
}

/// Products needed for a step and for slopes along it.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    /// G δv.
    G_dv: Vec<f64>,
    /// G r, and r + A G r, of (b).
    G_r: Vec<f64>,
    right: Vec<f64>,
    /// Lᵀ δz, and the change of f that goes with δz.
    pub Lt_dz: Vec<f64>,
    pub df: Vec<f64>,
}

/// f and v from c, with all input checked.
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
    /// The minimizer of (17) for rows, inertia and c that were already checked.
    pub fn solve(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], wall: Wall) -> Report {
        self.solve_from(rows, A, c, None, wall)
    }
    /// [`Self::solve`] with a guess of the velocities.
    pub fn solve_from(
        &mut self,
        rows: &Rows,
        A: &mut impl Inertia,
        c: &[f64],
        guess: Option<&[f64]>,
        wall: Wall,
    ) -> Report {
        let n = rows.len();
        let Self { v, z, p, G, r, r_v, step, products, .. } = self;
        for x in [v, z, p, G, r, r_v, &mut step.y, &mut step.f, &mut step.z] {
            x.clear();
            x.resize(n, 0.0);
        }
        for x in [&mut products.G_dv, &mut products.G_r, &mut products.Lt_dz, &mut products.df] {
            x.clear();
            x.resize(n, 0.0);
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
        self.descend(rows, A, c, wall, &mut report, ITERATIONS);
        self.polish(rows, A, c, &mut report);
        if report.status == SolverStatus::Converged {
            return report;
        }
        for smoother in super::stages::SMOOTHER {
            self.start(rows, A, c);
            self.descend_in_stages(rows, A, c, smoother, wall, &mut report);
            self.polish(rows, A, c, &mut report);
            if report.status == SolverStatus::Converged {
                return report;
            }
        }
        self.start(rows, A, c);
        self.descend(rows, A, c, wall, &mut report, PATIENCE);
        self.polish(rows, A, c, &mut report);
        report
    }
    /// Cold start: z of each row with its own inertia only.
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
    /// Replaces z by that of the guessed velocities `guess` if its cost is lower.
    fn choose_start(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], guess: &[f64]) {
        self.plain = false;
        let cold = self.evaluate(rows, A, c);
        self.backup.cold.clone_from(&self.z);
        self.v.copy_from_slice(guess);
        self.update_z(rows, A);
        if self.evaluate(rows, A, c) > cold {
            self.z.clone_from(&self.backup.cold);
        }
    }
    /// f, v, the derivatives of the barrier and r at z; returns the cost (17).
    pub(super) fn evaluate(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64]) -> f64 {
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
    /// Newton's method (a) until the step is small.
    pub(super) fn descend(
        &mut self,
        rows: &Rows,
        A: &mut impl Inertia,
        c: &[f64],
        wall: Wall,
        report: &mut Report,
        most: u32,
    ) {
        self.plain = false;
        let mut cost = self.evaluate(rows, A, c);
        report.status = SolverStatus::IterationLimit;
        for _ in 0..most {
            report.iterations += 1;
            if wall == Wall::Published && !self.plain && barrier::is_feasible(rows, &self.v) {
                self.plain = true;
                cost = self.evaluate(rows, A, c);
            }
            self.response.update_factors(rows, &self.z);
            let (response, r) = (&self.response, &self.r);
            let right = |y: &mut [f64]| response.mul_transposed(rows, r, y);
            if !self.newton.solve(rows, A, &response.L, &self.G, right, &mut self.step.y) {
                report.status = SolverStatus::Stalled;
                return;
            }
            self.response.mul_negative(rows, &self.step.y, &mut self.step.f);
            let slope = dot(&self.r, &self.step.f);
            self.update_step(rows, A);
            let decrement = self.decrement(rows);
            self.backup.z.clone_from(&self.z);
            self.backup.f.clone_from(&self.response.f);
            let start = Start { cost, slope, decrement };
            let mut found = self.search(rows, A, c, &start);
            if decrement >= CLOSE && (!found || self.is_poor(&start)) {
                found |= self.search_straight(rows, A, c, &start);
            }
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
    /// Norm of Newton's step, relative to the distance of impulses and velocities from the ends of
    /// their barriers: largest of √(δfᵀ ∇²d_F δf/κ) and √(G/κ) |δv|. ∇²d_F is C⁻¹ less R, and
    /// δf = −L y.
    fn decrement(&self, rows: &Rows) -> f64 {
        let (step, mut most) = (&self.step, 0.0_f64);
        for group in &rows.groups {
            let mut square = 0.0;
            for i in group.range() {
                square += step.y[i] * step.y[i] - rows.R[i] * step.f[i] * step.f[i];
            }
            let i = group.start as usize;
            most = most.max(square / rows.kappa[i]).max(self.G[i] * step.v[i] * step.v[i] / rows.kappa[i]);
        }
        most.sqrt()
    }
    /// δz = r + A δf + A G A δf.
    fn update_step(&mut self, rows: &Rows, A: &mut impl Inertia) {
        let (Step { f, v, z, .. }, G_dv) = (&mut self.step, &mut self.products.G_dv);
        A.mul(f, v);
        for &i in &rows.normals {
            let i = i as usize;
            G_dv[i] = self.G[i] * v[i];
        }
        A.mul_normals(rows, G_dv, z);
        for i in 0..rows.len() {
            z[i] += self.r[i] + v[i];
        }
    }
    /// Newton's method (b), down to round-off.
    fn polish(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], report: &mut Report) {
        self.backup.descended.clone_from(&self.z);
        // Magnitude of the terms of c + A f.
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
            self.v.iter_mut().zip(&self.step.v).for_each(|(v, dv)| *v += dv);
            last = last.min(change);
            let step = size(&self.step.v);
            change = step / size(&self.v).max(f64::MIN_POSITIVE);
            good = change <= ACCEPTED || step <= ROUND_OFF * terms;
            if change <= 4.0 * f64::EPSILON || (good && change >= last) {
                break;
            }
        }
        report.status = if good { SolverStatus::Converged } else { SolverStatus::Stalled };
        if good {
            // The last change of f is below the precision of v, but not below that of f where d̄_V
            // is steep.
            self.response.f.iter_mut().zip(&self.step.f).for_each(|(f, d)| *f += d);
            A.mul(&self.response.f, &mut self.r_v);
            (0..rows.len()).for_each(|i| self.r_v[i] += c[i] - self.v[i]);
            report.residual = size(&self.r_v) / terms;
        } else {
            // If `polish` failed, the result of `descend` is better.
            self.z.clone_from(&self.backup.descended);
            self.evaluate(rows, A, c);
            report.residual = size(&self.r) / size(&self.z).max(f64::MIN_POSITIVE);
        }
    }
    /// The acceleration of an island consistent with the impulses of its rows. c + A f knows
    /// velocities only to the round-off of A f, which opposing impulses make large; here velocities
    /// follow from the acceleration itself, from which the inverse also starts.
    pub(super) fn accelerate(&mut self, rows: &Rows, A: &mut DofInertia, before: &[f64], h: f64, a: &mut [f64]) {
        let mut step = core::mem::take(&mut self.a_step);
        let mut last = f64::INFINITY;
        for _ in 0..ACCELERATE {
            A.velocities(before, h, a, &mut self.v);
            self.update_z(rows, A);
            self.response.update(rows, &self.z);
            A.step(&self.response.f, h, a, &mut step);
            let change = size(&step);
            // Smaller than the last change, or round-off; the impulses belong to this acceleration.
            if change.is_nan() || change > 0.5 * last {
                break;
            }
            last = change;
            a.iter_mut().zip(&step).for_each(|(a, s)| *a += s);
        }
        self.a_step = step;
    }
    /// δf and δv of (b).
    fn update_velocity_step(&mut self, rows: &Rows, A: &mut impl Inertia) -> bool {
        self.response.update_factors(rows, &self.z);
        let (Products { G_r, right, .. }, r, response) = (&mut self.products, &self.r_v, &self.response);
        for &i in &rows.normals {
            let i = i as usize;
            G_r[i] = self.G[i] * r[i];
        }
        A.mul_normals(rows, G_r, right);
        right.iter_mut().zip(r).for_each(|(x, r)| *x += r);
        let Step { y, f, v, .. } = &mut self.step;
        if !self.newton.solve(rows, A, &response.L, &self.G, |y| response.mul_transposed(rows, right, y), y) {
            return false;
        }
        response.mul_negative(rows, y, f);
        A.mul(f, v);
        v.iter_mut().zip(r).for_each(|(dv, r)| *dv += r);
        true
    }
    /// z = v + A ∇d_V(v), and the derivatives of the barrier.
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
        A.mul(&self.response.f, &mut self.r_v);
        for i in 0..rows.len() {
            self.r_v[i] += c[i] - self.v[i];
        }
    }
}
