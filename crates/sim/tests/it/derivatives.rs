//! Analytic derivatives of inverse dynamics and of steps, against extrapolated differences.
#![allow(non_snake_case)]

mod contacts;
mod forces;
mod laws;
mod parameters;
mod scenes;
mod steps;

use saltus_math::Random;
use saltus_sim::data::RowState;
use saltus_sim::derivative::{self, Inverse, Report, Workspace};
use saltus_sim::finite_difference::Transition;
use saltus_sim::inverse;
use saltus_sim::kinematics::coordinates;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model};

/// Kinds of rows, their states, and the pieces of the impedance of contacts: what must not change
/// over a stencil.
fn active_set(model: &Model, data: &Data) -> Vec<(i32, u32, i32, u32)> {
    let rows = &data.constraints;
    let piece = |i: usize| {
        match model.options.laws.law {
            Law::Soft => {}
            // References depend on signs of errors and rates, and on the speed of sliding.
            Law::Impulse if rows.state[i] != RowState::Satisfied => {
                return u32::from(rows.pos[i] > rows.margin[i]) + 2 * u32::from(rows.vel[i] > 0.0);
            }
            // Dissipation has pieces.
            Law::Compliant => {
                let s = rows.vel[i] / model.options.laws.compliant.dissipation;
                return u32::from(s > 0.0) + u32::from(s > 2.0);
            }
            _ => return 0,
        }
        if (rows.kind[i] as i32) < 5 {
            return 0;
        }
        let solimp = data.contacts[rows.id[i] as usize].solimp;
        let x = (rows.pos[i] - rows.margin[i]).abs() / solimp[2];
        u32::from(x > solimp[3]) + u32::from(x > 1.0)
    };
    (0..rows.len()).map(|i| (rows.kind[i] as i32, rows.id[i], rows.state[i] as i32, piece(i))).collect()
}

/// Derivative at 0 of a function of one number by central differences, extrapolated to order eight.
/// None if the active set changes.
fn difference(step: f64, mut f: impl FnMut(f64) -> Option<Vec<f64>>) -> Option<Vec<f64>> {
    // The last row of Neville's table: orders 2, 4, …
    let mut table: Vec<Vec<f64>> = vec![];
    for level in 0..4 {
        let h = step / f64::from(1 << level);
        let (above, below) = (f(h)?, f(-h)?);
        let mut row = vec![above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * h)).collect::<Vec<f64>>()];
        let mut factor = 4.0;
        for coarse in &table {
            let fine = &row[row.len() - 1];
            let next = fine.iter().zip(coarse).map(|(f, c)| f + (f - c) / (factor - 1.0)).collect();
            row.push(next);
            factor *= 4.0;
        }
        table = row;
    }
    table.pop()
}

/// Inverse dynamics and actuation.
fn run(model: &Model, data: &mut Data) {
    inverse(model, data).unwrap();
    saltus_sim::actuation::update_actuation(model, data, &mut saltus_sim::NoCallbacks);
}

/// Largest relative error (Frobenius) of ∂τ/∂q, ∂τ/∂v, ∂τ/∂a against differences of inverse
/// dynamics at the present state; None if the active set is not constant nearby.
fn inverse_error(model: &Model, data: &Data, actuation: bool, report: &mut Report) -> Option<[f64; 3]> {
    inverse_error_with(model, data, actuation, 3e-5, report)
}

/// The same with another first step in q.
fn inverse_error_with(
    model: &Model,
    data: &Data,
    actuation: bool,
    q_step: f64,
    report: &mut Report,
) -> Option<[f64; 3]> {
    let nv = model.size.nv;
    let mut base = data.clone();
    run(model, &mut base);
    let mut work = Workspace::default();
    let mut ours = [vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]];
    let [dq, dv, da] = &mut ours;
    let out = Inverse { dtau_dq: dq, dtau_dv: dv, dtau_da: da };
    *report = derivative::inverse(model, &base, actuation, &mut work, out).unwrap().clone();
    let set = active_set(model, &base);
    let mut errors = [0.0; 3];
    for kind in 0..3 {
        let (mut wrong, mut size) = (0.0, 0.0);
        let step = [q_step, 33.0 * q_step, 333.0 * q_step][kind];
        for i in 0..nv {
            let column = difference(step, |h| {
                let mut probe = base.clone();
                match kind {
                    0 => {
                        let mut unit = vec![0.0; nv];
                        unit[i] = 1.0;
                        coordinates::integrate(model, &mut probe.state.q, &unit, h);
                    }
                    1 => probe.state.v[i] += h,
                    _ => probe.acceleration.a[i] += h,
                }
                run(model, &mut probe);
                let mut force = probe.acceleration.tau_inverse.clone();
                if actuation {
                    force.iter_mut().zip(&probe.acceleration.tau_actuator).for_each(|(f, u)| *f -= u);
                }
                (active_set(model, &probe) == set).then_some(force)
            })?;
            for j in 0..nv {
                wrong += (ours[kind][j * nv + i] - column[j]).powi(2);
                size += column[j].powi(2);
            }
        }
        errors[kind] = wrong.sqrt() / size.sqrt().max(1.0);
    }
    Some(errors)
}

