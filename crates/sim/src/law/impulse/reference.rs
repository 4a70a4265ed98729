//! Reference velocities of the stabilizer [MuJoCo2013, §2.5.1].
//!
//! An error e with ë + 2ω ė + ω² e = 0 has, after the time h, the velocity
//!   ė⁺ = (ė − hω ė − hω² e) exp(−hω).                                                        (1)
//! It is the target velocity of equalities and the minimal velocity of violated inequalities; other
//! inequalities have −e/h, which closes the gap in one step. The target of friction is zero slip.
//! As accelerations: a_ref = (v_ref − J v)/h.
//!
//! Two modifications, unless the options ask for the stabilizer as published. (1) reduces a growing
//! error, ė < 0 < −e, over the time 1/ω, which lets a fast body penetrate deeply: only ė ≥ 0
//! enters. And the convex problem requires v_n − v_min ≥ μ |v_t| of sliding contacts, so −μ |v_t|
//! of the present slip is added to v_min: steadily sliding bodies then stay on the ground. Both set
//! in smoothly over velocities up to s = 1 mm/s,
//!   ė₊ = ė²/2s below s, ė − s/2 above;   |v_t| → √(|v_t|² + s²) − s,                         (2)
//! so that derivatives are well defined for a body at rest, where ė and v_t are round-off.

use crate::constraint::add_adhesion;
use crate::data::{Contact, Data, RowKind};
use crate::law::least_inverse_mass;
use crate::law::soft::cost::MAX_DIM;
use crate::model::Model;
use crate::options::law::{ImpulseOptions, Stabilizer};
use saltus_math::{MIN_VAL, real};

/// (1) with time constant 1/ω; 0: the error vanishes in one step.
fn damped_velocity(e: f64, rate: f64, time: f64, h: f64) -> f64 {
    if time <= 0.0 {
        return -e / h;
    }
    let omega = 1.0 / time;
    (rate - h * omega * rate - h * omega * omega * e) * real::exp(-h * omega)
}

/// Velocity s of the smooth onset (2), m/s or rad/s.
const GENTLE: f64 = 1e-3;

/// ė₊ of (2) and its derivative.
fn gentle(rate: f64) -> [f64; 2] {
    if rate <= 0.0 {
        [0.0, 0.0]
    } else if rate < GENTLE {
        [0.5 * rate * rate / GENTLE, rate / GENTLE]
    } else {
        [rate - 0.5 * GENTLE, 1.0]
    }
}

/// √(μ²|v_t|² + s²) of a contact, μ²|v_t|² = Σ (μⱼ vⱼ)² over all directions of friction. The slip
/// term of v_ref is this minus s.
fn slip(contact: &Contact, vel: &[f64]) -> f64 {
    let square: f64 = vel[1..].iter().zip(&contact.friction).map(|(v, mu)| (v * mu) * (v * mu)).sum();
    (square + GENTLE * GENTLE).sqrt()
}

/// v_ref of a row from its error and rate, without the slip term. `row` is the row's index in its
/// block.
fn reference_velocity(settings: &ImpulseOptions, h: f64, kind: RowKind, row: usize, e: f64, rate: f64) -> f64 {
    match kind {
        RowKind::Equality => damped_velocity(e, rate, settings.equality_time, h),
        RowKind::FrictionDof | RowKind::FrictionTendon => 0.0,
        _ if row > 0 => 0.0,
        _ if e > 0.0 => -e / h,
        _ => {
            let rate = if is_guarded(settings) { gentle(rate)[0] } else { rate };
            damped_velocity(e, rate, settings.error_time, h)
        }
    }
}

fn is_guarded(settings: &ImpulseOptions) -> bool {
    settings.stabilizer == Stabilizer::Guarded
}

/// Derivatives of v_ref of a block's first row (of each row, for equalities) with respect to the
/// error and the rate, without the slip term: v_ref is piecewise linear in the error and in the
/// effective rate.
pub(crate) fn reference_slopes(settings: &ImpulseOptions, h: f64, kind: RowKind, e: f64, rate: f64) -> [f64; 2] {
    let damped = |time: f64| [damped_velocity(1.0, 0.0, time, h), damped_velocity(0.0, 1.0, time, h)];
    match kind {
        RowKind::Equality => damped(settings.equality_time),
        RowKind::FrictionDof | RowKind::FrictionTendon => [0.0; 2],
        _ if e > 0.0 => [-1.0 / h, 0.0],
        _ => {
            let [by_error, by_rate] = damped(settings.error_time);
            [by_error, if is_guarded(settings) { by_rate * gentle(rate)[1] } else { by_rate }]
        }
    }
}

