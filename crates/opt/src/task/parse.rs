//! From text to a task, table by table.

use super::error::TaskError;
use super::table::{At, ByDof, Table};
use super::{ContactTask, EndsTask, MotionTask, Pose, Task, TermTask, What};
use crate::geometry::Touch;
use crate::problem::Evaluation;
use crate::problem::continuation::Hardness;
use crate::solve::optimize::{Method, OptimizeOptions};
use crate::template::gait::{Gait, Sides};
use crate::template::goal::{Aim, Goal};
use crate::template::robot::RobotOptions;
use saltus_sim::options::law::{Law, LawOptions};

type Result<T> = core::result::Result<T, TaskError>;

impl Task {
    /// Reads a task; `file` is for messages.
    pub fn parse(text: &str, file: &str) -> Result<Task> {
        parse(text, file).map_err(|e| e.in_file(file))
    }
}

fn parse(text: &str, file: &str) -> Result<Task> {
    let mut top = Table::parse(text)?;
    let name = top.text("name")?.ok_or_else(|| top.missing("name", "a short text"))?.value;
    let about = top.text("about")?.map_or(String::new(), |t| t.value);
    let model = top.text("model")?.ok_or_else(|| top.missing("model", "the name of a model or of its file"))?;
    let what = parse_what(&mut top)?;
    let contact = parse_contact(top.table("contact")?)?;
    let options = parse_solver(top.table("solver")?)?;
    let terms = top.tables("term")?.into_iter().map(TermTask::parse).collect::<Result<Vec<_>>>()?;
    top.finish()?;
    Ok(Task { file: file.to_owned(), name, about, model, what, contact, terms, options })
}

