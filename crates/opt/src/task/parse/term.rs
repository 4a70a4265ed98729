//! `[[term]]`: every kind of term by name.

use super::{Result, take_pose};
use crate::problem::Role;
use crate::problem::term::Pressure;
use crate::task::Pose;
use crate::task::error::TaskError;
use crate::task::table::{At, ByDof, Table};
use crate::task::term::{Place, TermKind, TermTask, When};

const KINDS: [&str; 24] = [
    "posture",
    "track",
    "coordinates",
    "effort",
    "smoothness",
    "power",
    "transport",
    "speed",
    "velocity",
    "control",
    "site",
    "orientation",
    "site_velocity",
    "centre_of_mass",
    "momentum",
    "sensor",
    "slip",
    "sliding",
    "clearance",
    "above_ground",
    "penetration",
    "separation",
    "symmetry",
    "contact_force",
];

const NOTHING: [f64; 3] = [0.0; 3];

impl TermTask {
    pub(super) fn parse(mut table: Table) -> Result<Self> {
        let word = table.text("kind")?.ok_or_else(|| table.missing("kind", &KINDS.join(", ")))?;
        let line = table.line;
        let name = table.text("name")?.map_or_else(|| word.value.replace('_', " "), |n| n.value);
        let role = [("cost", Role::Cost), ("equality", Role::Equality), ("inequality", Role::Inequality)];
        let role = table.word("role", &role)?;
        let when = take_window(&mut table)?;
        let (measure, slack) = (table.positive("measure")?, table.positive("slack")?.unwrap_or(1.0));
        let kind = take_kind(&mut table, &word)?;
        let usual = match kind {
            TermKind::AboveGround { .. }
            | TermKind::Penetration { .. }
            | TermKind::Separation { .. }
            | TermKind::ContactForce { .. } => Role::Inequality,
            TermKind::Symmetry { .. } => Role::Equality,
            _ => Role::Cost,
        };
        table.finish()?;
        Ok(Self { name, kind, role: role.unwrap_or(usual), when, measure, slack, line })
    }
}

fn take_window(table: &mut Table) -> Result<When> {
    if table.is_text("window") {
        let words = [("always", When::Always), ("start", When::Start), ("end", When::End)];
        return Ok(table.word("window", &words)?.unwrap_or(When::Always));
    }
    if let Some(time) = table.number("at")? {
        return Ok(When::At(time));
    }
    match table.numbers("window")? {
        None => Ok(When::Always),
        Some(At { value, line }) => match value[..] {
            [from, to] if from <= to => Ok(When::Between(from, to)),
            _ => Err(TaskError::at(
                line,
                table.key("window"),
                "expected [from, to] in s, \"always\", \"start\" or \"end\"",
            )),
        },
    }
}

fn take_kind(table: &mut Table, word: &At<String>) -> Result<TermKind> {
    if let Some(kind) = take_motion_kind(table, &word.value)? {
        return Ok(kind);
    }
    if let Some(kind) = take_place_kind(table, &word.value)? {
        return Ok(kind);
    }
    take_contact_kind(table, &word.value)?.ok_or_else(|| table.unknown_word("kind", word, KINDS))
}

/// A weight, 1 if it is not given.
fn take_weight(table: &mut Table) -> Result<ByDof> {
    Ok(table.weight("weight")?.unwrap_or(ByDof::All(1.0)))
}

/// Three numbers.
fn take_axes(table: &mut Table, key: &'static str, otherwise: [f64; 3]) -> Result<[f64; 3]> {
    Ok(table.axes(key)?.unwrap_or(otherwise))
}

/// The line between two poses: where it begins and where it ends.
fn take_line(table: &mut Table) -> Result<[Pose; 2]> {
    let from = table.numbers("from")?.map_or(Pose::Start, Pose::Coordinates);
    let to = take_pose(table, "to")?;
    Ok([from, to.ok_or_else(|| table.missing("to", "the coordinates at the end, or a keyframe"))?])
}

/// Terms about coordinates, velocities and torques.
fn take_motion_kind(table: &mut Table, word: &str) -> Result<Option<TermKind>> {
    Ok(Some(match word {
        "posture" => {
            let target = take_pose(table, "target")?.unwrap_or(Pose::Start);
            TermKind::Posture { target, weight: take_weight(table)? }
        }
        "track" => {
            let [from, to] = take_line(table)?;
            let velocity_weight = table.by_dof("velocity_weight")?.unwrap_or(ByDof::All(0.0));
            TermKind::Track { from, to, weight: take_weight(table)?, velocity_weight }
        }
        "coordinates" => {
            let [from, to] = take_line(table)?;
            let expected = "one number for each coordinate";
            let weight = match table.weight("weight")?.ok_or_else(|| table.missing("weight", expected))? {
                ByDof::List(value) => At { value, line: table.line },
                _ => return Err(TaskError::at(table.line, table.key("weight"), format!("expected {expected}"))),
            };
            TermKind::Coordinates { from, to, weight }
        }
        "effort" => TermKind::Effort { weight: take_weight(table)? },
        "smoothness" => TermKind::Smoothness { weight: take_weight(table)? },
        "power" => TermKind::Power { weight: take_weight(table)? },
        "transport" => {
            let speed =
                table.positive("speed")?.ok_or_else(|| table.missing("speed", "the speed of the motion in m/s"))?;
            TermKind::Transport { weight: take_weight(table)?, speed }
        }
        "speed" => {
            let velocity = table.axes("velocity")?.ok_or_else(|| table.missing("velocity", "three numbers in m/s"))?;
            TermKind::Speed { velocity, weight: take_axes(table, "weight", [1.0; 3])? }
        }
        "velocity" => {
            let target = table.by_dof("target")?.unwrap_or(ByDof::All(0.0));
            TermKind::Velocity { weight: take_weight(table)?, target }
        }
        "control" => {
            let torque = table.numbers("torque")?.ok_or_else(|| table.missing("torque", "one force for each dof"))?;
            TermKind::Control { torque, weight: take_weight(table)? }
        }
        "symmetry" => TermKind::Symmetry { weight: take_weight(table)? },
        _ => return Ok(None),
    }))
}

