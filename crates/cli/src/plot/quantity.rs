//! Which quantities to plot: `q`, `v[3]`, `q[0:3]`, `joint:knee`, `sensor:gyro`, `energy`,
//! `contacts`, `force`, …

use super::Published;
use anyhow::{Context, Result, bail, ensure};
use saltus::Model;
use saltus::sim::ids::Span;
use saltus::sim::model::kinds::{JointKind, ObjectKind};

/// One panel: a title, the recorded array it comes from, and a label for each of its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    pub title: String,
    pub array: &'static str,
    pub lines: Vec<(usize, String)>,
    /// The horizontal axis.
    pub x: Axis,
    /// Whether the vertical axis is logarithmic; values that are not positive are omitted.
    pub log: bool,
    /// What a paper says about the same.
    pub published: Vec<Published>,
}

/// The horizontal axis: an array of one column, its unit, and whether it is logarithmic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    pub array: &'static str,
    pub unit: &'static str,
    pub log: bool,
}

impl Panel {
    /// A panel over time.
    pub fn over_time(title: String, array: &'static str, lines: Vec<(usize, String)>) -> Self {
        Self {
            title,
            array,
            lines,
            x: Axis { array: "time", unit: " s", log: false },
            log: false,
            published: Vec::new(),
        }
    }
}

const KNOWN: &str = "q, v, act, ctrl, sensor, energy, contacts, force, iterations, joint:NAME, sensor:NAME";

/// The panels of a comma-separated list of quantities.
pub fn parse(list: &str, model: &Model) -> Result<Vec<Panel>> {
    let quantities: Vec<&str> = list.split(',').map(str::trim).filter(|q| !q.is_empty()).collect();
    ensure!(!quantities.is_empty(), "--quantities is empty; available: {KNOWN}");
    ensure!(quantities.len() <= 50, "{} quantities are too many for one picture; the maximum is 50", quantities.len());
    quantities.into_iter().map(|q| parse_one(q, model).with_context(|| format!("quantity {q:?}"))).collect()
}

fn parse_one(text: &str, model: &Model) -> Result<Panel> {
    if let Some(name) = text.strip_prefix("joint:") {
        return joint(name, model);
    }
    if let Some(name) = text.strip_prefix("sensor:") {
        return sensor(name, model);
    }
    let (name, part) = match text.split_once('[') {
        Some((name, rest)) => (name, Some(rest.strip_suffix(']').context("expected a closing ]")?)),
        None => (text, None),
    };
    let size = &model.size;
    let (array, title, len) = match name {
        "q" => ("q", "coordinates q", size.nq),
        "v" => ("v", "velocities v", size.nv),
        "act" => ("act", "activations", size.na),
        "ctrl" => ("ctrl", "controls", size.nu),
        "sensor" => ("sensor", "sensors", size.nsensordata),
        "energy" => ("energy", "energy, J", 2),
        "contacts" => ("contacts", "number of contacts", 1),
        "force" => ("contact_force", "sum of normal contact forces, N", 1),
        "iterations" => ("iterations", "solver iterations", 1),
        _ => bail!("unknown quantity; expected one of {KNOWN}, optionally with an index [i] or a range [i:j]"),
    };
    let range = match part {
        Some(part) => parse_range(part, len)?,
        None => 0..len,
    };
    let label = |i: usize| match array {
        "energy" => ["potential", "kinetic"][i.min(1)].to_owned(),
        "contacts" | "contact_force" | "iterations" => String::new(),
        _ => owner(model, array, i).unwrap_or_else(|| format!("{name}[{i}]")),
    };
    Ok(Panel::over_time(title.to_owned(), array, range.map(|i| (i, label(i))).collect()))
}

/// `3`, `1:4`, `:4`, `1:` or `:` within `len`.
fn parse_range(text: &str, len: usize) -> Result<std::ops::Range<usize>> {
    let number = |t: &str| t.trim().parse::<usize>().ok().with_context(|| format!("expected an index, found {t:?}"));
    let range = match text.split_once(':') {
        None => number(text)?..number(text)?.saturating_add(1),
        Some((a, b)) => {
            let start = if a.trim().is_empty() { 0 } else { number(a)? };
            start..if b.trim().is_empty() { len } else { number(b)? }
        }
    };
    ensure!(range.end <= len, "index {} is out of range; the length is {len}", range.end - 1);
    ensure!(range.start < range.end, "the range [{text}] is empty");
    Ok(range)
}

