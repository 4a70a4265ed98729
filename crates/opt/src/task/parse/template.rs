//! `[gait]`, `[stand]`, `[reach]` and `[jump]`.

use super::{COUNTS, Result};
use crate::task::TaskKind;
use crate::task::table::{At, Table};
use crate::template::gait::{Gait, Sides};
use crate::template::goal::{Aim, Goal, STEPS};
use crate::template::robot::RobotOptions;

/// The tables of templates.
pub(super) const WORDS: [&str; 4] = ["gait", "stand", "reach", "jump"];

/// The largest speed, m/s, and height of a jump, m.
const MOST: f64 = 100.0;

/// The template of this name.
pub(super) fn parse(word: &'static str, table: Table) -> Result<TaskKind> {
    if word == "gait" { parse_gait(table) } else { parse_goal(word, table) }
}

fn parse_goal(word: &'static str, mut table: Table) -> Result<TaskKind> {
    let aim = match word {
        "stand" => Aim::Stand,
        "reach" => {
            let place = table.text("place")?.ok_or_else(|| table.missing("place", "a site or a body"))?.value;
            let position = table.axes("position")?.ok_or_else(|| table.missing("position", "three numbers in m"))?;
            Aim::Reach { place, position }
        }
        _ => {
            let height = table.positive_to("height", MOST, " of m")?;
            Aim::Jump { height: height.ok_or_else(|| table.missing("height", "a height in m"))? }
        }
    };
    let goal = Goal { aim, time: table.positive("time")?, steps: table.count("steps", STEPS)? };
    let robot = parse_robot(&mut table)?;
    let line = table.line;
    table.finish()?;
    Ok(TaskKind::Goal { goal, robot, line })
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

fn parse_gait(mut table: Table) -> Result<TaskKind> {
    let mut gait = Gait::default();
    gait.speed = table.number_in("speed", -MOST..=MOST, " of m/s")?;
    gait.period = table.positive("period")?;
    gait.free_period = table.flag("free_period")?.unwrap_or(false);
    gait.steps = table.count("steps", STEPS)?.unwrap_or(gait.steps);
    gait.mirror = if table.is_text("mirror") {
        table.word("mirror", &Sides::WORDS)?
    } else {
        table.flag("mirror")?.map(|mirror| if mirror { Sides::Turns } else { Sides::Free })
    };
    gait.noise = table.number("noise")?.unwrap_or(gait.noise);
    gait.seed = table.count("seed", COUNTS)?.map_or(gait.seed, |s| s as u64);
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
    Ok(TaskKind::Gait { gait, robot, line })
}
