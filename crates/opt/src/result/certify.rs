//! A check of a plan that does not depend on a contact law: the residual of the equations of motion
//! if contact forces may act only where surfaces are closer than a given gap, and only inside the
//! friction cone.
//!
//! With b = M a + c − τ_passive of a step, and U the unactuated combinations of generalized forces
//! (in units of the body's weight, and weight times a length),
//!   residual = min over f in the cones of |U (b − Jᵀ f)|,   contacts with a gap below the limit at q_t.        (1)
//! Joints at their limits can push back as well. Equalities (couplings, closed loops) are part of
//! the mechanism, and their forces are arbitrary, so they are projected out of (1). Dry friction of
//! joints follows from the motion.

use crate::problem::cone::{Cone, balance, friction, unit_forces};
use saltus_math::dot;
use saltus_sim::data::constraint::{Constraints, RowKind};
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model};

/// Checks the motion of a model without a contact law.
#[derive(Clone, Debug)]
pub struct Certificate<'a> {
    /// The model with its own shapes.
    pub model: &'a Model,
    /// Time of a step.
    pub h: f64,
    /// The unactuated combinations of generalized forces, in their units: dofs and coefficients.
    pub unactuated: &'a [Vec<(usize, f64)>],
    /// Largest distance at which surfaces may push, m.
    pub gap: f64,
}

/// The result of the check for one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Verdict {
    /// (1), as a share of the body's weight.
    pub residual: f64,
    /// Number of contacts that may push.
    pub contacts: usize,
    /// Smallest distance of all contacts; infinite without any.
    pub least_gap: f64,
}

impl Certificate<'_> {
    /// Checks the steps of a trajectory with nodes q₋₁ … q_T · (steps + 2) × nq.
    pub fn judge(&self, q: &[f64]) -> Vec<Verdict> {
        let mut model = self.model.clone();
        model.options.timestep = self.h;
        model.options.laws.law = Law::Invertible;
        model.options.laws.reach = self.gap.max(1e-3);
        let mut data = Data::new(&model);
        let nq = model.size.nq;
        let nodes: Vec<&[f64]> = q.chunks_exact(nq).collect();
        nodes.windows(3).map(|w| self.judge_step(&model, &mut data, [w[0], w[1], w[2]])).collect()
    }

    fn judge_step(&self, model: &Model, data: &mut Data, [before, now, after]: [&[f64]; 3]) -> Verdict {
        let (nv, h) = (model.size.nv, self.h);
        let mut next = vec![0.0; nv];
        data.state.q.copy_from_slice(now);
        difference(model, before, now, h, &mut data.state.v);
        difference(model, now, after, h, &mut next);
        for i in 0..nv {
            data.acceleration.a[i] = (next[i] - data.state.v[i]) / h;
        }
        if saltus_sim::inverse(model, data).is_err() {
            return Verdict { residual: f64::INFINITY, ..Verdict::default() };
        }
        let forces = self.forces(data);
        let least_gap = data.contacts.iter().fold(f64::INFINITY, |m, c| m.min(c.dist));
        let free = orthonormal(self.rows(data, |c, r| c.kind[r] == RowKind::Equality));
        let combined = |force: Vec<f64>| without(&free, self.combine(&force));
        let touching = data.contacts.iter().filter(|c| c.dist <= self.gap && c.dim > 0);
        let mut cones: Vec<Cone> = touching
            .map(|contact| Cone {
                axes: unit_forces(model, data, contact).map(combined),
                mu: friction(contact),
                most: f64::INFINITY,
            })
            .collect();
        let contacts = cones.len();
        let is_limit = |c: &Constraints, r: usize| {
            matches!(c.kind[r], RowKind::LimitJoint | RowKind::LimitTendon) && c.pos[r] - c.margin[r] <= self.gap
        };
        cones.extend(self.rows(data, is_limit).into_iter().map(|axis| {
            let none = vec![0.0; axis.len()];
            Cone { axes: [without(&free, axis), none.clone(), none], mu: 0.0, most: f64::INFINITY }
        }));
        let b = without(&free, self.combine(&forces));
        let residual = balance(&cones, &b, 0.0, 1e-14).1;
        Verdict { residual, contacts, least_gap }
    }

    /// The force that constraints have to supply, with dry friction: b of (1).
    fn forces(&self, data: &Data) -> Vec<f64> {
        let rows = &data.constraints;
        let friction = |r: usize| matches!(rows.kind[r], RowKind::FrictionDof | RowKind::FrictionTendon);
        let kept: Vec<f64> = (0..rows.kind.len()).map(|r| if friction(r) { rows.force[r] } else { 0.0 }).collect();
        let mut dry = vec![0.0; data.state.v.len()];
        rows.add_transposed(&kept, &mut dry);
        let (inverse, constraint) = (&data.acceleration.tau_inverse, &data.acceleration.tau_constraint);
        (0..dry.len()).map(|i| inverse[i] + constraint[i] - dry[i]).collect()
    }

    /// U τ.
    fn combine(&self, force: &[f64]) -> Vec<f64> {
        self.unactuated.iter().map(|u| u.iter().map(|&(i, c)| c * force[i]).sum()).collect()
    }

    /// U Jᵀ of the rows that are chosen, one by one.
    fn rows(&self, data: &Data, is_chosen: impl Fn(&Constraints, usize) -> bool) -> Vec<Vec<f64>> {
        let rows = &data.constraints;
        let chosen = (0..rows.kind.len()).filter(|&r| is_chosen(rows, r));
        chosen
            .map(|r| {
                let (mut unit, mut force) = (vec![0.0; rows.kind.len()], vec![0.0; data.state.v.len()]);
                unit[r] = 1.0;
                rows.add_transposed(&unit, &mut force);
                self.combine(&force)
            })
            .collect()
    }
}

/// Orthonormal vectors that span the given ones.
fn orthonormal(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = Vec::new();
    for vector in vectors {
        let size = dot(&vector, &vector).sqrt();
        let mut rest = without(&out, without(&out, vector));
        let length = dot(&rest, &rest).sqrt();
        if length > 1e-10 * size {
            rest.iter_mut().for_each(|x| *x /= length);
            out.push(rest);
        }
    }
    out
}

/// A vector without its components along orthonormal ones.
fn without(directions: &[Vec<f64>], mut vector: Vec<f64>) -> Vec<f64> {
    for direction in directions {
        let along = dot(direction, &vector);
        vector.iter_mut().zip(direction).for_each(|(x, d)| *x -= along * d);
    }
    vector
}