/// What a check found.
#[derive(Debug, Default)]
struct Checked {
    states: usize,
    /// Rows of contacts with force, over all states.
    contact_rows: usize,
    worst: [f64; 3],
}

/// Checks states until the active set of enough of them is constant nearby.
fn check_inverse(model: &Model, wanted: usize, what: &str, mut place: impl FnMut(&mut Data, &mut Random)) -> Checked {
    let mut random = Random(7);
    let (mut checked, mut inexact) = (Checked::default(), 0);
    for k in 0..8 * wanted {
        let mut data = Data::new(model);
        place(&mut data, &mut random);
        let mut report = Report::default();
        let Some(errors) = inverse_error(model, &data, k % 2 == 1, &mut report) else { continue };
        inverse(model, &mut data).unwrap();
        if !report.exact() {
            inexact += 1;
            continue;
        }
        for (w, e) in checked.worst.iter_mut().zip(errors) {
            *w = w.max(e);
        }
        assert!(errors.iter().all(|e| *e <= 1e-8), "{what}, state {k}: {errors:?}");
        let rows = &data.constraints;
        let contacts = |i: usize| rows.kind[i] as i32 >= 5 && rows.force[i] != 0.0;
        checked.contact_rows += (0..rows.len()).filter(|&i| contacts(i)).count();
        checked.states += 1;
        if checked.states == wanted {
            break;
        }
    }
    println!("{what}: {checked:?}, {inexact} not exact");
    assert_eq!(checked.states, wanted, "{what}");
    checked
}

/// A humanoid in a random pose, on the floor.
fn on_the_floor(model: &Model, data: &mut Data, random: &mut Random) {
    let nv = model.size.nv;
    let mut move_by = vec![0.0; nv];
    random.fill(&mut move_by, 0.3);
    move_by[2] = 0.0;
    let mut q = data.state.q.clone();
    coordinates::integrate(model, &mut q, &move_by, 1.0);
    data.state.q.copy_from_slice(&q);
    random.fill(&mut data.state.v, 1.0);
    random.fill(&mut data.acceleration.a, 10.0);
    // Down until something touches, then a little deeper.
    for depth in [0.1, 0.01, 0.001, 0.0001] {
        for _ in 0..40 {
            saltus_sim::forward(model, data);
            if data.contacts.iter().any(|c| c.dist < -0.0003) {
                data.state.q[2] += depth;
                break;
            }
            data.state.q[2] -= depth;
        }
    }
    data.state.q[2] -= 0.0012 + 0.001 * random.signed();
    data.acceleration.a.fill(0.0);
    random.fill(&mut data.acceleration.a, 10.0);
}

/// Relative errors (Frobenius) of the blocks ∂q⁺/∂x, ∂v⁺/∂x, ∂act⁺/∂x and of B against differences
/// of steps; None if the active set is not constant nearby.
fn transition_error(model: &Model, data: &Data, report: &mut Report) -> Option<[f64; 4]> {
    transition_error_with(model, data, 2e-5, report)
}

