//! Implicit terms of the effective inertia, M̂ − M = h D + h² K, multiplied by a vector x, and
//! their derivatives with respect to q, v, activations and controls.
//!
//! D and K are sums over dofs, tendons and actuators: a length with row r = ∂l/∂q, damping b and
//! stiffness k contributes the force
//!   f = −(h b + h² k) r x − s h k r v   along r,                                             (1)
//! s = 1 if the step also accounts for the change of length during the step.

use super::activation::{Input, for_each_drive_slope};
use super::chain::{At, Chain};
use super::outer::{Row, Stiffness, add_outer};
use super::passive::add_block;
use super::response::Answers;
use super::so3;
use super::sweep::Matrices;
use super::tendon::{Tendons, for_each_jacobian_change};
use super::{Inexact, Report};
use crate::actuation::{calc_slope, calc_slope_changes};
use crate::data::Data;
use crate::dynamics::derivatives::calc_dof_damping;
use crate::dynamics::passive::{Poly, actuator_damper_of_joint, ball_displacement, joint_spring};
use crate::dynamics::passive::{is_stretched, tendon_damper, tendon_spring, tendon_stretch};
use crate::model::Model;
use crate::model::kinds::{JointKind, TransmissionKind};
use crate::options::{self, Disable};
use saltus_math::{MIN_VAL, Mat3, Vec3};

/// Implicit terms contained in M̂.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Dampers of dofs.
    Euler,
    /// All damping within the sparsity of M.
    Damped,
    /// Positive parts of damping and stiffness; (1) with s.
    Discrete { s: bool },
}

/// ∂((M̂ − M) x) and working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Implicit {
    /// With respect to q and v, nv × nv.
    pub out: Matrices,
    /// With respect to activations and controls, nv × (na + nu); empty if zero.
    pub by_input: Vec<f64>,
    pub tendons: Tendons,
    chain: Chain,
    damping: Vec<f64>,
}

/// A quantity and its derivatives with respect to length, velocity and drive.
type Slopes = [f64; 4];

/// (1) and −∂f with respect to length, r v, r x, and the drive.
struct Answer {
    force: f64,
    stiffness: Stiffness,
    drive: f64,
}

impl Scheme {
    /// The scheme of steps whose acceleration differs from that of the dynamics; None if they are
    /// equal.
    pub fn of_step(model: &Model) -> Option<Self> {
        match model.options.implicit() {
            options::Implicit::Dampers => Some(Scheme::Euler),
            options::Implicit::Damping { .. } => Some(Scheme::Damped),
            options::Implicit::Nothing | options::Implicit::Discrete { .. } => None,
        }
    }

    /// Whether tendons and actuators are implicit.
    pub fn has_lengths(self, model: &Model) -> bool {
        match self {
            Scheme::Euler => false,
            Scheme::Damped => true,
            Scheme::Discrete { .. } => model.options.implicit() == options::Implicit::Discrete { lengths: true },
        }
    }

    fn answer(self, h: f64, b: Slopes, k: Slopes, rx: f64, rv: f64) -> Answer {
        let positive = |x: Slopes| if x[0] > 0.0 { x } else { [0.0; 4] };
        let (b, k, s) = match self {
            Scheme::Euler | Scheme::Damped => (b, [0.0; 4], 0.0),
            Scheme::Discrete { s } => (positive(b), positive(k), if s { h } else { 0.0 }),
        };
        let weight = |i: usize| (h * b[i] + h * h * k[i]) * rx + s * k[i] * rv;
        Answer {
            force: -weight(0),
            stiffness: Stiffness {
                length: weight(1),
                velocity: weight(2) + s * k[0],
                acceleration: h * b[0] + h * h * k[0],
            },
            drive: weight(3),
        }
    }
}

impl Implicit {
    /// Fills all derivatives except those with respect to x itself.
    pub fn update(&mut self, model: &Model, data: &Data, x: &[f64], scheme: Scheme, report: &mut Report) {
        self.out.clear(model.size.nv);
        self.by_input.clear();
        self.add_dampers(model, data, x, scheme);
        if scheme == Scheme::Euler {
            return;
        }
        if model.options.density != 0.0 || model.options.viscosity != 0.0 {
            report.add(Inexact::Model("the implicit damping of fluid drag is treated as constant"));
        }
        let discrete = matches!(scheme, Scheme::Discrete { .. });
        if discrete {
            self.add_springs(model, data, x, scheme);
        }
        if !scheme.has_lengths(model) {
            return;
        }
        self.add_actuators(model, data, x, scheme, report);
        self.add_tendons(model, data, x, scheme, report);
    }

