//! Passive forces: springs and dampers of joints and tendons, gravity compensation, fluid forces,
//! adhesion of contacts.
//!
//! Springs: f(x) = −(a x + b x² + c x³); for ball joints along the rotation vector, with x its
//! length. Dampers: f(v) = −(a v + b v|v| + c v³), per dof.

use super::fluid::update_fluid;
use crate::data::Data;
use crate::kinematics::jacobian::apply_wrench;
use crate::model::Model;
use crate::model::kinds::{JointKind, TransmissionKind};
use crate::options::Disable;
use saltus_math::{MIN_VAL, Quat, Vec3};

/// A polynomial spring or damper: linear, quadratic and cubic coefficient.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Poly {
    pub linear: f64,
    pub higher: [f64; 2],
}

impl Poly {
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.linear == 0.0 && self.higher == [0.0; 2]
    }
    /// a x + b x² + c x³.
    #[inline]
    pub fn spring(&self, x: f64) -> f64 {
        x * (self.linear + x * (self.higher[0] + x * self.higher[1]))
    }
    /// Its integral: potential energy.
    #[inline]
    pub fn energy(&self, x: f64) -> f64 {
        x * x * (self.linear / 2.0 + x * (self.higher[0] / 3.0 + x * self.higher[1] / 4.0))
    }
    /// Sum of this polynomial and `scale` times another.
    #[inline]
    pub fn plus(&self, scale: f64, linear: f64, higher: [f64; 2]) -> Poly {
        let higher = [self.higher[0] + scale * higher[0], self.higher[1] + scale * higher[1]];
        Poly { linear: self.linear + scale * linear, higher }
    }
    /// a v + b v|v| + c v³.
    #[inline]
    pub fn damper(&self, v: f64) -> f64 {
        v * (self.linear + v.abs() * (self.higher[0] + v.abs() * self.higher[1]))
    }
    /// Derivative of [`damper`](Self::damper): a + 2 b |v| + 3 c v².
    #[inline]
    pub fn damper_slope(&self, v: f64) -> f64 {
        self.linear + v.abs() * (2.0 * self.higher[0] + 3.0 * v.abs() * self.higher[1])
    }
    /// Second derivative of [`damper`](Self::damper): 2 b sgn v + 6 c v.
    #[inline]
    pub fn damper_curvature(&self, v: f64) -> f64 {
        2.0 * self.higher[0] * if v == 0.0 { 0.0 } else { v.signum() } + 6.0 * self.higher[1] * v
    }
    /// Derivative of [`spring`](Self::spring): a + 2 b x + 3 c x².
    #[inline]
    pub fn spring_slope(&self, x: f64) -> f64 {
        self.linear + x * (2.0 * self.higher[0] + 3.0 * x * self.higher[1])
    }
    /// Second derivative of [`spring`](Self::spring): 2 b + 6 c x.
    #[inline]
    pub fn spring_curvature(&self, x: f64) -> f64 {
        2.0 * self.higher[0] + 6.0 * x * self.higher[1]
    }
    /// Spring force for a vector displacement: along the displacement, as a function of its length.
    #[inline]
    fn spring_vector(&self, x: Vec3) -> Vec3 {
        let n = x.length();
        x * (self.linear + n * (self.higher[0] + n * self.higher[1]))
    }
}

/// Fills the passive forces of `data.velocity`. Needs the preceding parts of the velocity stage.
pub fn update_passive(model: &Model, data: &mut Data) {
    let velocity = &mut data.velocity;
    for force in [
        &mut velocity.spring,
        &mut velocity.damper,
        &mut velocity.gravcomp,
        &mut velocity.fluid,
        &mut velocity.adhesion,
        &mut velocity.passive,
    ] {
        force.fill(0.0);
    }
    let disable = model.options.disable;
    // As in MJCF, there are no passive forces at all if both springs and dampers are disabled.
    if disable.has(Disable::SPRING) && disable.has(Disable::DAMPER) {
        return;
    }
    if !disable.has(Disable::SPRING) {
        add_joint_springs(model, data);
    }
    if !disable.has(Disable::DAMPER) {
        add_dof_dampers(model, data);
    }
    add_tendon_forces(model, data);
    let gravcomp = update_gravcomp(model, data);
    update_fluid(model, data);
    let adhesive = update_adhesion(model, data);

    let velocity = &mut data.velocity;
    for i in 0..model.size.nv {
        velocity.passive[i] = velocity.spring[i] + velocity.damper[i] + velocity.fluid[i];
        // Gravity compensation through actuators is added with the actuator forces.
        if gravcomp && !model.joints.actuator_gravcomp[model.dofs.joint[i].idx()] {
            velocity.passive[i] += velocity.gravcomp[i];
        }
        if adhesive {
            velocity.passive[i] += velocity.adhesion[i];
        }
    }
}

