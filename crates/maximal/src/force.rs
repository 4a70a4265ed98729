//! Forces that do not depend on the rows: gravity, gyroscopic moments, actuators, passive forces,
//! what the user applies.

use crate::joint::Frame;
use crate::links::Links;
use crate::rows::Softness;
use crate::six::Six;
use crate::state::Bodies;
use saltus_math::{Mat3, Vec3};
use saltus_sim::actuation::{update_actuation, update_actuator_velocity, update_transmission};
use saltus_sim::dynamics::derivatives::calc_dof_damping;
use saltus_sim::dynamics::{calc_dof_stiffness, update_passive};
use saltus_sim::kinematics::{update_body_velocity, update_com};
use saltus_sim::options::Disable;
use saltus_sim::tendon::{update_tendon_velocity, update_tendons};
use saltus_sim::{Data, Model, NoCallbacks};

/// Runs sim's stages up to actuator and passive forces on the poses that are in `data.position`.
pub fn update_stages(model: &Model, data: &mut Data) {
    update_com(model, data);
    update_tendons(model, data);
    update_transmission(model, data);
    update_tendon_velocity(model, data);
    update_actuator_velocity(model, data);
    update_body_velocity(model, data);
    update_passive(model, data);
    update_actuation(model, data, &mut NoCallbacks);
}

/// Forces and slopes of springs, dampers and rotors; with `implicit` false only rotors are
/// implicit.
pub fn update_softness(model: &Model, data: &Data, implicit: bool, softness: &mut Softness) {
    let disable = model.options.disable;
    for i in 0..model.size.nv {
        softness.force[i] = data.velocity.spring[i] + data.velocity.damper[i];
    }
    softness.damping.fill(0.0);
    softness.stiffness.fill(0.0);
    if implicit && !disable.has(Disable::DAMPER) {
        calc_dof_damping(model, data, &mut softness.damping);
    }
    if implicit && !disable.has(Disable::SPRING) {
        calc_dof_stiffness(model, &data.state.q, &mut softness.stiffness);
    }
    for slope in softness.damping.iter_mut().chain(&mut softness.stiffness) {
        *slope = slope.max(0.0);
    }
}

/// Wrenches on links about their centres of mass.
pub struct Wrenches<'a> {
    pub model: &'a Model,
    pub links: &'a Links,
    pub bodies: &'a Bodies,
    pub frames: &'a [Frame],
    pub inertia: &'a [Mat3],
    pub gyroscopic: bool,
}

impl Wrenches<'_> {
    /// E of (1).
    pub fn fill(&self, data: &Data, softness: &Softness, E: &mut [Six]) {
        let (model, links) = (self.model, self.links);
        let gravity = if model.options.disable.has(Disable::GRAVITY) { Vec3::ZERO } else { model.options.gravity };
        for link in 1..links.len() {
            let w = self.bodies.V[link].ang();
            let moment = if self.gyroscopic { -w.cross(self.inertia[link] * w) } else { Vec3::ZERO };
            E[link] = Six::new(moment, gravity * links.mass[link]);
        }
        for b in 1..model.nbody() {
            let ([force, torque], link) = (data.input.body_force[b], links.of_body[b]);
            if link != 0 && (force != Vec3::ZERO || torque != Vec3::ZERO) {
                let arm = data.position.p_WI[b] - self.bodies.x[link];
                E[link].add_scaled(1.0, &Six::new(torque + arm.cross(force), force));
            }
        }
        let h = model.options.timestep;
        for link in 1..links.len() {
            for (k, i) in links.dofs[link].clone().enumerate() {
                let spring_damper = data.velocity.spring[i] + data.velocity.damper[i];
                let mut tau = data.velocity.passive[i] - spring_damper
                    + data.input.tau_applied[i]
                    + data.acceleration.tau_actuator[i];
                if softness.weight(i, h) <= 0.0 {
                    tau += spring_damper;
                }
                if tau != 0.0 {
                    self.add_joint(link, k, tau, E);
                }
            }
        }
    }

    /// The wrench D τ on a link, and its opposite on the parent.
    fn add_joint(&self, link: usize, k: usize, tau: f64, E: &mut [Six]) {
        let (frame, D) = (&self.frames[link], self.frames[link].D[k]);
        for (l, tau) in [(link, tau), (self.links.parent[link], -tau)] {
            if l != 0 {
                let moment = D.ang + (frame.origin - self.bodies.x[l]).cross(D.lin);
                E[l].add_scaled(tau, &Six::new(moment, D.lin));
            }
        }
    }
}