/// The same with another first step in q.
fn transition_error_with(model: &Model, data: &Data, q_step: f64, report: &mut Report) -> Option<[f64; 4]> {
    let (nv, na, nu) = (model.size.nv, model.size.na, model.size.nu);
    let n = 2 * nv + na;
    let mut base = data.clone();
    saltus_sim::forward(model, &mut base);
    let set = active_set(model, &base);
    let mut work = Workspace::default();
    let (mut A, mut B) = (vec![0.0; n * n], vec![0.0; n * nu]);
    let out = Transition { A: Some(&mut A), B: Some(&mut B), ..Default::default() };
    *report = derivative::transition(model, &base, &mut work, out).unwrap().clone();
    let mut after = base.clone();
    saltus_sim::step(model, &mut after).unwrap();
    let (mut wrong, mut size) = ([0.0; 4], [0.0; 4]);
    for c in 0..n + nu {
        let step = if c < nv { q_step } else { 50.0 * q_step };
        let column = difference(step, |h| {
            let mut probe = base.clone();
            if c < nv {
                let mut unit = vec![0.0; nv];
                unit[c] = 1.0;
                coordinates::integrate(model, &mut probe.state.q, &unit, h);
            } else if c < 2 * nv {
                probe.state.v[c - nv] += h;
            } else if c < n {
                probe.state.act[c - 2 * nv] += h;
            } else {
                probe.input.ctrl[c - n] += h;
            }
            saltus_sim::step(model, &mut probe).unwrap();
            if active_set(model, &probe) != set {
                return None;
            }
            let mut change = vec![0.0; nv];
            coordinates::difference(model, &after.state.q, &probe.state.q, 1.0, &mut change);
            change.extend(probe.state.v.iter().zip(&after.state.v).map(|(a, b)| a - b));
            change.extend(probe.state.act.iter().zip(&after.state.act).map(|(a, b)| a - b));
            Some(change)
        })?;
        for (i, x) in column.iter().enumerate() {
            let ours = if c < n { A[i * n + c] } else { B[i * nu + c - n] };
            let block = if c >= n {
                3
            } else if i < nv {
                0
            } else if i < 2 * nv {
                1
            } else {
                2
            };
            wrong[block] += (ours - x).powi(2);
            size[block] += x.powi(2);
        }
    }
    Some(std::array::from_fn(|k| wrong[k].sqrt() / size[k].sqrt().max(1e-12)))
}

/// Checks steps from states until the active set of enough of them is constant nearby.
fn check_transition(
    model: &Model,
    wanted: usize,
    bound: f64,
    what: &str,
    mut place: impl FnMut(&mut Data, &mut Random),
) -> usize {
    let mut random = Random(11);
    let (mut states, mut contact_rows, mut worst) = (0, 0, [0.0f64; 4]);
    for k in 0..12 * wanted {
        let mut data = Data::new(model);
        place(&mut data, &mut random);
        let mut report = Report::default();
        let Some(errors) = transition_error(model, &data, &mut report) else { continue };
        if !report.exact() {
            println!("{what}, state {k}: {report:?} {errors:?}");
            continue;
        }
        worst.iter_mut().zip(errors).for_each(|(w, e)| *w = w.max(e));
        assert!(errors.iter().all(|e| *e <= bound), "{what}, state {k}: {errors:?}");
        saltus_sim::forward(model, &mut data);
        let rows = &data.constraints;
        contact_rows += (0..rows.len()).filter(|&i| rows.kind[i] as i32 >= 5 && rows.force[i] != 0.0).count();
        states += 1;
        if states == wanted {
            break;
        }
    }
    println!("{what}: {states} states, {contact_rows} contact rows, worst errors {worst:?}");
    assert_eq!(states, wanted, "{what}");
    contact_rows
}

/// The solver goes on until round-off.
fn converge(model: &mut Model) {
    model.options.tolerance = 0.0;
    model.options.ls_tolerance = 1e-10;
    (model.options.iterations, model.options.ls_iterations) = (200, 100);
    let impulse = &mut model.options.laws.impulse;
    (impulse.iterations, impulse.ls_iterations) = (200.0, 100.0);
}

/// A random state, with random inputs.
fn anywhere(model: &Model, data: &mut Data, random: &mut Random) {
    let mut move_by = vec![0.0; model.size.nv];
    random.fill(&mut move_by, 0.8);
    let mut q = data.state.q.clone();
    coordinates::integrate(model, &mut q, &move_by, 1.0);
    data.state.q.copy_from_slice(&q);
    random.fill(&mut data.state.v, 1.0);
    random.fill(&mut data.acceleration.a, 5.0);
    random.fill(&mut data.input.ctrl, 0.5);
    random.fill(&mut data.state.act, 0.5);
    data.state.act.iter_mut().for_each(|x| *x = x.abs());
    data.input.ctrl.iter_mut().for_each(|x| *x = x.abs());
}
