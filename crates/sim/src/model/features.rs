//! The features that a model uses.

use super::Model;
use crate::options::Disable;

/// The kinds of constraints that the model can activate and that its options do not disable, as
/// text.
pub fn constraint_sources(model: &Model) -> Vec<String> {
    let off = model.options.disable;
    let mut sources = Vec::new();
    let mut add = |flag: Disable, count: usize, what: &str| {
        if count > 0 && !off.has(Disable::CONSTRAINT) && !off.has(flag) {
            sources.push(format!("{count} {what}"));
        }
    };
    let count = |flags: &[bool]| flags.iter().filter(|&&x| x).count();
    let positive = |values: &[f64]| values.iter().filter(|&&x| x > 0.0).count();
    add(Disable::EQUALITY, count(&model.equalities.active), "equality constraints");
    let friction = positive(&model.dofs.friction_loss) + positive(&model.tendons.friction_loss);
    add(Disable::FRICTIONLOSS, friction, "dofs or tendons with friction loss");
    add(Disable::LIMIT, count(&model.joints.limited) + count(&model.tendons.limited), "joint or tendon limits");
    let colliding = (0..model.ngeom()).filter(|&g| model.geoms.contype[g] | model.geoms.conaffinity[g] != 0).count();
    add(Disable::CONTACT, if colliding > 1 { colliding } else { 0 }, "geoms that can collide");
    add(Disable::CONTACT, model.pairs.name.len(), "contact pairs");
    sources
}
