//! `saltus info`: what is in a model.

use super::model::ModelFile;
use crate::output::{self, say};
use anyhow::Result;
use saltus::Loaded;
use saltus::sim::model::Model;
use saltus::sim::model::kinds::JointKind;
use serde_json::{Value, json};

/// Print the sizes, bodies, joints and actuators of a model.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  saltus info humanoid.xml\n  saltus info humanoid.xml --json | jq .joints")]
pub struct Args {
    #[command(flatten)]
    file: ModelFile,
    /// Print the model as JSON.
    #[arg(long)]
    json: bool,
}

/// The nonzero sizes with their names.
fn size_list(model: &Model) -> Vec<(&'static str, usize)> {
    let all = [
        ("nq", model.size.nq),
        ("nv", model.size.nv),
        ("nu", model.size.nu),
        ("na", model.size.na),
        ("nbody", model.nbody()),
        ("njoint", model.njoint()),
        ("ngeom", model.ngeom()),
        ("nsite", model.nsite()),
        ("nmesh", model.meshes.name.len()),
        ("nhfield", model.hfields.name.len()),
        ("npair", model.pairs.name.len()),
        ("nequality", model.nequality()),
        ("ntendon", model.ntendon()),
        ("nactuator", model.nactuator()),
        ("nsensor", model.nsensor()),
        ("nkey", model.nkey()),
        ("nmocap", model.size.nmocap),
    ];
    all.into_iter().filter(|(_, n)| *n > 0).collect()
}

pub fn sizes(model: &Model) -> Value {
    size_list(model).into_iter().map(|(name, n)| (name.to_owned(), json!(n))).collect::<serde_json::Map<_, _>>().into()
}

pub fn size_line(model: &Model) -> String {
    size_list(model).iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
}

pub fn run(args: &Args) -> Result<()> {
    let Loaded { model, warnings, .. } = args.file.load()?;
    if args.json {
        output::json(&report(&model, &warnings))?;
    } else {
        print(&model, &warnings);
    }
    Ok(())
}

fn report(model: &Model, warnings: &[String]) -> Value {
    let joints: Vec<Value> = (0..model.njoint())
        .map(|j| {
            json!({
                "name": model.joints.name[j],
                "kind": format!("{:?}", model.joints.kind[j]).to_lowercase(),
                "body": model.bodies.name[model.joints.body[j].idx()],
                "q": model.joints.q_start[j],
                "dof": model.joints.dof_start[j],
                "range": model.joints.limited[j].then_some(model.joints.range[j]),
            })
        })
        .collect();
    let bodies: Vec<Value> = (1..model.nbody())
        .map(|b| {
            json!({
                "name": model.bodies.name[b],
                "parent": model.bodies.name[model.bodies.parent[b].idx()],
                "mass": model.bodies.mass[b],
                "inertia": model.bodies.inertia[b].to_array(),
            })
        })
        .collect();
    json!({
        "model": model.name,
        "sizes": sizes(model),
        "mass": model.bodies.subtree_mass[0],
        "timestep": model.options.timestep,
        "gravity": model.options.gravity.to_array(),
        "integrator": format!("{:?}", model.options.integrator),
        "bodies": bodies,
        "joints": joints,
        "actuators": model.actuators.name,
        "sensors": model.sensors.name,
        "keyframes": model.keys.name,
        "warnings": warnings,
    })
}

fn print(model: &Model, warnings: &[String]) {
    say!("{}", model.name);
    say!("  sizes      {}", size_line(model));
    say!("  mass       {:.4} kg", model.bodies.subtree_mass[0]);
    say!("  time step  {} s, gravity {}", model.options.timestep, model.options.gravity);
    say!("  bodies");
    for b in 1..model.nbody() {
        let joints: Vec<String> = model.bodies.joints[b].range().map(|j| joint_text(model, j)).collect();
        say!("    {:24} {:9.4} kg  {}", model.bodies.name[b], model.bodies.mass[b], joints.join(", "));
    }
    if model.nactuator() > 0 {
        say!("  actuators  {}", listed(&model.actuators.name));
    }
    if model.nkey() > 0 {
        say!("  keyframes  {}", listed(&model.keys.name));
    }
    for warning in warnings {
        say!("  warning    {warning}");
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|n| if n.is_empty() { "(unnamed)" } else { n }).collect::<Vec<_>>().join(", ")
}

fn joint_text(model: &Model, j: usize) -> String {
    let kind = format!("{:?}", model.joints.kind[j]).to_lowercase();
    let name = &model.joints.name[j];
    match model.joints.kind[j] {
        JointKind::Hinge | JointKind::Slide if model.joints.limited[j] => {
            let [low, high] = model.joints.range[j];
            format!("{kind} {name} [{low:.3}, {high:.3}]")
        }
        _ => format!("{kind} {name}"),
    }
}
