//! User data and keyframes.

use super::body_parts::refuse_nonzero;
use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::{Quat, Vec3};
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{CompilerSpec, KeySpec, NumericSpec, ObjectKind, TextSpec, TupleElement, TupleSpec};

/// Maximum number of values that one numeric may reserve.
const MAX_SIZE: usize = 10_000_000;

/// Names of object kinds in tuples and user sensors.
pub const OBJECTS: &[(&str, ObjectKind)] = &[
    ("body", ObjectKind::Body),
    ("xbody", ObjectKind::XBody),
    ("joint", ObjectKind::Joint),
    ("geom", ObjectKind::Geom),
    ("site", ObjectKind::Site),
    ("camera", ObjectKind::Camera),
    ("light", ObjectKind::Light),
    ("mesh", ObjectKind::Mesh),
    ("hfield", ObjectKind::Hfield),
    ("texture", ObjectKind::Texture),
    ("material", ObjectKind::Material),
    ("pair", ObjectKind::Pair),
    ("exclude", ObjectKind::Exclude),
    ("equality", ObjectKind::Equality),
    ("tendon", ObjectKind::Tendon),
    ("actuator", ObjectKind::Actuator),
    ("sensor", ObjectKind::Sensor),
    ("numeric", ObjectKind::Numeric),
    ("text", ObjectKind::Text),
    ("tuple", ObjectKind::Tuple),
    ("key", ObjectKind::Key),
];

/// Reads one element of `<custom>`.
pub fn custom(e: Element, spec: &mut ModelSpec) -> Result<(), ReadError> {
    let name = e.required("name")?;
    match e.tag() {
        "numeric" => {
            let data = e.list("data")?.unwrap_or_default();
            let mut size = data.len();
            e.count("size", &mut size)?;
            if size == 0 || size > MAX_SIZE {
                return Err(e.error(format!("needs data, or a size from 1 to {MAX_SIZE}")));
            }
            if data.len() > size {
                let message = format!("expected at most size = {size} numbers, found {}", data.len());
                return Err(e.attribute_error("data", message));
            }
            spec.numerics.push(NumericSpec { name, data, size });
        }
        "text" if name == CompilerSpec::INERTIA_TEXT.0 => {
            let as_given = (CompilerSpec::INERTIA_TEXT.1, true);
            spec.compiler.inertia_as_given = e.word("data", &e.required("data")?, &[as_given])?;
        }
        "text" => spec.texts.push(TextSpec { name, data: e.required("data")? }),
        _ => {
            let elements: Vec<_> = e.children().map(tuple_element).collect::<Result<_, _>>()?;
            if elements.is_empty() {
                return Err(e.error("a tuple needs at least one element"));
            }
            spec.tuples.push(TupleSpec { name, elements, place: e.place() });
        }
    }
    Ok(())
}

fn tuple_element(e: Element) -> Result<TupleElement, ReadError> {
    let mut prm = 0.0;
    e.real("prm", &mut prm)?;
    let kind = e.word("objtype", &e.required("objtype")?, OBJECTS)?;
    Ok(TupleElement { kind, name: e.required("objname")?, prm })
}

/// Reads a keyframe.
pub fn key(e: Element) -> Result<KeySpec, ReadError> {
    let mut key = KeySpec { place: e.place(), ..KeySpec::default() };
    e.string("name", &mut key.name);
    e.real("time", &mut key.time)?;
    for (name, values) in
        [("qpos", &mut key.qpos), ("qvel", &mut key.qvel), ("act", &mut key.act), ("ctrl", &mut key.ctrl)]
    {
        *values = finite(e, name)?;
    }
    let groups = |name: &str, size: usize| {
        let values = finite(e, name)?;
        if values.len() % size != 0 {
            return Err(
                e.attribute_error(name, format!("expected a multiple of {size} numbers, found {}", values.len()))
            );
        }
        Ok(values)
    };
    key.mocap_pos = groups("mpos", 3)?.chunks_exact(3).map(Vec3::from_slice).collect();
    key.mocap_quat = groups("mquat", 4)?.chunks_exact(4).map(|q| Quat::from_slice(q).normalized()).collect();
    refuse_nonzero(e, "plastic", "plasticity is not supported")?;
    Ok(key)
}

fn finite(e: Element, name: &str) -> Result<Vec<f64>, ReadError> {
    let values = e.list(name)?.unwrap_or_default();
    match values.iter().find(|v| !v.is_finite()) {
        Some(bad) => Err(e.attribute_error(name, format!("expected finite numbers, found {bad}"))),
        None => Ok(values),
    }
}
