//! Transmissions between two sites: slider-cranks, and sites with a reference site.
//!
//! The moment is a pair of wrenches on two bodies, m_j = Σ S_j · W. It changes with dof k because
//! S_j rotates if k moves its axis, and because the wrenches change: ∂m_j = Σ
//! [(S_k × S_j) · W + S_j · ∂W]. With the force F(l, l̇), l̇ = m v,
//!   −∂τ = −F ∂m − m (F_l ∂l + F_l̇ ∂m v).

use super::actuation::Drive;
use super::chain::{At, Chain};
use super::so3;
use super::sweep::Matrices;
use crate::data::Data;
use crate::kinematics::jacobian::{dofs_of, last_dof};
use crate::model::Model;
use saltus_math::{Force, Motion, Vec3};

/// A wrench at a point of a body.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    p: Vec3,
    force: Vec3,
    torque: Vec3,
}

/// The two wrenches, and the dofs with a nonzero moment.
struct Link<'a> {
    model: &'a Model,
    data: &'a Data,
    chain: &'a Chain,
    bodies: [usize; 2],
    loads: [Load; 2],
    /// Dofs up to this one have zero moment.
    shared: Option<usize>,
}

/// Whether dof `k` moves a body.
fn moves(model: &Model, k: usize, body: usize) -> bool {
    let mut at = last_dof(model, body);
    while let Some(i) = at.filter(|&i| i > k) {
        at = model.dofs.parent[i].map(|d| d.idx());
    }
    at == Some(k)
}

impl Link<'_> {
    /// Dofs that move one of the bodies, each once.
    fn dofs(&self) -> impl Iterator<Item = usize> + '_ {
        let [a, b] = self.bodies;
        dofs_of(self.model, a).chain(dofs_of(self.model, b).filter(move |&k| !moves(self.model, k, a)))
    }

    /// Displacement of a world point fixed in body `i` of the link, and rotation of the body, for
    /// dof `k`.
    fn motion(&self, i: usize, k: usize) -> Motion {
        if !moves(self.model, k, self.bodies[i]) {
            return Motion::ZERO;
        }
        let com = self.data.position.com[self.model.bodies.root[self.bodies[i]].idx()];
        self.data.position.S[k].shifted(self.loads[i].p - com)
    }

    fn has_moment(&self, j: usize) -> bool {
        self.shared.is_none_or(|s| j > s)
    }

    /// m_j.
    fn moment(&self, j: usize) -> f64 {
        if !self.has_moment(j) {
            return 0.0;
        }
        let part = |i: usize| {
            let S = self.motion(i, j);
            S.dot(Force::new(self.loads[i].torque, self.loads[i].force))
        };
        part(0) + part(1)
    }

    /// Derivative of m_j with respect to dof `k`, with the derivatives `d` of the wrenches (points,
    /// forces, torques).
    fn moment_change(&self, j: usize, k: usize, d: &[Load; 2]) -> f64 {
        let (model, position) = (self.model, &self.data.position);
        let carried = self.chain.block[k] <= self.chain.block[j] && moves(model, k, model.dofs.body[j].idx());
        let mut sum = 0.0;
        for i in (0..2).filter(|&i| moves(model, j, self.bodies[i])) {
            let r = self.loads[i].p - position.com[model.bodies.root[self.bodies[i]].idx()];
            let (S, load) = (position.S[j], &self.loads[i]);
            let W = Force::new(load.torque + r.cross(load.force), load.force);
            if carried {
                sum += position.S[k].cross_motion(S).dot(W);
            }
            sum += S.dot(Force::new(d[i].torque + d[i].p.cross(load.force) + r.cross(d[i].force), d[i].force));
        }
        sum
    }

    /// Adds the derivatives; `change(k)` gives those of the wrenches and the length.
    fn add(&self, Drive { force, slope }: Drive, change: impl Fn(usize) -> ([Load; 2], f64), out: &mut Matrices) {
        let (nv, v) = (self.model.size.nv, &self.data.state.v);
        for k in self.dofs() {
            let (d, length) = change(k);
            let mut rate = 0.0;
            for j in self.dofs().filter(|&j| self.has_moment(j)) {
                let change = self.moment_change(j, k, &d);
                out.q[j * nv + k] -= force * change;
                rate += change * v[j];
            }
            let (by_q, by_v) = (slope.length * length + slope.velocity * rate, slope.velocity * self.moment(k));
            for j in self.dofs() {
                let m = self.moment(j);
                out.q[j * nv + k] -= m * by_q;
                out.v[j * nv + k] -= m * by_v;
            }
        }
    }
}