    /// Derivatives of the diagonal: row c has ∂(M̂ − M)_cc under discrete steps.
    pub fn update_diagonal(&mut self, at: At<'_>) {
        let At { model, data, .. } = at;
        let (nv, scheme) = (model.size.nv, Scheme::Discrete { s: false });
        self.out.clear(nv);
        self.by_input.clear();
        // Terms that are diagonal themselves.
        let ones = vec![1.0; nv];
        self.add_dampers(model, data, &ones, scheme);
        self.add_springs(model, data, &ones, scheme);
        if !scheme.has_lengths(model) {
            return;
        }
        for a in 0..model.nactuator() {
            let span = model.actuators.moment[a].range();
            let m = Row::new(&model.actuators.moment_col[span.clone()], &data.position.actuator_moment[span]);
            let answer = actuator(model, data, a, scheme, 1.0);
            self.add_drive(model, data, a, answer.drive, m, |m| m * m);
            if model.actuators.transmission[a] != TransmissionKind::Tendon {
                self.add_square(nv, m, &answer.stiffness);
            }
        }
        for t in 0..model.ntendon() {
            let span = model.tendons.jac[t].range();
            let J = Row::new(&model.tendons.jac_col[span.clone()], &data.position.tendon_jac[span]);
            let mut stiffness = tendon(model, data, t, scheme, 1.0).stiffness;
            for a in model.actuators.on_tendon(t) {
                let g = model.actuators.gear[a][0];
                stiffness.add(g * g, actuator(model, data, a, scheme, g).stiffness);
            }
            self.add_square(nv, J, &stiffness);
            if model.tendons.spatial[t] && (stiffness.acceleration != 0.0 || stiffness.velocity != 0.0) {
                self.add_turning_square(at, t, J, &stiffness);
            }
        }
    }

    /// Derivative of w r_c² for a spatial tendon due to the change of its row: 2 w r_c ∂r_c, and
    /// accordingly of the rate r v.
    fn add_turning_square(&mut self, at: At<'_>, t: usize, r: Row<'_>, w: &Stiffness) {
        let (nv, v) = (at.model.size.nv, &at.data.state.v);
        let (mut row, mut rate) = (vec![0.0; nv], vec![0.0; nv]);
        r.cols.iter().zip(r.values).for_each(|(&c, r)| row[c as usize] = *r);
        for_each_jacobian_change(at, t, |j, k, change| {
            self.out.q[j * nv + k] += 2.0 * w.acceleration * row[j] * change;
            rate[k] += v[j] * change;
        });
        for (line, r) in self.out.q.chunks_exact_mut(nv).zip(&row).filter(|(_, r)| **r != 0.0) {
            line.iter_mut().zip(&rate).for_each(|(x, rate)| *x += w.velocity * r * r * rate);
        }
    }

    /// Derivative of w r_c² with respect to the length and its rate, at constant r.
    fn add_square(&mut self, nv: usize, r: Row<'_>, w: &Stiffness) {
        for (matrix, slope) in [(&mut self.out.q, w.length), (&mut self.out.v, w.velocity)] {
            let squares: Vec<f64> = r.values.iter().map(|r| r * r).collect();
            add_outer(matrix, nv, slope, Row::new(r.cols, &squares), r);
        }
    }

    /// Derivative with respect to the drive of an actuator, times `of` the entries of its moment.
    fn add_drive(&mut self, model: &Model, data: &Data, a: usize, slope: f64, m: Row<'_>, of: impl Fn(f64) -> f64) {
        if slope == 0.0 {
            return;
        }
        let width = model.size.na + model.size.nu;
        self.by_input.resize(model.size.nv * width, 0.0);
        for_each_drive_slope(model, data, a, |input, by_input| {
            let column = match input {
                Input::Act(i) => i,
                Input::Ctrl(i) => model.size.na + i,
                Input::Length => return,
            };
            for (&c, m) in m.cols.iter().zip(m.values) {
                self.by_input[c as usize * width + column] += slope * by_input * of(*m);
            }
        });
    }

