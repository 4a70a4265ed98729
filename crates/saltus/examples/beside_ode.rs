//! Our side of `bench/maximal.py`: writes a model as numbers for another engine, or times it in
//! maximal coordinates.
//!
//! ```text
//! cargo run --release -p saltus --example beside_ode -- scene robot.xml --keyframe stand --hold 5 > robot.scene
//! cargo run --release -p saltus --example beside_ode -- time robot.xml plain 50 2000 --keyframe stand --hold 5
//! ```
//!
//! Both sides simulate what both can express: links, their joints with dry friction `--hold` (N·m
//! or N) and limits where a link has one joint, and shapes with Coulomb friction. Actuators,
//! springs, dampers, rotors and equalities are taken out of the model.
#![allow(non_snake_case)]

use saltus::maximal::{Links, Options, Order, Simulation};
use saltus::sim::collide::update_contacts;
use saltus::sim::kinematics::update_kinematics;
use saltus::sim::model::kinds::{GeomShape, JointKind};
use saltus::sim::options::Disable;
use saltus::{Data, Model};
use std::fmt::{Display, Write};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let (words, flags) = arguments()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["scene", path] => {
            let (model, mut data) = load(path, &flags)?;
            print!("{}", scene(&model, &mut data)?);
            Ok(())
        }
        ["time", path, mode, sweeps, steps] => {
            let (model, data) = load(path, &flags)?;
            time(&model, data, options(mode, sweeps.parse()?)?, steps.parse()?)
        }
        _ => Err("expected `scene MODEL` or `time MODEL MODE SWEEPS STEPS`".into()),
    }
}

/// What is given by name.
#[derive(Default)]
struct Flags {
    keyframe: Option<String>,
    hold: f64,
}

fn arguments() -> Outcome<(Vec<String>, Flags)> {
    let (mut words, mut flags) = (Vec::new(), Flags::default());
    let mut rest = std::env::args().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--keyframe" => flags.keyframe = Some(rest.next().ok_or("--keyframe needs a name")?),
            "--hold" => flags.hold = rest.next().ok_or("--hold needs a number")?.parse()?,
            _ => words.push(word),
        }
    }
    Ok((words, flags))
}

fn options(mode: &str, sweeps: u32) -> Outcome<Options> {
    let options = match mode {
        "quickstep" => Options { order: Order::Grouped, ..Options::plain() },
        "plain" => Options::plain(),
        "published" => Options::default(),
        "tree" => return Ok(Options::tree()),
        _ => return Err(format!("unknown mode {mode:?}").into()),
    };
    Ok(Options { iterations: sweeps, ..options })
}

/// The model without what the other engine lacks, at its keyframe.
fn load(path: &str, flags: &Flags) -> Outcome<(Model, Data)> {
    let mut model = saltus::load(path)?;
    for part in [Disable::ACTUATION, Disable::SPRING, Disable::DAMPER, Disable::EQUALITY] {
        model.options.disable.set(part, true);
    }
    model.dofs.armature.fill(0.0);
    model.geoms.condim.iter_mut().for_each(|dim| *dim = (*dim).min(3));
    for j in 0..model.njoint() {
        let single = model.bodies.joints[model.joints.body[j].idx()].range().len() == 1;
        let scalar = matches!(model.joints.kind[j], JointKind::Hinge | JointKind::Slide);
        model.joints.limited[j] &= single && scalar;
        let first = model.joints.dof_start[j] as usize;
        let dofs = first..first + model.joints.kind[j].nv();
        model.dofs.friction_loss[dofs].fill(if single && scalar { flags.hold } else { 0.0 });
    }
    let mut data = Data::new(&model);
    if let Some(name) = &flags.keyframe {
        data.reset_to_key(&model, model.key(name)?);
    }
    Ok((model, data))
}

/// Steps, and prints seconds per step of all and of collisions, the worst joint error, and and
/// contacts, rows and iterations on average.
fn time(model: &Model, mut data: Data, options: Options, steps: usize) -> Outcome<()> {
    let mut simulation = Simulation::new(model, options)?;
    let (mut all, mut collide, mut joints) = (Vec::new(), Vec::new(), 0.0f64);
    let (mut contacts, mut rows, mut iterations) = (0, 0, 0);
    for _ in 0..steps {
        let start = Instant::now();
        let report = simulation.step(model, &mut data)?;
        all.push(start.elapsed().as_secs_f64());
        joints = joints.max(report.joints.distance);
        contacts += data.contacts.len();
        rows += report.rows;
        iterations += report.iterations;
        // Collisions alone, once more, at the poses of the end of the step.
        let start = Instant::now();
        update_contacts(model, &mut data);
        collide.push(start.elapsed().as_secs_f64());
    }
    let n = steps.max(1) as f64;
    println!(
        r#"{{"step": {}, "collide": {}, "joint_error": {joints}, "contacts": {}, "rows": {}, "iterations": {}, "bodies": {}}}"#,
        trimmed_mean(all),
        trimmed_mean(collide),
        contacts as f64 / n,
        rows as f64 / n,
        f64::from(iterations) / n,
        simulation.links().len() - 1
    );
    Ok(())
}

/// Mean without the slowest twentieth: steps that something else on the machine interrupted.
fn trimmed_mean(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_unstable_by(f64::total_cmp);
    let kept = (seconds.len() * 19).div_ceil(20).max(1);
    seconds.iter().take(kept).sum::<f64>() / kept as f64
}

