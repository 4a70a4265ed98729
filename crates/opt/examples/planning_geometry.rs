//! Checks that planning models are smooth: at random states a change of q by 1e-8 must not change
//! the velocity after a step under the invertible law by more than 1e-4, and derivatives must be
//! exact.
//!
//!   planning_geometry [--states N] [--move 1e-8] [--own] [[--touch BODY,…] [--between BODY=BODY,…] MODEL] …
//!
//! `--touch` and `--between` are for the model that follows. A model without a floor gets one.
//! States: random joints within their limits, random velocities, free bodies placed so that
//! something is within 2 cm of the environment. Where the number of constraint rows changes, a
//! contact or a limit came within reach: such jumps are those of the law at the end of its reach
//! and are counted apart; every tenth state of a robot that is free to move is such a one. Exits
//! with 1 if a model jumps elsewhere or has inexact derivatives. With `--own` the same states are
//! tried with the models' own geometry.

use saltus_math::Random;
use saltus_opt::geometry::{GeometryOptions, Planning, Touch, build_planning_spec};
use saltus_sim::collide::geom_distance;
use saltus_sim::derivative::{self, Workspace};
use saltus_sim::finite_difference::Transition;
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::model::kinds::{GeomShape, JointKind};
use saltus_sim::model::spec::GeomSpec;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model, ModelSpec, compile, forward, step, update_position};
use std::error::Error;
use std::process::ExitCode;

const ALLOWED: f64 = 1e-4;
const TRIES: usize = 200;
const REACH: f64 = 0.05;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (mut trial, mut own, mut failed) = (Trial { states: 1000, by: 1e-8 }, false, false);
    let mut options = GeometryOptions::default();
    println!(
        "{:<44} {:>4} {:>5} {:>6} {:>9} {:>5} {:>10} {:>10} {:>6} {:>7}",
        "model", "dofs", "cand.", "pairs", "error mm", "caps.", "|dv| max", "at reach", "jumps", "exact"
    );
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--states" => trial.states = value()?.parse()?,
            "--move" => trial.by = value()?.parse()?,
            "--own" => own = true,
            "--touch" => options.touch = Touch::Bodies(value()?.split(',').map(str::to_owned).collect()),
            "--between" => {
                for pair in value()?.split(',') {
                    let (a, b) = pair.split_once('=').ok_or("--between needs BODY=BODY")?;
                    options.between.push((a.into(), b.into()));
                }
            }
            path => {
                let spec = with_floor(saltus_io::read_file(path)?);
                let planning = build_planning_spec(&spec, &std::mem::take(&mut options))?;
                failed |= !check(path, &planning, own.then_some(&spec), trial)?;
            }
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Adds a floor that everything collides with where the world has no plane or height field.
fn with_floor(mut spec: ModelSpec) -> ModelSpec {
    let flat =
        |g: &GeomSpec| matches!(g.shape, GeomShape::Plane | GeomShape::Hfield) && (g.contype | g.conaffinity) != 0;
    if !spec.bodies.iter().flat_map(|b| &b.geoms).any(flat) {
        let all = i32::MAX;
        let (shape, size) = (GeomShape::Plane, [0.0, 0.0, 1.0]);
        let floor = GeomSpec { shape, size, contype: all, conaffinity: all, ..GeomSpec::default() };
        spec.bodies[0].geoms.push(floor);
    }
    spec
}

/// How many states, and by how much q is moved.
#[derive(Clone, Copy)]
struct Trial {
    states: usize,
    by: f64,
}

/// What the states of one model showed.
#[derive(Default)]
struct Found {
    /// Largest changes of v⁺: with the same constraint rows, and with others.
    smooth: f64,
    at_reach: f64,
    /// States with a change above what is allowed, with the same rows.
    jumps: usize,
    exact: usize,
    failed: usize,
    /// What was inexact, and where.
    example: Option<String>,
}

