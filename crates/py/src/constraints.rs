//! Rows of the constraint problem as arrays (copies: their number changes from step to step).

use crate::data::DataCore;
use crate::model::ModelCore;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use saltus::Model;
use saltus::sim::data::{Constraints, Spring};
use saltus::sim::options::JacobianStorage;

/// Number of degrees of freedom from which MuJoCo stores J sparse unless told otherwise.
const SPARSE_FROM: usize = 60;

/// Whether MuJoCo would store J sparse.
#[pyfunction]
pub fn is_sparse(model: &ModelCore) -> PyResult<bool> {
    Ok(sparse(&model.structure()))
}

fn sparse(model: &Model) -> bool {
    match model.options.jacobian {
        JacobianStorage::Dense => false,
        JacobianStorage::Sparse => true,
        JacobianStorage::Auto => model.size.nv >= SPARSE_FROM,
    }
}

/// One array of the constraint problem, by MuJoCo's name.
#[pyfunction]
pub fn constraint_field<'py>(
    py: Python<'py>,
    model: &ModelCore,
    data: &DataCore,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let model = model.structure();
    data.check(&model)?;
    let rows = &data.data.constraints;
    let sparse = sparse(&model);
    let floats = |v: &[f64]| Ok(PyArray1::from_slice(py, v).into_any());
    let ints = |v: Vec<i32>| Ok(PyArray1::from_vec(py, v).into_any());
    match name {
        "efc_type" => ints(rows.kind.iter().map(|k| *k as i32).collect()),
        "efc_id" => ints(rows.id.iter().map(|i| *i as i32).collect()),
        "efc_state" => ints(rows.state.iter().map(|s| *s as i32).collect()),
        "efc_pos" => floats(&rows.pos),
        "efc_margin" => floats(&rows.margin),
        "efc_frictionloss" => floats(&rows.friction_loss),
        "efc_diagA" => floats(&rows.diag),
        "efc_KBIP" => {
            let numbers = |s: &Spring| [s.stiffness, s.damping, s.impedance, s.slope];
            let all = rows.spring.iter().flat_map(numbers).collect();
            Ok(PyArray1::from_vec(py, all).reshape([rows.len(), 4])?.into_any())
        }
        "efc_R" => floats(&rows.R),
        "efc_D" => floats(&rows.D),
        "efc_vel" => floats(&rows.vel),
        "efc_aref" => floats(&rows.a_ref),
        "efc_force" => floats(&rows.force),
        "efc_J" if sparse => floats(&rows.J),
        "efc_J" => floats(&dense(rows, model.size.nv)),
        "efc_J_rownnz" if sparse => ints(per_row(rows, |b, _| b.cols.len as i32)),
        "efc_J_rowadr" if sparse => ints(per_row(rows, |b, r| b.row_values(r).start as i32)),
        "efc_J_colind" if sparse => ints(columns(rows)),
        "efc_J_rownnz" | "efc_J_rowadr" | "efc_J_colind" => ints(Vec::new()),
        _ => Err(PyAttributeError::new_err(format!("no constraint field {name:?}"))),
    }
}

fn dense(rows: &Constraints, nv: usize) -> Vec<f64> {
    let mut full = vec![0.0; rows.len() * nv];
    for block in &rows.blocks {
        for (r, row) in block.rows.range().enumerate() {
            for (&c, &value) in rows.col[block.cols.range()].iter().zip(&rows.J[block.row_values(r)]) {
                full[row * nv + c as usize] = value;
            }
        }
    }
    full
}

fn per_row(rows: &Constraints, f: impl Fn(&saltus::sim::data::Block, usize) -> i32) -> Vec<i32> {
    rows.blocks.iter().flat_map(|b| (0..b.rows.len as usize).map(|r| f(b, r)).collect::<Vec<_>>()).collect()
}

/// Column of each value of J.
fn columns(rows: &Constraints) -> Vec<i32> {
    let of_block = |b: &saltus::sim::data::Block| {
        let cols: Vec<i32> = rows.col[b.cols.range()].iter().map(|c| *c as i32).collect();
        cols.repeat(b.rows.len as usize)
    };
    rows.blocks.iter().flat_map(of_block).collect()
}
