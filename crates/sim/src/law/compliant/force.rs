//! Constraint forces of the compliant law and their derivatives.

use super::mass::inverse_mass;
use crate::data::{Block, Constraints, Contact, Data, RowKind};
use crate::model::Model;
use crate::options::Options;
use crate::options::law::CompliantOptions;
use saltus_math::{MIN_VAL, real};

/// Time constant of limits and equalities, s, unless the time step is too long for it.
const TIME: f64 = 0.02;
const TIME_STEPS: f64 = 8.0;

/// Parameters of the force law.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compliant {
    own: CompliantOptions,
    /// T of limits and equalities.
    time: f64,
}

/// A scalar force and its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Push {
    pub f: f64,
    pub by_residual: f64,
    pub by_velocity: f64,
}

/// A contact force and its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactPush {
    pub f: [f64; 6],
    pub by_gap: [f64; 6],
    /// Row i: derivatives of f_i with respect to all velocities.
    pub by_velocity: [[f64; 6]; 6],
}

impl Compliant {
    pub fn new(options: &Options) -> Self {
        Self { own: options.laws.compliant, time: TIME.max(TIME_STEPS * options.timestep) }
    }

    /// Forces of all rows from their residuals and velocities.
    pub fn update_forces(&self, model: &Model, data: &Data, force: &mut [f64]) {
        let rows = &data.constraints;
        for block in &rows.blocks {
            let own = block.rows.range();
            if block.kind as i32 >= RowKind::ContactFrictionless as i32 {
                let contact = &data.contacts[block.id as usize];
                let f = self.contact_force(contact, gap(rows, own.start), &rows.vel[own.clone()]);
                force[own].iter_mut().zip(f).for_each(|(x, f)| *x = f);
            } else {
                own.for_each(|row| force[row] = self.row(model, data, block, row).f);
            }
        }
    }

    /// The force of a row that does not belong to a contact.
    pub fn row(&self, model: &Model, data: &Data, block: &Block, row: usize) -> Push {
        let rows = &data.constraints;
        let (r, v) = (gap(rows, row), rows.vel[row]);
        let stiffness = 1.0 / (inverse_mass(model, data, block, row) * self.time * self.time);
        match block.kind {
            RowKind::Equality => {
                let damping = 2.0 * self.time * stiffness;
                Push { f: -stiffness * r - damping * v, by_residual: -stiffness, by_velocity: -damping }
            }
            RowKind::FrictionDof | RowKind::FrictionTendon => {
                let [slip, slope] = self.slip(v);
                let eta = rows.friction_loss[row];
                Push { f: -eta * slip, by_residual: 0.0, by_velocity: -eta * slope }
            }
            _ => self.one_sided(stiffness, r, v),
        }
    }

    /// v/√(v_s² + v²) and its derivative: the regularized direction of dry friction.
    pub fn slip(&self, v: f64) -> [f64; 2] {
        let square = self.own.stiction * self.own.stiction;
        let root = (square + v * v).sqrt();
        [v / root, square / (root * root * root)]
    }

    /// The normal force (1) with the given stiffness.
    fn one_sided(&self, stiffness: f64, r: f64, v: f64) -> Push {
        let sigma = self.own.smoothing;
        let x = r / sigma;
        // ln(1 + exp(−x)) and exp(−x)/(1 + exp(−x)) without overflow.
        let e = real::exp(-x.abs());
        let spring = stiffness * sigma * (real::ln_1p(e) + (-x).max(0.0));
        let slope = -stiffness * if x > 0.0 { e } else { 1.0 } / (1.0 + e);
        let s = v / self.own.dissipation;
        // (2)
        let [d, d_slope] = if s < 0.0 {
            [1.0 - s, -1.0]
        } else if s < 2.0 {
            [0.25 * (s - 2.0) * (s - 2.0), 0.5 * (s - 2.0)]
        } else {
            [0.0, 0.0]
        };
        Push { f: spring * d, by_residual: slope * d, by_velocity: spring * d_slope / self.own.dissipation }
    }

    /// (1), with torsional and rolling friction, at the gap `phi` and the velocities of the
    /// contact's rows.
    fn contact_force(&self, contact: &Contact, phi: f64, v: &[f64]) -> [f64; 6] {
        let normal = self.one_sided(self.own.stiffness, phi, v[0]).f;
        let mut f = self.direction(contact, v).0;
        f.iter_mut().for_each(|f| *f *= normal);
        f
    }

    /// Coefficients of friction.
    fn friction(&self, contact: &Contact) -> [f64; 5] {
        let mut mu = contact.friction;
        if self.own.friction > 0.0 {
            mu[..2].fill(self.own.friction);
        }
        mu
    }

    /// f/f_n, and √(μ̄² v_s² + Σ μ² v²).
    fn direction(&self, contact: &Contact, v: &[f64]) -> ([f64; 6], f64) {
        let mu = self.friction(contact);
        let rest = &v[1..];
        let floor = largest(&mu[..rest.len()]).1 * self.own.stiction;
        let square: f64 = mu.iter().zip(rest).map(|(mu, v)| (mu * v) * (mu * v)).sum();
        let root = (floor * floor + square).sqrt().max(MIN_VAL);
        let mut out = [0.0; 6];
        out[0] = 1.0;
        for (i, v) in rest.iter().enumerate() {
            out[1 + i] = -mu[i] * mu[i] * v / root;
        }
        (out, root)
    }

