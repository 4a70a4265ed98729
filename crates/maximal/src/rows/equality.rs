//! Rows of equalities: connect, weld, and joints that follow each other (gears, mimic joints).
//!
//! They are hard up to CFM, and corrected by ERP: `solref` and `solimp` of the model belong to the
//! soft law. Joint: y − y₀ = P(x − x₀), whose row is ẏ − P'(x − x₀) ẋ = 0; without a second joint y
//! − y₀ = P(0).

use super::{At, Block, Bound, Kind, Rows};
use crate::six::Six;
use saltus_math::{Quat, Vec3};
use saltus_sim::model::kinds::{EqualityType, ObjectKind};
use saltus_sim::options::Disable;
use saltus_sim::{Data, Model};

pub fn push_equalities(at: &At<'_>, model: &Model, data: &Data, rows: &mut Rows) {
    if model.options.disable.has(Disable::EQUALITY) {
        return;
    }
    for e in (0..model.nequality()).filter(|&e| data.state.equality_active[e]) {
        match model.equalities.kind[e] {
            EqualityType::Connect => push_frames(at, model, data, e, false, rows),
            EqualityType::Weld => push_frames(at, model, data, e, true, rows),
            EqualityType::Joint => push_joints(at, model, data, e, rows),
            // Refused with the model.
            EqualityType::Tendon => {}
        }
    }
}

/// A point and an orientation fixed in a body.
struct Anchor {
    link: usize,
    p: Vec3,
    quat: Quat,
}

/// The two frames that a connect or weld holds together.
fn anchors(at: &At<'_>, model: &Model, data: &Data, e: usize) -> [Anchor; 2] {
    let (eq, x) = (&model.equalities, &data.position);
    let (first, second) = (eq.object1[e] as usize, eq.object2[e].unwrap_or(0) as usize);
    let link = |b: usize| at.links.of_body[b];
    if eq.object_kind[e] == ObjectKind::Site {
        let of_site = |s: usize| Anchor { link: link(model.sites.body[s].idx()), p: x.p_WS[s], quat: x.quat_WS[s] };
        return [of_site(first), of_site(second)];
    }
    let prm = &eq.data[e];
    let weld = eq.kind[e] == EqualityType::Weld;
    let local = |k: usize| Vec3::from_slice(&prm[k..k + 3]);
    // A weld's anchor is a point of the second body, a connect's one of the first.
    let (in_first, in_second) = if weld { (local(3), local(0)) } else { (local(0), local(3)) };
    let relative = if weld { Quat::from_slice(&prm[6..10]).normalized() } else { Quat::IDENTITY };
    [
        Anchor { link: link(first), p: x.p_WB[first] + x.R_WB[first] * in_first, quat: x.quat_WB[first] * relative },
        Anchor { link: link(second), p: x.p_WB[second] + x.R_WB[second] * in_second, quat: x.quat_WB[second] },
    ]
}

/// Three rows p₁ = p₂; for welds three more for the orientations.
fn push_frames(at: &At<'_>, model: &Model, data: &Data, e: usize, weld: bool, rows: &mut Rows) {
    let [a, b] = anchors(at, model, data, e);
    if a.link == b.link {
        return;
    }
    let kind = Kind::Equality { id: e as u32 };
    for d in [Vec3::X, Vec3::Y, Vec3::Z] {
        let first = rows.jacobian.len();
        for (anchor, sign) in [(&a, 1.0), (&b, -1.0)] {
            if anchor.link != 0 {
                let value = Six::new((anchor.p - at.bodies.x[anchor.link]).cross(d) * sign, d * sign);
                rows.jacobian.push(Block { value, link: anchor.link as u32 });
            }
        }
        rows.push(first, kind, Bound::None, at.mixing, at.targets(0.0, -at.correction * (a.p - b.p).dot(d)));
    }
    // A weld without torque scale does not hold orientations.
    if !weld || model.equalities.data[e][10] <= 0.0 {
        return;
    }
    let turn = (a.quat * b.quat.conj()).log();
    for d in [Vec3::X, Vec3::Y, Vec3::Z] {
        let first = rows.jacobian.len();
        for (link, sign) in [(a.link, 1.0), (b.link, -1.0)] {
            if link != 0 {
                rows.jacobian.push(Block { value: Six::new(d * sign, Vec3::ZERO), link: link as u32 });
            }
        }
        rows.push(first, kind, Bound::None, at.mixing, at.targets(0.0, -at.correction * turn.dot(d)));
    }
}

/// One row for two joints, or one that is held.
fn push_joints(at: &At<'_>, model: &Model, data: &Data, e: usize, rows: &mut Rows) {
    let eq = &model.equalities;
    let c = &eq.data[e];
    let offset = |j: usize| {
        let i = model.joints.q_start[j] as usize;
        data.state.q[i] - model.q0[i]
    };
    let j1 = eq.object1[e] as usize;
    let x = eq.object2[e].map_or(0.0, |j2| offset(j2 as usize));
    let poly = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
    let slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
    let first = rows.jacobian.len();
    push_dof(at, model, j1, 1.0, rows);
    if let Some(j2) = eq.object2[e] {
        push_dof(at, model, j2 as usize, -slope, rows);
    }
    merge(rows, first);
    let targets = at.targets(0.0, -at.correction * (offset(j1) - poly));
    rows.push(first, Kind::Equality { id: e as u32 }, Bound::None, at.mixing, targets);
}

/// The blocks of a scalar joint's velocity.
fn push_dof(at: &At<'_>, model: &Model, j: usize, scale: f64, rows: &mut Rows) {
    let link = at.links.of_body[model.joints.body[j].idx()];
    let k = model.joints.dof_start[j] as usize - at.links.dofs[link].start;
    rows.push_relative(at.links, at.bodies, &at.frames[link], link, at.frames[link].D[k], scale);
}

/// Adds up blocks of the same link among those pushed since `first`.
fn merge(rows: &mut Rows, first: usize) {
    let mut n = first;
    for b in first..rows.jacobian.len() {
        let block = rows.jacobian[b];
        match rows.jacobian[first..n].iter_mut().find(|o| o.link == block.link) {
            Some(same) => same.value.add_scaled(1.0, &block.value),
            None => {
                rows.jacobian[n] = block;
                n += 1;
            }
        }
    }
    rows.jacobian.truncate(n);
}
