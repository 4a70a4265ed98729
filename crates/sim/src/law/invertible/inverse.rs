//! The inverse map: impulses from velocities.
//!
//! min ½ fᵀRf + d_F(f) + fᵀz with z = v + A ∇d_V(v) (23). R is diagonal and d_F a sum over groups,
//! so the problem is separable: a closed form for equalities and limits, a scalar root for dry
//! friction and contacts (`cone`). The cost is linear in the number of contacts, except for the
//! product with A, which needs the columns of normals.

use super::Report;
use super::barrier::{self, Wall};
use super::cone::{self, Cones};
use super::dense::Dense;
use super::rows::{Alike, Error, Group, Kind, Rows, check_values};
use crate::data::SolverStatus;

/// Working memory of the inverse.
#[derive(Clone, Debug, Default)]
pub struct Inverse {
    /// Slopes ∇d_V by rows; only those of normals are set.
    pub(super) slope: Vec<f64>,
    pub(super) z: Vec<f64>,
    lambda: Vec<f64>,
}

/// f and c = v − A f from v, with all input checked; see [`Inverse::solve`] for repeated evaluation
/// of checked problems.
pub fn inverse(rows: &Rows, A: &Dense, v: &[f64], wall: Wall) -> Result<(Vec<f64>, Vec<f64>, Report), Error> {
    rows.check()?;
    check_values("v", v, rows.len())?;
    if A.n() != rows.len() {
        return Err(Error::Size { what: "A", expected: rows.len(), found: A.n() });
    }
    let mut work = Inverse::default();
    let (mut f, mut c) = (Vec::new(), Vec::new());
    let report = work.solve(rows, A, v, wall, &mut f, &mut c);
    Ok((f, c, report))
}

impl Inverse {
    /// f and c from v, for rows and a matrix that were already checked and have the same size.
    pub fn solve(
        &mut self,
        rows: &Rows,
        A: &Dense,
        v: &[f64],
        wall: Wall,
        f: &mut Vec<f64>,
        c: &mut Vec<f64>,
    ) -> Report {
        self.update_slope(rows, v, wall);
        A.mul_some(&rows.normals, &self.slope, &mut self.z);
        for (z, v) in self.z.iter_mut().zip(v) {
            *z += v;
        }
        f.resize(rows.len(), 0.0);
        self.lambda.resize(rows.len(), 0.0);
        let report = separable(rows, &self.z, f, &mut self.lambda);
        A.mul(f, c);
        for (c, v) in c.iter_mut().zip(v) {
            *c = v - *c;
        }
        report
    }
    /// ∇d_V(v).
    pub(super) fn update_slope(&mut self, rows: &Rows, v: &[f64], wall: Wall) {
        self.slope.resize(rows.len(), 0.0);
        let plain = wall == Wall::Published && barrier::is_feasible(rows, v);
        for &i in &rows.normals {
            let i = i as usize;
            let s = v[i] - rows.bound[i];
            let (kappa, slope) = (rows.kappa[i], rows.slope[i]);
            self.slope[i] = if plain { -kappa / s } else { barrier::elastic_slope(s, kappa, slope) };
        }
    }
}

/// The minimizer of (23) for a given z, and, at the first row of contacts and dry friction, the
/// corresponding λ = 2κ/s.
pub fn separable(rows: &Rows, z: &[f64], f: &mut [f64], lambda: &mut [f64]) -> Report {
    let mut report = Report { status: SolverStatus::Converged, ..Report::default() };
    if rows.is_empty() {
        report.status = SolverStatus::Unconstrained;
        return report;
    }
    if rows.alike_rows < rows.len() {
        others(rows, z, f, lambda, &mut report);
    }
    alike(rows, z, f, lambda, &mut report);
    report
}

impl Report {
    fn note(&mut self, iterations: usize, converged: bool) {
        self.iterations = self.iterations.max(iterations as u32);
        if !converged {
            self.status = SolverStatus::IterationLimit;
        }
    }
}

/// Contacts whose tangents have equal parameters, in lanes: only the norm of z_t enters. The root
/// is a chain of dependent divisions, so that many lanes take little longer than few.
fn alike(rows: &Rows, z: &[f64], f: &mut [f64], lambda: &mut [f64], report: &mut Report) {
    let mut rest = &rows.alike[..];
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(20));
        match chunk.len() {
            0..=2 => in_lanes::<2>(chunk, z, f, lambda, report),
            3..=4 => in_lanes::<4>(chunk, z, f, lambda, report),
            5..=8 => in_lanes::<8>(chunk, z, f, lambda, report),
            9..=12 => in_lanes::<12>(chunk, z, f, lambda, report),
            _ => in_lanes::<20>(chunk, z, f, lambda, report),
        }
        rest = after;
    }
}

