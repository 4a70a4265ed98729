//! The inertia matrix, Newton–Euler, and arithmetic on the configuration manifold.

use super::args::{Readonly, Readwrite, check_len, numbers, numbers_mut};
use crate::data::DataCore;
use crate::model::ModelCore;
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use saltus::math::ldl;
use saltus::sim::dynamics;
use saltus::sim::kinematics::coordinates;

/// Dense inertia matrix, from `m` (by default the one in `data`).
#[pyfunction]
pub fn full_m(model: &ModelCore, data: &DataCore, mut out: Readwrite<'_>, m: Option<Readonly<'_>>) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let nnz = model.mass_pattern.nnz();
    let values = match &m {
        Some(m) => numbers(m, nnz, "M")?,
        None => &data.data.inertia.M,
    };
    ldl::to_dense(&model.mass_pattern, values, numbers_mut(&mut out, model.size.nv * model.size.nv, "dst")?);
    Ok(())
}

/// Dense inertia matrix, from M in the order of MuJoCo 3: the entries of each row backwards.
#[pyfunction]
pub fn full_legacy(model: &ModelCore, mut out: Readwrite<'_>, m: Readonly<'_>) -> PyResult<()> {
    let model = model.structure();
    let (pattern, nv) = (&model.mass_pattern, model.size.nv);
    let mut values = numbers(&m, pattern.nnz(), "qM")?.to_vec();
    (0..nv).for_each(|i| values[pattern.range(i)].reverse());
    ldl::to_dense(pattern, &values, numbers_mut(&mut out, nv * nv, "dst")?);
    Ok(())
}

/// res = M vec.
#[pyfunction]
pub fn mul_m(model: &ModelCore, data: &DataCore, mut res: Readwrite<'_>, vec: Readonly<'_>) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let nv = model.size.nv;
    let (res, vec) = (numbers_mut(&mut res, nv, "res")?, numbers(&vec, nv, "vec")?);
    ldl::mul(&model.mass_pattern, &data.data.inertia.M, vec, res);
    Ok(())
}

/// dst (dense nv × nv) += M.
#[pyfunction]
pub fn add_m(model: &ModelCore, data: &DataCore, mut dst: Readwrite<'_>) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let nv = model.size.nv;
    let mut dense = vec![0.0; nv * nv];
    ldl::to_dense(&model.mass_pattern, &data.data.inertia.M, &mut dense);
    for (d, m) in numbers_mut(&mut dst, nv * nv, "dst")?.iter_mut().zip(dense) {
        *d += m;
    }
    Ok(())
}

/// x = M⁻¹ y, for each row of y.
#[pyfunction]
pub fn solve_m(model: &ModelCore, data: &DataCore, mut x: Readwrite<'_>, y: Readonly<'_>) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let nv = model.size.nv;
    let y = numbers(&y, y.len(), "y")?;
    let x = numbers_mut(&mut x, y.len(), "x")?;
    if nv == 0 || y.len() % nv != 0 {
        return check_len(y.len(), nv, "y");
    }
    x.copy_from_slice(y);
    for row in x.chunks_exact_mut(nv) {
        ldl::solve(&model.mass_pattern, &data.data.inertia.LD, &data.data.inertia.D_inv, row);
    }
    Ok(())
}

/// Newton–Euler inverse dynamics without constraints: with the current acceleration, or the bias
/// force alone.
#[pyfunction]
pub fn rne(
    py: Python<'_>,
    model: &ModelCore,
    data: &mut DataCore,
    with_acceleration: bool,
    mut result: Readwrite<'_>,
) -> PyResult<()> {
    let model = model.for_step(py)?;
    let data = data.checked(py, &model)?;
    let result = numbers_mut(&mut result, model.size.nv, "result")?;
    let a = with_acceleration.then(|| data.acceleration.a.clone());
    dynamics::calc_rne(&model, data, a.as_deref(), result);
    Ok(())
}

#[pyfunction]
pub fn integrate(model: &ModelCore, mut q: Readwrite<'_>, v: Readonly<'_>, h: f64) -> PyResult<()> {
    let model = model.structure();
    let v = numbers(&v, model.size.nv, "qvel")?;
    coordinates::integrate(&model, numbers_mut(&mut q, model.size.nq, "qpos")?, v, h);
    Ok(())
}

#[pyfunction]
pub fn difference(model: &ModelCore, mut v: Readwrite<'_>, h: f64, q1: Readonly<'_>, q2: Readonly<'_>) -> PyResult<()> {
    let model = model.structure();
    let nq = model.size.nq;
    let (q1, q2) = (numbers(&q1, nq, "qpos1")?, numbers(&q2, nq, "qpos2")?);
    coordinates::difference(&model, q1, q2, h, numbers_mut(&mut v, model.size.nv, "qvel")?);
    Ok(())
}

#[pyfunction]
pub fn normalize(model: &ModelCore, mut q: Readwrite<'_>) -> PyResult<()> {
    let model = model.structure();
    coordinates::normalize(&model, numbers_mut(&mut q, model.size.nq, "qpos")?);
    Ok(())
}
