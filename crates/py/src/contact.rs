//! The invertible contact law in contact space, on plain arrays. Names are those of the paper.
#![allow(non_snake_case)]

use numpy::{PyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::sim::law::invertible::{self, Dense, Report, Rows, Smoothing, Wall};

type Solution<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, (&'static str, u32, f64));

/// A problem given by Python. Rows: limits, then two tangents and the normal of each contact.
#[derive(FromPyObject)]
pub struct ContactProblem<'py> {
    #[pyo3(attribute("A"))]
    A: PyReadonlyArrayDyn<'py, f64>,
    #[pyo3(attribute("R"))]
    R: PyReadonlyArrayDyn<'py, f64>,
    mu: PyReadonlyArrayDyn<'py, f64>,
    vmin: PyReadonlyArrayDyn<'py, f64>,
    n_limits: usize,
    kappa: f64,
    q: f64,
    elastic: bool,
}

/// f and v from c.
#[pyfunction]
pub fn invertible_forward<'py>(
    py: Python<'py>,
    problem: ContactProblem<'py>,
    c: PyReadonlyArrayDyn<'py, f64>,
) -> PyResult<Solution<'py>> {
    solve(py, &problem, &c, "c", invertible::forward)
}

/// f and c from v.
#[pyfunction]
pub fn invertible_inverse<'py>(
    py: Python<'py>,
    problem: ContactProblem<'py>,
    v: PyReadonlyArrayDyn<'py, f64>,
) -> PyResult<Solution<'py>> {
    solve(py, &problem, &v, "v", invertible::inverse)
}

type Solver = fn(&Rows, &Dense, &[f64], Wall) -> Result<(Vec<f64>, Vec<f64>, Report), invertible::Error>;

fn solve<'py>(
    py: Python<'py>,
    problem: &ContactProblem<'py>,
    x: &PyReadonlyArrayDyn<'py, f64>,
    name: &str,
    solver: Solver,
) -> PyResult<Solution<'py>> {
    let wrong = |error: invertible::Error| PyValueError::new_err(error.to_string());
    let (R, mu, vmin) = (problem.R.as_slice()?, problem.mu.as_slice()?, problem.vmin.as_slice()?);
    let (limits, n) = (problem.n_limits, R.len());
    let contacts = mu.len();
    let expect = |what: &str, have: usize, want: usize| {
        if have == want {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "{what} should have {want} numbers for {limits} limits and {contacts} contacts, not {have}"
        )))
    };
    let rows_wanted = contacts.checked_mul(3).and_then(|c| c.checked_add(limits)).unwrap_or(usize::MAX);
    expect("R", n, rows_wanted)?;
    expect("vmin", vmin.len(), limits + contacts)?;
    let x = x.as_slice()?;
    expect(name, x.len(), n)?;
    if problem.A.shape() != [n, n] {
        return Err(PyValueError::new_err(format!("A should be {n} × {n}, not {:?}", problem.A.shape())));
    }
    let smoothing = Smoothing { kappa: problem.kappa, slope: problem.q };
    let mut rows = Rows::default();
    for i in 0..limits {
        rows.push_limit(R[i], vmin[i], smoothing);
    }
    for k in 0..contacts {
        let first = limits + 3 * k;
        rows.push_contact(&[R[first + 2], R[first], R[first + 1]], &[mu[k]; 2], vmin[limits + k], smoothing);
    }
    // The law's rows begin with the normal, the paper's end with it.
    let place = |i: usize| if i < limits { i } else { i - (i - limits) % 3 + (i - limits + 1) % 3 };
    let values = problem.A.as_slice()?;
    let mut A = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            A[place(i) * n + place(j)] = values[i * n + j];
        }
    }
    let mut given = vec![0.0; n];
    (0..n).for_each(|i| given[place(i)] = x[i]);
    let wall = if problem.elastic { Wall::Elastic } else { Wall::Published };
    let (f, other, report) = py
        .detach(|| {
            let A = Dense::new(n, &A)?;
            solver(&rows, &A, &given, wall)
        })
        .map_err(wrong)?;
    let back = |from: &[f64]| PyArray1::from_iter(py, (0..n).map(|i| from[place(i)]));
    Ok((back(&f), back(&other), (report.status.name(), report.iterations, report.residual)))
}
