//! Readings of sensors with their derivatives, for terms in Python.

use crate::data::DataCore;
use crate::model::ModelCore;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::opt::problem::term::sensor_obstacle as obstacle;
use saltus::sim::NoCallbacks;
use saltus::sim::derivative::{self, Workspace};
use saltus::sim::sensor::update_sensors;

/// The reason why a sensor cannot be used in a term; None if it can.
#[pyfunction]
pub fn sensor_obstacle(py: Python<'_>, model: &ModelCore, sensor: usize) -> PyResult<Option<&'static str>> {
    let model = model.current(py)?;
    check(model.nsensor(), sensor)?;
    Ok(obstacle(&model, sensor))
}

fn check(count: usize, sensor: usize) -> PyResult<()> {
    if sensor < count { Ok(()) } else { Err(PyValueError::new_err(format!("no sensor {sensor}: there are {count}"))) }
}

type Reading<'py> = (Bound<'py, PyArray1<f64>>, [Bound<'py, PyArray2<f64>>; 3]);

/// The reading of a sensor and its derivatives with respect to q, v and a. Positions and velocities
/// of the data must be up to date; the sensors of the same stage are evaluated.
#[pyfunction]
pub fn sensor_slopes<'py>(
    py: Python<'py>,
    model: &ModelCore,
    data: &mut DataCore,
    sensor: usize,
) -> PyResult<Reading<'py>> {
    let model = model.current(py)?;
    check(model.nsensor(), sensor)?;
    let data = data.checked(py, &model)?;
    update_sensors(&model, data, model.sensors.stage[sensor], &mut NoCallbacks);
    let (start, dim) = (model.sensors.start[sensor] as usize, model.sensors.dim[sensor] as usize);
    let reading = PyArray1::from_slice(py, &data.sensor[start..start + dim]);
    let mut work = Workspace::default();
    let slopes = derivative::sensor_slopes(&model, data, sensor, &mut work);
    let Some(slopes) = slopes.map_err(|stale| PyValueError::new_err(stale.to_string()))? else {
        return Err(PyValueError::new_err("sensors of this kind have no exact derivatives"));
    };
    let matrix = |values: &[f64]| PyArray1::from_slice(py, values).reshape([dim, model.size.nv]);
    Ok((reading, [matrix(slopes.by_q)?, matrix(slopes.by_v)?, matrix(slopes.by_a)?]))
}
