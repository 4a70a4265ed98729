//! Limits of joints and dry friction of dofs.

use super::{At, Bound, Kind, Rows};
use saltus_math::{Motion, Quat, normalize};
use saltus_sim::model::kinds::JointKind;
use saltus_sim::options::Disable;
use saltus_sim::{Data, Model};

/// Rows |f| ≤ h η of dofs with friction loss: they hold still.
pub fn push_dry_friction(at: &At<'_>, model: &Model, rows: &mut Rows) {
    if model.options.disable.has(Disable::FRICTIONLOSS) {
        return;
    }
    for link in 1..at.links.len() {
        for (k, i) in at.links.dofs[link].clone().enumerate() {
            let loss = model.dofs.friction_loss[i];
            if loss > 0.0 {
                let first = rows.jacobian.len();
                rows.push_relative(at.links, at.bodies, &at.frames[link], link, at.frames[link].D[k], 1.0);
                let kind = Kind::DryFriction { dof: i as u32 };
                rows.push(first, kind, Bound::Constant(at.h * loss), at.mixing, [0.0; 2]);
            }
        }
    }
}

/// Rows of limits that are reached or will be in this step at twice the present speed.
pub fn push_limits(at: &At<'_>, model: &Model, data: &Data, rows: &mut Rows) {
    if model.options.disable.has(Disable::LIMIT) {
        return;
    }
    for link in 1..at.links.len() {
        let mut dof = 0;
        for j in at.links.joints[link].clone() {
            let (i, kind) = (model.joints.q_start[j] as usize, model.joints.kind[j]);
            let (q, [low, high]) = (&data.state.q, model.joints.range[j]);
            match kind {
                _ if !model.joints.limited[j] => {}
                JointKind::Hinge | JointKind::Slide => {
                    let D = at.frames[link].D[dof];
                    let v = data.state.v[at.links.dofs[link].start + dof];
                    push_limit(at, link, Side { joint: j, upper: false, D, distance: q[i] - low, rate: v }, rows);
                    push_limit(at, link, Side { joint: j, upper: true, D: -D, distance: high - q[i], rate: -v }, rows);
                }
                JointKind::Ball => {
                    let (axis, angle) = normalize(Quat::from_slice(&q[i..i + 4]).normalized().log());
                    let first = at.links.dofs[link].start + dof;
                    let mut D = Motion::ZERO;
                    let mut rate = 0.0;
                    for (k, a) in axis.to_array().into_iter().enumerate() {
                        D -= at.frames[link].D[dof + k] * a;
                        rate -= a * data.state.v[first + k];
                    }
                    let distance = low.max(high) - angle;
                    push_limit(at, link, Side { joint: j, upper: true, D, distance, rate }, rows);
                }
                JointKind::Free => {}
            }
            dof += kind.nv();
        }
    }
}

/// One end of a joint's range: D · V_rel is the rate of the distance to it.
struct Side {
    joint: usize,
    upper: bool,
    D: Motion,
    distance: f64,
    rate: f64,
}

fn push_limit(at: &At<'_>, link: usize, side: Side, rows: &mut Rows) {
    if side.distance + 2.0 * at.h * side.rate.min(0.0) > 0.0 {
        return;
    }
    let first = rows.jacobian.len();
    rows.push_relative(at.links, at.bodies, &at.frames[link], link, side.D, 1.0);
    let targets =
        if side.distance > 0.0 { [-side.distance / at.h; 2] } else { at.targets(0.0, -at.correction * side.distance) };
    let kind = Kind::Limit { joint: side.joint as u32, upper: side.upper };
    rows.push(first, kind, Bound::OneSided, at.mixing, targets);
}