/// Numbers as words.
fn line(text: &mut String, name: &str, numbers: &[f64]) {
    let mut add = |word: &dyn Display| {
        // Writing to a string does not fail.
        _ = write!(text, "{word} ");
    };
    add(&name);
    numbers.iter().for_each(|x| add(x));
    text.push('\n');
}

/// The model in the state of `data`: the format is in bench/ode/quickstep.c.
fn scene(model: &Model, data: &mut Data) -> Outcome<String> {
    update_kinematics(model, data);
    let options = Options::plain();
    let simulation = Simulation::new(model, options)?;
    let links = simulation.links();
    let mut text = String::new();
    let gravity = model.options.gravity.to_array();
    let step = [model.options.timestep, options.erp, options.cfm, options.surface_layer];
    line(&mut text, "world", &[&step[..], &gravity].concat());
    for link in 1..links.len() {
        line(&mut text, "link", &link_numbers(links, data, link));
    }
    for link in 1..links.len() {
        push_joint(model, data, links, link, &mut text)?;
    }
    for g in 0..model.ngeom() {
        push_geom(model, data, links, g, &mut text)?;
    }
    for k in 0..model.excludes.body1.len() {
        let of = |body: saltus::sim::ids::BodyId| links.of_body[body.idx()] as f64;
        line(&mut text, "exclude", &[of(model.excludes.body1[k]), of(model.excludes.body2[k])]);
    }
    Ok(text)
}

/// Mass, inertia xx yy zz xy xz yz, centre of mass, orientation.
fn link_numbers(links: &Links, data: &Data, link: usize) -> [f64; 14] {
    let (b, I) = (links.main[link], &links.inertia[link]);
    let x = (data.position.p_WB[b] + data.position.R_WB[b] * links.com[link]).to_array();
    let quat = data.position.quat_WB[b].to_array();
    let inertia = [I.r0.x, I.r1.y, I.r2.z, I.r0.y, I.r0.z, I.r1.z];
    let mut numbers = [links.mass[link]; 14];
    numbers[1..7].copy_from_slice(&inertia);
    numbers[7..10].copy_from_slice(&x);
    numbers[10..].copy_from_slice(&quat);
    numbers
}

/// Link, parent, anchor, axes, distances to the limits, dry friction.
fn push_joint(model: &Model, data: &Data, links: &Links, link: usize, text: &mut String) -> Outcome<()> {
    let joints = links.joints[link].clone();
    let kinds = &model.joints.kind[joints.clone()];
    let name = match kinds {
        [JointKind::Free] => return Ok(()),
        [JointKind::Hinge] => "hinge",
        [JointKind::Slide] => "slide",
        [JointKind::Hinge, JointKind::Hinge] => "universal",
        [JointKind::Ball] | [JointKind::Hinge, JointKind::Hinge, JointKind::Hinge] => "ball",
        _ => {
            return Err(format!("body {:?} has joints without counterpart", model.bodies.name[links.main[link]]).into());
        }
    };
    let (first, last) = (joints.start, joints.end - 1);
    let (q, [low, high]) = (data.state.q[model.joints.q_start[first] as usize], model.joints.range[first]);
    let limits = if model.joints.limited[first] { [low - q, high - q] } else { [-1e9, 1e9] };
    let x = &data.position;
    let numbers = [
        &[link as f64, links.parent[link] as f64][..],
        &x.p_WJ[last].to_array(),
        &x.axis_W[first].to_array(),
        &x.axis_W[last].to_array(),
        &limits,
        &[model.dofs.friction_loss[model.joints.dof_start[first] as usize]],
    ];
    line(text, name, &numbers.concat());
    Ok(())
}

/// Link, sizes, pose relative to the link's centre of mass (or the world), friction, masks.
fn push_geom(model: &Model, data: &Data, links: &Links, g: usize, text: &mut String) -> Outcome<()> {
    let geoms = &model.geoms;
    if geoms.contype[g] == 0 && geoms.conaffinity[g] == 0 {
        return Ok(());
    }
    let name = match geoms.shape[g] {
        GeomShape::Plane => "plane",
        GeomShape::Sphere => "sphere",
        GeomShape::Capsule => "capsule",
        GeomShape::Cylinder => "cylinder",
        GeomShape::Box => "box",
        _ => return Err(format!("geom {:?} has a shape without counterpart", geoms.name[g]).into()),
    };
    let link = links.of_body[geoms.body[g].idx()];
    let (mut p, mut quat) = (data.position.p_WG[g], data.position.quat_WG[g]);
    if link != 0 {
        let b = links.main[link];
        let (R, own) = (data.position.R_WB[b], data.position.quat_WB[b]);
        p = R.transpose() * (p - data.position.p_WB[b]) - links.com[link];
        quat = own.conj() * quat;
    }
    let mu = if geoms.condim[g] < 3 { 0.0 } else { geoms.friction[g][0] };
    let masks = [f64::from(geoms.contype[g]), f64::from(geoms.conaffinity[g])];
    let numbers = [&[link as f64][..], &geoms.size[g], &p.to_array(), &quat.to_array(), &[mu], &masks];
    line(text, name, &numbers.concat());
    Ok(())
}
