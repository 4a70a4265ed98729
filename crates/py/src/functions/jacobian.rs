//! Jacobians, and forces and motions at points of bodies.

use super::args::{Readwrite, body_id, numbers_mut};
use crate::data::DataCore;
use crate::model::ModelCore;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use saltus::math::{Motion, Vec3};
use saltus::sim::ids::BodyId;
use saltus::sim::kinematics::{self, Frame, jacobian};
use saltus::sim::model::kinds::ObjectKind;
use saltus::{Data, Model};

/// Point Jacobians, 3 × nv each.
#[pyfunction]
pub fn jac(
    model: &ModelCore,
    data: &DataCore,
    jac_p: Option<Readwrite<'_>>,
    jac_r: Option<Readwrite<'_>>,
    point: [f64; 3],
    body: usize,
) -> PyResult<()> {
    jacobian_of(model, data, [jac_p, jac_r], point, body, jacobian::calc_point)
}

/// Time derivatives of point Jacobians, 3 × nv each.
#[pyfunction]
pub fn jac_dot(
    model: &ModelCore,
    data: &DataCore,
    jac_p: Option<Readwrite<'_>>,
    jac_r: Option<Readwrite<'_>>,
    point: [f64; 3],
    body: usize,
) -> PyResult<()> {
    jacobian_of(model, data, [jac_p, jac_r], point, body, jacobian::calc_point_dot)
}

/// Point Jacobians at the origin of an object's frame, 3 × nv each.
#[pyfunction]
pub fn jac_object(
    model: &ModelCore,
    data: &DataCore,
    mut jac_p: Option<Readwrite<'_>>,
    mut jac_r: Option<Readwrite<'_>>,
    kind: i32,
    id: usize,
) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let frame = frame_of(&model, &data.data, kind, id)?;
    let n = 3 * model.size.nv;
    let p = jac_p.as_mut().map(|a| numbers_mut(a, n, "jacp")).transpose()?;
    let r = jac_r.as_mut().map(|a| numbers_mut(a, n, "jacr")).transpose()?;
    jacobian::calc_point(&model, &data.data, BodyId::new(frame.body), frame.p, p, r);
    Ok(())
}

type JacobianFn = fn(&Model, &Data, BodyId, Vec3, Option<&mut [f64]>, Option<&mut [f64]>);

fn jacobian_of(
    model: &ModelCore,
    data: &DataCore,
    [mut jac_p, mut jac_r]: [Option<Readwrite<'_>>; 2],
    point: [f64; 3],
    body: usize,
    f: JacobianFn,
) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let body = body_id(&model, body)?;
    let n = 3 * model.size.nv;
    let p = jac_p.as_mut().map(|a| numbers_mut(a, n, "jacp")).transpose()?;
    let r = jac_r.as_mut().map(|a| numbers_mut(a, n, "jacr")).transpose()?;
    f(&model, &data.data, body, Vec3::from_array(point), p, r);
    Ok(())
}

#[pyfunction]
pub fn jac_subtree_com(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    mut jac_p: Readwrite<'_>,
    body: usize,
) -> PyResult<()> {
    let model = model.for_step(py)?;
    data.check(&model)?;
    let body = body_id(&model, body)?;
    jacobian::calc_subtree_com(&model, &data.data, body, numbers_mut(&mut jac_p, 3 * model.size.nv, "jacp")?);
    Ok(())
}

/// qfrc += Jᵀ (force, torque) at a world point of a body; `wrench` is force, torque, point.
#[pyfunction]
pub fn apply_ft(
    model: &ModelCore,
    data: &DataCore,
    wrench: [[f64; 3]; 3],
    body: usize,
    mut qfrc: Readwrite<'_>,
) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let body = body_id(&model, body)?.idx();
    let tau = numbers_mut(&mut qfrc, model.size.nv, "qfrc_target")?;
    let [force, torque, point] = wrench.map(Vec3::from_array);
    jacobian::apply_wrench(&model, &data.data, body, point, force, torque, tau);
    Ok(())
}

fn frame_of(model: &Model, data: &Data, kind: i32, id: usize) -> PyResult<kinematics::ObjectFrame> {
    ObjectKind::from_i32(kind)
        .and_then(|kind| kinematics::object_frame(model, data, kind, id))
        .ok_or_else(|| PyIndexError::new_err(format!("there is no object {id} of kind {kind} with a frame")))
}

type ObjectFn = fn(&Model, &Data, &kinematics::ObjectFrame, Frame) -> Motion;

fn object_motion(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    kind: i32,
    id: usize,
    local: bool,
    f: ObjectFn,
) -> PyResult<[f64; 6]> {
    let model = model.for_step(py)?;
    data.check(&model)?;
    let frame = frame_of(&model, &data.data, kind, id)?;
    let axes = if local { Frame::Local } else { Frame::World };
    Ok(f(&model, &data.data, &frame, axes).to_array())
}

#[pyfunction]
pub fn object_velocity(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    kind: i32,
    id: usize,
    local: bool,
) -> PyResult<[f64; 6]> {
    object_motion(py, model, data, kind, id, local, kinematics::calc_object_velocity)
}

#[pyfunction]
pub fn object_acceleration(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    kind: i32,
    id: usize,
    local: bool,
) -> PyResult<[f64; 6]> {
    object_motion(py, model, data, kind, id, local, kinematics::calc_object_acceleration)
}
