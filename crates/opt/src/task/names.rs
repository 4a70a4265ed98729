//! Lookup of the names and numbers of a task in a model.

use super::error::TaskError;
use super::table::{At, ByDof};
use super::{Place, Pose};
use crate::problem::term::Frame;
use saltus_sim::Model;
use saltus_sim::ids::BodyId;
use saltus_sim::model::kinds::ObjectKind;

type Result<T> = core::result::Result<T, TaskError>;

/// Id of an object; the error says what there is.
pub(super) fn find(model: &Model, kind: ObjectKind, name: &At<String>, key: &str) -> Result<usize> {
    let missing = || TaskError::at(name.line, key, model.no_such(kind, &name.value).to_string());
    model.find(kind, &name.value).ok_or_else(missing)
}

pub(super) fn body(model: &Model, name: &At<String>, key: &str) -> Result<BodyId> {
    find(model, ObjectKind::Body, name, key).map(BodyId::new)
}

pub(super) fn frame(model: &Model, place: &Place, key: &str) -> Result<Frame> {
    match place {
        Place::Site(name) => find(model, ObjectKind::Site, name, key).map(|s| Frame::of_site(model, s)),
        Place::Body(name) => body(model, name, key).map(Frame::of_body),
    }
}

/// A configuration · nq, with unit quaternions.
pub(super) fn pose(model: &Model, pose: &Pose, start: &[f64], key: &str) -> Result<Vec<f64>> {
    let nq = model.size.nq;
    match pose {
        Pose::Reference => Ok(model.q0.clone()),
        Pose::Start => Ok(start.to_vec()),
        Pose::Keyframe(name) => {
            let k = find(model, ObjectKind::Key, name, key)?;
            Ok(model.keys.q[k * nq..(k + 1) * nq].to_vec())
        }
        Pose::Coordinates(q) => {
            let mut found = sized(q, nq, "coordinates", key)?.to_vec();
            saltus_sim::kinematics::coordinates::normalize(model, &mut found);
            Ok(found)
        }
    }
}

/// A list of the right length.
pub(super) fn sized<'a>(list: &'a At<Vec<f64>>, len: usize, what: &str, key: &str) -> Result<&'a [f64]> {
    if list.value.len() == len {
        return Ok(&list.value);
    }
    let message = format!("expected {len} numbers, the {what} of the model; found {}", list.value.len());
    Err(TaskError::at(list.line, key, message))
}

/// Numbers for all dofs; one number for all goes to those of `members` only, and what is not named
/// is zero.
pub(super) fn dofs(model: &Model, numbers: &ByDof, members: &[usize], key: &At<String>) -> Result<Vec<f64>> {
    let mut out = vec![0.0; model.size.nv];
    match numbers {
        ByDof::All(x) => members.iter().for_each(|&i| out[i] = *x),
        ByDof::List(list) => {
            let list = At { value: list.clone(), line: key.line };
            out.copy_from_slice(sized(&list, model.size.nv, "dofs", &key.value)?);
        }
        ByDof::Joints(joints) => {
            for (name, x) in joints {
                let j = find(model, ObjectKind::Joint, name, &key.value)?;
                let first = model.joints.dof_start[j] as usize;
                let count = (0..model.size.nv).filter(|&i| model.dofs.joint[i].idx() == j).count();
                out[first..first + count].fill(*x);
            }
        }
    }
    Ok(out)
}
