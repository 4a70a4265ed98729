//! What a link is made of: inertia, visual and collision geometry.

use super::{Reader, only, pose, required_real};
use crate::error::ReadError;
use crate::xml::Element;
use crate::{mesh, source};
use saltus_math::{Mat3, Quat, Vec3};
use saltus_sim::model::spec::{BodySpec, GeomShape, GeomSpec, InertialSpec, MeshInertia, MeshSpec};
use std::collections::BTreeMap;

/// Mass and inertia. URDF gives the inertia in the frame of its `origin`; the spec wants it in the
/// body's orientation.
pub(super) fn inertial(link: Element) -> Result<Option<InertialSpec>, ReadError> {
    let Some(element) = only(link, "inertial")? else { return Ok(None) };
    let part = |tag| only(element, tag)?.ok_or_else(|| element.error(format!("expected an element {tag}")));
    let mass = required_real(part("mass")?, "value")?;
    let inertia = part("inertia")?;
    let mut i = [0.0; 6];
    for (value, name) in i.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
        *value = required_real(inertia, name)?;
    }
    let (pos, quat) = pose(element)?;
    let full = Some(rotate(i, quat));
    Ok(Some(InertialSpec { mass, pos, quat: Quat::IDENTITY, diag: Vec3::ZERO, full }))
}

/// What is unphysical about the inertia of a link, which is taken as it is nevertheless.
fn doubt(inertial: &InertialSpec) -> Option<&'static str> {
    let [xx, yy, zz, xy, xz, yz] = inertial.full?;
    // Principal moments satisfy A + B ≥ C if ½ tr(I) 1 − I is positive semidefinite.
    let half = 0.5 * (xx + yy + zz);
    if !semidefinite([xx, yy, zz, xy, xz, yz]) {
        Some("is not positive definite")
    } else if !semidefinite([half - xx, half - yy, half - zz, -xy, -xz, -yz]) {
        Some("breaks the triangle inequality: its principal moments must satisfy A + B ≥ C")
    } else {
        None
    }
}

