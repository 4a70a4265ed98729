//! Actuators: common attributes, and transmission targets. Shortcuts are in
//! [`shortcut`](super::shortcut).

use super::sensor::history;
use super::settings::limited;
use super::shortcut;
use crate::error::ReadError;
use crate::xml::Element;
use saltus_sim::model::kinds::{BiasKind, GainKind};
use saltus_sim::model::spec::{ActuatorDefault, ActuatorSpec, TransmissionSpec};

/// Reads an actuator, or the defaults of one, on top of a prototype.
///
/// There is one prototype for all actuator elements. Common settings are inherited between all
/// elements; the settings of a shortcut only by the same shortcut and by `general`, and those of
/// `general` by every shortcut.
pub fn actuator(e: Element, prototype: &mut ActuatorDefault) -> Result<(), ReadError> {
    if prototype.element != e.tag() && prototype.element != "general" && e.tag() != "general" {
        prototype.clear_force_law();
    }
    common(e, &mut prototype.spec)?;
    history(e)?;
    shortcut::force_law(e, prototype)?;
    // Meaning of the single control of these actuators; a general actuator inherits it from its
    // defaults.
    match e.tag() {
        "position" => prototype.spec.inputs = 1,
        "velocity" | "intvelocity" => prototype.spec.inputs = 2,
        "cylinder" => prototype.spec.inputs = 32,
        _ => {}
    }
    prototype.element = e.tag().to_owned();
    Ok(())
}

fn common(e: Element, a: &mut ActuatorSpec) -> Result<(), ReadError> {
    e.string("name", &mut a.name);
    e.integer("group", &mut a.group)?;
    if e.exact("ctrlrange", &mut a.ctrl_range)? && e.tag() != "intvelocity" {
        a.inherit_range = 0.0;
    }
    limited(e, "ctrllimited", &mut a.ctrl_limited)?;
    limited(e, "forcelimited", &mut a.force_limited)?;
    limited(e, "actlimited", &mut a.activation_limited)?;
    e.exact("forcerange", &mut a.force_range)?;
    if e.exact("actrange", &mut a.activation_range)? && e.tag() == "intvelocity" {
        a.inherit_range = 0.0;
    }
    e.exact("lengthrange", &mut a.length_range)?;
    e.exact("velrange", &mut a.velocity_range)?;
    e.exact("ffrange", &mut a.feedforward_range)?;
    e.some("gear", &mut a.gear)?;
    e.some("damping", &mut a.damping)?;
    e.real("armature", &mut a.armature)?;
    e.real("cranklength", &mut a.crank_length)?;
    e.user(&mut a.user)
}

/// Converts a prototype to an actuator of the model.
pub fn finish(e: Element, prototype: ActuatorDefault) -> Result<ActuatorSpec, ReadError> {
    let mut a = prototype.spec;
    a.transmission = transmission(e)?;
    a.place = e.place();
    // A positive velocity coefficient of a servo is a damping ratio.
    let servo = match a.gain {
        GainKind::Fixed => a.gain_prm[0] == -a.bias_prm[1],
        GainKind::Pid => true,
        _ => false,
    };
    if a.bias == BiasKind::Affine && servo && a.bias_prm[2] > 0.0 {
        a.damping_ratio = Some(a.bias_prm[2]);
        a.bias_prm[2] = 0.0;
    }
    if a.gain == GainKind::Pid && a.inputs == 0 {
        a.inputs = 3;
    }
    Ok(a)
}

fn transmission(e: Element) -> Result<TransmissionSpec, ReadError> {
    const TARGETS: [&str; 6] = ["joint", "jointinparent", "tendon", "cranksite", "site", "body"];
    let mut given = TARGETS.iter().filter_map(|t| e.text(t).map(|name| (*t, name.to_owned())));
    let Some((target, name)) = given.next() else {
        return Err(e.error(format!("has no transmission target: give one of {}", TARGETS.join(", "))));
    };
    if let Some((second, _)) = given.next() {
        return Err(e.attribute_error(second, format!("{target} already defines the transmission target")));
    }
    for (attribute, goes_with) in [("refsite", "site"), ("slidersite", "cranksite")] {
        if target != goes_with && e.text(attribute).is_some() {
            return Err(e.attribute_error(attribute, format!("can only be given together with {goes_with}")));
        }
    }
    Ok(match target {
        "joint" => TransmissionSpec::Joint(name),
        "jointinparent" => TransmissionSpec::JointInParent(name),
        "tendon" => TransmissionSpec::Tendon(name),
        "cranksite" => TransmissionSpec::SliderCrank { slider_site: e.required("slidersite")?, crank_site: name },
        "site" => TransmissionSpec::Site { site: name, ref_site: e.text("refsite").map(str::to_owned) },
        _ => TransmissionSpec::Body(name),
    })
}
