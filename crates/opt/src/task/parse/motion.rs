//! `[motion]` and `[guess]`.

use super::{COUNTS, Result, take_pose};
use crate::problem::Evaluation;
use crate::task::error::TaskError;
use crate::task::table::{At, ByDof, Table};
use crate::task::{EndsTask, MotionTask, Pose};
use crate::template::goal::STEPS;

pub(super) fn parse(mut table: Table, guess: Table) -> Result<MotionTask> {
    let steps = table.count("steps", STEPS)?.ok_or_else(|| table.missing("steps", "the number of steps"))?;
    let time = table.positive("time")?.ok_or_else(|| table.missing("time", "a duration in s"))?;
    let ends = parse_ends(&mut table)?;
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
    let Guess { through, noise, seed } = parse_guess(guess)?;
    Ok(MotionTask {
        steps,
        time,
        ends,
        start,
        start_velocity,
        evaluation: evaluation.unwrap_or_default(),
        limits: limits.unwrap_or(true),
        length,
        guess: through,
        noise,
        seed,
    })
}

fn parse_ends(table: &mut Table) -> Result<EndsTask> {
    let ends = table.word("ends", &[("fixed", 0), ("free", 1), ("cycle", 2)])?;
    let (stride, mirror) = (table.by_dof("stride")?, table.flag("mirror")?);
    let free_time = table.flag("free_time")?;
    match ends.unwrap_or(0) {
        2 => {
            let stride = match stride {
                None => Vec::new(),
                Some(ByDof::Joints(stride)) => stride,
                Some(_) => return Err(table.missing("stride", "a table { joint = distance }")),
            };
            let (mirror, free_time) = (mirror.unwrap_or(false), free_time.unwrap_or(false));
            Ok(EndsTask::Cycle { stride, mirror, free_time, line: table.line })
        }
        _ if stride.is_some() || mirror.is_some() || free_time.is_some() => {
            let message = "stride, mirror and free_time belong to ends = \"cycle\"";
            Err(TaskError::at(table.line, table.key("stride"), message))
        }
        0 => Ok(EndsTask::Fixed),
        _ => Ok(EndsTask::Free),
    }
}

/// `[guess]`.
struct Guess {
    through: Vec<Pose>,
    noise: f64,
    seed: u64,
}

fn parse_guess(mut table: Table) -> Result<Guess> {
    let mut through = Vec::new();
    let is_line = table.word("kind", &[("still", false), ("line", true)])?.unwrap_or(false);
    if is_line {
        let keyframes = table.texts("keyframes")?.unwrap_or_default();
        through.extend(keyframes.into_iter().map(Pose::Keyframe));
        through.extend(take_pose(&mut table, "to")?);
        if through.is_empty() {
            let expected =
                "where the line ends: to = [...], keyframe = \"...\", or keyframes = [\"...\", ...] on its way";
            return Err(table.missing("to", expected));
        }
    }
    let noise = table.number("noise")?.unwrap_or(0.0);
    let seed = table.count("seed", COUNTS)?.unwrap_or(1) as u64;
    table.finish()?;
    Ok(Guess { through, noise, seed })
}
