//! Exact line search: the root of φ′(α), which is continuous and increasing.

use super::cost::Zone;
use super::problem::Problem;

/// φ(α) = slope α + ½ curvature α² + s(x + α dx).
pub(super) struct Ray<'a> {
    pub slope: f64,
    pub curvature: f64,
    pub x: &'a [f64],
    pub dx: &'a [f64],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// Reduction of |φ′| that suffices.
    pub tolerance: f64,
    pub iterations: u32,
    /// First trial step; `None`: the Newton step from 0.
    pub first: Option<f64>,
}

/// Step length; 0 if the direction is not a descent direction.
pub(super) fn minimize(problem: &Problem, ray: &Ray, settings: &Settings) -> f64 {
    let (d0, c0) = derivatives(problem, ray, 0.0);
    // Also true if one of them is NaN.
    let descends = d0 < 0.0 && c0 > 0.0;
    if !descends {
        return 0.0;
    }
    let small = settings.tolerance * -d0;
    let mut alpha = settings.first.unwrap_or(-d0 / c0);
    // The root lies between lo and hi.
    let (mut lo, mut hi) = (0.0, f64::INFINITY);
    for _ in 0..settings.iterations.max(1) {
        let (d, c) = derivatives(problem, ray, alpha);
        if d.abs() <= small {
            return alpha;
        }
        if d < 0.0 {
            lo = alpha;
        } else {
            hi = alpha;
        }
        let newton = alpha - d / c;
        alpha = if newton > lo && newton < hi {
            newton
        } else if hi.is_finite() {
            0.5 * (lo + hi)
        } else {
            2.0 * alpha
        };
        if alpha == lo || alpha == hi {
            break;
        }
    }
    // The cost certainly decreases up to here.
    lo
}

/// φ′ and φ″.
fn derivatives(problem: &Problem, ray: &Ray, alpha: f64) -> (f64, f64) {
    let (x, dx, D) = (ray.x, ray.dx, &problem.D[..]);
    let mut first = ray.slope + alpha * ray.curvature;
    let mut second = ray.curvature;
    for i in 0..problem.end_equality {
        let s = D[i] * dx[i];
        first += s * (x[i] + alpha * dx[i]);
        second += s * dx[i];
    }
    for i in problem.end_equality..problem.end_friction {
        let (y, bound) = (x[i] + alpha * dx[i], problem.R[i] * problem.eta[i]);
        if y <= -bound {
            first -= problem.eta[i] * dx[i];
        } else if y >= bound {
            first += problem.eta[i] * dx[i];
        } else {
            first += D[i] * dx[i] * y;
            second += D[i] * dx[i] * dx[i];
        }
    }
    let one_sided = problem.end_friction..problem.end_one_sided;
    let (f, s) = one_sided_derivatives(&x[one_sided.clone()], &dx[one_sided.clone()], &D[one_sided], alpha);
    first += f;
    second += s;
    for cone in &problem.cones {
        let own = cone.row..cone.row + cone.dim;
        let (x, dx, D) = (&x[own.clone()], &dx[own.clone()], &D[own]);
        let mut y = [0.0; super::cost::MAX_DIM];
        for j in 0..cone.dim {
            y[j] = x[j] + alpha * dx[j];
        }
        match cone.zone(&y) {
            Zone::Top => {}
            Zone::Bottom => {
                for j in 0..cone.dim {
                    first += D[j] * dx[j] * y[j];
                    second += D[j] * dx[j] * dx[j];
                }
            }
            Zone::Middle { gap, tangential } => {
                // g = N − μT along the ray: g′ = μ x₀′ − μ T′, g″ = −μ T″.
                let (mut uu, mut vv) = (0.0, 0.0);
                for j in 1..cone.dim {
                    let (u, v) = (cone.scale[j] * y[j], cone.scale[j] * dx[j]);
                    uu += u * v;
                    vv += v * v;
                }
                let slope = uu / tangential;
                let bend = (vv - slope * slope) / tangential;
                let rate = cone.mu * (dx[0] - slope);
                let Dm = cone.middle_stiffness(D[0]);
                first += Dm * gap * rate;
                second += Dm * (rate * rate - gap * cone.mu * bend);
            }
        }
    }
    (first, second)
}

/// Sums over one-sided rows, four at a time and without branches, because there are many of them.
fn one_sided_derivatives(x: &[f64], dx: &[f64], D: &[f64], alpha: f64) -> (f64, f64) {
    let (mut first, mut second) = ([0.0; 4], [0.0; 4]);
    let mut add = |k: usize, x: f64, dx: f64, D: f64| {
        let y = x + alpha * dx;
        let s = if y < 0.0 { D * dx } else { 0.0 };
        first[k] += s * y;
        second[k] += s * dx;
    };
    let (cx, cd, cD) = (x.chunks_exact(4), dx.chunks_exact(4), D.chunks_exact(4));
    let tail = cx.remainder().iter().zip(cd.remainder()).zip(cD.remainder());
    for (k, ((&x, &dx), &D)) in tail.enumerate() {
        add(k, x, dx, D);
    }
    for ((x, dx), D) in cx.zip(cd).zip(cD) {
        for k in 0..4 {
            add(k, x[k], dx[k], D[k]);
        }
    }
    ((first[0] + first[1]) + (first[2] + first[3]), (second[0] + second[1]) + (second[2] + second[3]))
}
