//! The accelerations by which steps advance: M̂ a* = M a, M̂ = M + h D, and their derivatives.
//!
//!   M̂ (∂a* − ∂a) = −h D ∂a + ∂M (a − a*) − h ∂D a*.                                                               (1)
//! ∂M z is a Newton–Euler derivative at rest. D is constant but for polynomial dampers and, under `implicit` (and for free
//! bodies that stand alone under `implicitfast`), the derivative ∂c/∂v of the bias: c is quadratic in v, so that with any
//! w = s a*
//!   (∂c/∂v) a* = (c(v + w) − c(v − w)) / 2s,   ∂/∂v ((∂c/∂v) a*) = (∂c/∂v at v = a*).                               (2)

use super::chain::Chain;
use super::factor::Factor;
use super::sweep::{Matrices, Sweep};
use super::terms::Terms;
use super::{Inexact, Report};
use crate::actuation::calc_slope;
use crate::data::Data;
use crate::dynamics::derivatives::{Damping, calc_dof_damping, has_dof_damping};
use crate::dynamics::passive::{Poly, actuator_damper_of_joint, tendon_damper};
use crate::integrate::stands_alone;
use crate::model::Model;
use crate::model::kinds::{GainKind, JointKind, TransmissionKind};
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
        if model.options.integrator != Integrator::Euler {
            report_changing_damping(model, data, report);
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

/// What makes D change in ways that (1) leaves out.
fn report_changing_damping(model: &Model, data: &Data, report: &mut Report) {
    let options = &model.options;
    if options.density != 0.0 || options.viscosity != 0.0 {
        report.add(Inexact::Model("the implicit damping of the medium counts as constant"));
    }
    for t in (0..model.ntendon()).filter(|_| !options.disable.has(Disable::DAMPER)) {
        let damper = tendon_damper(model, t);
        if !damper.is_zero() && (model.tendons.spatial[t] || damper.higher != [0.0; 2]) {
            report.add(Inexact::Tendon(t));
        }
    }
    for a in 0..model.nactuator() {
        if calc_slope(model, data, a).velocity == 0.0 {
            continue;
        }
        let actuators = &model.actuators;
        let gain = match actuators.gain[a] {
            GainKind::Muscle => true,
            GainKind::Affine => actuators.gain_prm[a][2] != 0.0,
            _ => false,
        };
        let target = actuators.target[a][0].map_or(0, |t| t as usize);
        let moment = match actuators.transmission[a] {
            TransmissionKind::Joint => false,
            TransmissionKind::JointInParent => {
                matches!(model.joints.kind[target], JointKind::Ball | JointKind::Free)
            }
            TransmissionKind::Tendon => model.tendons.spatial[target],
            _ => true,
        };
        if gain || moment {
            report.add(Inexact::Actuator(a));
        }
    }
}
