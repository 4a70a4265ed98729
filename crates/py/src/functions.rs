//! Functions on models and data.

use crate::data::DataCore;
use crate::model::ModelCore;
use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use saltus::math::{Motion, Vec3, ldl};
use saltus::sim::callbacks::{Callbacks, NoCallbacks};
use saltus::sim::ids::{ActuatorId, BodyId};
use saltus::sim::kinematics::{self, Frame, coordinates, jacobian};
use saltus::sim::model::kinds::ObjectKind;
use saltus::sim::{actuation as act, collide, constraint, dynamics, forward as pipeline, sensor, tendon};
use saltus::{Data, Model, Stage};

type Readonly<'py> = PyReadonlyArrayDyn<'py, f64>;
type Readwrite<'py> = PyReadwriteArrayDyn<'py, f64>;

/// The numbers of a C-contiguous array of `len` numbers.
fn numbers<'a>(array: &'a Readonly<'_>, len: usize, what: &str) -> PyResult<&'a [f64]> {
    check_layout(array, what)?;
    let slice = array.as_slice()?;
    check_len(slice.len(), len, what)?;
    Ok(slice)
}
fn numbers_mut<'a>(array: &'a mut Readwrite<'_>, len: usize, what: &str) -> PyResult<&'a mut [f64]> {
    check_layout(array, what)?;
    let slice = array.as_slice_mut()?;
    check_len(slice.len(), len, what)?;
    Ok(slice)
}
/// Fortran order is contiguous too, and would be read transposed.
fn check_layout(array: &Bound<'_, PyArrayDyn<f64>>, what: &str) -> PyResult<()> {
    if array.is_c_contiguous() { Ok(()) } else { Err(PyTypeError::new_err(format!("{what} should be C-contiguous"))) }
}
fn check_len(have: usize, want: usize, what: &str) -> PyResult<()> {
    if have == want {
        Ok(())
    } else {
        Err(PyTypeError::new_err(format!("{what} should have {want} numbers, not {have}")))
    }
}
fn body_id(model: &Model, body: usize) -> PyResult<BodyId> {
    if body < model.nbody() {
        Ok(BodyId::new(body))
    } else {
        Err(PyIndexError::new_err(format!("no body {body}: the model has {}", model.nbody())))
    }
}

/// Smooth forward dynamics of all stages after `valid`.
#[pyfunction]
#[pyo3(signature = (model, data, valid=0))]
pub fn forward(py: Python<'_>, model: &ModelCore, data: &mut DataCore, valid: i32) -> PyResult<()> {
    let valid = match valid {
        0 => Stage::None,
        1 => Stage::Position,
        2 => Stage::Velocity,
        _ => return Err(PyValueError::new_err("the valid stage is 0 (none), 1 (position) or 2 (velocity)")),
    };
    let model = model.current(py);
    let data = data.checked(&model)?;
    py.detach(|| pipeline::forward_smooth_from(&model, data, valid, &mut NoCallbacks));
    Ok(())
}

/// Runs one stage, or one function of a stage, by name.
#[pyfunction]
pub fn stage(py: Python<'_>, model: &ModelCore, data: &mut DataCore, name: &str) -> PyResult<()> {
    type Run = fn(&Model, &mut Data);
    let run: Run = match name {
        "position" => pipeline::update_position,
        "kinematics" => kinematics::update_kinematics,
        "com" => kinematics::update_com,
        "views" => kinematics::update_views,
        "tendons" => tendon::update_tendons,
        "inertia" => dynamics::update_inertia,
        "factor" => dynamics::update_factor,
        "transmission" => act::update_transmission,
        "collision" => collide::update_contacts,
        "constraint" => constraint::update_constraints,
        "reference" => constraint::update_reference,
        "forward_position" => |m, d| {
            pipeline::update_position(m, d);
            collide::update_contacts(m, d);
            constraint::update_constraints(m, d);
        },
        "velocity" => |m, d| pipeline::update_velocity(m, d, &mut NoCallbacks),
        "body_velocity" => kinematics::update_body_velocity,
        "passive" => dynamics::update_passive,
        "bias" => dynamics::update_bias,
        "momentum" => dynamics::update_momentum,
        "acceleration" => pipeline::update_smooth_acceleration,
        "post_constraint" => dynamics::update_post_constraint,
        "energy_position" => dynamics::update_potential_energy,
        "energy_velocity" => dynamics::update_kinetic_energy,
        "sensor_position" => |m, d| sensor::update_sensors(m, d, Stage::Position, &mut NoCallbacks),
        "sensor_velocity" => |m, d| sensor::update_sensors(m, d, Stage::Velocity, &mut NoCallbacks),
        "sensor_acceleration" => |m, d| sensor::update_sensors(m, d, Stage::Acceleration, &mut NoCallbacks),
        _ => return Err(PyValueError::new_err(format!("no stage {name:?}"))),
    };
    let model = model.current(py);
    let data = data.checked(&model)?;
    py.detach(|| run(&model, data));
    Ok(())
}

