//! Results that users read from [`Data`]: sensors, energy, contact forces, the solver's report, activations.

use crate::inertia::Inertias;
use crate::links::Links;
use crate::rows::{Kind, Rows, VELOCITY};
use crate::state::{Bodies, world_inertia};
use crate::sweeps::Outcome;
use saltus_sim::actuation::calc_next_activation;
use saltus_sim::data::{RowKind, RowState, SolverStatus};
use saltus_sim::dynamics::update_potential_energy;
use saltus_sim::ids::ActuatorId;
use saltus_sim::options::{Disable, Enable};
use saltus_sim::sensor::update_sensors;
use saltus_sim::{Data, Model, NoCallbacks, Stage};

/// Sensors of positions and velocities, and energy, of the state at the beginning of the step. Sensors of accelerations and forces are not
/// known here: they are NaN.
pub fn update_early_results(model: &Model, data: &mut Data, links: &Links, bodies: &Bodies, inertias: &Inertias) {
    update_sensors(model, data, Stage::Position, &mut NoCallbacks);
    update_sensors(model, data, Stage::Velocity, &mut NoCallbacks);
    for s in (0..model.nsensor()).filter(|&s| model.sensors.stage[s] == Stage::Acceleration) {
        let first = model.sensors.start[s] as usize;
        data.sensor[first..first + model.sensors.dim[s] as usize].fill(f64::NAN);
    }
    if model.options.enable.has(Enable::ENERGY) {
        update_potential_energy(model, data);
        data.energy[1] = kinetic_energy(model, data, links, bodies, inertias);
    }
}

/// ½ Σ V·M V over links, and that of rotors.
fn kinetic_energy(model: &Model, data: &Data, links: &Links, bodies: &Bodies, inertias: &Inertias) -> f64 {
    let of_link = |link: usize| {
        let (w, v) = (bodies.angular(link), bodies.linear(link));
        let I = world_inertia(&links.inertia[link], bodies.quat[link]);
        0.5 * (w.dot(I * w) + inertias.mass[link] * v.length_squared())
    };
    let rotors = model.dofs.armature.iter().zip(&data.state.v).map(|(a, v)| 0.5 * a * v * v);
    (1..links.len()).map(of_link).sum::<f64>() + rotors.sum::<f64>()
}

/// Contact forces as rows of elliptic contacts, and the report, in `data.constraints`.
pub fn write_results(model: &Model, data: &mut Data, rows: &Rows, outcome: &Outcome) {
    let h = model.options.timestep;
    let out = &mut data.constraints;
    out.clear();
    data.contacts.iter_mut().for_each(|c| c.first_row = -1);
    for row in &rows.rows {
        let Kind::Normal { contact } = row.kind else { continue };
        let contact = &mut data.contacts[contact as usize];
        contact.first_row = out.kind.len() as i32;
        let kind = if contact.dim == 1 { RowKind::ContactFrictionless } else { RowKind::ContactElliptic };
        for _ in 0..contact.dim {
            out.kind.push(kind);
            out.state.push(RowState::Quadratic);
            out.force.push(0.0);
        }
    }
    for row in &rows.rows {
        let (contact, k) = match row.kind {
            Kind::Normal { contact } => (contact, 0),
            Kind::Friction { contact, direction } => (contact, usize::from(direction) + 1),
            _ => continue,
        };
        out.force[data.contacts[contact as usize].first_row as usize + k] = row.force[VELOCITY] / h;
    }
    out.report.status = match (rows.len(), outcome.converged) {
        (0, _) => SolverStatus::Unconstrained,
        (_, true) => SolverStatus::Converged,
        (_, false) => SolverStatus::IterationLimit,
    };
    out.report.iterations = outcome.sweeps;
    out.report.total_iterations = outcome.sweeps;
    out.report.improvement = outcome.change;
}

/// Activations of the end of the step.
pub fn advance_activations(model: &Model, data: &mut Data) {
    if model.options.disable.has(Disable::ACTUATION) {
        return;
    }
    for a in 0..model.nactuator() {
        for i in model.actuators.act[a].range() {
            data.state.act[i] = calc_next_activation(model, data, ActuatorId::new(a), i);
        }
    }
}
