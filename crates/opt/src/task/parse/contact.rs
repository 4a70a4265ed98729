//! `[contact]`.

use super::Result;
use crate::geometry::Touch;
use crate::problem::continuation::Hardness;
use crate::task::ContactTask;
use crate::task::error::TaskError;
use crate::task::table::Table;
use saltus_sim::options::law::{CompliantOptions, Law};

/// Laws that planning can use, by their names in task files.
pub(in crate::task) const LAWS: [(&str, Law); 3] =
    [("invertible", Law::Invertible), ("compliant", Law::Compliant), ("soft", Law::Soft)];

/// `is_motion`: whether the task has a `[motion]` of its own. Templates choose law and contacts
/// themselves.
pub(super) fn parse(mut table: Table, is_motion: bool) -> Result<ContactTask> {
    let usual = ContactTask::default();
    let law = table.word("law", &LAWS)?.unwrap_or(usual.law);
    let between = table.pairs("between")?;
    let touch = parse_touch(&mut table)?;
    if touch == Touch::Shapes && !between.is_empty() {
        let message = "touch = \"shapes\" lets all shapes of the model touch: between is not expected";
        return Err(TaskError::at(table.line, table.key("between"), message));
    }
    let from = table.table("from")?.map(parse_hardness).transpose()?;
    let to = table.table("to")?.map(parse_hardness).transpose()?;
    let compliant = match table.table("compliant")? {
        Some(own) => parse_compliant(own, usual.compliant)?,
        None => usual.compliant,
    };
    let line = table.line;
    let chosen = [
        ("law", law != usual.law),
        ("touch", touch != usual.touch),
        ("between", !between.is_empty()),
        ("compliant", compliant != usual.compliant),
    ];
    if let (false, Some((key, _))) = (is_motion, chosen.iter().find(|(_, is_chosen)| *is_chosen)) {
        let message = "a template chooses this itself: expected in a task with a [motion] only";
        return Err(TaskError::at(line, table.key(key), message));
    }
    table.finish()?;
    Ok(ContactTask { law, compliant, touch, between, from, to, line })
}

fn parse_touch(table: &mut Table) -> Result<Touch> {
    if !table.is_text("touch") {
        let names = table.texts("touch")?;
        return Ok(names.map_or(Touch::Environment, |n| Touch::Bodies(n.into_iter().map(|n| n.value).collect())));
    }
    let words = [("environment", 0), ("nothing", 1), ("shapes", 2)];
    Ok(match table.word("touch", &words)?.unwrap_or(0) {
        1 => Touch::Nothing,
        2 => Touch::Shapes,
        _ => Touch::Environment,
    })
}

fn parse_compliant(mut table: Table, usual: CompliantOptions) -> Result<CompliantOptions> {
    let mut c = usual;
    c.stiffness = table.positive("stiffness")?.unwrap_or(c.stiffness);
    c.smoothing = table.positive("smoothing")?.unwrap_or(c.smoothing);
    c.dissipation = table.positive("dissipation")?.unwrap_or(c.dissipation);
    c.stiction = table.positive("stiction")?.unwrap_or(c.stiction);
    c.friction = table.number("friction")?.unwrap_or(c.friction);
    table.finish()?;
    Ok(c)
}

fn parse_hardness(mut table: Table) -> Result<Hardness> {
    let smoothing = table.positive("smoothing")?.ok_or_else(|| table.missing("smoothing", "a number such as 0.1"))?;
    let hover = table.positive("hover")?.ok_or_else(|| table.missing("hover", "a distance in m"))?;
    let reach = table.positive("reach")?.ok_or_else(|| table.missing("reach", "a distance in m"))?;
    let inset = table.number("inset")?.unwrap_or(0.7 * hover);
    table.finish()?;
    Ok(Hardness { smoothing, hover, inset, reach })
}