/// Derivatives of the slip term in v_ref of a contact's normal with respect to the velocities of
/// its rows; zero at rest.
pub(crate) fn slip_slopes(settings: &ImpulseOptions, contact: &Contact, vel: &[f64]) -> [f64; MAX_DIM] {
    let mut out = [0.0; MAX_DIM];
    if is_guarded(settings) {
        let speed = slip(contact, vel);
        for ((out, v), mu) in out[1..].iter_mut().zip(&vel[1..]).zip(&contact.friction) {
            *out = mu * mu * v / speed;
        }
    }
    out
}

/// Derivative of the slip term in v_ref of a contact's normal with respect to its friction
/// coefficients, in the direction `d`.
pub(crate) fn slip_by_friction(settings: &ImpulseOptions, contact: &Contact, vel: &[f64], d: [f64; 5]) -> f64 {
    let parts = vel[1..].iter().zip(&contact.friction).zip(d);
    let change: f64 = parts.map(|((v, mu), d)| mu * v * v * d).sum();
    if is_guarded(settings) { change / slip(contact, vel) } else { 0.0 }
}

/// Regularizers and reference accelerations of all rows. Needs `constraint::update_reference`.
pub(crate) fn update_reference(model: &Model, data: &mut Data) {
    let (h, settings) = (model.options.timestep, &model.options.laws.impulse);
    let least = least_inverse_mass(model);
    let rows = &mut data.constraints;
    for k in 0..rows.blocks.len() {
        let block = rows.blocks[k];
        let own = block.rows.range();
        let first = own.start;
        let equality = block.kind == RowKind::Equality;
        for row in own.clone() {
            let (e, rate) = (rows.pos[row] - rows.margin[row], rows.vel[row]);
            let mut v_ref = reference_velocity(settings, h, block.kind, row - first, e, rate);
            if row == first && is_guarded(settings) && block.kind == RowKind::ContactElliptic {
                v_ref -= slip(&data.contacts[block.id as usize], &rows.vel[own.clone()]) - GENTLE;
            }
            rows.a_ref[row] = (v_ref - rate) / h;
        }
        if equality {
            for row in own.clone() {
                let lambda = settings.lambda;
                rows.R[row] =
                    if lambda > 0.0 { 1.0 / lambda } else { settings.equality_softness * rows.diag[row].max(least) };
            }
        } else {
            // Regularizers of the rows of a cone keep their ratios.
            let scale = settings.softness * rows.diag[first].max(least) / rows.R[first].max(MIN_VAL);
            rows.R[own.clone()].iter_mut().for_each(|R| *R *= scale);
        }
        for row in own {
            rows.D[row] = if rows.R[row] > 0.0 { 1.0 / rows.R[row] } else { 0.0 };
        }
        if block.kind as i32 >= RowKind::ContactFrictionless as i32 {
            add_adhesion(&data.contacts[block.id as usize], &block, &rows.R, &mut rows.a_ref);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::law::LawOptions;

    #[test]
    fn slopes_are_those_of_the_reference() {
        let h = 0.004;
        for stabilizer in [Stabilizer::Guarded, Stabilizer::Published] {
            for time in [0.0, 0.02] {
                let mut settings = LawOptions::default().impulse;
                (settings.stabilizer, settings.error_time, settings.equality_time) = (stabilizer, time, time);
                for kind in [RowKind::Equality, RowKind::FrictionDof, RowKind::LimitJoint, RowKind::ContactElliptic] {
                    for (e, rate) in [(0.01, 0.3), (0.01, -0.3), (-0.01, 0.3), (-0.01, -0.3), (-0.01, 4e-4)] {
                        let at = |e, rate| reference_velocity(&settings, h, kind, 0, e, rate);
                        let slopes = reference_slopes(&settings, h, kind, e, rate);
                        let step = 1e-4;
                        let by_e = (at(e + step, rate) - at(e - step, rate)) / (2.0 * step);
                        let by_rate = (at(e, rate + step) - at(e, rate - step)) / (2.0 * step);
                        assert!(
                            (slopes[0] - by_e).abs() < 1e-8 * (1.0 + by_e.abs()),
                            "{kind:?} {e} {rate}: {slopes:?}"
                        );
                        assert!((slopes[1] - by_rate).abs() < 1e-8, "{kind:?} {e} {rate}: {slopes:?}");
                    }
                }
            }
        }
    }
}
