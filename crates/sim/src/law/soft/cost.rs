//! The penalty s(x) of the soft law, x = J a − a_ref, by rows and cones: cost, force −∇s,
//! curvature.
//!
//! Equality ½ D x². Dry friction: Huber, linear where |D x| > η. One-sided rows: ½ D x² for x < 0.
//! Elliptic cones: with N = μ x₀, u_j = μ_j x_j, T = |u|: zero where N ≥ μT, quadratic in the polar
//! cone, else ½ D_m (N − μT)², where D_m = D₀ / (μ² (1 + μ²)): the squared distance to the cone in
//! the metric of R.

use super::problem::Problem;
use crate::data::{Contact, RowState};

/// Maximum number of rows of a contact.
pub(crate) const MAX_DIM: usize = 6;

/// An elliptic friction cone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cone {
    /// First row, number of rows.
    pub row: usize,
    pub dim: usize,
    /// Friction of the regularized cone, and the scale of each row: μ, then the friction
    /// coefficients.
    pub mu: f64,
    pub scale: [f64; MAX_DIM],
}

/// Zone of the cone in which x lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Zone {
    /// No force.
    Top,
    /// All rows quadratic: sticking.
    Bottom,
    /// On the surface: sliding. N − μT, and T.
    Middle { gap: f64, tangential: f64 },
}

impl Cone {
    /// The cone of a contact whose first row is `row`.
    #[inline]
    pub fn of_contact(contact: &Contact, row: usize) -> Self {
        let f = contact.friction;
        let scale = [contact.mu, f[0], f[1], f[2], f[3], f[4]];
        Self { row, dim: usize::from(contact.dim), mu: contact.mu, scale }
    }

    #[inline]
    pub fn zone(&self, x: &[f64]) -> Zone {
        let n = self.scale[0] * x[0];
        let mut t2 = 0.0;
        for j in 1..self.dim {
            let u = self.scale[j] * x[j];
            t2 += u * u;
        }
        let t = t2.sqrt();
        if n >= self.mu * t {
            Zone::Top
        } else if self.mu * n + t <= 0.0 {
            Zone::Bottom
        } else {
            Zone::Middle { gap: n - self.mu * t, tangential: t }
        }
    }

    /// Stiffness of the middle zone, from the stiffness of the normal row.
    #[inline]
    pub fn middle_stiffness(&self, D0: f64) -> f64 {
        let mu2 = self.mu * self.mu;
        D0 / (mu2 * (1.0 + mu2))
    }

    /// Cost and forces; also returns the state of the rows.
    #[inline]
    pub fn evaluate(&self, x: &[f64], D: &[f64], force: &mut [f64]) -> (f64, RowState) {
        match self.zone(x) {
            Zone::Top => {
                force[..self.dim].fill(0.0);
                (0.0, RowState::Satisfied)
            }
            Zone::Bottom => {
                let mut cost = 0.0;
                for j in 0..self.dim {
                    force[j] = -D[j] * x[j];
                    cost -= 0.5 * force[j] * x[j];
                }
                (cost, RowState::Quadratic)
            }
            Zone::Middle { gap, tangential } => {
                let Dm = self.middle_stiffness(D[0]);
                force[0] = -Dm * gap * self.mu;
                let along = force[0] / tangential;
                for j in 1..self.dim {
                    force[j] = -along * self.scale[j] * self.scale[j] * x[j];
                }
                (0.5 * Dm * gap * gap, RowState::Cone)
            }
        }
    }

    /// Hessian of the middle zone, dim × dim, row major with stride [`MAX_DIM`].
    pub fn hessian(&self, x: &[f64], D0: f64, gap: f64, tangential: f64, H: &mut [f64; MAX_DIM * MAX_DIM]) {
        let Dm = self.middle_stiffness(D0);
        // y = N − μT: ∇y = (μ, −μ μ_j u_j / T), ∇²y = −μ/T (diag μ_j² − (μ_j u_j)(μ_k u_k) / T²).
        let mut gradient = [0.0; MAX_DIM];
        gradient[0] = self.mu;
        for j in 1..self.dim {
            gradient[j] = -self.mu * self.scale[j] * self.scale[j] * x[j] / tangential;
        }
        let bend = -Dm * gap * self.mu / tangential;
        for j in 0..self.dim {
            for k in 0..=j {
                let mut h = Dm * gradient[j] * gradient[k];
                if k > 0 {
                    h -= bend * gradient[j] * gradient[k] / (self.mu * self.mu);
                    if j == k {
                        h += bend * self.scale[j] * self.scale[j];
                    }
                }
                H[j * MAX_DIM + k] = h;
                H[k * MAX_DIM + j] = h;
            }
        }
    }
}

/// Cost, force and state of an equality row.
#[inline]
pub(crate) fn equality(x: f64, D: f64) -> (f64, f64, RowState) {
    (0.5 * D * x * x, -D * x, RowState::Quadratic)
}