/// What to do: one of the templates, or a motion with its guess.
fn parse_what(top: &mut Table) -> Result<What> {
    let (motion, guess) = (top.table("motion")?, top.table("guess")?);
    let mut found: Option<(What, &'static str)> = None;
    for word in TEMPLATES {
        let Some(table) = top.table(word)? else { continue };
        if let Some((_, other)) = &found {
            let message = format!("a task has one template: [{other}] or [{word}]");
            return Err(TaskError::at(table.line, format!("[{word}]"), message));
        }
        let what = if word == "gait" { parse_gait(table)? } else { parse_goal(word, table)? };
        found = Some((what, word));
    }
    match (found, motion, guess) {
        (Some((_, word)), Some(motion), _) => {
            let message = format!("a task has either a [{word}] or a [motion]");
            Err(TaskError::at(motion.line, "[motion]", message))
        }
        (Some((_, word)), None, Some(guess)) => {
            Err(TaskError::at(guess.line, "[guess]", format!("a {word} makes its own guess")))
        }
        (Some((what, _)), None, None) => Ok(what),
        (None, Some(motion), guess) => Ok(What::Motion(parse_motion(motion, guess)?)),
        (None, None, _) => {
            Err(top.missing("[motion]", "what to do: a table [gait], [stand], [reach], [jump] or [motion]"))
        }
    }
}

const TEMPLATES: [&str; 4] = ["gait", "stand", "reach", "jump"];

fn parse_goal(word: &'static str, mut table: Table) -> Result<What> {
    let aim = match word {
        "stand" => Aim::Stand,
        "reach" => {
            let place = table.text("place")?.ok_or_else(|| table.missing("place", "a site or a body"))?.value;
            let position = table.axes("position")?.ok_or_else(|| table.missing("position", "three numbers in m"))?;
            Aim::Reach { place, position }
        }
        _ => {
            let height = table.positive("height")?.ok_or_else(|| table.missing("height", "a height in m"))?;
            Aim::Jump { height }
        }
    };
    let goal = Goal { aim, time: table.positive("time")?, steps: table.count("steps")? };
    let robot = parse_robot(&mut table)?;
    let line = table.line;
    table.finish()?;
    Ok(What::Goal { goal, robot, line })
}

/// What is said of the robot of a template.
fn parse_robot(table: &mut Table) -> Result<RobotOptions> {
    let strings = |list: Option<Vec<At<String>>>| list.unwrap_or_default().into_iter().map(|t| t.value).collect();
    Ok(RobotOptions {
        feet: strings(table.texts("feet")?),
        keyframe: table.text("keyframe")?.map(|t| t.value),
        keep_pose: table.flag("keep_pose")?.unwrap_or(false),
    })
}

fn parse_gait(mut table: Table) -> Result<What> {
    let mut gait = Gait::default();
    gait.speed = table.number("speed")?;
    gait.period = table.positive("period")?;
    gait.free_period = table.flag("free_period")?.unwrap_or(false);
    gait.steps = table.count("steps")?.unwrap_or(gait.steps);
    gait.mirror = if table.is_text("mirror") {
        table.word("mirror", &Sides::WORDS)?
    } else {
        table.flag("mirror")?.map(|mirror| if mirror { Sides::Turns } else { Sides::Free })
    };
    gait.noise = table.number("noise")?.unwrap_or(gait.noise);
    gait.seed = table.count("seed")?.map_or(gait.seed, |s| s as u64);
    let robot = parse_robot(&mut table)?;
    if let Some(mut weights) = table.table("weights")? {
        let w = &mut gait.weights;
        w.effort = weights.number("effort")?.unwrap_or(w.effort);
        w.posture = weights.number("posture")?.unwrap_or(w.posture);
        w.upright = weights.number("upright")?.unwrap_or(w.upright);
        w.smoothness = weights.number("smoothness")?.unwrap_or(w.smoothness);
        w.steadiness = weights.number("steadiness")?.unwrap_or(w.steadiness);
        w.slip = weights.number("slip")?.unwrap_or(w.slip);
        w.fade = weights.positive("fade")?.unwrap_or(w.fade);
        w.soles = weights.number("soles")?.unwrap_or(w.soles);
        weights.finish()?;
    }
    let line = table.line;
    table.finish()?;
    Ok(What::Gait { gait, robot, line })
}

fn parse_motion(mut table: Table, guess: Option<Table>) -> Result<MotionTask> {
    let steps = table.count("steps")?.ok_or_else(|| table.missing("steps", "the number of steps"))?;
    let time = table.positive("time")?.ok_or_else(|| table.missing("time", "a duration in s"))?;
    let ends = table.word("ends", &[("fixed", 0), ("free", 1), ("cycle", 2)])?;
    let (stride, mirror) = (table.by_dof("stride")?, table.flag("mirror")?);
    let free_time = table.flag("free_time")?;
    let ends = match ends.unwrap_or(0) {
        2 => {
            let stride = match stride {
                None => Vec::new(),
                Some(ByDof::Joints(stride)) => stride,
                Some(_) => return Err(table.missing("stride", "a table { joint = distance }")),
            };
            let (mirror, free_time) = (mirror.unwrap_or(false), free_time.unwrap_or(false));
            EndsTask::Cycle { stride, mirror, free_time, line: table.line }
        }
        kind => {
            if stride.is_some() || mirror.is_some() || free_time.is_some() {
                let message = "stride, mirror and free_time belong to ends = \"cycle\"";
                return Err(TaskError::at(table.line, table.key("stride"), message));
            }
            if kind == 0 { EndsTask::Fixed } else { EndsTask::Free }
        }
    };
    let (start, start_velocity) = match table.table("start")? {
        None => (Pose::Reference, At { value: Vec::new(), line: table.line }),
        Some(mut start) => {
            let pose = take_pose(&mut start, "q")?.unwrap_or(Pose::Reference);
            let v = start.numbers("v")?.unwrap_or(At { value: Vec::new(), line: start.line });
            start.finish()?;
            (pose, v)
        }
    };
    let evaluation = table.word("evaluate", &[("begin", Evaluation::Begin), ("end", Evaluation::End)])?;
    let (limits, length) = (table.flag("limits")?, table.positive("length")?);
    table.finish()?;
    let (mut to, mut noise, mut seed) = (Vec::new(), 0.0, 1);
    if let Some(mut guess) = guess {
        let line = guess.word("kind", &[("still", false), ("line", true)])?.unwrap_or(false);
        if line {
            let through = guess.texts("keyframes")?.unwrap_or_default();
            to.extend(through.into_iter().map(Pose::Keyframe));
            to.extend(take_pose(&mut guess, "to")?);
            if to.is_empty() {
                let expected =
                    "where the line ends: to = [...], keyframe = \"...\", or keyframes = [\"...\", ...] on its way";
                return Err(guess.missing("to", expected));
            }
        }
        noise = guess.number("noise")?.unwrap_or(0.0);
        seed = guess.count("seed")?.unwrap_or(1) as u64;
        guess.finish()?;
    }
    Ok(MotionTask {
        steps,
        time,
        ends,
        start,
        start_velocity,
        evaluation: evaluation.unwrap_or_default(),
        limits: limits.unwrap_or(true),
        length,
        guess: to,
        noise,
        seed,
    })
}

/// A configuration: `keyframe`, or coordinates under `key`.
pub(super) fn take_pose(table: &mut Table, key: &'static str) -> Result<Option<Pose>> {
    let (name, q) = (table.text("keyframe")?, table.numbers(key)?);
    match (name, q) {
        (Some(name), Some(_)) => Err(TaskError::at(
            name.line,
            table.key("keyframe"),
            format!("either keyframe or {key} is expected, not both"),
        )),
        (Some(name), None) => Ok(Some(Pose::Keyframe(name))),
        (None, Some(q)) => Ok(Some(Pose::Coordinates(q))),
        (None, None) => Ok(None),
    }
}

fn parse_contact(table: Option<Table>) -> Result<ContactTask> {
    let compliant = LawOptions::default().compliant;
    let mut contact = ContactTask {
        law: Law::Invertible,
        compliant,
        touch: Touch::Environment,
        between: Vec::new(),
        from: None,
        to: None,
        line: 1,
    };
    let Some(mut table) = table else { return Ok(contact) };
    contact.line = table.line;
    let laws = [("invertible", Law::Invertible), ("compliant", Law::Compliant), ("soft", Law::Soft)];
    contact.law = table.word("law", &laws)?.unwrap_or(contact.law);
    contact.between = table.pairs("between")?;
    contact.touch = if table.is_text("touch") {
        let words = [("environment", 0), ("nothing", 1), ("shapes", 2)];
        match table.word("touch", &words)?.unwrap_or(0) {
            1 => Touch::Nothing,
            2 => Touch::Shapes,
            _ => Touch::Environment,
        }
    } else {
        match table.texts("touch")? {
            Some(names) => Touch::Bodies(names.into_iter().map(|n| n.value).collect()),
            None => Touch::Environment,
        }
    };
    if contact.touch == Touch::Shapes && !contact.between.is_empty() {
        let message = "touch = \"shapes\" lets all shapes of the model touch: between is not expected";
        return Err(TaskError::at(table.line, table.key("between"), message));
    }
    contact.from = table.table("from")?.map(parse_hardness).transpose()?;
    contact.to = table.table("to")?.map(parse_hardness).transpose()?;
    if let Some(mut own) = table.table("compliant")? {
        let c = &mut contact.compliant;
        c.stiffness = own.positive("stiffness")?.unwrap_or(c.stiffness);
        c.smoothing = own.positive("smoothing")?.unwrap_or(c.smoothing);
        c.dissipation = own.positive("dissipation")?.unwrap_or(c.dissipation);
        c.stiction = own.positive("stiction")?.unwrap_or(c.stiction);
        c.friction = own.number("friction")?.unwrap_or(c.friction);
        own.finish()?;
    }
    table.finish()?;
    Ok(contact)
}

fn parse_hardness(mut table: Table) -> Result<Hardness> {
    let smoothing = table.positive("smoothing")?.ok_or_else(|| table.missing("smoothing", "a number such as 0.1"))?;
    let hover = table.positive("hover")?.ok_or_else(|| table.missing("hover", "a distance in m"))?;
    let reach = table.positive("reach")?.ok_or_else(|| table.missing("reach", "a distance in m"))?;
    let inset = table.number("inset")?.unwrap_or(0.7 * hover);
    table.finish()?;
    Ok(Hardness { smoothing, hover, inset, reach })
}

fn parse_solver(table: Option<Table>) -> Result<OptimizeOptions> {
    let mut options = OptimizeOptions::default();
    let Some(mut table) = table else { return Ok(options) };
    options.threads = table.count("threads")?.unwrap_or(options.threads);
    options.iterations = table.count("iterations")?.unwrap_or(options.iterations);
    options.feasibility = table.positive("feasibility")?.unwrap_or(options.feasibility);
    options.tolerance = table.positive("tolerance")?.unwrap_or(options.tolerance);
    options.penalty = table.positive("penalty")?.unwrap_or(options.penalty);
    options.penalty_growth = table.positive("penalty_growth")?.unwrap_or(options.penalty_growth);
    options.penalty_limit = table.positive("penalty_limit")?.unwrap_or(options.penalty_limit);
    let methods = [("rounds", Method::Rounds), ("sqp", Method::Sqp)];
    options.method = table.word("method", &methods)?.unwrap_or(options.method);
    options.radius = table.positive("radius")?.unwrap_or(options.radius);
    options.newton = table.positive("newton")?.unwrap_or(options.newton);
    options.path_step = table.positive("path_step")?.unwrap_or(options.path_step);
    options.rounds[0] = table.count("first_rounds")?.unwrap_or(options.rounds[0]);
    table.finish()?;
    Ok(options)
}
