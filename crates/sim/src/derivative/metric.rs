//! The accelerations by which steps advance: M̂ a* = M a, M̂ = M + h D, and their derivatives.
//!
//!   M̂ (∂a* − ∂a) = −h D ∂a + ∂M (a − a*) − h ∂D a*.                                                               (1)
//! ∂M z is a Newton–Euler derivative at rest. D is constant but for polynomial dampers and, under `implicit` (and for free
//! bodies that stand alone under `implicitfast`), the derivative ∂c/∂v of the bias: c is quadratic in v, so that with any
//! w = s a*
//!   (∂c/∂v) a* = (c(v + w) − c(v − w)) / 2s,   ∂/∂v ((∂c/∂v) a*) = (∂c/∂v at v = a*).                               (2)

use super::activation::{Input, for_each_drive_slope};
use super::chain::Chain;
use super::factor::Factor;
use super::outer::Stiffness;
use super::sweep::{Matrices, Sweep};
use super::tendon::Tendons;
use super::terms::Terms;
use super::{Inexact, Report};
use crate::actuation::{calc_slope, calc_velocity_slope_changes};
use crate::data::Data;
use crate::dynamics::derivatives::{Damping, calc_dof_damping, has_dof_damping};
use crate::dynamics::passive::{Poly, actuator_damper_of_joint, tendon_damper};
use crate::dynamics::tendon_armature;
use crate::integrate::stands_alone;
use crate::model::Model;
use crate::model::kinds::TransmissionKind;
use crate::options::{Disable, Integrator};
use saltus_math::{Force, Motion};

/// M̂ and what (1) adds to M ∂a.
#[derive(Clone, Debug, Default)]
pub(super) struct StepMetric {
    /// Whether M̂ differs from M.
    pub active: bool,
    pub factor: Factor,
    /// h D = M̂ − M: entries (row, column, value).
    pub change: Vec<(u32, u32, f64)>,
    /// ∂M (a − a*) − h ∂D a* by q and v · nv × nv.
    pub by_q: Vec<f64>,
    pub by_v: Vec<f64>,
    /// The same by activations and controls · nv × (na + nu), if there is any.
    pub by_input: Vec<f64>,
    tendons: Tendons,
    a_step: Vec<f64>,
    damping: Damping,
    dof: Vec<f64>,
    chain: Chain,
    terms: Terms,
    matrices: Matrices,
    velocity: Vec<f64>,
    at_rest: Vec<f64>,
    body: Vec<Motion>,
    force: Vec<Force>,
}