    fn add_dampers(&mut self, model: &Model, data: &Data, x: &[f64], scheme: Scheme) {
        if model.options.disable.has(Disable::DAMPER) {
            return;
        }
        let (nv, h, v) = (model.size.nv, model.options.timestep, &data.state.v);
        self.damping.resize(nv, 0.0);
        calc_dof_damping(model, data, &mut self.damping);
        let damping = &self.damping;
        let mut put = |i: usize, poly: &Poly| {
            let b = [damping[i], 0.0, poly.damper_curvature(v[i]), 0.0];
            self.out.v[i * nv + i] += scheme.answer(h, b, [0.0; 4], x[i], v[i]).stiffness.velocity;
        };
        for i in 0..nv {
            put(i, &Poly { linear: model.dofs.damping[i], higher: model.dofs.damping_poly[i] });
        }
        for (dofs, poly) in (0..model.nactuator()).filter_map(|a| actuator_damper_of_joint(model, a)) {
            dofs.for_each(|i| put(i, &poly));
        }
    }

    /// Springs of joints; ball and free joints have one stiffness for three dofs.
    fn add_springs(&mut self, model: &Model, data: &Data, x: &[f64], scheme: Scheme) {
        if model.options.disable.has(Disable::SPRING) {
            return;
        }
        let (nv, h, q, v) = (model.size.nv, model.options.timestep, &data.state.q, &data.state.v);
        for j in 0..model.njoint() {
            let poly = joint_spring(model, j);
            if poly.is_zero() {
                continue;
            }
            let answer = |k: Slopes, d: usize| scheme.answer(h, [0.0; 4], k, x[d], v[d]).stiffness;
            let (mut i, mut d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
            let mut add_vector = |d: usize, stretch: Vec3, by_turn: Option<Mat3>| {
                let n = stretch.length();
                let k = [poly.spring_slope(n), poly.spring_curvature(n), 0.0, 0.0];
                let along = if n > MIN_VAL { stretch * (1.0 / n) } else { Vec3::ZERO };
                let along = by_turn.map_or(along, |m| m.tmul(along));
                let s: [Stiffness; 3] = core::array::from_fn(|r| answer(k, d + r));
                let length = |r: usize| along * s[r].length;
                add_block(&mut self.out.q, nv, d, &Mat3::new(length(0), length(1), length(2)));
                (0..3).for_each(|r| self.out.v[(d + r) * (nv + 1)] += s[r].velocity);
            };
            match model.joints.kind[j] {
                JointKind::Slide | JointKind::Hinge => {
                    let stretch = q[i] - model.q_spring[i];
                    let s = answer([poly.spring_slope(stretch), poly.spring_curvature(stretch), 0.0, 0.0], d);
                    self.out.q[d * nv + d] += s.length;
                    self.out.v[d * nv + d] += s.velocity;
                }
                kind => {
                    if kind == JointKind::Free {
                        add_vector(d, Vec3::from_slice(&q[i..]) - Vec3::from_slice(&model.q_spring[i..]), None);
                        (i, d) = (i + 3, d + 3);
                    }
                    let stretch = ball_displacement(model, q, i);
                    add_vector(d, stretch, Some(so3::right_jacobian_inverse(stretch)));
                }
            }
        }
    }

    /// Actuators that do not act on tendons, and the derivatives with respect to their drives.
    fn add_actuators(&mut self, model: &Model, data: &Data, x: &[f64], scheme: Scheme, report: &mut Report) {
        let nv = model.size.nv;
        for a in 0..model.nactuator() {
            let span = model.actuators.moment[a].range();
            let m = Row::new(&model.actuators.moment_col[span.clone()], &data.position.actuator_moment[span]);
            let answer = actuator(model, data, a, scheme, m.dot(x));
            let stiffness = answer.stiffness;
            if stiffness.is_zero() && answer.drive == 0.0 {
                continue;
            }
            self.add_drive(model, data, a, answer.drive, m, |m| m);
            let target = model.actuators.target[a][0].map(|t| t as usize);
            match model.actuators.transmission[a] {
                // These are handled with their tendons.
                TransmissionKind::Tendon => continue,
                TransmissionKind::Joint if target.is_some_and(|j| model.joints.kind[j].nv() == 1) => {
                    add_outer(&mut self.out.q, nv, stiffness.length, m, m);
                }
                TransmissionKind::JointInParent if target.is_some_and(|j| model.joints.kind[j].nv() == 1) => {
                    add_outer(&mut self.out.q, nv, stiffness.length, m, m);
                }
                // The length of a ball joint has another row, but the moment is constant.
                TransmissionKind::Joint if stiffness.length == 0.0 => {}
                _ => report.add(Inexact::Actuator(a)),
            }
            add_outer(&mut self.out.v, nv, stiffness.velocity, m, m);
        }
    }

    /// Tendons and the actuators acting on them.
    fn add_tendons(&mut self, model: &Model, data: &Data, x: &[f64], scheme: Scheme, report: &mut Report) {
        self.tendons.clear(model);
        self.tendons.light = true;
        let mut any = false;
        for t in 0..model.ntendon() {
            let span = model.tendons.jac[t].range();
            let J = Row::new(&model.tendons.jac_col[span.clone()], &data.position.tendon_jac[span]);
            let own = tendon(model, data, t, scheme, J.dot(x));
            let (mut force, mut stiffness) = (own.force, own.stiffness);
            for a in model.actuators.on_tendon(t) {
                let g = model.actuators.gear[a][0];
                let answer = actuator(model, data, a, scheme, g * J.dot(x));
                force += g * answer.force;
                stiffness.add(g * g, answer.stiffness);
            }
            let constant = stiffness.length == 0.0 && stiffness.velocity == 0.0;
            if constant && (!model.tendons.spatial[t] || stiffness.acceleration == 0.0) {
                continue;
            }
            if scheme == Scheme::Damped && !is_inside(model, J.cols) {
                report.add(Inexact::Tendon(t));
                continue;
            }
            any = true;
            self.tendons.add(t, force, stiffness);
        }
        if !any {
            return;
        }
        self.chain.update(model, &data.position.S, &data.state.v, x, false);
        let at = At { model, data, chain: &self.chain };
        self.tendons.finish(at, &Answers::new(model, data, &[]), x, &mut self.out, report);
    }
}

/// (1) of a tendon.
fn tendon(model: &Model, data: &Data, t: usize, scheme: Scheme, rx: f64) -> Answer {
    let off = model.options.disable;
    let (length, rate) = (data.position.tendon_length[t], data.velocity.tendon_velocity[t]);
    let (mut b, mut k) = ([0.0; 4], [0.0; 4]);
    if !off.has(Disable::DAMPER) {
        let damper = tendon_damper(model, t);
        b = [damper.damper_slope(rate), 0.0, damper.damper_curvature(rate), 0.0];
    }
    if !off.has(Disable::SPRING) && is_stretched(model, t, length) {
        let (spring, stretch) = (tendon_spring(model, t), tendon_stretch(model, t, length));
        k = [spring.spring_slope(stretch), spring.spring_curvature(stretch), 0.0, 0.0];
    }
    scheme.answer(model.options.timestep, b, k, rx, rate)
}

/// (1) of an actuator, with l its own length.
fn actuator(model: &Model, data: &Data, a: usize, scheme: Scheme, rx: f64) -> Answer {
    let (slope, changes) = (calc_slope(model, data, a), calc_slope_changes(model, data, a));
    let negative = |x: f64, d: [f64; 3]| [-x, -d[0], -d[1], -d[2]];
    let (b, k) = (negative(slope.velocity, changes.velocity), negative(slope.length, changes.length));
    scheme.answer(model.options.timestep, b, k, rx, data.velocity.actuator_velocity[a])
}

/// Whether all columns of a row lie on one path to the root, so that D contains its complete outer
/// product.
pub(super) fn is_inside(model: &Model, cols: &[u32]) -> bool {
    let pattern = &model.mass_pattern;
    cols.last().is_none_or(|&last| {
        let row = &pattern.col[pattern.range(last as usize)];
        cols.iter().all(|c| row.binary_search(c).is_ok())
    })
}