/// Name of the object with index `i` in an array; `None` if it has no name.
fn owner(model: &Model, array: &str, i: usize) -> Option<String> {
    let from = |start: &[u32]| start.iter().rposition(|s| *s as usize <= i).map(|id| (id, i - start[id] as usize));
    let within = |spans: &[Span]| {
        let id = spans.iter().position(|span| span.range().contains(&i))?;
        Some((id, i - spans[id].start as usize))
    };
    let (kind, (id, k)) = match array {
        "q" => (ObjectKind::Joint, from(&model.joints.q_start)?),
        "v" => (ObjectKind::Joint, from(&model.joints.dof_start)?),
        "sensor" => (ObjectKind::Sensor, from(&model.sensors.start)?),
        "ctrl" => (ObjectKind::Actuator, within(&model.actuators.ctrl)?),
        "act" => (ObjectKind::Actuator, within(&model.actuators.act)?),
        _ => return None,
    };
    let name = model.names(kind).get(id).filter(|name| !name.is_empty())?;
    let part = match array {
        "q" => q_parts(model, id).get(k).copied().unwrap_or_default().to_owned(),
        "v" => v_parts(model, id).get(k).copied().unwrap_or_default().to_owned(),
        "sensor" => sensor_part(model, id, k),
        _ if k > 0 => format!("[{k}]"),
        _ => String::new(),
    };
    Some(if part.is_empty() { name.clone() } else { format!("{name} {part}") })
}

/// Names of the coordinates of a joint.
fn q_parts(model: &Model, joint: usize) -> &'static [&'static str] {
    match model.joints.kind[joint] {
        JointKind::Free => &["x", "y", "z", "qw", "qx", "qy", "qz"],
        JointKind::Ball => &["qw", "qx", "qy", "qz"],
        JointKind::Slide | JointKind::Hinge => &[""],
    }
}

fn v_parts(model: &Model, joint: usize) -> &'static [&'static str] {
    match model.joints.kind[joint] {
        JointKind::Free => &["vx", "vy", "vz", "wx", "wy", "wz"],
        JointKind::Ball => &["wx", "wy", "wz"],
        JointKind::Slide | JointKind::Hinge => &[""],
    }
}

fn sensor_part(model: &Model, sensor: usize, k: usize) -> String {
    match model.sensors.dim[sensor] {
        1 => String::new(),
        3 => ["x", "y", "z"][k.min(2)].to_owned(),
        _ => format!("[{k}]"),
    }
}

fn joint(name: &str, model: &Model) -> Result<Panel> {
    let id = find(model, ObjectKind::Joint, "joint", name)?;
    let parts = q_parts(model, id);
    let start = model.joints.q_start[id] as usize;
    let unit = match model.joints.kind[id] {
        JointKind::Hinge => ", rad",
        JointKind::Slide => ", m",
        _ => "",
    };
    let lines = parts.iter().enumerate().map(|(k, part)| (start + k, (*part).to_owned())).collect();
    Ok(Panel::over_time(format!("joint {name}{unit}"), "q", lines))
}

fn sensor(name: &str, model: &Model) -> Result<Panel> {
    let id = find(model, ObjectKind::Sensor, "sensor", name)?;
    let (start, dim) = (model.sensors.start[id] as usize, model.sensors.dim[id] as usize);
    let lines = (0..dim).map(|k| (start + k, sensor_part(model, id, k))).collect();
    Ok(Panel::over_time(format!("sensor {name}"), "sensor", lines))
}

fn find(model: &Model, kind: ObjectKind, what: &str, name: &str) -> Result<usize> {
    model.find(kind, name).with_context(|| {
        let known: Vec<&str> = model.names(kind).iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
        let known = if known.is_empty() { "none with a name".to_owned() } else { known.join(", ") };
        format!("no {what} {name:?}; the model has {known}")
    })
}
