//! What the stabilizer recommends [MuJoCo2013, §2.5.1].
//!
//! An error e with ë + 2ω ė + ω² e = 0 has, after the time h, the velocity
//!   ė⁺ = (ė − hω ė − hω² e) exp(−hω).                                                                            (1)
//! Equalities are asked for it; inequalities that are violated have it as their least velocity, the others −e/h, which
//! closes the gap in one step. Friction is asked for no slip. As accelerations: a_ref = (v_ref − J v)/h.
//!
//! Two guards, unless the stabilizer is asked to be as published. (1) damps an error that grows, ė < 0 < −e, over 1/ω, which
//! lets a fast body deep into the ground: only ė ≥ 0 enters. And the convex problem wants v_n − v_min ≥ μ |v_t| of what
//! slides, so that v_min gets −μ |v_t| of the present slip: then what slides steadily stays on the ground.

use crate::constraint::add_adhesion;
use crate::data::{Contact, Data, RowKind};
use crate::law::options::Stabilizer;
use crate::model::Model;
use saltus_math::{MIN_VAL, real};

/// (1) with time constant 1/ω; 0: the error vanishes in one step.
fn damped_velocity(e: f64, rate: f64, time: f64, h: f64) -> f64 {
    if time <= 0.0 {
        return -e / h;
    }
    let omega = 1.0 / time;
    (rate - h * omega * rate - h * omega * omega * e) * real::exp(-h * omega)
}

/// μ |v_t| of a contact, √Σ (μⱼ vⱼ)² over all directions of friction.
fn slip(contact: &Contact, vel: &[f64]) -> f64 {
    vel[1..].iter().zip(&contact.friction).map(|(v, mu)| (v * mu) * (v * mu)).sum::<f64>().sqrt()
}

/// Regularizers and reference accelerations of all rows. Needs `constraint::update_reference`.
pub(crate) fn update_reference(model: &Model, data: &mut Data) {
    let (h, settings) = (model.options.timestep, &model.options.laws.impulse);
    let rows = &mut data.constraints;
    for k in 0..rows.blocks.len() {
        let block = rows.blocks[k];
        let own = block.rows.range();
        let first = own.start;
        let equality = block.kind == RowKind::Equality;
        for row in own.clone() {
            let (e, rate) = (rows.pos[row] - rows.margin[row], rows.vel[row]);
            let v_ref = match block.kind {
                RowKind::Equality => damped_velocity(e, rate, settings.equality_time, h),
                RowKind::FrictionDof | RowKind::FrictionTendon => 0.0,
                _ if row > first => 0.0,
                _ => {
                    let guarded = settings.stabilizer == Stabilizer::Guarded;
                    let rate = if guarded { rate.max(0.0) } else { rate };
                    let least = if e > 0.0 { -e / h } else { damped_velocity(e, rate, settings.error_time, h) };
                    let sliding = guarded && block.kind == RowKind::ContactElliptic;
                    if sliding {
                        least - slip(&data.contacts[block.id as usize], &rows.vel[own.clone()])
                    } else {
                        least
                    }
                }
            };
            rows.a_ref[row] = (v_ref - rate) / h;
        }
        if equality {
            for row in own.clone() {
                let lambda = settings.lambda;
                rows.R[row] = if lambda > 0.0 { 1.0 / lambda } else { settings.equality_softness * rows.diag[row] };
            }
        } else {
            // Rows of a cone keep the proportions of their regularizers.
            let scale = settings.softness * rows.diag[first].max(MIN_VAL) / rows.R[first].max(MIN_VAL);
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
