//! Writes a [`ModelSpec`] as MJCF.
//!
//! The text is complete: settings of default classes are written out, angles in radians,
//! orientations as quaternions, actuators in their general form. Values equal to MJCF's own
//! defaults are omitted. Numbers have the fewest digits that read back to the same bits. Meshes and
//! height fields from files remain references to these files; others are written inline.

mod actuator;
mod asset;
mod body;
mod constraint;
mod custom;
mod sensor;
mod settings;
mod settled;
mod xml;

use saltus_sim::ModelSpec;
use xml::Xml;

/// The model as an MJCF document.
pub fn write(spec: &ModelSpec) -> String {
    let spec = &*settled::with_settled_inertias(spec);
    let mut x = Xml::new();
    x.element("mujoco").string("model", &spec.name).open();
    settings::write(&mut x, spec);
    constraint::write_classes(&mut x, spec);
    asset::write(&mut x, spec);
    body::write(&mut x, spec);
    constraint::write(&mut x, spec);
    actuator::write(&mut x, &spec.actuators);
    sensor::write(&mut x, &spec.sensors);
    custom::write(&mut x, spec);
    x.close("mujoco");
    x.finish()
}

/// The keyword of a value in a reader's table.
fn word<T: PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|(_, v)| *v == value).map_or("", |(w, _)| w)
}

/// Keywords of the bits that are set, in the order of the table.
fn words(table: &[(&str, i32)], bits: i32) -> String {
    let set: Vec<_> = table.iter().filter(|(_, bit)| bits & (1 << bit) != 0).map(|(w, _)| *w).collect();
    set.join(" ")
}
