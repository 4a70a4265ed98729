//! Derivative of a contact force with respect to its friction coefficients, at constant motion and
//! constant references: for the soft law, and for the impulse law, which is elliptic.
//!
//! Elliptic: x does not depend on friction, Rⱼ = R₀/impratio μ₁²/μⱼ² does, and the cone has
//! μ = μ₁/√impratio. If all rows are quadratic, ∂fⱼ = fⱼ (2 ∂μⱼ/μⱼ − 2 ∂μ₁/μ₁); on the surface
//! f₀ = −D₀ (x₀ − T)/(1 + μ²), T = |μⱼ xⱼ|, fⱼ = −f₀ μⱼ² xⱼ / T. Pyramidal: rows normal ± μⱼ
//! tangentⱼ with one R ∝ μ₁² (1 + μ₁²) for all.

use super::Relative;
use crate::data::{Block, Constraints, Contact, RowKind};
use crate::law::soft::cost::{Cone, Zone, one_sided};

/// Derivative of the wrench on the second body, in contact axes, in the direction `d` of the five
/// coefficients; `b` is the damping of the rows.
pub(super) fn change(
    rows: &Constraints,
    contact: &Contact,
    block: &Block,
    x: &[f64],
    relative: &Relative,
    b: f64,
    d: [f64; 5],
) -> [f64; 6] {
    match block.kind {
        RowKind::ContactElliptic => elliptic(rows, contact, block, x, d),
        RowKind::ContactPyramidal => pyramidal(rows, contact, block, x, relative, b, d),
        _ => [0.0; 6],
    }
}

fn elliptic(rows: &Constraints, contact: &Contact, block: &Block, x: &[f64], d: [f64; 5]) -> [f64; 6] {
    let own = block.rows.range();
    let (x, D) = (&x[own.clone()], &rows.D[own]);
    let cone = Cone::of_contact(contact, 0);
    let mu = &contact.friction;
    let (mut f, mut out) = ([0.0; 6], [0.0; 6]);
    cone.evaluate(x, D, &mut f);
    match cone.zone(x) {
        Zone::Top => {}
        Zone::Bottom => {
            for j in 1..cone.dim {
                out[j] = 2.0 * f[j] * (d[j - 1] / mu[j - 1] - d[0] / mu[0]);
            }
        }
        Zone::Middle { tangential: T, .. } => {
            let dT = (1..cone.dim).map(|j| mu[j - 1] * x[j] * x[j] * d[j - 1]).sum::<f64>() / T;
            let square = cone.mu * cone.mu;
            // 2 μ ∂μ = 2 μ² ∂μ₁/μ₁.
            out[0] = (D[0] * dT - f[0] * 2.0 * square * d[0] / mu[0]) / (1.0 + square);
            for j in 1..cone.dim {
                let (m, dm) = (mu[j - 1], d[j - 1]);
                out[j] = -x[j] * (m * m * (out[0] - f[0] * dT / T) + 2.0 * m * dm * f[0]) / T;
            }
        }
    }
    out
}

fn pyramidal(
    rows: &Constraints,
    contact: &Contact,
    block: &Block,
    x: &[f64],
    relative: &Relative,
    b: f64,
    d: [f64; 5],
) -> [f64; 6] {
    let mu1 = contact.friction[0];
    // ∂R/R.
    let softer = d[0] * (2.0 / mu1 + 2.0 * mu1 / (1.0 + mu1 * mu1));
    let share = contact.adhesion.max(0.0) / f64::from(block.rows.len.max(1));
    let components = |m: saltus_math::Motion| [m.lin.y, m.lin.z, m.ang.x, m.ang.y, m.ang.z];
    let (a, v, mut surface) = (components(relative.a), components(relative.v), components(relative.surface));
    // Surface velocities slide and spin.
    surface[3..].fill(0.0);
    let mut out = [0.0; 6];
    for (r, row) in block.rows.range().enumerate() {
        let (D, R) = (rows.D[row], rows.R[row]);
        let (_, f, _) = one_sided(x[row], D);
        if f == 0.0 {
            continue;
        }
        let (j, sign) = (r / 2, if r % 2 == 0 { 1.0 } else { -1.0 });
        let dx = sign * d[j] * (a[j] + b * (v[j] + surface[j])) - R * share * softer;
        let df = -D * dx - f * softer;
        out[0] += df;
        out[1 + j] += sign * (contact.friction[j] * df + d[j] * f);
    }
    out
}