/// Terms about sites, bodies and sensors.
fn take_place_kind(table: &mut Table, word: &str) -> Result<Option<TermKind>> {
    Ok(Some(match word {
        "site" => {
            let at = take_place(table)?;
            let position = table.axes("position")?.ok_or_else(|| table.missing("position", "three numbers"))?;
            TermKind::Site { at, position, weight: take_axes(table, "weight", [1.0; 3])? }
        }
        "orientation" => {
            let at = take_place(table)?;
            let quat = match table.numbers("quat")? {
                None => [1.0, 0.0, 0.0, 0.0],
                Some(At { value, line }) => match value[..] {
                    [w, x, y, z] if w * w + x * x + y * y + z * z > 1e-12 => [w, x, y, z],
                    _ => return Err(TaskError::at(line, table.key("quat"), "expected four numbers, w first")),
                },
            };
            TermKind::Orientation { at, quat, weight: take_axes(table, "weight", [1.0; 3])? }
        }
        "site_velocity" => TermKind::SiteVelocity {
            at: take_place(table)?,
            velocity: take_axes(table, "velocity", NOTHING)?,
            weight: take_axes(table, "weight", [1.0; 3])?,
            angular: take_axes(table, "angular", NOTHING)?,
            angular_weight: take_axes(table, "angular_weight", NOTHING)?,
        },
        "centre_of_mass" => {
            let body = table.text("body")?;
            let position = table.axes("position")?.ok_or_else(|| table.missing("position", "three numbers"))?;
            TermKind::CentreOfMass { body, position, weight: take_axes(table, "weight", [1.0; 3])? }
        }
        "momentum" => TermKind::Momentum {
            body: table.text("body")?,
            linear: take_axes(table, "linear", NOTHING)?,
            weight: take_axes(table, "weight", [1.0; 3])?,
            angular: take_axes(table, "angular", NOTHING)?,
            angular_weight: take_axes(table, "angular_weight", [1.0; 3])?,
        },
        "sensor" => TermKind::Sensor {
            sensor: table.text("sensor")?.ok_or_else(|| table.missing("sensor", "the name of a sensor"))?,
            target: table.by_dof("target")?.unwrap_or(ByDof::All(0.0)),
            weight: take_weight(table)?,
        },
        _ => return Ok(None),
    }))
}

/// Terms about contact and distances.
fn take_contact_kind(table: &mut Table, word: &str) -> Result<Option<TermKind>> {
    Ok(Some(match word {
        "slip" => TermKind::Slip {
            weight: table.number("weight")?.unwrap_or(1.0),
            fade: table.positive("fade")?.ok_or_else(|| table.missing("fade", "a height in m"))?,
            ground: table.number("ground")?.unwrap_or(0.0),
        },
        "sliding" => TermKind::Sliding {
            weight: table.number("weight")?.unwrap_or(1.0),
            fade: table.positive("fade")?.ok_or_else(|| table.missing("fade", "a distance in m"))?,
        },
        "clearance" => TermKind::Clearance {
            weight: table.number("weight")?.unwrap_or(1.0),
            height: table.positive("height")?.ok_or_else(|| table.missing("height", "a height in m"))?,
            ground: table.number("ground")?.unwrap_or(0.0),
        },
        "above_ground" => TermKind::AboveGround {
            allowed: table.number("allowed")?.unwrap_or(0.0),
            ground: table.number("ground")?.unwrap_or(0.0),
        },
        "penetration" => TermKind::Penetration { allowed: table.number("allowed")?.unwrap_or(0.0) },
        "separation" => TermKind::Separation { margin: table.number("margin")?.unwrap_or(0.0) },
        "contact_force" => take_contact_force(table)?,
        _ => return Ok(None),
    }))
}

fn take_contact_force(table: &mut Table) -> Result<TermKind> {
    let bodies = table.texts("bodies")?.ok_or_else(|| table.missing("bodies", "a list of bodies"))?;
    let of = table.word("force", &[("normal", Pressure::Normal), ("total", Pressure::Total)])?;
    let (least, most) = (table.number("least")?, table.number("most")?);
    if least.is_none() && most.is_none() {
        return Err(table.missing("most", "the largest force, or the smallest one with the key least"));
    }
    let by_weight = table.word("unit", &[("N", false), ("weight", true)])?.unwrap_or(false);
    let weight = table.number("weight")?.unwrap_or(1.0);
    Ok(TermKind::ContactForce { bodies, of: of.unwrap_or(Pressure::Normal), least, most, by_weight, weight })
}

fn take_place(table: &mut Table) -> Result<Place> {
    match (table.text("site")?, table.text("body")?) {
        (Some(site), None) => Ok(Place::Site(site)),
        (None, Some(body)) => Ok(Place::Body(body)),
        _ => Err(table.missing("site", "either a site or a body")),
    }
}
