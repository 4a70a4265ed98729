//! Contact forces inside their friction cones whose effect is as close as possible to a given
//! vector:
//!   min over f of ½ |b − Σ A f|² + ½ ρ |f|²,   0 ≤ f_n ≤ most, |f_t| ≤ μ f_n.                                  (1)
//! The problem is small, convex, and often close to singular (feet with many points): it is solved
//! by Newton's steps with a barrier − κ Σ (log(μ²f_n² − |f_t|²) + log(most − f_n)) whose κ goes to
//! zero, in units in which b and the largest column are one.

use saltus_math::{Vec3, cholesky, dot, real};
use saltus_sim::data::Contact;
use saltus_sim::kinematics::jacobian::{calc_point, calc_point_dot};
use saltus_sim::{Data, Model};

/// A contact: the effects of unit forces along its normal and tangents, its friction coefficient
/// and largest normal force.
#[derive(Clone, Debug, PartialEq)]
pub struct Cone {
    /// Effects of unit forces along the axes.
    pub axes: [Vec<f64>; 3],
    /// Coefficient of friction.
    pub mu: f64,
    /// Largest normal force, N.
    pub most: f64,
}

/// Friction coefficient of a contact: the smaller one if the two tangents differ.
pub fn friction(contact: &Contact) -> f64 {
    if contact.dim >= 3 { contact.friction[0].min(contact.friction[1]) } else { 0.0 }
}

/// Jᵀ of a contact: forces on the dofs of unit forces along its normal and tangents · nv each.
pub fn unit_forces(model: &Model, data: &Data, contact: &Contact) -> [Vec<f64>; 3] {
    in_contact_frame(model, data, contact, calc_point)
}

/// The rates of [`unit_forces`] at the present velocity.
pub fn unit_force_rates(model: &Model, data: &Data, contact: &Contact) -> [Vec<f64>; 3] {
    in_contact_frame(model, data, contact, calc_point_dot)
}

type PointJacobian = fn(&Model, &Data, saltus_sim::ids::BodyId, Vec3, Option<&mut [f64]>, Option<&mut [f64]>);

fn in_contact_frame(model: &Model, data: &Data, contact: &Contact, jacobian: PointJacobian) -> [Vec<f64>; 3] {
    let nv = model.size.nv;
    let (mut jac, mut other) = (vec![0.0; 3 * nv], vec![0.0; 3 * nv]);
    let bodies = [contact.geom1, contact.geom2].map(|g| model.geoms.body[g.idx()]);
    jacobian(model, data, bodies[1], contact.pos, Some(&mut jac), None);
    jacobian(model, data, bodies[0], contact.pos, Some(&mut other), None);
    jac.iter_mut().zip(&other).for_each(|(j, o)| *j -= o);
    [contact.frame.r0, contact.frame.r1, contact.frame.r2]
        .map(|axis| (0..nv).map(|i| axis.x * jac[i] + axis.y * jac[nv + i] + axis.z * jac[2 * nv + i]).collect())
}

/// The forces of (1), as many as there are cones, and |b − Σ A f|. The cost ½ |b|² is determined to
/// about `accuracy` of it.
pub fn balance(cones: &[Cone], b: &[f64], ridge: f64, accuracy: f64) -> (Vec<[f64; 3]>, f64) {
    let size = dot(b, b).sqrt();
    let largest = cones.iter().flat_map(|c| &c.axes).map(|a| dot(a, a).sqrt()).fold(0.0, f64::max);
    if size == 0.0 || largest == 0.0 {
        return (vec![[0.0; 3]; cones.len()], size);
    }
    let unit = size / largest;
    let mut barrier = Barrier {
        A: cones.iter().flat_map(|c| &c.axes).map(|axis| axis.iter().map(|a| a / largest).collect()).collect(),
        b: b.iter().map(|b| b / size).collect(),
        ridge: ridge * unit * unit / (size * size) + 1e-14,
        bounds: cones.iter().map(|c| (c.mu.max(1e-6), (c.most / unit).min(1e6))).collect(),
        f: Vec::new(),
    };
    barrier.f = barrier.bounds.iter().flat_map(|&(_, most)| [(0.5 * most).min(1.0), 0.0, 0.0]).collect();
    let mut kappa = 0.1;
    while kappa > accuracy {
        kappa *= 0.05;
        barrier.centre(kappa);
    }
    let residual = barrier.residual(&barrier.f);
    (
        barrier.f.chunks_exact(3).map(|f| [f[0] * unit, f[1] * unit, f[2] * unit]).collect(),
        size * dot(&residual, &residual).sqrt(),
    )
}

/// (1) with a barrier, in units of one.
struct Barrier {
    /// Columns.
    A: Vec<Vec<f64>>,
    b: Vec<f64>,
    ridge: f64,
    /// μ and the largest normal force.
    bounds: Vec<(f64, f64)>,
    f: Vec<f64>,
}