/// The model under the invertible law.
fn compiled(spec: &ModelSpec) -> Result<Model, Box<dyn Error>> {
    let mut model = compile(spec)?;
    let laws = &mut model.options.laws;
    (laws.law, laws.reach) = (Law::Invertible, REACH);
    (laws.invertible.smoothing, laws.invertible.hover) = (0.1, 0.005);
    Ok(model)
}

/// Tries the states of a planning model, with its geometry or with that of `own`.
fn check(path: &str, planning: &Planning, own: Option<&ModelSpec>, trial: Trial) -> Result<bool, Box<dyn Error>> {
    let (planned, model) = (compiled(&planning.spec)?, compiled(own.unwrap_or(&planning.spec))?);
    let mut random = Random(7);
    let (mut placed, mut data) = (Data::new(&planned), Data::new(&model));
    let (mut work, mut found) = (Workspace::default(), Found::default());
    let Trial { states, by } = trial;
    for k in 0..states {
        // Every tenth state leaves the reach when it is moved up.
        let height = free_height(&planned).filter(|_| k % 10 == 9);
        let wish = if height.is_some() { REACH - 0.5 * by } else { 0.02 * random.signed() };
        place(&planned, &mut placed, wish, &mut random);
        data.reset(&model);
        data.state.q.copy_from_slice(&placed.state.q);
        data.state.v.copy_from_slice(&placed.state.v);
        let mut direction: Vec<f64> = (0..model.size.nv).map(|_| random.normal()).collect();
        if let Some((_, dof)) = height {
            direction.fill(0.0);
            direction[dof] = 1.0;
        }
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        direction.iter_mut().for_each(|x| *x *= by / length);
        test_state(&model, &mut data, &mut work, &direction, &mut found);
    }
    let report = &planning.report;
    println!(
        "{:<44} {:>4} {:>5} {:>6} {:>9.2} {:>5} {:>10.1e} {:>10.1e} {:>6} {:>6.1}%{}",
        path.chars().rev().take(44).collect::<Vec<_>>().into_iter().rev().collect::<String>(),
        model.size.nv,
        report.candidates(),
        report.pairs,
        1e3 * report.worst_error(),
        planning.capsule_pairs.len(),
        found.smooth,
        found.at_reach,
        found.jumps,
        100.0 * found.exact as f64 / states.max(1) as f64,
        if found.failed > 0 { format!("  {} steps failed", found.failed) } else { String::new() }
    );
    if std::env::var_os("NOTES").is_some() {
        print!("{report}");
    }
    if let Some(example) = &found.example {
        println!("    {example}");
    }
    Ok(found.jumps == 0 && found.exact == states && found.failed == 0)
}

/// The state in `data`, and one very near to it.
fn test_state(model: &Model, data: &mut Data, work: &mut Workspace, direction: &[f64], found: &mut Found) {
    let nv = model.size.nv;
    let q = data.state.q.clone();
    forward(model, data);
    let rows = data.constraints.len();
    let mut jacobian = vec![0.0; (2 * nv + model.size.na).pow(2)];
    match derivative::transition(model, data, work, Transition { A: Some(&mut jacobian), B: None, C: None, D: None }) {
        Ok(report) if report.exact() => found.exact += 1,
        Ok(report) => {
            let what = report.inexact.iter().map(|i| describe(model, data, *i)).collect::<Vec<_>>().join(", ");
            found.example.get_or_insert(format!("inexact: {what}"));
        }
        Err(e) => {
            found.example.get_or_insert(e.to_string());
        }
    }
    let (v, a_warm) = (data.state.v.clone(), vec![0.0; nv]);
    let mut next = |q: &[f64]| {
        data.state.q.copy_from_slice(q);
        data.state.v.copy_from_slice(&v);
        data.state.a_warm.copy_from_slice(&a_warm);
        let done = step(model, data);
        let rows = data.constraints.len();
        done.map(|()| (data.state.v.clone(), rows))
    };
    let one = next(&q);
    let mut moved = q.clone();
    integrate(model, &mut moved, direction, 1.0);
    let (one, two) = match (one, next(&moved)) {
        (Ok(one), Ok(two)) => (one, two),
        (Err(e), _) | (_, Err(e)) => {
            found.failed += 1;
            let deepest = data.contacts.iter().enumerate().min_by(|a, b| a.1.dist.total_cmp(&b.1.dist));
            let deepest = deepest.map(|(k, _)| describe(model, data, derivative::Inexact::Contact(k)));
            found.example.get_or_insert(format!("{e} Deepest contact: {}", deepest.unwrap_or_default()));
            return;
        }
    };
    let change = one.0.iter().zip(&two.0).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    if one.1 == rows && two.1 == rows {
        found.smooth = found.smooth.max(change);
        found.jumps += usize::from(change > ALLOWED);
    } else {
        found.at_reach = found.at_reach.max(change);
    }
}