impl StepMetric {
    /// Fills everything; where M̂ = M only the flag.
    pub fn update(&mut self, model: &Model, data: &Data, sweep: &mut Sweep, report: &mut Report) {
        let nv = model.size.nv;
        let off = model.options.disable;
        self.active = match model.options.integrator {
            Integrator::Euler => !off.has(Disable::EULERDAMP) && !off.has(Disable::DAMPER) && has_dof_damping(model),
            Integrator::Implicit | Integrator::ImplicitFast => true,
            _ => false,
        };
        if !self.active {
            return;
        }
        self.factor.A.clear();
        self.factor.A.resize(nv * nv, 0.0);
        super::add_inertia(model, data, &mut self.factor.A);
        match model.options.integrator {
            Integrator::Implicit => self.add_damping(model, data, |_| true),
            Integrator::ImplicitFast => self.add_symmetric_damping(model, data),
            _ => {
                self.dof.resize(nv, 0.0);
                calc_dof_damping(model, data, &mut self.dof);
                for (i, d) in self.dof.iter().enumerate() {
                    self.factor.A[i * nv + i] += model.options.timestep * d;
                }
            }
        }
        self.list_change(model, data);
        if !self.factor.factor(nv) {
            report.add(Inexact::Model("the effective inertia of the step is singular"));
            self.active = false;
            return;
        }
        self.a_step.clear();
        let acceleration = &data.acceleration;
        self.a_step.extend(acceleration.tau_smooth.iter().zip(&acceleration.tau_constraint).map(|(s, c)| s + c));
        self.factor.solve(&mut self.a_step, 1);
        for x in [&mut self.by_q, &mut self.by_v] {
            x.clear();
            x.resize(nv * nv, 0.0);
        }
        self.add_inertia_change(model, data, sweep);
        self.add_damping_change(model, data, sweep);
        self.by_input.clear();
        if model.options.integrator != Integrator::Euler {
            self.add_actuator_change(model, data, report);
            self.add_tendon_change(model, data, sweep, report);
        }
        for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t] && tendon_armature(model, t) != 0.0) {
            report.add(Inexact::Tendon(t));
        }
    }

    /// The acceleration of the step, where it differs from that of the dynamics.
    pub fn a_step(&self) -> &[f64] {
        &self.a_step
    }

    /// Lists what M̂ has more than M.
    fn list_change(&mut self, model: &Model, data: &Data) {
        let (nv, pattern) = (model.size.nv, &model.mass_pattern);
        self.at_rest.clear();
        self.at_rest.extend_from_slice(&self.factor.A);
        for i in 0..nv {
            for k in pattern.range(i) {
                let j = pattern.col[k] as usize;
                self.at_rest[i * nv + j] -= data.position.M[k];
                if i != j {
                    self.at_rest[j * nv + i] -= data.position.M[k];
                }
            }
        }
        self.change.clear();
        for (k, x) in self.at_rest.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            self.change.push(((k / nv) as u32, (k % nv) as u32, *x));
        }
    }

    /// A += h D for the trees that `chosen` accepts, D with the bias.
    fn add_damping(&mut self, model: &Model, data: &Data, chosen: impl Fn(usize) -> bool) {
        let (nv, h) = (model.size.nv, model.options.timestep);
        self.damping.update(model, data, &chosen);
        for i in (0..nv).filter(|&i| chosen(model.dofs.tree[i].idx())) {
            for k in self.damping.tree.range(i) {
                let j = self.damping.tree.col[k] as usize;
                self.factor.A[i * nv + j] += h * self.damping.D.lower[k];
                if j != i {
                    self.factor.A[j * nv + i] += h * self.damping.D.upper[k];
                }
            }
        }
    }

    /// A += h (D + Dᵀ)/2 inside the pattern of M, and h D for free bodies that stand alone.
    fn add_symmetric_damping(&mut self, model: &Model, data: &Data) {
        let (nv, half) = (model.size.nv, 0.5 * model.options.timestep);
        self.add_damping(model, data, |t| stands_alone(model, t));
        let (pattern, Damping { tree, D, .. }) = (&model.mass_pattern, &self.damping);
        for i in (0..nv).filter(|&i| !stands_alone(model, model.dofs.tree[i].idx())) {
            let row = pattern.range(i);
            let start = tree.range(i).end - row.len();
            for (k, at) in row.enumerate() {
                let j = pattern.col[at] as usize;
                if j == i {
                    self.factor.A[i * nv + i] += 2.0 * half * D.lower[start + k];
                } else {
                    let d = half * (D.lower[start + k] + D.upper[start + k]);
                    self.factor.A[i * nv + j] += d;
                    self.factor.A[j * nv + i] += d;
                }
            }
        }
    }

    /// ∂M z by q, z = a − a*.
    fn add_inertia_change(&mut self, model: &Model, data: &Data, sweep: &Sweep) {
        let (nv, nbody, position) = (model.size.nv, model.nbody(), &data.position);
        self.velocity.clear();
        self.velocity.extend(data.acceleration.a.iter().zip(&self.a_step).map(|(a, step)| a - step));
        let z = &self.velocity;
        self.body.resize(nbody, Motion::ZERO);
        self.force.resize(nbody, Force::ZERO);
        self.chain.eta.resize(nv, Motion::ZERO);
        self.chain.block.resize(nv, 0);
        self.body[0] = Motion::ZERO;
        for b in 1..nbody {
            let mut Y = self.body[model.bodies.parent[b].idx()];
            for j in model.bodies.joints[b].range() {
                let mut i = model.joints.dof_start[j] as usize;
                for &n in model.joints.kind[j].blocks() {
                    let before = Y;
                    for k in i..i + n {
                        self.chain.eta[k] = before.cross_motion(position.S[k]);
                        self.chain.block[k] = i as u32;
                        Y += position.S[k] * z[k];
                    }
                    i += n;
                }
            }
            self.body[b] = Y;
            self.force[b] = position.I[b].mul(Y);
        }
        for b in (1..nbody).rev() {
            let f = self.force[b];
            self.force[model.bodies.parent[b].idx()] += f;
        }
        let eta = &self.chain.eta;
        for i in 0..nv {
            let b = model.dofs.body[i].idx();
            let (I, S) = (&position.I_composite[b], position.S[i]);
            let momentum = I.mul(S);
            let column = S.cross_force(self.force[b]) + I.mul(eta[i]);
            let own = I.mul(eta[i]);
            for k in sweep.tree.range(i) {
                let j = sweep.tree.col[k] as usize;
                self.by_q[i * nv + j] += eta[j].dot(momentum);
                if j < i {
                    let same = self.chain.block[i] == self.chain.block[j];
                    self.by_q[j * nv + i] += position.S[j].dot(if same { own } else { column });
                }
            }
        }
    }

    /// −h ∂D a*.
    fn add_damping_change(&mut self, model: &Model, data: &Data, sweep: &mut Sweep) {
        let (nv, h) = (model.size.nv, model.options.timestep);
        if !model.options.disable.has(Disable::DAMPER) {
            let v = &data.state.v;
            for i in 0..nv {
                let poly = Poly { linear: model.dofs.damping[i], higher: model.dofs.damping_poly[i] };
                self.by_v[i * nv + i] -= h * poly.damper_curvature(v[i]) * self.a_step[i];
            }
            for (dofs, poly) in (0..model.nactuator()).filter_map(|a| actuator_damper_of_joint(model, a)) {
                for i in dofs {
                    self.by_v[i * nv + i] -= h * poly.damper_curvature(v[i]) * self.a_step[i];
                }
            }
        }
        let implicit = model.options.integrator == Integrator::Implicit;
        let fast = model.options.integrator == Integrator::ImplicitFast;
        let chosen = |i: usize| implicit || (fast && stands_alone(model, model.dofs.tree[i].idx()));
        if !(0..nv).any(chosen) {
            return;
        }
        // (2). The scale keeps v and w alike.
        let size = |x: &[f64]| x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let scale = (size(&data.state.v) + 1.0) / size(&self.a_step).max(1.0);
        self.at_rest.clear();
        self.at_rest.resize(nv, 0.0);
        for pass in 0..3 {
            self.velocity.clear();
            let (base, share) = [(1.0, scale), (1.0, -scale), (0.0, 1.0)][pass];
            let moved = |i: usize| if chosen(i) { share * self.a_step[i] } else { 0.0 };
            self.velocity.extend(data.state.v.iter().enumerate().map(|(i, v)| base * v + moved(i)));
            self.chain.update(model, &data.position.S, &self.velocity, &self.at_rest, false);
            self.terms.clear(model.nbody());
            for x in [&mut self.matrices.q, &mut self.matrices.v, &mut self.matrices.a] {
                x.clear();
                x.resize(nv * nv, 0.0);
            }
            sweep.add(model, data, &self.chain, &mut self.terms, &mut self.matrices);
            let (target, source, weight) = match pass {
                0 => (&mut self.by_q, &self.matrices.q, -h / (2.0 * scale)),
                1 => (&mut self.by_q, &self.matrices.q, h / (2.0 * scale)),
                _ => (&mut self.by_v, &self.matrices.v, -h),
            };
            target.iter_mut().zip(source).for_each(|(t, x)| *t += weight * x);
        }
    }
}