/// Values that user callbacks gave for each actuator.
struct UserActuation<'a> {
    rate: &'a [f64],
    gain: &'a [f64],
    bias: &'a [f64],
}
impl Callbacks for UserActuation<'_> {
    fn activation_rate(&mut self, _: &Model, _: &Data, a: ActuatorId) -> f64 {
        self.rate[a.idx()]
    }
    fn gain(&mut self, _: &Model, _: &Data, a: ActuatorId) -> f64 {
        self.gain[a.idx()]
    }
    fn bias(&mut self, _: &Model, _: &Data, a: ActuatorId) -> f64 {
        self.bias[a.idx()]
    }
}

/// Actuation with activation rates, gains and biases of user-defined actuators, one number per actuator each.
#[pyfunction]
pub fn actuation(
    py: Python<'_>,
    model: &ModelCore,
    data: &mut DataCore,
    user: Option<(Readonly<'_>, Readonly<'_>, Readonly<'_>)>,
) -> PyResult<()> {
    let model = model.current(py);
    let data = data.checked(&model)?;
    let n = model.nactuator();
    match &user {
        None => act::update_actuation(&model, data, &mut NoCallbacks),
        Some((rate, gain, bias)) => {
            let (rate, gain, bias) = (numbers(rate, n, "rate")?, numbers(gain, n, "gain")?, numbers(bias, n, "bias")?);
            act::update_actuation(&model, data, &mut UserActuation { rate, gain, bias });
        }
    }
    Ok(())
}

/// Point Jacobians, 3 × nv each.
#[pyfunction]
pub fn jac(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    jac_p: Option<Readwrite<'_>>,
    jac_r: Option<Readwrite<'_>>,
    point: [f64; 3],
    body: usize,
) -> PyResult<()> {
    jacobian_of(py, model, data, (jac_p, jac_r), point, body, jacobian::calc_point)
}

/// Time derivatives of point Jacobians, 3 × nv each.
#[pyfunction]
pub fn jac_dot(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    jac_p: Option<Readwrite<'_>>,
    jac_r: Option<Readwrite<'_>>,
    point: [f64; 3],
    body: usize,
) -> PyResult<()> {
    jacobian_of(py, model, data, (jac_p, jac_r), point, body, jacobian::calc_point_dot)
}

type JacobianFn = fn(&Model, &Data, BodyId, Vec3, Option<&mut [f64]>, Option<&mut [f64]>);

fn jacobian_of(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    (mut jac_p, mut jac_r): (Option<Readwrite<'_>>, Option<Readwrite<'_>>),
    point: [f64; 3],
    body: usize,
    f: JacobianFn,
) -> PyResult<()> {
    let model = model.current(py);
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
    let model = model.current(py);
    data.check(&model)?;
    let body = body_id(&model, body)?;
    jacobian::calc_subtree_com(&model, &data.data, body, numbers_mut(&mut jac_p, 3 * model.size.nv, "jacp")?);
    Ok(())
}

/// Dense inertia matrix, from `m` (by default the one in `data`).
#[pyfunction]
pub fn full_m(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    mut out: Readwrite<'_>,
    m: Option<Readonly<'_>>,
) -> PyResult<()> {
    let model = model.current(py);
    data.check(&model)?;
    let nnz = model.mass_pattern.nnz();
    let values = match &m {
        Some(m) => numbers(m, nnz, "M")?,
        None => &data.data.position.M,
    };
    ldl::to_dense(&model.mass_pattern, values, numbers_mut(&mut out, model.size.nv * model.size.nv, "dst")?);
    Ok(())
}

/// res = M vec.
#[pyfunction]
pub fn mul_m(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    mut res: Readwrite<'_>,
    vec: Readonly<'_>,
) -> PyResult<()> {
    let model = model.current(py);
    data.check(&model)?;
    let nv = model.size.nv;
    let (res, vec) = (numbers_mut(&mut res, nv, "res")?, numbers(&vec, nv, "vec")?);
    ldl::mul(&model.mass_pattern, &data.data.position.M, vec, res);
    Ok(())
}

/// dst (dense nv × nv) += M.
#[pyfunction]
pub fn add_m(py: Python<'_>, model: &ModelCore, data: &DataCore, mut dst: Readwrite<'_>) -> PyResult<()> {
    let model = model.current(py);
    data.check(&model)?;
    let nv = model.size.nv;
    let mut dense = vec![0.0; nv * nv];
    ldl::to_dense(&model.mass_pattern, &data.data.position.M, &mut dense);
    for (d, m) in numbers_mut(&mut dst, nv * nv, "dst")?.iter_mut().zip(dense) {
        *d += m;
    }
    Ok(())
}

/// x = M⁻¹ y, for each row of y.
#[pyfunction]
pub fn solve_m(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    mut x: Readwrite<'_>,
    y: Readonly<'_>,
) -> PyResult<()> {
    let model = model.current(py);
    data.check(&model)?;
    let nv = model.size.nv;
    let y = numbers(&y, y.len(), "y")?;
    let x = numbers_mut(&mut x, y.len(), "x")?;
    if nv == 0 || y.len() % nv != 0 {
        return check_len(y.len(), nv, "y");
    }
    x.copy_from_slice(y);
    for row in x.chunks_exact_mut(nv) {
        ldl::solve(&model.mass_pattern, &data.data.position.LD, &data.data.position.D_inv, row);
    }
    Ok(())
}

/// Newton–Euler inverse dynamics without constraints: with the present acceleration, or the bias force alone.
#[pyfunction]
pub fn rne(
    py: Python<'_>,
    model: &ModelCore,
    data: &mut DataCore,
    with_acceleration: bool,
    mut result: Readwrite<'_>,
) -> PyResult<()> {
    let model = model.current(py);
    let data = data.checked(&model)?;
    let result = numbers_mut(&mut result, model.size.nv, "result")?;
    let a = with_acceleration.then(|| data.acceleration.a.clone());
    dynamics::calc_rne(&model, data, a.as_deref(), result);
    Ok(())
}

#[pyfunction]
pub fn integrate(py: Python<'_>, model: &ModelCore, mut q: Readwrite<'_>, v: Readonly<'_>, h: f64) -> PyResult<()> {
    let model = model.current(py);
    let v = numbers(&v, model.size.nv, "qvel")?;
    coordinates::integrate(&model, numbers_mut(&mut q, model.size.nq, "qpos")?, v, h);
    Ok(())
}

#[pyfunction]
pub fn difference(
    py: Python<'_>,
    model: &ModelCore,
    mut v: Readwrite<'_>,
    h: f64,
    q1: Readonly<'_>,
    q2: Readonly<'_>,
) -> PyResult<()> {
    let model = model.current(py);
    let nq = model.size.nq;
    let (q1, q2) = (numbers(&q1, nq, "qpos1")?, numbers(&q2, nq, "qpos2")?);
    coordinates::difference(&model, q1, q2, h, numbers_mut(&mut v, model.size.nv, "qvel")?);
    Ok(())
}

#[pyfunction]
pub fn normalize(py: Python<'_>, model: &ModelCore, mut q: Readwrite<'_>) -> PyResult<()> {
    let model = model.current(py);
    coordinates::normalize(&model, numbers_mut(&mut q, model.size.nq, "qpos")?);
    Ok(())
}

/// qfrc += Jᵀ (force, torque) at a world point of a body; `wrench` is force, torque, point.
#[pyfunction]
pub fn apply_ft(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    wrench: [[f64; 3]; 3],
    body: usize,
    mut qfrc: Readwrite<'_>,
) -> PyResult<()> {
    let model = model.current(py);
    data.check(&model)?;
    let body = body_id(&model, body)?.idx();
    let tau = numbers_mut(&mut qfrc, model.size.nv, "qfrc_target")?;
    let [force, torque, point] = wrench.map(Vec3::from_array);
    jacobian::apply_wrench(&model, &data.data, body, point, force, torque, tau);
    Ok(())
}

type ObjectFn = fn(&Model, &Data, &kinematics::ObjectFrame, Frame) -> Motion;

fn object_motion(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    (kind, id, local): (i32, usize, bool),
    f: ObjectFn,
) -> PyResult<[f64; 6]> {
    let model = model.current(py);
    data.check(&model)?;
    let frame = ObjectKind::from_i32(kind)
        .and_then(|kind| kinematics::object_frame(&model, &data.data, kind, id))
        .ok_or_else(|| PyIndexError::new_err(format!("no object {id} of kind {kind} with a frame")))?;
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
    object_motion(py, model, data, (kind, id, local), kinematics::calc_object_velocity)
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
    object_motion(py, model, data, (kind, id, local), kinematics::calc_object_acceleration)
}

/// Recomputes the constants that depend on the reference pose, after masses or the pose changed.
#[pyfunction]
pub fn set_const(py: Python<'_>, model: &ModelCore) {
    model.edit(py, saltus::sim::model::update_reference);
}
