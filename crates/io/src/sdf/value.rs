//! Typed access to values, which SDF writes as the contents of elements.

use crate::error::ReadError;
use crate::urdf::{only, turned};
use crate::xml::Element;
use saltus_math::{Quat, Vec3};
use saltus_sim::model::spec::Pose;

/// The only child with this tag, which must be there.
pub(super) fn required<'t>(parent: Element<'t>, tag: &'t str) -> Result<Element<'t>, ReadError> {
    only(parent, tag)?.ok_or_else(|| parent.error(format!("expected an element {tag}")))
}

/// The numbers inside an element.
pub(super) fn numbers<const N: usize>(e: Element) -> Result<[f64; N], ReadError> {
    let values = e.content_numbers()?;
    let found = values.len();
    if values.iter().any(|v| v.is_nan()) {
        return Err(e.error("NaN is not a valid value"));
    }
    values.try_into().map_err(|_| e.error(format!("expected {N} number(s), found {found}")))
}

/// The number in a child; another one where there is no such child.
pub(super) fn real_or<'t>(parent: Element<'t>, tag: &'t str, default: f64) -> Result<f64, ReadError> {
    only(parent, tag)?.map_or(Ok(default), |e| numbers::<1>(e).map(|[x]| x))
}

/// The number in a child that must be there.
pub(super) fn real<'t>(parent: Element<'t>, tag: &'t str) -> Result<f64, ReadError> {
    numbers::<1>(required(parent, tag)?).map(|[x]| x)
}

/// Whether a child says yes.
pub(super) fn flag_or<'t>(parent: Element<'t>, tag: &'t str, default: bool) -> Result<bool, ReadError> {
    let Some(e) = only(parent, tag)? else { return Ok(default) };
    match e.content() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        other => Err(e.error(format!("expected true or false, found {other:?}"))),
    }
}

/// The pose in the child `pose`: position, and roll, pitch, yaw or a quaternion x, y, z, w.
pub(super) fn pose(parent: Element) -> Result<Pose, ReadError> {
    let Some(e) = only(parent, "pose")? else { return Ok(Pose::default()) };
    let place = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    if e.content().is_empty() {
        return Ok(Pose::default());
    }
    if e.text("rotation_format") == Some("quat_xyzw") {
        let [x, y, z, a, b, c, w] = numbers(e)?;
        return Ok(Pose::new(place(x, y, z), Quat::new(w, a, b, c).normalized()));
    }
    let [x, y, z, roll, pitch, yaw] = numbers(e)?;
    let mut rpy = place(roll, pitch, yaw);
    let mut degrees = false;
    e.flag("degrees", &mut degrees)?;
    if degrees {
        rpy *= std::f64::consts::PI / 180.0;
    }
    Ok(Pose::new(place(x, y, z), turned(rpy)))
}
