//! Results that users read from [`Data`]: energy, accelerations, forces, the solver's report,
//! sensors, activations.

use crate::inertia::Inertias;
use crate::links::Links;
use crate::rows::{Kind, Rows, VELOCITY};
use crate::state::{Bodies, world_inertia};
use crate::sweeps::Outcome;
use saltus_math::{Quat, Vec3};
use saltus_sim::actuation::calc_next_activation;
use saltus_sim::data::{RowKind, RowState, SolverStatus};
use saltus_sim::dynamics::update_potential_energy;
use saltus_sim::ids::ActuatorId;
use saltus_sim::model::kinds::{EqualityType, JointKind};
use saltus_sim::options::{Disable, Enable};
use saltus_sim::sensor::update_sensors;
use saltus_sim::{Data, Model, NoCallbacks, Stage};

/// Energy of the state at the beginning of the step.
pub fn update_energy(model: &Model, data: &mut Data, links: &Links, bodies: &Bodies, inertias: &Inertias) {
    if model.options.enable.has(Enable::ENERGY) {
        update_potential_energy(model, data);
        data.energy[1] = kinetic_energy(model, data, links, bodies, inertias);
    }
}

/// All sensors, of the state at the beginning of the step and the forces in it. Forces between
/// bodies come from Newton–Euler in generalized coordinates, to which equalities and attachments
/// are forces from outside: `kept` remembers those of the user meanwhile.
pub fn update_all_sensors(
    model: &Model,
    data: &mut Data,
    links: &Links,
    bodies: &Bodies,
    rows: &Rows,
    kept: &mut Vec<[Vec3; 2]>,
) {
    if model.nsensor() == 0 {
        return;
    }
    kept.clear();
    kept.extend_from_slice(&data.input.body_force);
    for row in rows.end_soft..rows.end_bilateral {
        if !is_from_outside(model, rows.rows[row].kind) {
            continue;
        }
        let f = rows.rows[row].force[VELOCITY] / model.options.timestep;
        for block in rows.blocks(row) {
            let link = block.link as usize;
            let (b, force) = (links.main[link], block.value.lin() * f);
            let arm = bodies.x[link] - data.position.p_WI[b];
            data.input.body_force[b][0] += force;
            data.input.body_force[b][1] += block.value.ang() * f + arm.cross(force);
        }
    }
    for stage in [Stage::Position, Stage::Velocity, Stage::Acceleration] {
        update_sensors(model, data, stage, &mut NoCallbacks);
    }
    data.input.body_force.copy_from_slice(kept);
}

/// Whether a row acts on bodies, not through the joints between them.
fn is_from_outside(model: &Model, kind: Kind) -> bool {
    match kind {
        Kind::Equality { id } => model.equalities.kind[id as usize] != EqualityType::Joint,
        Kind::Attachment { .. } => true,
        _ => false,
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

/// Limits and contacts as rows of generalized coordinates have them, elliptic, and the report, in
/// `data.constraints`.
pub fn write_results(model: &Model, data: &mut Data, bodies: &Bodies, rows: &Rows, outcome: &Outcome) {
    let h = model.options.timestep;
    let out = &mut data.constraints;
    out.clear();
    for (i, row) in rows.rows.iter().enumerate() {
        let Kind::Limit { joint, upper } = row.kind else { continue };
        out.kind.push(RowKind::LimitJoint);
        out.id.push(joint);
        out.state.push(if row.force[VELOCITY] > 0.0 { RowState::Quadratic } else { RowState::Satisfied });
        out.pos.push(limit_distance(model, &data.state.q, joint as usize, upper));
        out.margin.push(0.0);
        out.vel.push(rows.velocity(i, &bodies.V));
        out.force.push(row.force[VELOCITY] / h);
    }
    out.n_limit = out.kind.len();
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

/// Distance of a joint to one end of its range.
fn limit_distance(model: &Model, q: &[f64], joint: usize, upper: bool) -> f64 {
    let (i, [low, high]) = (model.joints.q_start[joint] as usize, model.joints.range[joint]);
    match model.joints.kind[joint] {
        JointKind::Ball => low.max(high) - Quat::from_slice(&q[i..i + 4]).normalized().log().length(),
        _ if upper => high - q[i],
        _ => q[i] - low,
    }
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
