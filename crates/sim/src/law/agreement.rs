//! Residuals of a solution against rigid contact with Coulomb friction, comparable between contact
//! laws.
//!
//! For each contact with normal force f_n, friction f_t, gap φ, end-of-step velocity (v_n, v_t) and
//! φ⁺ = φ + h v_n:
//!   Signorini: 0 ≤ φ⁺ ⟂ f_n ≥ 0, with the residual |min(φ⁺, h² Â f_n)|, m;                     (1)
//!   friction cone: |f_t|_μ ≤ f_n, with |f_t|_μ = √Σ (f_j/μ_j)²;                                (2)
//!   maximum dissipation: −f_t·v_t has the largest value in the cone, f_n |v_t|_μ,
//!   with |v_t|_μ = √Σ (μ_j v_j)².                                                              (3)
//! Â is the inverse effective mass of the contact, 1/kg.

use crate::constraint::contact_force;
use crate::data::{Block, Contact, Data, RowKind};
use crate::model::Model;

/// Result of [`measure`] over all contacts that have constraint rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Number of contacts that have constraint rows.
    pub contacts: usize,
    /// Sum of their normal forces, N.
    pub normal_force: f64,
    /// Deepest penetration at the beginning of the step, m.
    pub penetration: f64,
    /// Largest residual of (1), m.
    pub signorini: f64,
    /// Mean gap φ⁺ ≥ 0 at which normal force acts, weighted by that force, m.
    pub force_gap: f64,
    /// Largest excess of (2) over the largest normal force.
    pub cone: f64,
    /// Dissipation that (3) misses, W.
    pub dissipation: f64,
}

/// Measures the contacts of a forward pass.
pub fn measure(model: &Model, data: &Data) -> Agreement {
    let h = model.options.timestep;
    let rows = &data.constraints;
    let v_next: Vec<f64> = data.state.v.iter().zip(&data.acceleration.a).map(|(v, a)| v + h * a).collect();
    let mut u = vec![0.0; rows.len()];
    let mut u_now = u.clone();
    rows.mul(&v_next, &mut u);
    rows.mul(&data.state.v, &mut u_now);
    // For moving surfaces the velocity is in `vel`; J v does not contain it.
    u.iter_mut().zip(&rows.vel).zip(&u_now).for_each(|((u, with), without)| *u += with - without);
    let contacts = rows.blocks.iter().filter(|b| b.kind as i32 >= RowKind::ContactFrictionless as i32);
    let samples = contacts.map(|block| {
        let contact = &data.contacts[block.id as usize];
        let (force, velocity) = (contact_force(data, contact), velocity(contact, block, &u));
        Sample { contact, force, velocity, inverse_mass: rows.diag[block.rows.start as usize] }
    });
    summarize(h, samples)
}

/// One contact of a solution.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The contact.
    pub contact: &'a Contact,
    /// Force along the contact's axes, normal first.
    pub force: [f64; 6],
    /// Velocity at the end of the step along the contact's axes, normal first.
    pub velocity: [f64; 6],
    /// Â of (1), 1/kg.
    pub inverse_mass: f64,
}

/// (1) to (3) over all contacts of a step of length h.
pub fn summarize<'a>(h: f64, samples: impl Iterator<Item = Sample<'a>>) -> Agreement {
    let mut result = Agreement::default();
    let (mut weighted_gap, mut excess, mut largest) = (0.0, 0.0f64, 0.0f64);
    for Sample { contact, force: f, velocity: v, inverse_mass } in samples {
        let (normal, gap) = (f[0], contact.dist - contact.include_margin);
        let gap_next = gap + h * v[0];
        let (mut friction2, mut slip2, mut power) = (0.0, 0.0, 0.0);
        for j in 1..usize::from(contact.dim) {
            let mu = contact.friction[j - 1];
            friction2 += (f[j] / mu) * (f[j] / mu);
            slip2 += (mu * v[j]) * (mu * v[j]);
            power -= f[j] * v[j];
        }
        result.contacts += 1;
        result.normal_force += normal;
        result.penetration = result.penetration.max(-gap);
        result.signorini = result.signorini.max(gap_next.min(h * h * inverse_mass * normal).abs());
        weighted_gap += normal.max(0.0) * gap_next.max(0.0);
        excess = excess.max(friction2.sqrt() - normal.max(0.0));
        largest = largest.max(normal);
        result.dissipation += (normal.max(0.0) * slip2.sqrt() - power).max(0.0);
    }
    if result.normal_force > 0.0 {
        result.force_gap = weighted_gap / result.normal_force;
    }
    if largest > 0.0 {
        result.cone = excess / largest;
    }
    result
}

/// Relative velocity of a contact along its axes, from those of its rows.
fn velocity(contact: &Contact, block: &Block, u: &[f64]) -> [f64; 6] {
    let own = &u[block.rows.range()];
    let mut v = [0.0; 6];
    if block.kind == RowKind::ContactPyramidal {
        v[0] = 0.5 * (own[0] + own[1]);
        for (k, pair) in own.chunks_exact(2).enumerate() {
            v[k + 1] = 0.5 * (pair[0] - pair[1]) / contact.friction[k];
        }
    } else {
        v[..own.len()].copy_from_slice(own);
    }
    v
}
