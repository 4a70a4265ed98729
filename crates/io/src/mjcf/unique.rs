//! Checks that names are unique among elements of one kind.

use crate::error::ReadError;
use saltus_sim::ModelSpec;
use std::collections::BTreeSet;

/// Checks all names of a model.
pub fn check(spec: &ModelSpec) -> Result<(), ReadError> {
    let bodies = &spec.bodies;
    kind("body", bodies.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("joint", bodies.iter().flat_map(|b| &b.joints).map(|x| (&x.name, x.place.as_str())))?;
    kind("geom", bodies.iter().flat_map(|b| &b.geoms).map(|x| (&x.name, x.place.as_str())))?;
    kind("site", bodies.iter().flat_map(|b| &b.sites).map(|x| (&x.name, x.place.as_str())))?;
    kind("camera", bodies.iter().flat_map(|b| &b.cameras).map(|x| (&x.name, x.place.as_str())))?;
    kind("light", bodies.iter().flat_map(|b| &b.lights).map(|x| (&x.name, x.place.as_str())))?;
    kind("mesh", spec.meshes.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("hfield", spec.hfields.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("texture", spec.textures.iter().map(|x| (&x.name, "")))?;
    kind("material", spec.materials.iter().map(|x| (&x.name, "")))?;
    kind("pair", spec.pairs.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("exclude", spec.excludes.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("equality constraint", spec.equalities.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("tendon", spec.tendons.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("actuator", spec.actuators.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("sensor", spec.sensors.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("numeric", spec.numerics.iter().map(|x| (&x.name, "")))?;
    kind("text", spec.texts.iter().map(|x| (&x.name, "")))?;
    kind("tuple", spec.tuples.iter().map(|x| (&x.name, x.place.as_str())))?;
    kind("key", spec.keys.iter().map(|x| (&x.name, x.place.as_str())))
}

fn kind<'s>(what: &str, names: impl Iterator<Item = (&'s String, &'s str)>) -> Result<(), ReadError> {
    let mut seen = BTreeSet::new();
    for (name, place) in names {
        if !name.is_empty() && !seen.insert(name) {
            let (file, line) = match (place.rsplit_once(':'), place.strip_prefix("line ")) {
                (Some((file, line)), _) => (file, line),
                (None, Some(line)) => ("", line),
                (None, None) => (place, "0"),
            };
            return Err(ReadError {
                file: file.to_owned(),
                line: line.parse().unwrap_or(0),
                element: format!("{what} {name:?}"),
                attribute: "name".to_owned(),
                message: format!("there is already a {what} of this name"),
            });
        }
    }
    Ok(())
}