impl Barrier {
    fn residual(&self, f: &[f64]) -> Vec<f64> {
        let mut r = self.b.clone();
        for (axis, f) in self.A.iter().zip(f) {
            r.iter_mut().zip(axis).for_each(|(r, a)| *r -= a * f);
        }
        r
    }

    /// Infinite outside.
    fn cost(&self, f: &[f64], kappa: f64) -> f64 {
        let r = self.residual(f);
        let mut cost = 0.5 * (dot(&r, &r) + self.ridge * dot(f, f));
        for (f, &(mu, most)) in f.chunks_exact(3).zip(&self.bounds) {
            let inside = mu * mu * f[0] * f[0] - f[1] * f[1] - f[2] * f[2];
            if f[0] <= 0.0 || inside <= 0.0 || f[0] >= most {
                return f64::INFINITY;
            }
            cost -= kappa * (real::ln(inside) + real::ln(most - f[0]));
        }
        cost
    }

    /// Newton's steps to the minimum for one κ.
    fn centre(&mut self, kappa: f64) {
        let n = self.f.len();
        let (mut H, mut step) = (vec![0.0; n * n], vec![0.0; n]);
        for _ in 0..20 {
            let r = self.residual(&self.f);
            for i in 0..n {
                for j in 0..=i {
                    H[i * n + j] = dot(&self.A[i], &self.A[j]);
                }
                H[i * n + i] += self.ridge;
                step[i] = dot(&self.A[i], &r) - self.ridge * self.f[i];
            }
            for (c, (f, &(mu, most))) in self.f.chunks_exact(3).zip(&self.bounds).enumerate() {
                let inside = mu * mu * f[0] * f[0] - f[1] * f[1] - f[2] * f[2];
                let slope = [mu * mu * f[0], -f[1], -f[2]].map(|x| 2.0 * x / inside);
                let bend = [mu * mu, -1.0, -1.0].map(|x| 2.0 * x / inside);
                for i in 0..3 {
                    step[3 * c + i] += kappa * slope[i];
                    for j in 0..=i {
                        H[(3 * c + i) * n + 3 * c + j] += kappa * slope[i] * slope[j];
                    }
                    H[(3 * c + i) * n + 3 * c + i] -= kappa * bend[i];
                }
                let left = most - f[0];
                step[3 * c] -= kappa / left;
                H[3 * c * n + 3 * c] += kappa / (left * left);
            }
            let slope = step.clone();
            cholesky::factor(n, n, &mut H, 1e-16);
            cholesky::solve(n, n, &H, &mut step);
            let decrease = dot(&slope, &step);
            let before = self.cost(&self.f, kappa);
            let mut length = 1.0;
            let moved = loop {
                let moved: Vec<f64> = self.f.iter().zip(&step).map(|(f, s)| f + length * s).collect();
                if self.cost(&moved, kappa) <= before - 0.1 * length * decrease {
                    break moved;
                }
                length *= 0.5;
                if length < 1e-6 {
                    return;
                }
            };
            self.f = moved;
            // Less than the barrier itself costs.
            if decrease < 0.1 * kappa {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone(most: f64) -> Cone {
        let axis = |k: usize| {
            let mut e = vec![0.0; 3];
            e[k] = 1.0;
            e
        };
        Cone { axes: [axis(2), axis(0), axis(1)], mu: 0.5, most }
    }

    fn least(b: &[f64], most: f64) -> f64 {
        balance(&[cone(most)], b, 0.0, 1e-14).1
    }

    #[test]
    fn a_cone_holds_what_is_inside_and_no_more() {
        assert!(least(&[0.3, 0.2, 1.0], f64::INFINITY) < 1e-6);
        // Horizontal 1, vertical 1, μ = ½: the distance to the cone is (1 − ½)/√(1 + ¼).
        let expected = 0.5 / 1.25f64.sqrt();
        assert!((least(&[1.0, 0.0, 1.0], f64::INFINITY) - expected).abs() < 1e-6);
        // Contacts do not pull.
        assert!((least(&[0.0, 0.0, -1.0], f64::INFINITY) - 1.0).abs() < 1e-6);
        assert_eq!(balance(&[], &[3.0, 4.0], 0.0, 1e-14).1, 5.0);
    }

    #[test]
    fn no_more_than_the_most() {
        // The nearest point of the disc at height 2 with radius 1.
        assert!((least(&[2.0, 0.0, 5.0], 2.0) - 10f64.sqrt()).abs() < 1e-6);
        assert!(least(&[0.5, 0.0, 2.0], 2.0) < 1e-6);
    }

    /// With a ridge, two contacts share a force: f = b/(2 + ρ) each.
    #[test]
    fn a_ridge_shares_forces() {
        let (f, _) = balance(&[cone(f64::INFINITY), cone(f64::INFINITY)], &[0.0, 0.0, 1.0], 0.5, 1e-14);
        assert!(f.iter().all(|f| (f[0] - 0.4).abs() < 1e-6), "{f:?}");
    }
}
