//! What a link is made of: inertia and collision geometry.

use super::Reader;
use super::value::{flag_or, numbers, pose, real, real_or, required};
use crate::error::ReadError;
use crate::urdf::link::rotate;
use crate::urdf::only;
use crate::xml::Element;
use saltus_math::{Quat, Vec3};
use saltus_sim::model::spec::{BodySpec, GeomShape, GeomSpec, InertialSpec};

/// Density where the inertia of a link is to be found from its shapes and the file gives none.
const WATER: f64 = 1000.0;

impl Reader<'_> {
    /// The body of a link, without joints and pose.
    pub(super) fn link(&mut self, link: Element) -> Result<BodySpec, ReadError> {
        let mut body = BodySpec { name: self.full_name(link)?, place: link.place(), ..BodySpec::default() };
        body.gravcomp = f64::from(!flag_or(link, "gravity", true)?);
        body.inertial = inertial(link)?;
        self.robot.doubt(&body);
        let density = only(link, "inertial")?.map_or(Ok(WATER), |i| real_or(i, "density", WATER))?;
        for collision in link.all("collision") {
            let density = real_or(collision, "density", density)?;
            let geom = GeomSpec { density, place: collision.place(), ..GeomSpec::default() };
            body.geoms.extend(self.geom(collision, geom)?);
        }
        Ok(body)
    }

    fn geom(&mut self, collision: Element, mut geom: GeomSpec) -> Result<Option<GeomSpec>, ReadError> {
        let at = pose(collision)?;
        (geom.pos, geom.quat) = (at.pos, at.quat);
        if let Some(mu) = sliding_friction(collision)? {
            geom.friction[0] = mu;
        }
        let geometry = required(collision, "geometry")?;
        let shape = geometry.child(0).ok_or_else(|| geometry.error("expected a shape inside"))?;
        match shape.tag() {
            "empty" => return Ok(None),
            "box" => {
                let size: [f64; 3] = numbers(required(shape, "size")?)?;
                (geom.shape, geom.size) = (GeomShape::Box, size.map(|s| s / 2.0));
            }
            "sphere" => (geom.shape, geom.size) = (GeomShape::Sphere, [real(shape, "radius")?, 0.0, 0.0]),
            "ellipsoid" => (geom.shape, geom.size) = (GeomShape::Ellipsoid, numbers(required(shape, "radii")?)?),
            "cylinder" | "capsule" => {
                geom.shape = if shape.tag() == "capsule" { GeomShape::Capsule } else { GeomShape::Cylinder };
                geom.size = [real(shape, "radius")?, real(shape, "length")? / 2.0, 0.0];
            }
            "plane" => {
                let [x, y, z] = only(shape, "normal")?.map_or(Ok([0.0, 0.0, 1.0]), numbers)?;
                geom.quat = geom.quat * Quat::from_z_to(Vec3::new(x, y, z));
                // A plane is infinite where it collides, whatever its size.
                (geom.shape, geom.size) = (GeomShape::Plane, [0.0, 0.0, 1.0]);
            }
            "mesh" => {
                let scale = only(shape, "scale")?.map_or(Ok([1.0; 3]), numbers)?;
                let uri = required(shape, "uri")?.content().to_owned();
                geom.shape = GeomShape::Mesh;
                geom.mesh = Some(self.robot.mesh(shape, uri, Vec3::from_array(scale))?);
                if only(shape, "submesh")?.is_some() {
                    let warning = format!("{}: submesh is ignored: the whole mesh collides", shape.place());
                    self.robot.spec.warnings.push(warning);
                }
            }
            other => {
                let expected = "expected one of: box, sphere, ellipsoid, cylinder, capsule, plane, mesh, empty";
                return Err(geometry.error(format!("{expected}; found {other:?}")));
            }
        }
        geom.name = self.robot.free_geom_name(collision);
        Ok(Some(geom))
    }
}

/// Mass and inertia about the centre of mass, in the orientation of the link; `None` if they follow
/// from the shapes. What the file does not give is 1 kg and 1 kg m².
fn inertial(link: Element) -> Result<Option<InertialSpec>, ReadError> {
    let Some(element) = only(link, "inertial")? else { return Ok(Some(unit_inertial())) };
    let mut auto = false;
    element.flag("auto", &mut auto)?;
    if auto {
        return Ok(None);
    }
    let mut i = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    if let Some(inertia) = only(element, "inertia")? {
        for (value, name) in i.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
            *value = real_or(inertia, name, *value)?;
        }
    }
    let at = pose(element)?;
    let mass = real_or(element, "mass", 1.0)?;
    Ok(Some(InertialSpec { mass, pos: at.pos, full: Some(rotate(i, at.quat)), ..unit_inertial() }))
}

fn unit_inertial() -> InertialSpec {
    InertialSpec { mass: 1.0, pos: Vec3::ZERO, quat: Quat::IDENTITY, diag: Vec3::ONE, full: None }
}

/// The first friction coefficient of a collision, if it gives one.
fn sliding_friction(collision: Element) -> Result<Option<f64>, ReadError> {
    let mut at = Some(collision);
    for tag in ["surface", "friction", "ode", "mu"] {
        at = at.map_or(Ok(None), |e| only(e, tag))?;
    }
    at.map(|mu| numbers::<1>(mu).map(|[x]| x)).transpose()
}
