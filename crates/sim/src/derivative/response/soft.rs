//! The soft law.
//!
//! A contact: f = Pᵀ φ(x), x = P c(a) − a_ref, with rows P of the cone. a_ref = −b P c(v) − k d r
//! (+ adhesion), D = D(r): all depend on the distance too, and f is homogeneous in D, so that
//!   H = Pᵀ (−∂φ/∂x) P,   b the damping of the rows,   e = ρ f − Pᵀ(−∂φ/∂x) κ,
//! with ρ = D'/D and κ = ∂x/∂dist = k (d + d' r) + ρ R δ by row, δ its share of adhesion. Other
//! rows similarly:
//!   −∂f = h (∂(J a) + b ∂(J v)) + (h κ − ρ f) ∂r,   h = −∂φ/∂x.
//! b, κ and ρ of a row are those of `constraint::impedance`, which includes discrete steps. If R is
//! at its lower bound, ρ is 0.

use super::{Contact as Response, Frames, Stiffness, pair};
use crate::constraint::Settings;
use crate::data::{Block, Constraints, Contact, RowKind, RowState, Spring};
use crate::law::soft::cost::{self, Cone, MAX_DIM, Zone};
use saltus_math::MIN_VAL;

/// The response of a contact at `x`, the rows' J a − a_ref.
pub(super) fn contact(
    settings: &Settings,
    rows: &Constraints,
    contact: &Contact,
    block: &Block,
    x: &[f64],
) -> Response {
    let mut out = Response::new(contact.dim);
    let slopes = |row: usize| settings.slopes(rows.spring[row], rows.pos[row] - rows.margin[row], rows.vel[row]);
    let first = block.rows.start as usize;
    let at_first = slopes(first);
    let least = if block.kind == RowKind::ContactPyramidal { 2.0 * contact.mu * contact.mu * MIN_VAL } else { MIN_VAL };
    let rho = if rows.R[first] == least { 0.0 } else { at_first.rho };
    out.b.fill(at_first.by_velocity);
    let adhesion = contact.adhesion.max(0.0);
    if block.kind == RowKind::ContactElliptic {
        let kappa = at_first.by_residual + rho * rows.R[first] * adhesion;
        let own = block.rows.range();
        out.of_cone(&Cone::of_contact(contact, 0), &x[own.clone()], &rows.D[own.clone()]);
        for (b, row) in out.b.iter_mut().zip(own).skip(1) {
            *b = slopes(row).by_velocity;
        }
        for i in 0..out.dim {
            out.e[i] = rho * out.force[i] - out.H[i][0] * kappa;
        }
        return out;
    }
    let share = adhesion / f64::from(block.rows.len.max(1));
    for (r, row) in block.rows.range().enumerate() {
        let (_, f, _) = cost::one_sided(x[row], rows.D[row]);
        if f != 0.0 {
            let (axis, scale) = match block.kind {
                RowKind::ContactPyramidal => (1 + r / 2, contact.friction[r / 2] * if r % 2 == 0 { 1.0 } else { -1.0 }),
                _ => (1, 0.0),
            };
            let kappa = slopes(row).by_residual + rho * rows.R[row] * share;
            out.add_row(axis, scale, f, rows.D[row], rho * f - rows.D[row] * kappa);
        }
    }
    out
}

impl Response {
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

    /// Force and H of an elliptic cone.
    pub(super) fn of_cone(&mut self, cone: &Cone, x: &[f64], D: &[f64]) {
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

/// Force of a scalar row and its slope h.
pub(super) fn scalar(rows: &Constraints, block: &Block, x: f64) -> (f64, f64) {
    let i = block.rows.start as usize;
    let D = rows.D[i];
    let (_, f, state) = match block.kind {
        RowKind::Equality => cost::equality(x, D),
        RowKind::FrictionDof | RowKind::FrictionTendon => cost::friction(x, D, rows.R[i], rows.friction_loss[i]),
        _ => cost::one_sided(x, D),
    };
    (f, if state == RowState::Quadratic { D } else { 0.0 })
}

/// Derivative of the force of dry friction at `x` with respect to the friction loss.
pub(super) fn by_loss(rows: &Constraints, block: &Block, x: f64) -> f64 {
    let i = block.rows.start as usize;
    match cost::friction(x, rows.D[i], rows.R[i], rows.friction_loss[i]).2 {
        RowState::LinearNeg => 1.0,
        RowState::LinearPos => -1.0,
        _ => 0.0,
    }
}

/// The response of a scalar row at `x`.
pub(super) fn row(settings: &Settings, rows: &Constraints, block: &Block, x: f64) -> (f64, Stiffness) {
    let i = block.rows.start as usize;
    let (f, h) = scalar(rows, block, x);
    let slopes = settings.slopes(rows.spring[i], rows.pos[i] - rows.margin[i], rows.vel[i]);
    // Dry friction has no residual, so its impedance is constant.
    let dry = matches!(block.kind, RowKind::FrictionDof | RowKind::FrictionTendon);
    let rho = if dry || rows.R[i] == MIN_VAL { 0.0 } else { slopes.rho };
    (f, Stiffness { length: h * slopes.by_residual - rho * f, velocity: h * slopes.by_velocity, acceleration: h })
}

/// The response of a connect or weld: x = r̈ + b ṙ + k d(|r|) r, f = −D x, D = D(|r|). Under
/// discrete steps all of x except J a is divided by s and has the spring at the end of the step:
/// x = (1 − 1/s) J a + (r̈ + (b + k d h) ṙ + k d r)/s.
pub(super) fn frames(settings: &Settings, rows: &Constraints, block: &Block, x: &[f64]) -> (Frames, Option<Frames>) {
    let first = block.rows.start as usize;
    let spring = rows.spring[first];
    let Spring { stiffness: k, damping: b, impedance: d, slope } = spring;
    let (h, s) = (settings.h, settings.implicit_factor(spring));
    let rho = if rows.R[first] == MIN_VAL { 0.0 } else { settings.slopes(spring, 0.0, 0.0).rho };
    let [D, pos, vel, a_ref, x] = [&rows.D, &rows.pos, &rows.vel, &rows.a_ref, x].map(|x| pair(block, x));
    let force = core::array::from_fn(|i| -x[i] * D[i]);
    let by_norm = |i: usize| (pos[i] + vel[i] * h + a_ref[i] * (h * h)) * (k * slope / s);
    let main = Frames {
        force,
        acceleration: D.map(|D| D / s),
        velocity: D.map(|D| D * ((b + k * d * h) / s)),
        length: D.map(|D| D * (k * d / s)),
        norm: core::array::from_fn(|i| D[i] * by_norm(i) - force[i] * rho),
        is_true_acceleration: true,
    };
    let rest = Frames { acceleration: D.map(|D| D * (1.0 - 1.0 / s)), ..Frames::at_velocities() };
    (main, (h > 0.0).then_some(rest))
}
