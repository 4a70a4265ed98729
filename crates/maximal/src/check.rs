//! What is refused: parts of models without rows here, input that is not finite, results beyond
//! reason.

use crate::Error;
use crate::links::Links;
use crate::state::Bodies;
use saltus_sim::divergence::LIMIT;
use saltus_sim::model::kinds::{EqualityType, JointKind, ObjectKind, TransmissionKind};
use saltus_sim::{Data, Model};

/// Name of a body, or its number.
pub fn body_name(model: &Model, body: usize) -> String {
    named(&model.bodies.name, body)
}

fn named(names: &[String], i: usize) -> String {
    names.get(i).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| format!("#{i}"))
}

/// Whether every part of the model has a meaning in maximal coordinates.
pub fn check_model(model: &Model) -> Result<(), Error> {
    let refuse = |part, kind: ObjectKind, i: usize, reason| {
        Err(Error::Unsupported { part, name: named(model.names(kind), i), reason })
    };
    let tendons = &model.tendons;
    for t in 0..model.ntendon() {
        let kind = ObjectKind::Tendon;
        if tendons.limited[t] {
            return refuse("tendon", kind, t, "limits of tendons have no rows");
        }
        if tendons.friction_loss[t] > 0.0 {
            return refuse("tendon", kind, t, "dry friction of tendons has no rows");
        }
        if tendons.armature[t] > 0.0 {
            return refuse("tendon", kind, t, "armature of tendons has no rows");
        }
    }
    for e in 0..model.nequality() {
        let joints = [Some(model.equalities.object1[e]), model.equalities.object2[e]];
        let scalar = |j: u32| matches!(model.joints.kind.get(j as usize), Some(JointKind::Hinge | JointKind::Slide));
        match model.equalities.kind[e] {
            EqualityType::Tendon => return refuse("equality", ObjectKind::Equality, e, "tendons have no rows"),
            EqualityType::Joint if !joints.into_iter().flatten().all(scalar) => {
                return refuse("equality", ObjectKind::Equality, e, "only hinges and slides can be coupled");
            }
            _ => {}
        }
    }
    for a in 0..model.nactuator() {
        if model.actuators.transmission[a] == TransmissionKind::Body {
            return refuse("actuator", ObjectKind::Actuator, a, "adhesion has no rows");
        }
    }
    if let Some(g) = (0..model.ngeom()).find(|&g| model.geoms.adhesion[g] > 0.0) {
        return refuse("geom", ObjectKind::Geom, g, "adhesion has no rows");
    }
    if let Some(p) = (0..model.pairs.dim.len()).find(|&p| model.pairs.adhesion[p] > 0.0) {
        return refuse("pair", ObjectKind::Pair, p, "adhesion has no rows");
    }
    Ok(())
}

/// Whether the numbers of `data` are finite.
pub fn check_input(data: &Data) -> Result<(), Error> {
    let time = data.state.time;
    let parts = [("q", &data.state.q), ("v", &data.state.v), ("ctrl", &data.input.ctrl), ("act", &data.state.act)];
    for (quantity, values) in parts {
        if let Some(index) = values.iter().position(|x| !x.is_finite() || x.abs() > LIMIT) {
            return Err(Error::Input { quantity, index, value: values[index], time });
        }
    }
    Ok(())
}

/// Whether a link's pose and velocity are within reason.
pub fn check_link(model: &Model, links: &Links, bodies: &Bodies, link: usize, time: f64) -> Result<(), Error> {
    let check = |quantity, value: f64| {
        if value.is_finite() && value < LIMIT {
            return Ok(());
        }
        Err(Error::Diverged { quantity, body: body_name(model, links.main[link]), value, time })
    };
    check("velocity", bodies.linear(link).length())?;
    check("angular velocity", bodies.angular(link).length())?;
    check("position", bodies.x[link].length())
}
