//! Geoms and sites: sizes, frames, masses, bounds.

use super::asset::Assets;
use super::names::{Element, Outcome};
use super::pose::Pose;
use super::work::{BuiltGeom, BuiltSite};
use super::{fluid, shape};
use crate::model::kinds::{GeomShape, ObjectKind};
use crate::model::spec::{GeomSpec, SiteSpec, along_axis};
use saltus_math::Vec3;

/// Frame and sizes of a shape given by the end points of its axis.
fn resolve_from_to(element: &Element, shape: GeomShape, ends: [f64; 6], size: [f64; 3]) -> Outcome<(Pose, [f64; 3])> {
    element.check_finite("fromto", &ends)?;
    match along_axis(shape, ends, size) {
        Some((pos, quat, size)) => Ok((Pose::new(pos, quat), size)),
        None => Err(element.error("fromto needs two distinct points and a capsule, cylinder, box or ellipsoid")),
    }
}

/// Checks the sizes that a shape requires; others are kept, 0 if not given.
fn checked_size(element: &Element, shape: GeomShape, mut size: [f64; 3]) -> Outcome<[f64; 3]> {
    let needed = shape::sizes_needed(shape);
    for (i, s) in size.iter_mut().enumerate() {
        if i >= needed {
            *s = if s.is_finite() { *s } else { 0.0 };
            continue;
        }
        // The first two sizes of a plane are 0 if it is infinite.
        let ok = s.is_finite() && (*s > 0.0 || shape == GeomShape::Plane && i < 2 && *s == 0.0);
        element.check(ok, || {
            let name = format!("{shape:?}").to_lowercase();
            format!("a {name} needs {needed} positive size(s); size {i} is {s}")
        })?;
    }
    Ok(size)
}

/// Resolves a geom, except for its material.
pub(super) fn build_geom(spec: &GeomSpec, element: &Element, assets: &Assets, fit_aabb: bool) -> Outcome<BuiltGeom> {
    check_numbers(spec, element)?;
    let mut frame = Pose::new(spec.pos, spec.quat.normalized());
    let mut size = spec.size;
    if let Some(from_to) = spec.from_to {
        (frame, size) = resolve_from_to(element, spec.shape, from_to, size)?;
    }
    let mut built = BuiltGeom {
        shape: spec.shape,
        frame,
        size,
        data: None,
        mass: 0.0,
        moments: Vec3::ZERO,
        aabb: [0.0; 6],
        bound_radius: 0.0,
        fluid: [0.0; 12],
    };
    let mesh = spec.mesh.as_deref().filter(|m| !m.is_empty());
    match spec.shape {
        GeomShape::Hfield => {
            let name = spec.hfield.as_deref().unwrap_or("");
            let id = assets.names.require(ObjectKind::Hfield, name, element)?;
            let [x, y, top, base] = assets.hfield_size[id as usize];
            built.data = Some(id);
            built.size = [x, y, 0.25 * top + 0.5 * base];
            built.aabb = [0.0, 0.0, (top - base) / 2.0, x, y, (top + base) / 2.0];
            built.bound_radius = (x * x + y * y + (top * top).max(base * base)).sqrt();
            // The mass of a box from the base to half of the height, about the field's origin.
            fill_mass(spec, GeomShape::Box, &mut built);
            return Ok(built);
        }
        GeomShape::Mesh => {
            let id = assets.names.require(ObjectKind::Mesh, mesh.unwrap_or(""), element)?;
            element.check(!spec.shell_inertia, || "shell inertia of a mesh is a setting of the mesh asset".into())?;
            assets.meshes[id as usize].shape_geom(spec, &mut built);
            built.data = Some(id);
        }
        _ => {
            if let Some(name) = mesh {
                let id = assets.names.require(ObjectKind::Mesh, name, element)?;
                assets.meshes[id as usize].fit_geom(spec.fit_scale, fit_aabb, &mut built);
            }
            built.size = checked_size(element, spec.shape, built.size)?;
            built.aabb = shape::aabb(spec.shape, built.size);
            built.bound_radius = shape::bound_radius(spec.shape, built.size);
            fill_mass(spec, spec.shape, &mut built);
        }
    }
    if spec.fluid_ellipsoid {
        built.fluid = fluid::coefficients(spec.shape, built.size, spec.fluid_coefs);
    }
    Ok(built)
}

/// Mass and inertia of a primitive of the geom's size.
fn fill_mass(spec: &GeomSpec, shape: GeomShape, built: &mut BuiltGeom) {
    let solid = if spec.shell_inertia { shape::shell } else { shape::solid };
    let solid = solid(shape, built.size);
    built.mass = spec.mass.unwrap_or(spec.density * solid.measure);
    built.moments = solid.moments * built.mass;
}

/// Checks numbers that are copied unchanged.
fn check_numbers(spec: &GeomSpec, element: &Element) -> Outcome {
    element
        .check(matches!(spec.condim, 1 | 3 | 4 | 6), || format!("condim must be 1, 3, 4 or 6, got {}", spec.condim))?;
    element.check_finite("pos", &spec.pos.to_array())?;
    element.check_finite("quat", &spec.quat.to_array())?;
    element.check_finite("friction", &spec.friction)?;
    element.check_finite("solref", &spec.solref)?;
    element.check_finite("solimp", &spec.solimp)?;
    element.check_finite("surfacevel", &spec.surface_velocity)?;
    element.check_finite("fluidcoef", &spec.fluid_coefs)?;
    element.check_finite("margin, gap, solmix or adhesion", &[spec.margin, spec.gap, spec.solmix, spec.adhesion])?;
    let mass = spec.mass.unwrap_or(0.0);
    element.check(mass >= 0.0 && spec.density >= 0.0 && mass.is_finite() && spec.density.is_finite(), || {
        "mass and density must not be negative".into()
    })
}

/// Resolves a site's frame and size.
pub(super) fn build_site(spec: &SiteSpec, element: &Element, assets: &Assets) -> Outcome<BuiltSite> {
    element.check_finite("pos", &spec.pos.to_array())?;
    element.check_finite("quat", &spec.quat.to_array())?;
    let mut frame = Pose::new(spec.pos, spec.quat.normalized());
    let mut size = spec.size;
    if let Some(from_to) = spec.from_to {
        (frame, size) = resolve_from_to(element, spec.shape, from_to, size)?;
    }
    let mut mesh = None;
    match spec.shape {
        GeomShape::Mesh => {
            let name = spec.mesh.as_deref().unwrap_or("");
            let id = assets.names.require(ObjectKind::Mesh, name, element)?;
            size = assets.meshes[id as usize].reach().to_array();
            mesh = Some(id);
        }
        GeomShape::Plane | GeomShape::Hfield => {
            return Err(element.error("a site must be a sphere, capsule, ellipsoid, cylinder, box or mesh"));
        }
        shape => {
            for (i, s) in size.iter().enumerate().take(shape::sizes_needed(shape)) {
                element.check(s.is_finite() && *s > 0.0, || format!("size {i} must be positive, got {s}"))?;
            }
        }
    }
    Ok(BuiltSite { frame, size, mesh })
}