pub(crate) fn joint_spring(model: &Model, j: usize) -> Poly {
    Poly { linear: model.joints.stiffness[j], higher: model.joints.stiffness_poly[j] }
}

/// Rotation from the spring's rest orientation to the present one, in child axes.
pub(crate) fn ball_displacement(model: &Model, q: &[f64], i: usize) -> Vec3 {
    let rest = Quat::from_slice(&model.q_spring[i..i + 4]);
    (rest.conj() * Quat::from_slice(&q[i..i + 4]).normalized()).log()
}

fn add_joint_springs(model: &Model, data: &mut Data) {
    let (q, spring) = (&data.state.q, &mut data.velocity.spring);
    for j in 0..model.njoint() {
        let poly = joint_spring(model, j);
        if poly.is_zero() {
            continue;
        }
        let (mut i, mut d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
        match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => spring[d] -= poly.spring(q[i] - model.q_spring[i]),
            kind => {
                if kind == JointKind::Free {
                    let x = Vec3::from_slice(&q[i..]) - Vec3::from_slice(&model.q_spring[i..]);
                    add(&mut spring[d..], -poly.spring_vector(x));
                    (i, d) = (i + 3, d + 3);
                }
                add(&mut spring[d..], -poly.spring_vector(ball_displacement(model, q, i)));
            }
        }
    }
}

/// Stiffness of joint springs per dof (nv entries). For ball and free joints the slope along the
/// displacement is used in all directions.
pub fn calc_dof_stiffness(model: &Model, q: &[f64], stiffness: &mut [f64]) {
    stiffness.fill(0.0);
    for j in 0..model.njoint() {
        let poly = joint_spring(model, j);
        if poly.is_zero() {
            continue;
        }
        let (mut i, mut d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
        match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => stiffness[d] = poly.spring_slope(q[i] - model.q_spring[i]),
            kind => {
                if kind == JointKind::Free {
                    let x = Vec3::from_slice(&q[i..]) - Vec3::from_slice(&model.q_spring[i..]);
                    stiffness[d..d + 3].fill(poly.spring_slope(x.length()));
                    (i, d) = (i + 3, d + 3);
                }
                stiffness[d..d + 3].fill(poly.spring_slope(ball_displacement(model, q, i).length()));
            }
        }
    }
}

fn add(target: &mut [f64], v: Vec3) {
    target[0] += v.x;
    target[1] += v.y;
    target[2] += v.z;
}

fn add_dof_dampers(model: &Model, data: &mut Data) {
    let (v, damper) = (&data.state.v, &mut data.velocity.damper);
    for i in 0..model.size.nv {
        let poly = Poly { linear: model.dofs.damping[i], higher: model.dofs.damping_poly[i] };
        damper[i] -= poly.damper(v[i]);
    }
    add_actuator_dampers(model, data);
}

/// Adds the damping that actuators apply to all dofs of their joints, reflected through the first
/// gear.
fn add_actuator_dampers(model: &Model, data: &mut Data) {
    for a in 0..model.nactuator() {
        if let Some((dofs, poly)) = actuator_damper_of_joint(model, a) {
            for i in dofs {
                data.velocity.damper[i] -= poly.damper(data.state.v[i]);
            }
        }
    }
}

/// Dofs of the joint that actuator `a` drives and the damping that it adds to each of them; `None`
/// if it adds no damping.
pub(crate) fn actuator_damper_of_joint(model: &Model, a: usize) -> Option<(core::ops::Range<usize>, Poly)> {
    let actuators = &model.actuators;
    if !matches!(actuators.transmission[a], TransmissionKind::Joint | TransmissionKind::JointInParent) {
        return None;
    }
    let j = actuators.target[a][0]? as usize;
    let poly = Poly::default().plus(actuators.gear[a][0].powi(2), actuators.damping[a], actuators.damping_poly[a]);
    let first = model.joints.dof_start[j] as usize;
    (!poly.is_zero()).then(|| (first..first + model.joints.kind[j].nv(), poly))
}

