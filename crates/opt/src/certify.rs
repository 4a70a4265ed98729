//! A verdict on a plan that does not depend on any contact law: how far the equations of motion are from balance when
//! contact forces may act only where surfaces are closer than a given gap, and only inside the friction cone.
//!
//! With b = M a + c − τ_passive of a step, and U the combinations of forces that no actuator makes (in units of the body's
//! weight, and weight times a length),
//!   residual = min over f in the cones of |U (b − Jᵀ f)|,   contacts with a gap below the limit at q_t.        (1)
//! The problem is small and convex; it is solved by projected gradients with Nesterov's momentum and restarts.

use saltus_math::Vec3;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::kinematics::jacobian::calc_point;
use saltus_sim::law::options::Law;
use saltus_sim::{Data, Model, Stage};

/// What the verdict is about.
#[derive(Clone, Debug)]
pub struct Certificate<'a> {
    /// The model with its own shapes.
    pub model: &'a Model,
    /// Time of a step.
    pub h: f64,
    /// Combinations of forces that no actuator makes, in their units: dofs and coefficients.
    pub unactuated: &'a [Vec<(usize, f64)>],
    /// Largest distance at which surfaces may push, m.
    pub gap: f64,
}

/// The verdict on one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Verdict {
    /// (1), as a share of the body's weight.
    pub residual: f64,
    /// Number of contacts that may push.
    pub contacts: usize,
    /// Smallest distance of all contacts; infinite without any.
    pub least_gap: f64,
}

impl Certificate<'_> {
    /// Verdicts on the steps of a trajectory with nodes q₋₁ … q_T · (steps + 2) × nq.
    pub fn judge(&self, q: &[f64]) -> Vec<Verdict> {
        let mut model = self.model.clone();
        model.options.timestep = self.h;
        model.options.laws.law = Law::Invertible;
        model.options.laws.reach = self.gap.max(1e-3);
        let mut data = Data::new(&model);
        let nq = model.size.nq;
        let nodes: Vec<&[f64]> = q.chunks_exact(nq).collect();
        nodes.windows(3).map(|w| self.judge_step(&model, &mut data, [w[0], w[1], w[2]])).collect()
    }

    fn judge_step(&self, model: &Model, data: &mut Data, [before, now, after]: [&[f64]; 3]) -> Verdict {
        let (nv, h) = (model.size.nv, self.h);
        let mut next = vec![0.0; nv];
        data.state.q.copy_from_slice(now);
        difference(model, before, now, h, &mut data.state.v);
        difference(model, now, after, h, &mut next);
        for i in 0..nv {
            data.acceleration.a[i] = (next[i] - data.state.v[i]) / h;
        }
        data.stage = Stage::None;
        if saltus_sim::inverse::inverse(model, data).is_err() {
            return Verdict { residual: f64::INFINITY, ..Verdict::default() };
        }
        let force = |i: usize| data.acceleration.tau_inverse[i] + data.acceleration.tau_constraint[i];
        let b: Vec<f64> = self.unactuated.iter().map(|row| row.iter().map(|&(i, c)| c * force(i)).sum()).collect();
        let least_gap = data.contacts.iter().fold(f64::INFINITY, |m, c| m.min(c.dist));
        let touching = data.contacts.iter().filter(|c| c.dist <= self.gap && c.dim > 0);
        let mut columns: Vec<Cone> = Vec::new();
        for contact in touching {
            let mut jac = vec![0.0; 3 * nv];
            let mut other = jac.clone();
            let bodies = [contact.geom1, contact.geom2].map(|g| model.geoms.body[g.idx()]);
            calc_point(model, data, bodies[1], contact.pos, Some(&mut jac), None);
            calc_point(model, data, bodies[0], contact.pos, Some(&mut other), None);
            jac.iter_mut().zip(&other).for_each(|(j, o)| *j -= o);
            let axes = [contact.frame.r0, contact.frame.r1, contact.frame.r2];
            let of_axis = |axis: Vec3| -> Vec<f64> {
                let row = |i: usize| axis.x * jac[i] + axis.y * jac[nv + i] + axis.z * jac[2 * nv + i];
                self.unactuated.iter().map(|u| u.iter().map(|&(i, c)| c * row(i)).sum()).collect()
            };
            let mu = if contact.dim >= 3 { [contact.friction[0], contact.friction[1]] } else { [0.0; 2] };
            columns.push(Cone { axes: axes.map(of_axis), mu });
        }
        let residual = least_residual(&columns, &b);
        Verdict { residual, contacts: columns.len(), least_gap }
    }
}

