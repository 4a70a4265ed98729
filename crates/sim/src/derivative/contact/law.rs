//! The force of one contact by the soft law, and its derivatives, in the six directions of the contact: normal, two
//! tangents, spin, two rolls.
//!
//! f = Pᵀ φ(x), x = P c(a) − a_ref, with c(y) the relative motion that generalized velocity y makes and rows P of the cone.
//! a_ref = −b P c(v) − k d r (+ adhesion), D = D(r): all depend on the distance too, and f is homogeneous in D, so that
//!   ∂f = −H (∂c(a) + b ∘ ∂c(v)) + e ∂dist,   H = Pᵀ (−∂φ/∂x) P,   e = ρ f − Pᵀ(−∂φ/∂x) κ,
//! with ρ = D'/D = d'/(d (1 − d)) and κ = ∂x/∂dist = k (d + d' r) + ρ R δ by row, δ its share of adhesion.

use crate::data::{Block, Constraints, Contact, RowKind};
use crate::law::soft::cost::{self, Cone, MAX_DIM, Zone};

/// Force and derivatives of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Response {
    pub force: [f64; 6],
    pub H: [[f64; 6]; 6],
    /// Damping of each direction.
    pub b: [f64; 6],
    pub e: [f64; 6],
    /// Directions that can have force.
    pub dim: usize,
}

impl Response {
    /// The response at `x`, the rows' J a − a_ref.
    pub fn of(rows: &Constraints, contact: &Contact, block: &Block, x: &[f64]) -> Self {
        let dim = usize::from(contact.dim).clamp(1, 6);
        let mut out = Self { force: [0.0; 6], H: [[0.0; 6]; 6], b: [0.0; 6], e: [0.0; 6], dim };
        let first = block.rows.start as usize;
        let [k, b, d, slope] = rows.kbip[first];
        let rho = slope / (d * (1.0 - d));
        let spring = k * (d + slope * (rows.pos[first] - rows.margin[first]));
        out.b.fill(b);
        let adhesion = contact.adhesion.max(0.0);
        if block.kind == RowKind::ContactElliptic {
            let kappa = spring + rho * rows.R[first] * adhesion;
            let own = block.rows.range();
            let cone = Cone::of_contact(contact, 0);
            out.of_cone(&cone, &x[own.clone()], &rows.D[own.clone()]);
            for (b, row) in out.b.iter_mut().zip(own) {
                *b = rows.kbip[row][1];
            }
            for i in 0..dim {
                out.e[i] = rho * out.force[i] - out.H[i][0] * kappa;
            }
        } else {
            let share = adhesion / f64::from(block.rows.len.max(1));
            for (r, row) in block.rows.range().enumerate() {
                let (_, f, _) = cost::one_sided(x[row], rows.D[row]);
                if f != 0.0 {
                    let (axis, scale) = match block.kind {
                        RowKind::ContactPyramidal => {
                            (1 + r / 2, contact.friction[r / 2] * if r % 2 == 0 { 1.0 } else { -1.0 })
                        }
                        _ => (1, 0.0),
                    };
                    let kappa = spring + rho * rows.R[row] * share;
                    out.add_row(axis, scale, f, rows.D[row], rho * f - rows.D[row] * kappa);
                }
            }
        }
        out
    }

    /// A row normal + scale · axis.
    fn add_row(&mut self, axis: usize, scale: f64, force: f64, D: f64, by_dist: f64) {
        self.force[0] += force;
        self.force[axis] += scale * force;
        self.H[0][0] += D;
        self.H[0][axis] += scale * D;
        self.H[axis][0] += scale * D;
        self.H[axis][axis] += scale * scale * D;
        self.e[0] += by_dist;
        self.e[axis] += scale * by_dist;
    }

    fn of_cone(&mut self, cone: &Cone, x: &[f64], D: &[f64]) {
        cone.evaluate(x, D, &mut self.force);
        match cone.zone(x) {
            Zone::Top => {}
            Zone::Bottom => {
                for (i, D) in D.iter().enumerate() {
                    self.H[i][i] = *D;
                }
            }
            Zone::Middle { gap, tangential } => {
                let mut H = [0.0; MAX_DIM * MAX_DIM];
                cone.hessian(x, D[0], gap, tangential, &mut H);
                for (row, values) in self.H.iter_mut().zip(H.chunks_exact(MAX_DIM)) {
                    row.copy_from_slice(values);
                }
            }
        }
    }
}
