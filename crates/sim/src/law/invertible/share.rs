//! Load sharing between the contacts of two bodies.
//!
//! A body that rests on n points loads each with 1/n of its weight, and the barriers of all n add
//! up: equation (c) of `distance`. So that it rests at the same height as on one point, its
//! contacts have R and κ for that fraction. With the weights ψ of all contacts of the same two
//! bodies, which fade with their distance, contact i counts as
//!   N_i = 1 + Σ_{j ≠ i} ψ_j                                                                  (1)
//! points: 1 if it is alone, n if all n are near, without discontinuities when distant contacts
//! appear. R grows with N_i, κ shrinks with it, and q with its square root: the parabola of the
//! elastic barrier, which stops fast bodies, keeps the curvature q²/κ of one point. (With the q of
//! one point a bare humanoid whose links overlap permanently diverged from one of four seeds; with
//! q/N_i boxes that fall at 4 m/s penetrate by 1.0 mm instead of 0.6 mm.)
//!
//! The impulses f_i therefore depend on the distances of the other contacts. At constant z they
//! shrink as 1/N_i:
//!   ∂f_i = −f_i ψ'_j/N_i ∂w_j.                                                                (2)
//! So do the slopes p = −κ/s of the barriers; on the parabola, p = q² s/κ − 2q, only −q shrinks.
//! All these contacts act on the same two bodies, so only the sum of the wrenches of (2) is needed.
//!
//! Without walls rows are not coupled, and no load is shared.

use super::distance::Distance;
use super::problem::contact_distance;
use super::rows::{MAX_DIM, Rows};
use crate::data::{Block, Constraints, Contact, RowKind};
use crate::model::Model;
use saltus_math::{Force, Vec3};

/// Load shares, by blocks of `Constraints`.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    /// N of each block; empty if nothing is shared.
    count: Vec<f64>,
    /// ψ and ψ' of each contact, in the order of `order`.
    weight: Vec<[f64; 2]>,
    /// Blocks of contacts, sorted by pairs of bodies.
    order: Vec<Member>,
}

/// A contact between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    /// Rigid groups of the bodies, the smaller one first.
    bodies: [u32; 2],
    block: u32,
    /// Whether the order of the contact's bodies is reversed.
    swapped: bool,
}

impl Shares {
    /// Counts the contacts of each pair of bodies, (1).
    pub fn update(&mut self, model: &Model, contacts: &[Contact], constraints: &Constraints, distance: &Distance) {
        let Self { count, weight, order } = self;
        count.clear();
        weight.clear();
        order.clear();
        if !distance.shares() {
            return;
        }
        let blocks = &constraints.blocks;
        let first = blocks.partition_point(|b| (b.kind as i32) < RowKind::ContactFrictionless as i32);
        count.resize(blocks.len(), 1.0);
        for (k, block) in blocks.iter().enumerate().skip(first) {
            let contact = &contacts[block.id as usize];
            let [one, two] =
                [contact.geom1, contact.geom2].map(|g| model.bodies.weld[model.geoms.body[g.idx()].idx()].0);
            order.push(Member { bodies: [one.min(two), one.max(two)], block: k as u32, swapped: one > two });
        }
        if !order.is_sorted() {
            order.sort_unstable();
        }
        weight.extend(order.iter().map(|member| {
            let block = &blocks[member.block as usize];
            let (distance, w) = contact_distance(distance, contacts, constraints, block);
            let weight = distance.weight(w);
            [weight, weight * distance.weight_slope(w)]
        }));
        let mut start = 0;
        for group in order.chunk_by(|a, b| a.bodies == b.bodies) {
            let own = start..start + group.len();
            let sum: f64 = weight[own.clone()].iter().map(|w| w[0]).sum();
            for (member, [weight, _]) in group.iter().zip(&weight[own.clone()]) {
                count[member.block as usize] = if group.len() > 1 { 1.0 + (sum - weight) } else { 1.0 };
            }
            start = own.end;
        }
    }

    /// N of block `k`.
    pub fn count(&self, k: usize) -> f64 {
        self.count.get(k).copied().unwrap_or(1.0)
    }

    /// Calls `put(block, wrench)` with the effect of the distance of each contact on the forces of
    /// the other contacts of its bodies, (2): a wrench in contact axes at the contact's point.
    /// `force` is −N_i ∂f_i/∂N_i by rows, in contact axes.
    pub fn each_wrench(
        &self,
        contacts: &[Contact],
        constraints: &Constraints,
        force: &[f64],
        mut put: impl FnMut(&Block, [f64; MAX_DIM]),
    ) {
        let mut start = 0;
        for group in self.order.chunk_by(|a, b| a.bodies == b.bodies) {
            let weights = &self.weight[start..start + group.len()];
            start += group.len();
            if group.len() == 1 {
                continue;
            }
            let block_of = |member: &Member| &constraints.blocks[member.block as usize];
            let contact_of = |member: &Member| &contacts[block_of(member).id as usize];
            let origin = contact_of(&group[0]).pos;
            // f_i/N_i on the second body of the pair, world axes, about the origin.
            let wrench = |member: &Member| {
                let (contact, own) = (contact_of(member), block_of(member).rows.range());
                let mut f = [0.0; MAX_DIM];
                f.iter_mut().zip(&force[own]).for_each(|(x, f)| *x = f / self.count[member.block as usize]);
                let [lin, ang] = [Vec3::from_slice(&f), Vec3::from_slice(&f[3..])].map(|x| contact.frame.tmul(x));
                let sign = if member.swapped { -1.0 } else { 1.0 };
                Force::new(ang, lin).shifted(origin - contact.pos) * sign
            };
            let sum = group.iter().fold(Force::ZERO, |sum, member| sum + wrench(member));
            for (member, [_, slope]) in group.iter().zip(weights) {
                let contact = contact_of(member);
                let sign = if member.swapped { -1.0 } else { 1.0 };
                let others = (sum - wrench(member)).shifted(contact.pos - origin) * (-slope * sign);
                let (lin, ang) = (contact.frame * others.lin, contact.frame * others.ang);
                put(block_of(member), [lin.x, lin.y, lin.z, ang.x, ang.y, ang.z]);
            }
        }
    }
}

/// The part of the barriers' slopes p that shrinks with N, by rows: −N ∂p/∂N.
pub(super) fn barrier_share(rows: &Rows, p: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(p.iter().zip(&rows.slope).map(|(p, q)| p.max(-q)));
}