/// A contact: what unit forces along its normal and tangents do, and its coefficients of friction.
struct Cone {
    axes: [Vec<f64>; 3],
    mu: [f64; 2],
}

/// min |b − Σ A f|, f_n ≥ 0, (f₁/μ₁)² + (f₂/μ₂)² ≤ f_n².
fn least_residual(cones: &[Cone], b: &[f64]) -> f64 {
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if cones.is_empty() {
        return norm(b);
    }
    let square = |x: &Vec<f64>| x.iter().map(|x| x * x).sum::<f64>();
    let lipschitz: f64 = cones.iter().flat_map(|c| &c.axes).map(square).sum::<f64>().max(f64::MIN_POSITIVE);
    let left = |f: &[[f64; 3]], out: &mut Vec<f64>| {
        out.clear();
        out.extend_from_slice(b);
        for (cone, f) in cones.iter().zip(f) {
            for (axis, f) in cone.axes.iter().zip(f) {
                out.iter_mut().zip(axis).for_each(|(o, a)| *o -= a * f);
            }
        }
    };
    let (mut f, mut y) = (vec![[0.0; 3]; cones.len()], vec![[0.0; 3]; cones.len()]);
    let (mut momentum, mut r) = (1.0f64, Vec::new());
    left(&f, &mut r);
    let mut best = norm(&r);
    let mut still = 0;
    for _ in 0..5000 {
        left(&y, &mut r);
        let old = f.clone();
        for ((cone, f), y) in cones.iter().zip(&mut f).zip(&y) {
            let gradient = |k: usize| cone.axes[k].iter().zip(&r).map(|(a, r)| a * r).sum::<f64>();
            *f = project([0, 1, 2].map(|k| y[k] + gradient(k) / lipschitz), cone.mu);
        }
        left(&f, &mut r);
        let now = norm(&r);
        let next = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let ahead = if now > best { 0.0 } else { (momentum - 1.0) / next };
        momentum = if now > best { 1.0 } else { next };
        for ((y, f), old) in y.iter_mut().zip(&f).zip(&old) {
            for k in 0..3 {
                y[k] = f[k] + ahead * (f[k] - old[k]);
            }
        }
        still = if now < best * (1.0 - 1e-6) { 0 } else { still + 1 };
        best = best.min(now);
        if still > 50 || best < 1e-9 {
            break;
        }
    }
    best
}

/// The nearest point of the cone, exact for μ₁ = μ₂; otherwise that of the inner cone with the smaller coefficient.
fn project(f: [f64; 3], mu: [f64; 2]) -> [f64; 3] {
    let mu = mu[0].min(mu[1]);
    let t = (f[1] * f[1] + f[2] * f[2]).sqrt();
    if t <= mu * f[0] {
        return f;
    }
    if mu * t <= -f[0] {
        return [0.0; 3];
    }
    let n = (f[0] + mu * t) / (1.0 + mu * mu);
    let share = if t > 0.0 { mu * n / t } else { 0.0 };
    [n, share * f[1], share * f[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cone_holds_what_is_inside_and_no_more() {
        let axis = |k: usize| {
            let mut e = vec![0.0; 3];
            e[k] = 1.0;
            e
        };
        let cones = [Cone { axes: [axis(2), axis(0), axis(1)], mu: [0.5; 2] }];
        assert!(least_residual(&cones, &[0.3, 0.2, 1.0]) < 1e-6);
        // Horizontal 1, vertical 1, μ = ½: the distance to the cone is (1 − ½)/√(1 + ¼).
        let expected = 0.5 / 1.25f64.sqrt();
        assert!((least_residual(&cones, &[1.0, 0.0, 1.0]) - expected).abs() < 1e-6);
        // Contacts do not pull.
        assert!((least_residual(&cones, &[0.0, 0.0, -1.0]) - 1.0).abs() < 1e-9);
    }
}