/// Cost, force and state of dry friction bounded by η.
#[inline]
pub(crate) fn friction(x: f64, D: f64, R: f64, eta: f64) -> (f64, f64, RowState) {
    let bound = R * eta;
    if x <= -bound {
        (-eta * (0.5 * bound + x), eta, RowState::LinearNeg)
    } else if x >= bound {
        (-eta * (0.5 * bound - x), -eta, RowState::LinearPos)
    } else {
        (0.5 * D * x * x, -D * x, RowState::Quadratic)
    }
}

/// Cost, force and state of a limit, a frictionless contact or an edge of a pyramid.
#[inline]
pub(crate) fn one_sided(x: f64, D: f64) -> (f64, f64, RowState) {
    if x < 0.0 { (0.5 * D * x * x, -D * x, RowState::Quadratic) } else { (0.0, 0.0, RowState::Satisfied) }
}

/// s(x) with the forces and states of all rows of a problem; also returns whether a state changed.
pub(in crate::law) fn evaluate(problem: &Problem, x: &[f64], force: &mut [f64], state: &mut [RowState]) -> (f64, bool) {
    let D = &problem.D;
    let mut cost = 0.0;
    let mut changed = false;
    let mut set = |i: usize, (c, f, s): (f64, f64, RowState), force: &mut [f64], state: &mut [RowState]| {
        cost += c;
        force[i] = f;
        changed |= state[i] != s;
        state[i] = s;
    };
    for i in 0..problem.end_equality {
        set(i, equality(x[i], D[i]), force, state);
    }
    for i in problem.end_equality..problem.end_friction {
        set(i, friction(x[i], D[i], problem.R[i], problem.eta[i]), force, state);
    }
    for i in problem.end_friction..problem.end_one_sided {
        set(i, one_sided(x[i], D[i]), force, state);
    }
    for cone in &problem.cones {
        let own = cone.row..cone.row + cone.dim;
        let (c, s) = cone.evaluate(&x[own.clone()], &D[own.clone()], &mut force[own.clone()]);
        cost += c;
        changed |= state[cone.row] != s;
        state[own].fill(s);
    }
    (cost, changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone() -> (Cone, [f64; 4]) {
        let mu = 0.7;
        let scale = [mu, 0.9, 0.5, 0.02, 0.0, 0.0];
        // R_j μ_j² = R_1 μ_1², μ = μ_1 √(R_1 / R_0).
        let R0 = 0.3;
        let R1 = R0 * (mu / scale[1]) * (mu / scale[1]);
        let R = [R0, R1, R1 * (0.9f64 / 0.5).powi(2), R1 * (0.9f64 / 0.02).powi(2)];
        (Cone { row: 0, dim: 4, mu, scale }, R.map(|r| 1.0 / r))
    }

    #[test]
    fn cost_and_force_are_continuous_and_force_is_the_gradient() {
        let (cone, D) = cone();
        let mut seen = [0; 3];
        for k in 0..4000 {
            let x: [f64; 4] = core::array::from_fn(|j| {
                let t = (k * 4 + j) as f64 * 0.7391;
                (t * t).sin() * if j == 3 { 20.0 } else { 1.0 }
            });
            let mut f = [0.0; 4];
            let (_, state) = cone.evaluate(&x, &D, &mut f);
            seen[match state {
                RowState::Satisfied => 0,
                RowState::Quadratic => 1,
                _ => 2,
            }] += 1;
            for j in 0..4 {
                let h = 1e-6 * if j == 3 { 20.0 } else { 1.0 };
                let (mut a, mut b, mut g) = (x, x, [0.0; 4]);
                a[j] -= h;
                b[j] += h;
                let slope = (cone.evaluate(&b, &D, &mut g).0 - cone.evaluate(&a, &D, &mut g).0) / (2.0 * h);
                assert!((slope + f[j]).abs() < 2e-5, "{k} {j} {slope} {}", f[j]);
            }
        }
        assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
    }

    #[test]
    fn the_hessian_is_the_derivative_of_the_force() {
        let (cone, D) = cone();
        let x = [-0.2, 0.4, -0.3, 3.0];
        let Zone::Middle { gap, tangential } = cone.zone(&x) else { panic!("not on the surface") };
        let mut H = [0.0; MAX_DIM * MAX_DIM];
        cone.hessian(&x, D[0], gap, tangential, &mut H);
        for j in 0..4 {
            let h = 1e-6;
            let (mut a, mut b, mut fa, mut fb) = (x, x, [0.0; 4], [0.0; 4]);
            a[j] -= h;
            b[j] += h;
            cone.evaluate(&a, &D, &mut fa);
            cone.evaluate(&b, &D, &mut fb);
            for i in 0..4 {
                let slope = -(fb[i] - fa[i]) / (2.0 * h);
                assert!((slope - H[i * MAX_DIM + j]).abs() < 1e-7 * (1.0 + slope.abs()), "{i} {j}");
            }
        }
    }
}
