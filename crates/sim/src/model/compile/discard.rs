//! Leaving out geoms that are only seen. They cannot collide, nothing names them, and their inertia, if they have any,
//! has already been counted.

use super::names::{Element, Outcome};
use super::work::WorkBody;
use crate::model::kinds::ObjectKind;
use crate::model::spec::{GeomSpec, InertiaFromGeom, ModelSpec, TendonPath, WrapSpec};
use saltus_math::MIN_VAL;
use std::collections::HashSet;

/// Drops visual geoms, if the model asks for it. Meshes and materials stay: they do no harm.
pub(super) fn discard_visual(spec: &ModelSpec, bodies: &mut [WorkBody]) -> Outcome {
    if !spec.compiler.discard_visual {
        return Ok(());
    }
    let named = named_geoms(spec);
    let visual = |g: &GeomSpec| {
        let collides = g.contype != 0 || g.conaffinity != 0;
        let used = !g.name.is_empty() && named.contains(g.name.as_str());
        !collides && !used && !g.fluid_ellipsoid
    };
    let always = spec.compiler.inertia_from_geom == InertiaFromGeom::Always;
    for (id, body) in bodies.iter_mut().enumerate() {
        let keep: Vec<bool> = body.spec.geoms.iter().map(|g| !visual(g)).collect();
        for (i, (geom, built)) in body.spec.geoms.iter().zip(&body.geoms).enumerate() {
            let counted = always && id > 0 && !keep[i] && built.mass > MIN_VAL;
            Element::new("geom", &geom.name, i, &geom.place).check(!counted, || {
                "discardvisual would drop a geom with mass, but inertiafromgeom=\"true\" needs it".into()
            })?;
        }
        let mut kept = keep.iter();
        body.spec.geoms.retain(|_| kept.next().copied().unwrap_or(true));
        let mut kept = keep.iter();
        body.geoms.retain(|_| kept.next().copied().unwrap_or(true));
    }
    Ok(())
}

/// Geoms that other elements name.
fn named_geoms(spec: &ModelSpec) -> HashSet<&str> {
    let mut names: HashSet<&str> = spec.pairs.iter().flat_map(|p| [p.geom1.as_str(), p.geom2.as_str()]).collect();
    for tendon in &spec.tendons {
        if let TendonPath::Spatial(path) = &tendon.path {
            names.extend(path.iter().filter_map(|w| match w {
                WrapSpec::Geom { geom, .. } => Some(geom.as_str()),
                _ => None,
            }));
        }
    }
    let measured = spec.sensors.iter().flat_map(|s| std::iter::once(&s.object).chain(&s.reference));
    names.extend(measured.filter(|(kind, _)| *kind == ObjectKind::Geom).map(|(_, name)| name.as_str()));
    let listed = spec.tuples.iter().flat_map(|t| &t.elements).filter(|e| e.kind == ObjectKind::Geom);
    names.extend(listed.map(|e| e.name.as_str()));
    names
}