    /// [`Self::contact_force`] and its derivatives.
    pub fn contact(&self, rows: &Constraints, contact: &Contact, block: &Block) -> ContactPush {
        let own = block.rows.range();
        let v = &rows.vel[own.clone()];
        let normal = self.one_sided(self.own.stiffness, gap(rows, own.start), v[0]);
        let (g, root) = self.direction(contact, v);
        let mu = self.friction(contact);
        let mut out =
            ContactPush { f: g.map(|g| g * normal.f), by_gap: g.map(|g| g * normal.by_residual), ..Default::default() };
        for i in 0..own.len() {
            out.by_velocity[i][0] = g[i] * normal.by_velocity;
            for j in (1..own.len()).filter(|_| i > 0) {
                // ∂g_i = −μ_i² (δ_ij/root − μ_j² v_i v_j/root³).
                let own = if i == j { mu[i - 1] * mu[i - 1] } else { 0.0 };
                out.by_velocity[i][j] = -normal.f * (own - g[i] * g[j]) / root;
            }
        }
        out
    }

    /// Derivative of a contact force with respect to its friction coefficients, in the direction
    /// `d`.
    pub fn by_friction(&self, rows: &Constraints, contact: &Contact, block: &Block, mut d: [f64; 5]) -> [f64; 6] {
        let own = block.rows.range();
        let v = &rows.vel[own.clone()];
        let normal = self.one_sided(self.own.stiffness, gap(rows, own.start), v[0]).f;
        let (g, root) = self.direction(contact, v);
        let mu = self.friction(contact);
        if self.own.friction > 0.0 {
            d[..2].fill(0.0);
        }
        let rest = &v[1..];
        let (most, mu_most) = largest(&mu[..rest.len()]);
        let by_floor = mu_most * self.own.stiction * self.own.stiction * d[most];
        let by_root = (by_floor + (0..rest.len()).map(|i| mu[i] * rest[i] * rest[i] * d[i]).sum::<f64>()) / root;
        let mut out = [0.0; 6];
        for (i, v) in rest.iter().enumerate() {
            out[1 + i] = -normal * (2.0 * mu[i] * v * d[i] + g[1 + i] * by_root) / root;
        }
        out
    }
}

fn gap(rows: &Constraints, row: usize) -> f64 {
    rows.pos[row] - rows.margin[row]
}

/// The largest element (the first of equals) and its index; 0 for an empty slice.
fn largest(x: &[f64]) -> (usize, f64) {
    x.iter().enumerate().fold((0, 0.0), |(k, most), (i, &x)| if x > most { (i, x) } else { (k, most) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_slopes() {
        let law = Compliant::new(&Options::default());
        let contact = Contact { dim: 6, friction: [0.8, 0.7, 0.05, 0.02, 0.01], ..Contact::default() };
        let block = Block { kind: RowKind::ContactElliptic, rows: crate::ids::Span::new(0, 6), ..Block::default() };
        let at = |phi: f64, vel: [f64; 6]| Constraints {
            pos: vec![phi; 6],
            margin: vec![0.0; 6],
            vel: vel.to_vec(),
            ..Constraints::default()
        };
        for (phi, vn) in [(-3e-3, -0.2), (1e-3, 0.05), (4e-4, 0.15), (2e-2, -1.0), (-0.1, 0.0), (0.0, 3.0)] {
            let vel = [vn, 0.03, -0.02, 0.5, -0.7, 0.2];
            let here = law.contact(&at(phi, vel), &contact, &block);
            let f = |phi: f64, vel: [f64; 6]| law.contact_force(&contact, phi, &vel);
            assert_eq!(here.f, f(phi, vel));
            let cone: f64 = (1..6).map(|i| (here.f[i] / contact.friction[i - 1]).powi(2)).sum();
            assert!(cone <= here.f[0] * here.f[0]);
            let step = 1e-7;
            let scale = here.f[0].max(1e-9);
            for i in 0..6 {
                let slope = (f(phi + step, vel)[i] - f(phi - step, vel)[i]) / (2.0 * step);
                assert!((slope - here.by_gap[i]).abs() < 1e-6 * scale / 1e-3, "{slope} {}", here.by_gap[i]);
                for j in 0..6 {
                    let moved = |x: f64| {
                        let mut vel = vel;
                        vel[j] += x;
                        f(phi, vel)[i]
                    };
                    let slope = (moved(step) - moved(-step)) / (2.0 * step);
                    assert!((slope - here.by_velocity[i][j]).abs() < 1e-6 * scale / 1e-2, "{i} {j}: {slope}");
                }
            }
        }
    }

    #[test]
    fn the_spring_is_soft_before_the_surface_and_linear_behind() {
        let law = Compliant::new(&Options::default());
        let CompliantOptions { stiffness: k, smoothing: sigma, .. } = law.own;
        let at = |phi: f64| law.one_sided(k, phi, 0.0).f;
        assert!((at(0.0) - k * sigma * 2f64.ln()).abs() < 1e-12 * k);
        assert!((at(-1.0) - k).abs() < 1e-12 * k);
        assert!((at(10.0 * sigma) - k * sigma * (-10f64).exp()).abs() < 1e-4 * at(10.0 * sigma));
        assert!(at(1e6) == 0.0 && at(-1e6).is_finite());
    }
}
