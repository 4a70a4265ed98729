//! Frames: positions, and orientations in any of MJCF's notations.

use super::settings::Notation;
use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::{Mat3, Quat, Vec3, normalize};

/// Orientation of an element; `out` is unchanged if none is given. The attribute `quat` may have
/// another name.
pub fn orientation(e: Element, notation: &Notation, out: &mut Quat) -> Result<bool, ReadError> {
    const FORMS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
    let mut given = FORMS.iter().filter(|f| e.text(f).is_some());
    let Some(form) = given.next() else { return Ok(false) };
    if let Some(second) = given.next() {
        return Err(e.attribute_error(second, format!("{form} already gives the orientation; only one may")));
    }
    let short = |what| e.attribute_error(form, format!("{what} is too short to give a direction"));
    match *form {
        "quat" => {
            let mut q = [0.0; 4];
            e.exact(form, &mut q)?;
            let q = Quat::from_slice(&q);
            if q.norm() < saltus_math::MIN_VAL {
                return Err(short("the quaternion"));
            }
            *out = q.normalized();
        }
        "axisangle" => {
            let mut a = [0.0; 4];
            e.exact(form, &mut a)?;
            let (axis, length) = normalize(Vec3::new(a[0], a[1], a[2]));
            if length == 0.0 {
                return Err(short("the axis"));
            }
            *out = Quat::from_axis_angle(axis, notation.angle(a[3]));
        }
        "xyaxes" => {
            let mut a = [0.0; 6];
            e.exact(form, &mut a)?;
            let (x, x_length) = normalize(Vec3::new(a[0], a[1], a[2]));
            let y = Vec3::new(a[3], a[4], a[5]);
            let (y, y_length) = normalize(y - x * x.dot(y));
            if x_length == 0.0 || y_length == 0.0 {
                return Err(short("an axis, or the angle between the axes,"));
            }
            *out = Mat3::from_cols(x, y, x.cross(y)).to_quat();
        }
        "zaxis" => {
            let mut z = Vec3::ZERO;
            e.vec3(form, &mut z)?;
            if normalize(z).1 == 0.0 {
                return Err(short("the axis"));
            }
            *out = Quat::from_z_to(z);
        }
        _ => {
            let mut angles = [0.0; 3];
            e.exact(form, &mut angles)?;
            *out = euler(angles, notation);
        }
    }
    Ok(true)
}

/// Rotation by three angles in the order and axes of `eulerseq`.
pub fn euler(angles: [f64; 3], notation: &Notation) -> Quat {
    let mut q = Quat::IDENTITY;
    for (angle, letter) in angles.into_iter().zip(notation.euler) {
        let axis = match letter.to_ascii_lowercase() {
            b'x' => Vec3::X,
            b'y' => Vec3::Y,
            _ => Vec3::Z,
        };
        let turn = Quat::from_axis_angle(axis, notation.angle(angle));
        q = if letter.is_ascii_lowercase() { q * turn } else { turn * q };
    }
    q.normalized()
}

/// Reads `pos` and the orientation.
pub fn pose(e: Element, notation: &Notation, pos: &mut Vec3, quat: &mut Quat) -> Result<(), ReadError> {
    e.vec3("pos", pos)?;
    orientation(e, notation, quat)?;
    Ok(())
}
