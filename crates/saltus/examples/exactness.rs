//! Derivatives of inverse dynamics against differences, on robots that were not chosen for it: how
//! many states with loaded contacts are called exact, and how exact those are:
//! `cargo run --release -p saltus --example exactness -- [--law LAW] [--states N] MODEL...` fails
//! if any error is above LIMIT.
//!
//! States come from a simulation with random controls. Differences are central, along random
//! directions of q, with two step sizes that must agree and rows that must stay the same; other
//! states tell nothing.
use saltus::math::Random;
use saltus::sim::data::RowKind;
use saltus::sim::derivative::{self, Inexact, Inverse, Workspace};
use saltus::sim::ids::KeyId;
use saltus::sim::inverse;
use saltus::sim::kinematics::coordinates;
use saltus::sim::options::law::Law;
use saltus::{Data, Model};
use std::collections::BTreeMap;

/// Steps between two states, directions of differences, and their step.
const BETWEEN: usize = 25;
const DIRECTIONS: usize = 3;
const STEP: f64 = 1e-6;
/// How well two differences must agree to tell anything, and the largest error, relative to their
/// size.
const AGREE: f64 = 1e-6;
const LIMIT: f64 = 1e-5;

type Error = Box<dyn std::error::Error>;

#[derive(Debug, Default)]
struct Found {
    states: usize,
    loaded: usize,
    exact: usize,
    checked: usize,
    worst: f64,
    /// Loaded contacts by pair of shapes: all, and those that are not exact.
    pairs: BTreeMap<String, [usize; 2]>,
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mut law, mut states, mut files) = (Law::Soft, 40, Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--law" => {
                let name = rest.next().ok_or("--law: expected a name")?;
                law = Law::NAMES.iter().find(|(n, _)| n == name).ok_or("--law: unknown name")?.1;
            }
            "--states" => states = rest.next().ok_or("--states: expected a number")?.parse()?,
            file => files.push(file.to_owned()),
        }
    }
    let mut all = Found::default();
    println!("states / with loaded contacts / exact / checked, worst error   model");
    for file in &files {
        let mut model = match saltus::load(file) {
            Ok(model) => model,
            Err(error) => {
                println!("not loaded: {file}: {error}");
                continue;
            }
        };
        model.options.laws.law = law;
        let found = check(&model, states);
        println!(
            "{:4} {:4} {:4} {:4} {:9.1e}   {file}",
            found.states, found.loaded, found.exact, found.checked, found.worst
        );
        all.add(found);
    }
    println!("{:4} {:4} {:4} {:4} {:9.1e}   all", all.states, all.loaded, all.exact, all.checked, all.worst);
    for (pair, [count, inexact]) in &all.pairs {
        println!("  {pair}: {count} loaded contacts, {inexact} not exact");
    }
    if all.checked == 0 || all.worst > LIMIT {
        return Err(format!("{} checks, worst error {:.1e} instead of {LIMIT:e}", all.checked, all.worst).into());
    }
    Ok(())
}

impl Found {
    fn add(&mut self, other: Found) {
        self.states += other.states;
        self.loaded += other.loaded;
        self.exact += other.exact;
        self.checked += other.checked;
        self.worst = self.worst.max(other.worst);
        for (pair, [count, inexact]) in other.pairs {
            let own = self.pairs.entry(pair).or_default();
            own[0] += count;
            own[1] += inexact;
        }
    }
}

fn check(model: &Model, states: usize) -> Found {
    let (mut found, mut random) = (Found::default(), Random(1));
    let mut data = Data::new(model);
    if model.nkey() > 0 {
        data.reset_to_key(model, KeyId::new(0));
    }
    let mut work = Workspace::default();
    for _ in 0..states {
        for (u, range) in data.input.ctrl.iter_mut().zip(&model.actuators.ctrl_range) {
            *u = 0.5 * (range[0] + range[1]) + 0.5 * (range[1] - range[0]).clamp(-2.0, 2.0) * random.signed();
        }
        if (0..BETWEEN).any(|_| saltus::sim::step(model, &mut data).is_err()) {
            break;
        }
        saltus::sim::forward(model, &mut data);
        found.states += 1;
        state(model, &data, &mut random, &mut work, &mut found);
    }
    found
}

/// One state: the report, and what differences say where it is exact.
fn state(model: &Model, base: &Data, random: &mut Random, work: &mut Workspace, found: &mut Found) {
    let nv = model.size.nv;
    let mut data = base.clone();
    if inverse(model, &mut data).is_err() {
        return;
    }
    let mut matrices = [vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]];
    let [dtau_dq, dtau_dv, dtau_da] = &mut matrices;
    let out = Inverse { dtau_dq, dtau_dv, dtau_da };
    let Ok(report) = derivative::inverse(model, &data, false, work, out) else { return };
    let rows = &data.constraints;
    let mut loaded: Vec<usize> = (0..rows.len())
        .filter(|&i| rows.kind[i] as i32 >= RowKind::ContactFrictionless as i32 && rows.force[i] != 0.0)
        .map(|i| rows.id[i] as usize)
        .collect();
    loaded.dedup();
    for &k in &loaded {
        let contact = &data.contacts[k];
        let shape = |geom: saltus::sim::ids::GeomId| model.geoms.shape[geom.idx()];
        let pair = format!("{:?} {:?}", shape(contact.geom1), shape(contact.geom2));
        let own = found.pairs.entry(pair).or_default();
        own[0] += 1;
        own[1] += usize::from(report.inexact.iter().any(|i| matches!(i, Inexact::Contact(c) if *c == k)));
    }
    if loaded.is_empty() {
        return;
    }
    found.loaded += 1;
    if !report.exact() {
        return;
    }
    found.exact += 1;
    let set = rows_of(&data);
    for _ in 0..DIRECTIONS {
        let direction: Vec<f64> = (0..nv).map(|_| random.signed()).collect();
        let at = |h: f64| {
            let mut probe = data.clone();
            coordinates::integrate(model, &mut probe.state.q, &direction, h);
            inverse(model, &mut probe).ok()?;
            (rows_of(&probe) == set).then(|| probe.acceleration.tau_inverse.clone())
        };
        let difference = |h: f64| {
            let (high, low) = (at(h)?, at(-h)?);
            Some(high.iter().zip(&low).map(|(a, b)| (a - b) / (2.0 * h)).collect::<Vec<f64>>())
        };
        let (Some(coarse), Some(fine)) = (difference(STEP), difference(0.3 * STEP)) else { continue };
        let size = fine.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size;
        if apart(&coarse, &fine) > AGREE {
            continue;
        }
        let ours: Vec<f64> =
            matrices[0].chunks_exact(nv).map(|row| row.iter().zip(&direction).map(|(m, d)| m * d).sum()).collect();
        found.checked += 1;
        found.worst = found.worst.max(apart(&ours, &fine));
    }
}

/// Rows and their states: what must not change.
fn rows_of(data: &Data) -> Vec<(i32, u32, i32)> {
    let rows = &data.constraints;
    (0..rows.len()).map(|i| (rows.kind[i] as i32, rows.id[i], rows.state[i] as i32)).collect()
}