/// A slider-crank: `sites` are crank and slider.
pub(super) fn add_slider_crank(
    At { model, data, chain }: At<'_>,
    a: usize,
    sites: [usize; 2],
    drive: Drive,
    out: &mut Matrices,
) {
    let x = &data.position;
    let (gear, rod) = (model.actuators.gear[a][0], model.actuators.crank_length[a]);
    let axis = x.R_WS[sites[1]].col(2);
    let to = x.p_WS[sites[0]] - x.p_WS[sites[1]];
    let av = to.dot(axis);
    let det = av * av + rod * rod - to.length_squared();
    let long = det > 0.0;
    let root = if long { det.sqrt() } else { 1.0 };
    let scale = if long { 1.0 - av / root } else { 1.0 };
    let pull = if long { axis * scale + to / root } else { axis };
    let loads = [
        Load { p: x.p_WS[sites[0]], force: pull * gear, torque: Vec3::ZERO },
        Load { p: x.p_WS[sites[1]], force: -pull * gear, torque: axis.cross(to * scale) * gear },
    ];
    let link = Link { model, data, chain, bodies: sites.map(|s| model.sites.body[s].idx()), loads, shared: None };
    let change = |k: usize| {
        let (crank, slider) = (link.motion(0, k), link.motion(1, k));
        let (d_to, d_axis) = (crank.lin - slider.lin, slider.ang.cross(axis));
        let d_av = d_to.dot(axis) + to.dot(d_axis);
        let d_root = if long { (av * d_av - to.dot(d_to)) / root } else { 0.0 };
        let d_scale = if long { av * d_root / (root * root) - d_av / root } else { 0.0 };
        let d_pull =
            if long { d_axis * scale + axis * d_scale + d_to / root - to * (d_root / (root * root)) } else { d_axis };
        let d_torque = d_axis.cross(to * scale) + axis.cross(d_to * scale + to * d_scale);
        let loads = [
            Load { p: crank.lin, force: d_pull * gear, torque: Vec3::ZERO },
            Load { p: slider.lin, force: -d_pull * gear, torque: d_torque * gear },
        ];
        (loads, link.moment(k))
    };
    link.add(drive, change, out);
}

/// A site with a reference site: `sites` are the site and its reference.
pub(super) fn add_site_pair(
    At { model, data, chain }: At<'_>,
    a: usize,
    sites: [usize; 2],
    drive: Drive,
    out: &mut Matrices,
) {
    let (x, gear) = (&data.position, &model.actuators.gear[a]);
    let (translation, rotation) = (Vec3::from_slice(gear), Vec3::from_slice(&gear[3..]));
    let R_ref = &x.R_WS[sites[1]];
    let (push, twist) = (*R_ref * translation, *R_ref * rotation);
    let loads = [
        Load { p: x.p_WS[sites[0]], force: push, torque: twist },
        Load { p: x.p_WS[sites[1]], force: -push, torque: -twist },
    ];
    let bodies = sites.map(|s| model.sites.body[s].idx());
    // Dofs that move both sites move them as one and have zero moment.
    let shared = dofs_of(model, bodies[0]).find(|&k| moves(model, k, bodies[1]));
    let link = Link { model, data, chain, bodies, loads, shared };
    let apart = x.p_WS[sites[0]] - x.p_WS[sites[1]];
    let turn = (x.quat_WS[sites[1]].conj() * x.quat_WS[sites[0]]).log();
    let by_turn = x.R_WS[sites[0]] * so3::right_jacobian_inverse(turn).tmul(rotation);
    let change = |k: usize| {
        let (own, reference) = (link.motion(0, k), link.motion(1, k));
        let (d_push, d_twist) = (reference.ang.cross(push), reference.ang.cross(twist));
        let loads = [
            Load { p: own.lin, force: d_push, torque: d_twist },
            Load { p: reference.lin, force: -d_push, torque: -d_twist },
        ];
        let length =
            push.dot(own.lin - reference.lin - reference.ang.cross(apart)) + by_turn.dot(own.ang - reference.ang);
        (loads, length)
    };
    link.add(drive, change, out);
}