/// Whether a symmetric matrix has no negative eigenvalue, up to the digits that files usually have.
fn semidefinite([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> bool {
    let tolerance = 1e-6 * [xx, yy, zz, xy, xz, yz].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let [a, b, c] = [xx, yy, zz].map(|d| d + tolerance);
    let minor = a * b - xy * xy;
    let determinant = c * minor - xz * (b * xz - xy * yz) - yz * (a * yz - xy * xz);
    a >= 0.0 && minor >= 0.0 && determinant >= 0.0
}

/// R I Rᵀ for I as (xx, yy, zz, xy, xz, yz).
pub(crate) fn rotate([xx, yy, zz, xy, xz, yz]: [f64; 6], quat: Quat) -> [f64; 6] {
    let inertia = Mat3::new(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let r = quat.to_mat3();
    let i = r * inertia * r.transpose();
    [i.r0.x, i.r1.y, i.r2.z, i.r0.y, i.r0.z, i.r1.z]
}

/// Colors of all named materials, wherever they are defined; the first definition counts.
pub(super) fn named_colors(root: Element) -> Result<BTreeMap<String, [f32; 4]>, ReadError> {
    let mut colors = BTreeMap::new();
    let in_links = root.all("link").flat_map(|l| l.all("visual")).flat_map(|v| v.all("material"));
    for material in root.all("material").chain(in_links) {
        if let (Some(name), Some(color)) = (material.text("name"), color(material)?) {
            colors.entry(name.to_owned()).or_insert(color);
        }
    }
    Ok(colors)
}

fn color(material: Element) -> Result<Option<[f32; 4]>, ReadError> {
    let mut rgba = [0.0; 4];
    match only(material, "color")? {
        Some(color) if color.single("rgba", &mut rgba)? => Ok(Some(rgba)),
        _ => Ok(None),
    }
}

impl Reader<'_> {
    /// Warns of an inertia that no body can have.
    pub(crate) fn doubt(&mut self, body: &BodySpec) {
        if let Some(doubt) = body.inertial.as_ref().and_then(doubt) {
            let warning = format!("{}: link {:?}: its inertia {doubt}; it is taken as given", body.place, body.name);
            self.spec.warnings.push(warning);
        }
    }

    /// Appends the link's geoms in the order of the file. A collision geom takes the color of the
    /// visuals before it.
    pub(super) fn geoms(&mut self, link: Element, geoms: &mut Vec<GeomSpec>) -> Result<(), ReadError> {
        let mut rgba = None;
        for part in link.children() {
            match part.tag() {
                "visual" => {
                    if let Some(material) = only(part, "material")? {
                        let named = material.text("name").and_then(|name| self.colors.get(name).copied());
                        rgba = color(material)?.or(named).or(rgba);
                    }
                    if !self.settings.discard_visual {
                        geoms.extend(self.visual(part, rgba)?);
                    }
                }
                "collision" => geoms.push(self.geom(part, GeomSpec::default(), rgba)?),
                _ => {}
            }
        }
        Ok(())
    }

    /// A geom that is only seen. A mesh that cannot be shown is no reason to refuse the robot.
    fn visual(&mut self, visual: Element, rgba: Option<[f32; 4]>) -> Result<Option<GeomSpec>, ReadError> {
        let look = GeomSpec { contype: 0, conaffinity: 0, density: 0.0, group: 1, ..GeomSpec::default() };
        match self.geom(visual, look, rgba) {
            Ok(geom) => Ok(Some(geom)),
            Err(Flaw::Mesh(e)) => {
                self.spec.warnings.push(format!("visual is left out: {e}"));
                Ok(None)
            }
            Err(Flaw::Other(e)) => Err(e),
        }
    }

    fn geom(&mut self, owner: Element, geom: GeomSpec, rgba: Option<[f32; 4]>) -> Result<GeomSpec, Flaw> {
        let mut geom = GeomSpec { place: owner.place(), ..geom };
        geom.rgba = rgba.unwrap_or(geom.rgba);
        (geom.pos, geom.quat) = pose(owner)?;
        self.shape(owner, &mut geom)?;
        geom.name = self.free_geom_name(owner);
        Ok(geom)
    }

    /// The name of the element that a geom is made of; none if another geom has it.
    pub(crate) fn free_geom_name(&mut self, owner: Element) -> String {
        let name = owner.text("name").unwrap_or_default();
        if name.is_empty() || self.geom_names.insert(name.to_owned()) {
            return name.to_owned();
        }
        let warning = format!("{}: geom {name:?}: the name is taken, the geom gets none", owner.place());
        self.spec.warnings.push(warning);
        String::new()
    }

    fn shape(&mut self, owner: Element, geom: &mut GeomSpec) -> Result<(), Flaw> {
        let geometry = only(owner, "geometry")?.ok_or_else(|| owner.error("expected an element geometry"))?;
        let shape = geometry.child(0).ok_or_else(|| geometry.error("expected a shape inside"))?;
        let real = |name| required_real(shape, name);
        match shape.tag() {
            "box" => {
                if !shape.exact("size", &mut geom.size)? {
                    return Err(shape.attribute_error("size", "required but not given").into());
                }
                geom.shape = GeomShape::Box;
                geom.size = geom.size.map(|s| s / 2.0);
            }
            "sphere" => (geom.shape, geom.size) = (GeomShape::Sphere, [real("radius")?, 0.0, 0.0]),
            "cylinder" => {
                (geom.shape, geom.size) = (GeomShape::Cylinder, [real("radius")?, real("length")? / 2.0, 0.0]);
            }
            "capsule" => {
                (geom.shape, geom.size) = (GeomShape::Capsule, [real("radius")?, real("length")? / 2.0, 0.0]);
            }
            "mesh" => {
                geom.shape = GeomShape::Mesh;
                let mut scale = Vec3::ONE;
                shape.vec3("scale", &mut scale)?;
                geom.mesh = Some(self.mesh(shape, shape.required("filename")?, scale)?);
            }
            other => {
                let expected = "expected one of: box, sphere, cylinder, capsule, mesh";
                return Err(geometry.error(format!("{expected}; found {other:?}")).into());
            }
        }
        Ok(())
    }

    /// Name of the mesh asset for a file and scale, read at first use.
    pub(crate) fn mesh(&mut self, element: Element, filename: String, scale: Vec3) -> Result<String, Flaw> {
        let key = (filename, scale.to_array().map(f64::to_bits));
        if let Some(name) = self.meshes.get(&key) {
            return Ok(name.clone());
        }
        let fail = |message: String| Flaw::Mesh(element.error(message));
        let file = self.settings.locate(self.source, &key.0).map_err(fail)?;
        let bytes = self.source.read(&file).map_err(fail)?;
        let data = mesh::read(&file, None, &bytes).map_err(|e| fail(e.to_string()))?;
        let name = self.free_mesh_name(source::stem(&file));
        let place = element.place();
        self.spec.meshes.push(MeshSpec {
            name: name.clone(),
            file: Some(file),
            data,
            scale,
            // Only the hull collides, and mass is given by links: meshes need not be closed.
            inertia: MeshInertia::Convex,
            place,
            ..MeshSpec::default()
        });
        self.meshes.insert(key, name.clone());
        Ok(name)
    }

    /// The stem of the file, with a number behind it where another mesh has that name.
    fn free_mesh_name(&self, stem: &str) -> String {
        let taken = |name: &str| self.spec.meshes.iter().any(|m| m.name == name);
        let numbered = (1..).map(|i| format!("{stem}{i}"));
        std::iter::once(stem.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }
}

/// What is wrong with a geom: its mesh file, which only matters for collisions, or the URDF itself.
pub(crate) enum Flaw {
    Mesh(ReadError),
    Other(ReadError),
}

impl From<Flaw> for ReadError {
    fn from(flaw: Flaw) -> Self {
        let (Flaw::Mesh(error) | Flaw::Other(error)) = flaw;
        error
    }
}

impl From<ReadError> for Flaw {
    fn from(error: ReadError) -> Self {
        Flaw::Other(error)
    }
}