/// Whether all columns of a row lie on one path to the root, so that D keeps all of its square.
pub(super) fn is_inside(model: &Model, cols: &[u32]) -> bool {
    let pattern = &model.mass_pattern;
    cols.last().is_none_or(|&last| {
        let row = &pattern.col[pattern.range(last as usize)];
        cols.iter().all(|c| row.binary_search(c).is_ok())
    })
}

impl StepMetric {
    /// Velocity feedback of actuators on joints that changes: −h ∂D a*, D = −F_l̇ mᵀ m.
    fn add_actuator_change(&mut self, model: &Model, data: &Data, report: &mut Report) {
        if model.options.density != 0.0 || model.options.viscosity != 0.0 {
            report.add(Inexact::Model("the implicit damping of the medium counts as constant"));
        }
        let (nv, h) = (model.size.nv, model.options.timestep);
        for a in 0..model.nactuator() {
            let slope = calc_slope(model, data, a).velocity;
            let changes = calc_velocity_slope_changes(model, data, a);
            let Some(target) = model.actuators.target[a][0].map(|t| t as usize) else { continue };
            if slope == 0.0 && changes == [0.0; 3] {
                continue;
            }
            let span = model.actuators.moment[a].range();
            let cols = &model.actuators.moment_col[span.clone()];
            let moment = &data.position.actuator_moment[span];
            match model.actuators.transmission[a] {
                TransmissionKind::Joint | TransmissionKind::JointInParent => {
                    let scalar = model.joints.kind[target].nv() == 1;
                    let parent = model.actuators.transmission[a] == TransmissionKind::JointInParent;
                    if scalar {
                        let (d, g) = (model.joints.dof_start[target] as usize, model.actuators.gear[a][0]);
                        let weight = h * g * g * g * self.a_step[d];
                        self.by_q[d * nv + d] += weight * changes[0];
                        self.by_v[d * nv + d] += weight * changes[1];
                    } else if parent || changes[..2] != [0.0; 2] {
                        report.add(Inexact::Actuator(a));
                    }
                }
                // With their tendons.
                TransmissionKind::Tendon => {}
                _ => report.add(Inexact::Actuator(a)),
            }
            if changes[2] != 0.0 {
                let width = model.size.na + model.size.nu;
                self.by_input.resize(nv * width, 0.0);
                let along: f64 = cols.iter().zip(moment).map(|(&c, m)| m * self.a_step[c as usize]).sum();
                for_each_drive_slope(model, data, a, |input, slope| {
                    let column = match input {
                        Input::Act(i) => i,
                        Input::Ctrl(i) => model.size.na + i,
                        Input::Length => return,
                    };
                    for (&c, m) in cols.iter().zip(moment) {
                        self.by_input[c as usize * width + column] += h * changes[2] * slope * along * m;
                    }
                });
            }
        }
    }