/// At most `W` contacts.
fn in_lanes<const W: usize>(chunk: &[Alike], z: &[f64], f: &mut [f64], lambda: &mut [f64], report: &mut Report) {
    let mut cones = Cones::<1, W>::default();
    for (k, c) in chunk.iter().enumerate() {
        let z = &z[c.start as usize..];
        (cones.kappa[k], cones.R_n[k], cones.z_n[k], cones.a[0][k]) = (c.kappa, c.R_n, z[0], c.a);
        if !c.is_single {
            cones.w2[0][k] = c.mu * c.mu * (z[1] * z[1] + z[2] * z[2]);
        }
    }
    let roots = cone::solve(&cones);
    report.note(roots.iterations, roots.converged);
    for (k, c) in chunk.iter().enumerate() {
        let start = c.start as usize;
        (f[start], lambda[start]) = (roots.f_n[k], roots.lambda[k]);
        if !c.is_single {
            let scale = -c.mu * c.mu * roots.factor[0][k];
            (f[start + 1], f[start + 2]) = (scale * z[start + 1], scale * z[start + 2]);
        }
    }
}

/// All other groups, one at a time.
fn others(rows: &Rows, z: &[f64], f: &mut [f64], lambda: &mut [f64], report: &mut Report) {
    for group in &rows.groups {
        let i = group.start as usize;
        match group.kind {
            Kind::Equality => f[i] = (rows.bound[i] - z[i]) / rows.R[i],
            Kind::Limit => f[i] = cone::positive_root(rows.R[i], z[i], rows.kappa[i]),
            Kind::Friction => (f[i], lambda[i]) = friction(rows, i, z[i], report),
            Kind::Contact => match group.dim {
                1 => {}
                2 => lambda[i] = general::<1>(rows, group, z, f, report),
                3 if is_alike(rows, i) => {}
                3 => lambda[i] = general::<2>(rows, group, z, f, report),
                4 => lambda[i] = general::<3>(rows, group, z, f, report),
                5 => lambda[i] = general::<4>(rows, group, z, f, report),
                _ => lambda[i] = general::<5>(rows, group, z, f, report),
            },
        }
    }
}

fn is_alike(rows: &Rows, i: usize) -> bool {
    rows.R[i + 1] == rows.R[i + 2] && rows.scale[i + 1] == rows.scale[i + 2]
}

/// A contact with `T` rows besides the normal.
fn general<const T: usize>(rows: &Rows, group: &Group, z: &[f64], f: &mut [f64], report: &mut Report) -> f64 {
    let n = group.start as usize;
    let mut cones = Cones::<T, 1>::default();
    (cones.kappa[0], cones.R_n[0], cones.z_n[0]) = (rows.kappa[n], rows.R[n], z[n]);
    for t in 0..T {
        let (mu, i) = (rows.scale[n + 1 + t], n + 1 + t);
        cones.a[t][0] = rows.R[i] * mu * mu;
        cones.w2[t][0] = (mu * z[i]) * (mu * z[i]);
    }
    let roots = cone::solve(&cones);
    report.note(roots.iterations, roots.converged);
    f[n] = roots.f_n[0];
    for t in 0..T {
        let (mu, i) = (rows.scale[n + 1 + t], n + 1 + t);
        f[i] = -mu * mu * z[i] * roots.factor[t][0];
    }
    roots.lambda[0]
}

/// Dry friction and its λ: R f + z + 2κ f/(η² − f²) = 0. With x = f/η, λ = 2κ/(1 − x²) and
/// w = η|z|: y² + (w/(a + 2κ/y²))² = 1, where y² = 1 − x². The left side grows with y; Newton's
/// method on logarithms as in `cone`.
fn friction(rows: &Rows, i: usize, z: f64, report: &mut Report) -> (f64, f64) {
    let (eta, kappa) = (rows.scale[i], rows.kappa[i]);
    let (a, w) = (rows.R[i] * eta * eta, eta * z.abs());
    // If friction would slip without smoothing, λ = w − a; otherwise x = w/(a + 2κ).
    let mut y = (2.0 * kappa / (2.0 * kappa + (w - a).max(0.0))).sqrt();
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    let mut converged = false;
    let mut iterations = 0;
    while iterations < 200 && !converged {
        iterations += 1;
        let lambda = 2.0 * kappa / (y * y);
        let factor = 1.0 / (a + lambda);
        let x2 = w * w * factor * factor;
        let (value, rate) = (y * y + x2, 2.0 * y * y + 4.0 * x2 * lambda * factor);
        if value < 1.0 {
            low = y
        } else {
            high = y
        }
        let next = y * root_factor(value, rate / value);
        converged = (next / y - 1.0).abs() < 1e-9 || (value - 1.0).abs() <= 4.0 * f64::EPSILON;
        y = if (next > low && next < high) || converged { next } else { (low.max(0.01 * high) * high).sqrt() };
    }
    report.note(iterations, converged);
    let lambda = 2.0 * kappa / (y * y);
    (-eta * eta * z / (a + lambda), lambda)
}

/// r^(−1/p) to third order at r = 1, between 1/8 and 8.
fn root_factor(r: f64, p: f64) -> f64 {
    let (numerator, denominator) = ((p + 1.0) + (p - 1.0) * r, (p + 1.0) * r + (p - 1.0));
    if denominator <= 0.0 { 8.0 } else { (numerator / denominator).clamp(0.125, 8.0) }
}
