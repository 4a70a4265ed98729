//! `[[term]]`: every kind of term by name.

use super::Pose;
use super::error::TaskError;
use super::parse::take_pose;
use super::table::{At, ByDof, Table};
use crate::problem::Role;
use crate::problem::term::Pressure;

type Result<T> = core::result::Result<T, TaskError>;

/// A term of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TermTask {
    /// Name.
    pub name: String,
    /// What is computed.
    pub kind: Kind,
    /// Cost or constraint.
    pub role: Role,
    /// The steps in which it counts.
    pub when: When,
    /// Unit of residuals, instead of the usual one.
    pub measure: Option<f64>,
    /// What constraints may be violated by.
    pub slack: f64,
    /// Line of the task file.
    pub line: usize,
}

/// When a term counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// In all steps.
    Always,
    /// From, to; s.
    Between(f64, f64),
    /// In the state at this time, once; s.
    At(f64),
    /// In the first state, once.
    Start,
    /// In the last state, once.
    End,
}

/// Where a place is fixed.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A site.
    Site(At<String>),
    /// A body.
    Body(At<String>),
}

/// What a term is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Coordinates near a pose.
    Posture {
        /// What is asked for.
        target: Pose,
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Coordinates near a motion between two poses.
    Track {
        /// Where it begins.
        from: Pose,
        /// Where it ends.
        to: Pose,
        /// Weight of the residuals.
        weight: ByDof,
        /// Weights of velocities.
        velocity_weight: ByDof,
    },
    /// Some coordinates near a motion between two poses.
    Coordinates {
        /// Where it begins.
        from: Pose,
        /// Where it ends.
        to: Pose,
        /// Weight of the residuals.
        weight: At<Vec<f64>>,
    },
    /// Squares of torques.
    Effort {
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Squares of accelerations.
    Smoothness {
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Squares of the power of motors.
    Power {
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Cost of transport.
    Transport {
        /// Weight of the residuals.
        weight: ByDof,
        /// Speed, m/s.
        speed: f64,
    },
    /// Mean velocity of the centre of mass.
    Speed {
        /// Velocity that is asked for.
        velocity: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
    },
    /// Velocities of dofs.
    Velocity {
        /// Weight of the residuals.
        weight: ByDof,
        /// What is asked for.
        target: ByDof,
    },
    /// Torques near given ones.
    Control {
        /// Torques of the motors.
        torque: At<Vec<f64>>,
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Position of a frame.
    Site {
        /// The place that is meant.
        at: Place,
        /// Position that is asked for.
        position: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
    },
    /// Orientation of a frame.
    Orientation {
        /// The place that is meant.
        at: Place,
        /// Orientation that is asked for.
        quat: [f64; 4],
        /// Weight of the residuals.
        weight: [f64; 3],
    },
    /// Velocity of a frame.
    SiteVelocity {
        /// The place that is meant.
        at: Place,
        /// Velocity that is asked for.
        velocity: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
        /// Angular velocity that is asked for.
        angular: [f64; 3],
        /// Weights of the angular part.
        angular_weight: [f64; 3],
    },
    /// Centre of mass.
    CentreOfMass {
        /// The body.
        body: Option<At<String>>,
        /// Position that is asked for.
        position: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
    },
    /// Momentum.
    Momentum {
        /// The body.
        body: Option<At<String>>,
        /// Linear momentum that is asked for.
        linear: [f64; 3],
        /// Weight of the residuals.
        weight: [f64; 3],
        /// Angular velocity that is asked for.
        angular: [f64; 3],
        /// Weights of the angular part.
        angular_weight: [f64; 3],
    },
    /// What a sensor reads.
    Sensor {
        /// The sensor.
        sensor: At<String>,
        /// What is asked for.
        target: ByDof,
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Velocity of points near the ground.
    Slip {
        /// Weight of the residuals.
        weight: f64,
        /// Height over which it fades, m.
        fade: f64,
        /// Height of the ground, m.
        ground: f64,
    },
    /// Velocity of contacts along their surfaces.
    Sliding {
        /// Weight of the residuals.
        weight: f64,
        /// Height over which it fades, m.
        fade: f64,
    },
    /// Height of feet that move.
    Clearance {
        /// Weight of the residuals.
        weight: f64,
        /// Height, m.
        height: f64,
        /// Height of the ground, m.
        ground: f64,
    },
    /// Points above the ground.
    AboveGround {
        /// What is allowed.
        allowed: f64,
        /// Height of the ground, m.
        ground: f64,
    },
    /// Overlap of shapes.
    Penetration {
        /// What is allowed.
        allowed: f64,
    },
    /// Distance of links.
    Separation {
        /// Distance that is kept, m.
        margin: f64,
    },
    /// Difference from the mirror image.
    Symmetry {
        /// Weight of the residuals.
        weight: ByDof,
    },
    /// Forces of contacts.
    ContactForce {
        /// The bodies.
        bodies: Vec<At<String>>,
        /// Which force is meant.
        of: Pressure,
        /// N, or shares of the weight.
        least: Option<f64>,
        /// Most that it may be.
        most: Option<f64>,
        /// Whether it is in units of the weight of the robot.
        by_weight: bool,
        /// Weight of the residuals.
        weight: f64,
    },
}

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
            Kind::AboveGround { .. }
            | Kind::Penetration { .. }
            | Kind::Separation { .. }
            | Kind::ContactForce { .. } => Role::Inequality,
            Kind::Symmetry { .. } => Role::Equality,
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

fn take_kind(table: &mut Table, word: &At<String>) -> Result<Kind> {
    // What has to be written down, and what is 1 if it is not.
    let weight = |table: &mut Table, key| Ok::<ByDof, TaskError>(table.weight(key)?.unwrap_or(ByDof::All(1.0)));
    let axes = |table: &mut Table, key, otherwise| Ok::<[f64; 3], TaskError>(table.axes(key)?.unwrap_or(otherwise));
    Ok(match word.value.as_str() {
        "posture" => {
            let target = take_pose(table, "target")?.unwrap_or(Pose::Start);
            Kind::Posture { target, weight: weight(table, "weight")? }
        }
        "track" => {
            let from = table.numbers("from")?.map_or(Pose::Start, Pose::Coordinates);
            let to = take_pose(table, "to")?
                .ok_or_else(|| table.missing("to", "the coordinates at the end, or a keyframe"))?;
            let velocity_weight = table.by_dof("velocity_weight")?.unwrap_or(ByDof::All(0.0));
            Kind::Track { from, to, weight: weight(table, "weight")?, velocity_weight }
        }
        "coordinates" => {
            let from = table.numbers("from")?.map_or(Pose::Start, Pose::Coordinates);
            let to = take_pose(table, "to")?
                .ok_or_else(|| table.missing("to", "the coordinates at the end, or a keyframe"))?;
            let expected = "one number for each coordinate";
            let weight = match table.weight("weight")?.ok_or_else(|| table.missing("weight", expected))? {
                ByDof::List(value) => At { value, line: table.line },
                _ => return Err(TaskError::at(table.line, table.key("weight"), format!("expected {expected}"))),
            };
            Kind::Coordinates { from, to, weight }
        }
        "effort" => Kind::Effort { weight: weight(table, "weight")? },
        "smoothness" => Kind::Smoothness { weight: weight(table, "weight")? },
        "power" => Kind::Power { weight: weight(table, "weight")? },
        "transport" => {
            let speed =
                table.positive("speed")?.ok_or_else(|| table.missing("speed", "the speed of the motion in m/s"))?;
            Kind::Transport { weight: weight(table, "weight")?, speed }
        }
        "speed" => {
            let velocity = table.axes("velocity")?.ok_or_else(|| table.missing("velocity", "three numbers in m/s"))?;
            Kind::Speed { velocity, weight: axes(table, "weight", [1.0; 3])? }
        }
        "velocity" => {
            let target = table.by_dof("target")?.unwrap_or(ByDof::All(0.0));
            Kind::Velocity { weight: weight(table, "weight")?, target }
        }
        "control" => {
            let torque = table.numbers("torque")?.ok_or_else(|| table.missing("torque", "one force for each dof"))?;
            Kind::Control { torque, weight: weight(table, "weight")? }
        }
        "site" => {
            let at = take_place(table)?;
            let position = table.axes("position")?.ok_or_else(|| table.missing("position", "three numbers"))?;
            Kind::Site { at, position, weight: axes(table, "weight", [1.0; 3])? }
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
            Kind::Orientation { at, quat, weight: axes(table, "weight", [1.0; 3])? }
        }
        "site_velocity" => Kind::SiteVelocity {
            at: take_place(table)?,
            velocity: axes(table, "velocity", NOTHING)?,
            weight: axes(table, "weight", [1.0; 3])?,
            angular: axes(table, "angular", NOTHING)?,
            angular_weight: axes(table, "angular_weight", NOTHING)?,
        },
        "centre_of_mass" => {
            let body = table.text("body")?;
            let position = table.axes("position")?.ok_or_else(|| table.missing("position", "three numbers"))?;
            Kind::CentreOfMass { body, position, weight: axes(table, "weight", [1.0; 3])? }
        }
        "momentum" => Kind::Momentum {
            body: table.text("body")?,
            linear: axes(table, "linear", NOTHING)?,
            weight: axes(table, "weight", [1.0; 3])?,
            angular: axes(table, "angular", NOTHING)?,
            angular_weight: axes(table, "angular_weight", [1.0; 3])?,
        },
        "sensor" => Kind::Sensor {
            sensor: table.text("sensor")?.ok_or_else(|| table.missing("sensor", "the name of a sensor"))?,
            target: table.by_dof("target")?.unwrap_or(ByDof::All(0.0)),
            weight: weight(table, "weight")?,
        },
        "slip" => Kind::Slip {
            weight: table.number("weight")?.unwrap_or(1.0),
            fade: table.positive("fade")?.ok_or_else(|| table.missing("fade", "a height in m"))?,
            ground: table.number("ground")?.unwrap_or(0.0),
        },
        "sliding" => Kind::Sliding {
            weight: table.number("weight")?.unwrap_or(1.0),
            fade: table.positive("fade")?.ok_or_else(|| table.missing("fade", "a distance in m"))?,
        },
        "clearance" => Kind::Clearance {
            weight: table.number("weight")?.unwrap_or(1.0),
            height: table.positive("height")?.ok_or_else(|| table.missing("height", "a height in m"))?,
            ground: table.number("ground")?.unwrap_or(0.0),
        },
        "above_ground" => Kind::AboveGround {
            allowed: table.number("allowed")?.unwrap_or(0.0),
            ground: table.number("ground")?.unwrap_or(0.0),
        },
        "penetration" => Kind::Penetration { allowed: table.number("allowed")?.unwrap_or(0.0) },
        "separation" => Kind::Separation { margin: table.number("margin")?.unwrap_or(0.0) },
        "symmetry" => Kind::Symmetry { weight: weight(table, "weight")? },
        "contact_force" => take_contact_force(table)?,
        _ => return Err(table.unknown_word("kind", word, KINDS)),
    })
}

fn take_contact_force(table: &mut Table) -> Result<Kind> {
    let bodies = table.texts("bodies")?.ok_or_else(|| table.missing("bodies", "a list of bodies"))?;
    let of = table.word("force", &[("normal", Pressure::Normal), ("total", Pressure::Total)])?;
    let (least, most) = (table.number("least")?, table.number("most")?);
    if least.is_none() && most.is_none() {
        return Err(table.missing("most", "the largest force, or the smallest one with the key least"));
    }
    let by_weight = table.word("unit", &[("N", false), ("weight", true)])?.unwrap_or(false);
    let weight = table.number("weight")?.unwrap_or(1.0);
    Ok(Kind::ContactForce { bodies, of: of.unwrap_or(Pressure::Normal), least, most, by_weight, weight })
}

fn take_place(table: &mut Table) -> Result<Place> {
    match (table.text("site")?, table.text("body")?) {
        (Some(site), None) => Ok(Place::Site(site)),
        (None, Some(body)) => Ok(Place::Body(body)),
        _ => Err(table.missing("site", "either a site or a body")),
    }
}