    /// Damping of tendons, β Jᵀ J, as a force −h β (J a*) along them that changes with J and β.
    fn add_tendon_change(&mut self, model: &Model, data: &Data, sweep: &mut Sweep, report: &mut Report) {
        let (nv, h) = (model.size.nv, model.options.timestep);
        self.tendons.clear(model);
        self.tendons.light = true;
        let mut any = false;
        for t in 0..model.ntendon() {
            let rate = data.velocity.tendon_velocity[t];
            let mut beta = [0.0; 3];
            if !model.options.disable.has(Disable::DAMPER) {
                let damper = tendon_damper(model, t);
                beta = [damper.damper_slope(rate), 0.0, damper.damper_curvature(rate)];
            }
            for a in model.actuators.on_tendon(t) {
                let g = model.actuators.gear[a][0];
                let [by_length, by_velocity, _] = calc_velocity_slope_changes(model, data, a);
                beta[0] -= g * g * calc_slope(model, data, a).velocity;
                beta[1] -= g * g * g * by_length;
                beta[2] -= g * g * g * by_velocity;
            }
            let constant = beta[1..] == [0.0; 2] && (!model.tendons.spatial[t] || beta[0] == 0.0);
            if constant {
                continue;
            }
            let span = model.tendons.jac[t].range();
            let cols = &model.tendons.jac_col[span.clone()];
            if !is_inside(model, cols) {
                report.add(Inexact::Tendon(t));
                continue;
            }
            any = true;
            let along: f64 =
                cols.iter().zip(&data.position.tendon_jac[span]).map(|(&c, j)| j * self.a_step[c as usize]).sum();
            let [acceleration, length, velocity] = [h * beta[0], h * beta[1] * along, h * beta[2] * along];
            self.tendons.add(t, -h * beta[0] * along, Stiffness { length, velocity, acceleration });
        }
        if !any {
            return;
        }
        self.chain.update(model, &data.position.S, &data.state.v, &self.a_step, false);
        self.terms.clear(model.nbody());
        for x in [&mut self.matrices.q, &mut self.matrices.v, &mut self.matrices.a] {
            x.clear();
            x.resize(nv * nv, 0.0);
        }
        let at = (model, data, &self.chain);
        self.tendons.finish(at, &[], &mut self.terms, &mut self.matrices, report);
        sweep.add_terms(model, data, &self.chain, &mut self.terms, &mut self.matrices);
        self.by_q.iter_mut().zip(&self.matrices.q).for_each(|(t, x)| *t -= x);
        self.by_v.iter_mut().zip(&self.matrices.v).for_each(|(t, x)| *t -= x);
    }
}
