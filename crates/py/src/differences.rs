//! Derivatives by finite differences.

use crate::data::DataCore;
use crate::functions::args::{Readwrite, numbers_mut};
use crate::functions::divergence;
use crate::model::ModelCore;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::sim::finite_difference::{InverseDerivatives, Transition, inverse_derivatives, transition};

type Output<'py> = Option<Readwrite<'py>>;

fn part<'a>(array: &'a mut Output<'_>, len: usize, name: &str) -> PyResult<Option<&'a mut [f64]>> {
    array.as_mut().map(|a| numbers_mut(a, len, name)).transpose()
}

fn check_eps(eps: f64) -> PyResult<()> {
    if eps.is_finite() && eps > 0.0 {
        Ok(())
    } else {
        Err(PyValueError::new_err(format!("eps should be a positive number, not {eps}")))
    }
}

/// Derivatives of a step: ∂x⁺/∂x, ∂x⁺/∂u, ∂sensor/∂x, ∂sensor/∂u.
#[pyfunction]
pub fn transition_fd(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    eps: f64,
    centered: bool,
    out: (Output<'_>, Output<'_>, Output<'_>, Output<'_>),
) -> PyResult<()> {
    check_eps(eps)?;
    let model = model.current(py)?;
    data.check(&model)?;
    let size = &model.size;
    let (n, nu, ns) = (2 * size.nv + size.na, size.nu, size.nsensordata);
    let (mut a, mut b, mut c, mut d) = out;
    let out = Transition {
        A: part(&mut a, n * n, "A")?,
        B: part(&mut b, n * nu, "B")?,
        C: part(&mut c, ns * n, "C")?,
        D: part(&mut d, ns * nu, "D")?,
    };
    let data = &data.data;
    py.detach(|| transition(&model, data, eps, centered, out)).map_err(|error| divergence(py, &error))
}

/// Derivatives of inverse dynamics: of force by q, v, a; of sensors by q, v, a; of M by q.
#[pyfunction]
pub fn inverse_fd(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    eps: f64,
    actuation: bool,
    out: [Output<'_>; 7],
) -> PyResult<()> {
    check_eps(eps)?;
    let model = model.current(py)?;
    data.check(&model)?;
    let (nv, ns, nm) = (model.size.nv, model.size.nsensordata, model.mass_pattern.nnz());
    let [mut fq, mut fv, mut fa, mut sq, mut sv, mut sa, mut mq] = out;
    let out = InverseDerivatives {
        force: [part(&mut fq, nv * nv, "DfDq")?, part(&mut fv, nv * nv, "DfDv")?, part(&mut fa, nv * nv, "DfDa")?],
        sensor: [part(&mut sq, nv * ns, "DsDq")?, part(&mut sv, nv * ns, "DsDv")?, part(&mut sa, nv * ns, "DsDa")?],
        inertia: part(&mut mq, nv * nm, "DmDq")?,
    };
    let data = &data.data;
    py.detach(|| inverse_derivatives(&model, data, eps, actuation, out))
        .map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(())
}
