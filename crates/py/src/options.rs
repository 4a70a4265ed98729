//! Options of the model under MuJoCo's names.

use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use saltus::Options;
use saltus::sim::options::{Cone, Disable, Enable, Integrator, JacobianStorage, Solver};

/// Value of an option.
pub fn get<'py>(py: Python<'py>, o: &Options, name: &str) -> PyResult<Bound<'py, PyAny>> {
    Ok(match name {
        "timestep" => o.timestep.into_pyobject(py)?.into_any(),
        "impratio" => o.impratio.into_pyobject(py)?.into_any(),
        "tolerance" => o.tolerance.into_pyobject(py)?.into_any(),
        "ls_tolerance" => o.ls_tolerance.into_pyobject(py)?.into_any(),
        "noslip_tolerance" => o.noslip_tolerance.into_pyobject(py)?.into_any(),
        "ccd_tolerance" => o.ccd_tolerance.into_pyobject(py)?.into_any(),
        "sleep_tolerance" => o.sleep_tolerance.into_pyobject(py)?.into_any(),
        "density" => o.density.into_pyobject(py)?.into_any(),
        "viscosity" => o.viscosity.into_pyobject(py)?.into_any(),
        "o_margin" => o.override_margin.into_pyobject(py)?.into_any(),
        "integrator" => (o.integrator as i32).into_pyobject(py)?.into_any(),
        "cone" => (o.cone as i32).into_pyobject(py)?.into_any(),
        "jacobian" => (o.jacobian as i32).into_pyobject(py)?.into_any(),
        "solver" => (o.solver as i32).into_pyobject(py)?.into_any(),
        "iterations" => o.iterations.into_pyobject(py)?.into_any(),
        "ls_iterations" => o.ls_iterations.into_pyobject(py)?.into_any(),
        "noslip_iterations" => o.noslip_iterations.into_pyobject(py)?.into_any(),
        "ccd_iterations" => o.ccd_iterations.into_pyobject(py)?.into_any(),
        "sdf_initpoints" => o.sdf_init_points.into_pyobject(py)?.into_any(),
        "sdf_iterations" => o.sdf_iterations.into_pyobject(py)?.into_any(),
        "disableflags" => o.disable.0.into_pyobject(py)?.into_any(),
        "enableflags" => o.enable.0.into_pyobject(py)?.into_any(),
        "disableactuator" => o.disable_actuator_groups.into_pyobject(py)?.into_any(),
        _ => return Err(PyAttributeError::new_err(format!("no option {name:?}"))),
    })
}

/// Sets a scalar option.
pub fn set(o: &mut Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    macro_rules! choice {
        ($t:ty) => {{
            let n: i32 = value.extract()?;
            <$t>::from_i32(n)
                .ok_or_else(|| PyValueError::new_err(format!("option {name}: {n} is not a valid choice")))?
        }};
    }
    let finite = || -> PyResult<f64> {
        let x: f64 = value.extract()?;
        if x.is_finite() { Ok(x) } else { Err(PyValueError::new_err(format!("option {name} must be finite, not {x}"))) }
    };
    let positive = || -> PyResult<f64> {
        let x = finite()?;
        if x > 0.0 { Ok(x) } else { Err(PyValueError::new_err(format!("option {name} must be positive, not {x}"))) }
    };
    match name {
        "timestep" => o.timestep = positive()?,
        "impratio" => o.impratio = positive()?,
        "tolerance" => o.tolerance = finite()?,
        "ls_tolerance" => o.ls_tolerance = finite()?,
        "noslip_tolerance" => o.noslip_tolerance = finite()?,
        "ccd_tolerance" => o.ccd_tolerance = finite()?,
        "sleep_tolerance" => o.sleep_tolerance = finite()?,
        "density" => o.density = finite()?,
        "viscosity" => o.viscosity = finite()?,
        "o_margin" => o.override_margin = finite()?,
        "integrator" => o.integrator = choice!(Integrator),
        "cone" => o.cone = choice!(Cone),
        "jacobian" => o.jacobian = choice!(JacobianStorage),
        "solver" => o.solver = choice!(Solver),
        "iterations" => o.iterations = value.extract()?,
        "ls_iterations" => o.ls_iterations = value.extract()?,
        "noslip_iterations" => o.noslip_iterations = value.extract()?,
        "ccd_iterations" => o.ccd_iterations = value.extract()?,
        "sdf_initpoints" => o.sdf_init_points = value.extract()?,
        "sdf_iterations" => o.sdf_iterations = value.extract()?,
        "disableflags" => o.disable = Disable(value.extract()?),
        "enableflags" => {
            let flags = Enable(value.extract()?);
            if let Some(problem) = flags.unsupported() {
                return Err(PyValueError::new_err(format!("enableflags: {problem}")));
            }
            o.enable = flags;
        }
        "disableactuator" => o.disable_actuator_groups = value.extract()?,
        _ => return Err(PyAttributeError::new_err(format!("no option {name:?}"))),
    }
    Ok(())
}
