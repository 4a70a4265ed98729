//! Contacts as arrays; rays and distances.

use crate::contact_arrays::Arrays;
use crate::data::DataCore;
use crate::model::ModelCore;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use saltus::math::Vec3;
use saltus::sim::collide::{self, RayFilter};
use saltus::sim::constraint;
use saltus::sim::ids::{BodyId, GeomId};
use saltus::sim::model::kinds::GeomShape;
use saltus::sim::sensor;

/// All contacts: one row of numbers and one of whole numbers for each; the same arrays until the
/// engine next changes the data.
#[pyfunction]
pub fn contacts(py: Python<'_>, data: &mut DataCore) -> PyResult<Arrays> {
    data.contact_arrays(py)
}

/// Force and torque of a contact in its frame.
#[pyfunction]
pub fn contact_force(data: &DataCore, contact: usize) -> PyResult<[f64; 6]> {
    match data.data.contacts.get(contact) {
        Some(c) => Ok(constraint::contact_force(&data.data, c)),
        None => Err(PyIndexError::new_err(format!(
            "there is no contact {contact}; the number of contacts is {}",
            data.data.contacts.len()
        ))),
    }
}

/// Nearest geom on a ray: parameter, geom and normal; −1, −1 and zeros if there is none.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
#[pyo3(signature = (model, data, point, vector, groups=None, skip_static=false, exclude=-1))]
pub fn ray(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    point: [f64; 3],
    vector: [f64; 3],
    groups: Option<[bool; 6]>,
    skip_static: bool,
    exclude: i64,
) -> PyResult<(f64, i64, [f64; 3])> {
    let model = model.for_step(py)?;
    data.check(&model)?;
    let exclude = usize::try_from(exclude).ok().map(BodyId::new);
    let filter = RayFilter { groups, skip_static, exclude };
    let hit = collide::ray(&model, &data.data, Vec3::from_array(point), Vec3::from_array(vector), &filter);
    Ok(hit.map_or((-1.0, -1, [0.0; 3]), |(geom, h)| (h.t, i64::from(geom.0), h.normal.to_array())))
}

type RayHit = (f64, [f64; 3]);

fn ray_hit(hit: Option<collide::Hit>) -> RayHit {
    hit.map_or((-1.0, [0.0; 3]), |h| (h.t, h.normal.to_array()))
}

/// Where a ray meets one geom: parameter and normal; −1 and zeros if it does not.
#[pyfunction]
pub fn ray_geom(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    geom: usize,
    point: [f64; 3],
    vector: [f64; 3],
) -> PyResult<RayHit> {
    let model = model.for_step(py)?;
    data.check(&model)?;
    let geom = GeomId::new(geom);
    Ok(ray_hit(collide::ray_geom(&model, &data.data, geom, Vec3::from_array(point), Vec3::from_array(vector))))
}

fn shape(kind: i32) -> PyResult<GeomShape> {
    GeomShape::from_i32(kind).ok_or_else(|| PyValueError::new_err(format!("{kind} is not the number of a shape")))
}

/// Where a ray, in the frame of a shape that is no mesh or height field, meets it; as [`ray_geom`].
#[pyfunction]
pub fn ray_shape(kind: i32, size: [f64; 3], point: [f64; 3], vector: [f64; 3]) -> PyResult<RayHit> {
    let [size, point, vector] = [size, point, vector].map(Vec3::from_array);
    Ok(ray_hit(collide::ray_primitive(shape(kind)?, size, point, vector)))
}

/// Whether a point, in the frame of a shape that is no mesh or height field, lies in it.
#[pyfunction]
pub fn is_inside(kind: i32, size: [f64; 3], point: [f64; 3]) -> PyResult<bool> {
    Ok(sensor::is_inside(shape(kind)?, size, Vec3::from_array(point)))
}

/// Distance and nearest points.
type Nearest = (f64, [f64; 3], [f64; 3]);

/// Distance between two geoms and the segment between their nearest points; nothing if it is not
/// below `limit`.
#[pyfunction]
pub fn geom_distance(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    geom1: usize,
    geom2: usize,
    limit: f64,
) -> PyResult<Option<Nearest>> {
    let model = model.for_step(py)?;
    data.check(&model)?;
    if geom1 >= model.ngeom() || geom2 >= model.ngeom() {
        let message = format!("no geom {}: the model has {}", geom1.max(geom2), model.ngeom());
        return Err(PyIndexError::new_err(message));
    }
    let found = collide::geom_distance(&model, &data.data, GeomId::new(geom1), GeomId::new(geom2), limit);
    Ok(found.map(|d| (d.dist, d.from.to_array(), d.to.to_array())))
}