/// Damping of a tendon, including that of its actuators.
pub(crate) fn tendon_damper(model: &Model, t: usize) -> Poly {
    let mut poly = Poly { linear: model.tendons.damping[t], higher: model.tendons.damping_poly[t] };
    if model.tendons.actuator[t].is_some() {
        let actuators = &model.actuators;
        for a in actuators.on_tendon(t) {
            poly = poly.plus(actuators.gear[a][0].powi(2), actuators.damping[a], actuators.damping_poly[a]);
        }
    }
    poly
}

pub(crate) fn tendon_spring(model: &Model, t: usize) -> Poly {
    Poly { linear: model.tendons.stiffness[t], higher: model.tendons.stiffness_poly[t] }
}

/// Whether a tendon's length is outside its spring's dead band.
pub(crate) fn is_stretched(model: &Model, t: usize, length: f64) -> bool {
    let [lower, upper] = model.tendons.length_spring[t];
    lower == upper || length > upper || length < lower
}

/// Signed distance of a tendon's length from its spring's dead band.
pub(crate) fn tendon_stretch(model: &Model, t: usize, length: f64) -> f64 {
    let [lower, upper] = model.tendons.length_spring[t];
    if length > upper {
        length - upper
    } else if length < lower {
        length - lower
    } else {
        0.0
    }
}

/// Spring and damper force of a tendon, as enabled by the options.
pub(crate) fn tendon_passive(model: &Model, data: &Data, t: usize) -> (f64, f64) {
    let off = |flag| model.options.disable.has(flag);
    let spring = tendon_spring(model, t);
    let damper = tendon_damper(model, t);
    let stretch = tendon_stretch(model, t, data.position.tendon_length[t]);
    (
        if off(Disable::SPRING) { 0.0 } else { -spring.spring(stretch) },
        if off(Disable::DAMPER) { 0.0 } else { -damper.damper(data.velocity.tendon_velocity[t]) },
    )
}

fn add_tendon_forces(model: &Model, data: &mut Data) {
    for t in 0..model.ntendon() {
        let (f_spring, f_damper) = tendon_passive(model, data, t);
        if f_spring == 0.0 && f_damper == 0.0 {
            continue;
        }
        let span = model.tendons.jac[t].range();
        for (&i, &j) in model.tendons.jac_col[span.clone()].iter().zip(&data.position.tendon_jac[span]) {
            data.velocity.spring[i as usize] += j * f_spring;
            data.velocity.damper[i as usize] += j * f_damper;
        }
    }
}

/// Gravity-compensation forces on bodies. Returns whether there are any.
fn update_gravcomp(model: &Model, data: &mut Data) -> bool {
    if model.options.disable.has(Disable::GRAVITY) || model.options.gravity.length() < MIN_VAL {
        return false;
    }
    let mut any = false;
    let mut tau = core::mem::take(&mut data.velocity.gravcomp);
    for b in 1..model.nbody() {
        let factor = model.bodies.gravcomp[b];
        if factor != 0.0 {
            any = true;
            let force = -model.options.gravity * (model.bodies.mass[b] * factor);
            apply_wrench(model, data, b, data.position.p_WI[b], force, Vec3::ZERO, &mut tau);
        }
    }
    data.velocity.gravcomp = tau;
    any
}

/// Adhesive forces of contacts, which the contact constraints counteract. Returns whether there are
/// any.
fn update_adhesion(model: &Model, data: &mut Data) -> bool {
    let mut any = false;
    let mut tau = core::mem::take(&mut data.velocity.adhesion);
    for contact in data.contacts.iter().filter(|c| c.adhesion > 0.0 && c.first_row >= 0) {
        any = true;
        let pull = contact.frame.r0 * contact.adhesion;
        for (geom, force) in [(contact.geom1, pull), (contact.geom2, -pull)] {
            let b = model.geoms.body[geom.idx()].idx();
            apply_wrench(model, data, b, contact.pos, force, Vec3::ZERO, &mut tau);
        }
    }
    data.velocity.adhesion = tau;
    any
}