fn describe(model: &Model, data: &Data, what: derivative::Inexact) -> String {
    let derivative::Inexact::Contact(k) = what else { return format!("{what:?}") };
    let Some(c) = data.contacts.get(k) else { return format!("{what:?}") };
    let name = |g: saltus_sim::ids::GeomId| format!("{:?} {:?}", model.geoms.shape[g.idx()], model.geoms.name[g.idx()]);
    format!("{} on {} at {:.4} m", name(c.geom1), name(c.geom2), c.dist)
}

/// A random state near contact: that of many whose smallest gap comes closest to what is wished.
fn place(model: &Model, data: &mut Data, wish: f64, random: &mut Random) {
    data.reset(model);
    let mut best = (f64::INFINITY, data.state.q.clone());
    for _ in 0..TRIES {
        for j in 0..model.njoint() {
            scatter(model, j, &mut data.state.q, random);
        }
        update_position(model, data);
        let Some(gap) = nearest_gap(model, data) else { break };
        if let Some((z, _)) = free_height(model) {
            data.state.q[z] += wish - gap;
            best = (0.0, data.state.q.clone());
        } else if (gap - wish).abs() < best.0 {
            best = ((gap - wish).abs(), data.state.q.clone());
        }
        if best.0 < 0.005 {
            break;
        }
    }
    data.state.q.copy_from_slice(&best.1);
    data.state.v.iter_mut().for_each(|v| *v = random.normal());
}

fn scatter(model: &Model, j: usize, q: &mut [f64], random: &mut Random) {
    let (start, joints) = (model.joints.q_start[j] as usize, &model.joints);
    let quaternion = |q: &mut [f64], random: &mut Random| {
        let mut x: [f64; 4] = core::array::from_fn(|_| random.normal());
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.iter_mut().for_each(|x| *x /= length);
        q.copy_from_slice(&x);
    };
    match joints.kind[j] {
        JointKind::Free => {
            for k in 0..3 {
                q[start + k] = model.q0[start + k] + 0.1 * random.signed();
            }
            quaternion(&mut q[start + 3..start + 7], random);
        }
        JointKind::Ball => quaternion(&mut q[start..start + 4], random),
        JointKind::Hinge | JointKind::Slide => {
            let [low, high] =
                if joints.limited[j] { joints.range[j] } else { [-1.0, 1.0].map(|s| model.q0[start] + s) };
            q[start] = low + (high - low) * 0.5 * (1.0 + random.signed());
        }
    }
}

/// Coordinate and dof of the height of the free joint that carries everything.
fn free_height(model: &Model) -> Option<(usize, usize)> {
    let mut free = (0..model.njoint()).filter(|&j| model.joints.kind[j] == JointKind::Free);
    let first = free.next().filter(|_| model.trees.dofs.len() == 1)?;
    free.next()
        .is_none()
        .then(|| (model.joints.q_start[first] as usize + 2, model.joints.dof_start[first] as usize + 2))
}

/// Smallest distance of all pairs, where it is below 2 m.
fn nearest_gap(model: &Model, data: &Data) -> Option<f64> {
    let pairs = model.pairs.geom1.iter().zip(&model.pairs.geom2);
    let gaps = pairs.filter_map(|(a, b)| geom_distance(model, data, *a, *b, 2.0).map(|d| d.dist));
    gaps.min_by(f64::total_cmp)
}
