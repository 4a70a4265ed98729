//! Default classes.

use super::settings::Notation;
use super::{actuator, asset, body_parts, links};
use crate::error::ReadError;
use crate::xml::Element;
use saltus_sim::model::spec::{DefaultClass, Defaults};

/// Maximum number of default classes of a model.
const MAX_CLASSES: usize = 10_000;

/// Reads one top-level `<default>` with the classes inside it.
pub fn read(top: Element, notation: &Notation, defaults: &mut Defaults) -> Result<(), ReadError> {
    if top.text("class").is_some_and(|name| name != "main") {
        return Err(top.attribute_error("class", "the top-level default class is called \"main\"; omit the name"));
    }
    // A class starts as a copy of its parent, so the parent's own settings are read before its
    // subclasses.
    let mut stack = vec![(top, 0)];
    while let Some((element, class)) = stack.pop() {
        for child in element.children().filter(|c| c.tag() != "default") {
            settings(child, notation, &mut defaults.classes[class])?;
        }
        let mut inner = Vec::new();
        for child in element.all("default") {
            let Some(name) = child.text("class") else {
                return Err(child.attribute_error("class", "a default class inside another needs a name"));
            };
            if defaults.classes.len() >= MAX_CLASSES {
                return Err(child.error(format!("the model has more than {MAX_CLASSES} default classes")));
            }
            let added = defaults
                .add(name, class)
                .ok_or_else(|| child.attribute_error("class", format!("there is already a default class {name:?}")))?;
            inner.push((child, added));
        }
        stack.extend(inner.into_iter().rev());
    }
    Ok(())
}

/// Reads the settings of one kind of element into a class.
fn settings(e: Element, notation: &Notation, class: &mut DefaultClass) -> Result<(), ReadError> {
    match e.tag() {
        "mesh" => asset::mesh_common(e, &mut class.mesh),
        "material" => asset::material(e, &mut class.material),
        "joint" => body_parts::joint(e, &mut class.joint),
        "geom" => body_parts::geom(e, notation, &mut class.geom),
        "site" => body_parts::site(e, notation, &mut class.site),
        "camera" => body_parts::camera(e, notation, &mut class.camera),
        "light" => body_parts::light(e, &mut class.light),
        "pair" => links::pair(e, &mut class.pair),
        "equality" => links::equality_common(e, &mut class.equality),
        "tendon" => links::tendon(e, &mut class.tendon),
        "texture" | "orientation" | "dcmotor" | "plugin" => Ok(()),
        _ => actuator::actuator(e, &mut class.actuator),
    }
}

/// The class that an element names, or otherwise the inherited one.
pub fn of<'d>(e: Element, defaults: &'d Defaults, inherited: usize) -> Result<&'d DefaultClass, ReadError> {
    let class = index(e, "class", defaults, inherited)?;
    Ok(&defaults.classes[class])
}

/// Index of the class that an attribute names; `inherited` without the attribute.
pub fn index(e: Element, attribute: &str, defaults: &Defaults, inherited: usize) -> Result<usize, ReadError> {
    match e.text(attribute) {
        None => Ok(inherited),
        Some(name) => defaults
            .find(name)
            .ok_or_else(|| e.attribute_error(attribute, format!("there is no default class {name:?}"))),
    }
}
