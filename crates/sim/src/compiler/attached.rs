//! Tables of objects fixed to bodies: geoms, sites, cameras, lights.

use super::limits::{push_user, user_len};
use super::names::{Element, Names, Outcome};
use super::pose::{Pose, same_frame};
use super::work::WorkBody;
use crate::ids::{BodyId, MaterialId, MeshId, Span, TextureId};
use crate::model::Model;
use crate::model::kinds::{GeomShape, ObjectKind};
use crate::model::spec::{CameraSpec, LightSpec, ModelSpec};
use saltus_math::{Mat3, Vec3, normalize, real};

/// Fills the geom table.
pub(super) fn fill_geoms(spec: &ModelSpec, bodies: &[WorkBody], names: &Names, model: &mut Model) -> Outcome {
    let users = bodies.iter().flat_map(|b| &b.spec.geoms).map(|g| g.user.as_slice());
    let table = &mut model.geoms;
    table.user_len = user_len("geom", spec.size.user_geom, users)?;
    for (id, body) in bodies.iter().enumerate() {
        model.bodies.geoms[id] = Span::new(table.shape.len(), body.geoms.len());
        for (geom, built) in body.spec.geoms.iter().zip(&body.geoms) {
            let element = Element::new("geom", &geom.name, table.shape.len(), &geom.place);
            let fixed = model.bodies.weld[id].0 == 0;
            element.check(geom.shape != GeomShape::Plane || fixed || body.spec.mocap, || {
                "a plane can only be on a body that does not move".into()
            })?;
            element.check(geom.shape != GeomShape::Hfield || fixed || body.spec.mocap, || {
                "a height field can only be on a body that does not move".into()
            })?;
            let material = names.require_some(ObjectKind::Material, geom.material.as_deref(), &element)?;
            let material = material.or_else(|| {
                let mesh = built.data.filter(|_| geom.shape != GeomShape::Hfield)?;
                names.find(ObjectKind::Material, spec.meshes.get(mesh as usize)?.material.as_deref()?)
            });
            let material = material.filter(|_| !spec.compiler.discard_visual);
            table.name.push(geom.name.clone());
            table.shape.push(built.shape);
            table.contype.push(geom.contype);
            table.conaffinity.push(geom.conaffinity);
            table.condim.push(geom.condim);
            table.body.push(BodyId::new(id));
            table.data.push(built.data);
            table.material.push(material.map(MaterialId));
            table.group.push(geom.group);
            table.priority.push(geom.priority);
            table.same_frame.push(same_frame(built.frame, body.inertial.frame));
            table.solmix.push(geom.solmix);
            table.solref.push(geom.solref);
            table.solimp.push(geom.solimp);
            table.size.push(built.size);
            table.aabb.push(built.aabb);
            table.bound_radius.push(built.bound_radius);
            table.pos.push(built.frame.pos);
            table.quat.push(built.frame.quat);
            table.friction.push(geom.friction);
            table.margin.push(geom.margin);
            table.gap.push(geom.gap);
            table.surface_velocity.push(geom.surface_velocity);
            table.adhesion.push(geom.adhesion);
            table.fluid.push(built.fluid);
            table.rgba.push(geom.rgba);
            table.cast_shadow.push(geom.cast_shadow);
            element.check_finite("user", &geom.user)?;
            push_user(&mut table.user, &geom.user, table.user_len);
        }
    }
    Ok(())
}

/// Fills the site table.
pub(super) fn fill_sites(spec: &ModelSpec, bodies: &[WorkBody], names: &Names, model: &mut Model) -> Outcome {
    let users = bodies.iter().flat_map(|b| &b.spec.sites).map(|s| s.user.as_slice());
    let table = &mut model.sites;
    table.user_len = user_len("site", spec.size.user_site, users)?;
    for (id, body) in bodies.iter().enumerate() {
        model.bodies.sites[id] = Span::new(table.shape.len(), body.sites.len());
        for (site, built) in body.spec.sites.iter().zip(&body.sites) {
            let element = Element::new("site", &site.name, table.shape.len(), &site.place);
            let material = names.require_some(ObjectKind::Material, site.material.as_deref(), &element)?;
            table.name.push(site.name.clone());
            table.shape.push(site.shape);
            table.body.push(BodyId::new(id));
            table.mesh.push(built.mesh.map(MeshId));
            table.material.push(material.map(MaterialId));
            table.group.push(site.group);
            table.same_frame.push(same_frame(built.frame, body.inertial.frame));
            table.size.push(built.size);
            table.pos.push(built.frame.pos);
            table.quat.push(built.frame.quat);
            table.rgba.push(site.rgba);
            element.check_finite("user", &site.user)?;
            push_user(&mut table.user, &site.user, table.user_len);
        }
    }
    Ok(())
}

/// Body that a camera or light points at. Without a target, an object whose mode requires one stays
/// fixed to its body.
fn target(name: Option<&str>, names: &Names, element: &Element) -> Outcome<Option<BodyId>> {
    Ok(names.require_some(ObjectKind::Body, name, element)?.map(BodyId))
}

/// Fills the camera table.
pub(super) fn fill_cameras(spec: &ModelSpec, bodies: &[WorkBody], names: &Names, model: &mut Model) -> Outcome {
    let users = bodies.iter().flat_map(|b| &b.spec.cameras).map(|c| c.user.as_slice());
    let table = &mut model.cameras;
    table.user_len = user_len("camera", spec.size.user_camera, users)?;
    for (id, body) in bodies.iter().enumerate() {
        for camera in &body.spec.cameras {
            let element = Element::new("camera", &camera.name, table.mode.len(), &camera.place);
            let frame = Pose::new(camera.pos, camera.quat.normalized());
            element.check_finite("pos", &camera.pos.to_array())?;
            element.check_finite("quat", &camera.quat.to_array())?;
            table.target.push(target(camera.target.as_deref(), names, &element)?);
            let (intrinsic, fovy) = intrinsics(camera, &element, &model.visual)?;
            table.name.push(camera.name.clone());
            table.mode.push(camera.mode);
            table.body.push(BodyId::new(id));
            table.pos.push(frame.pos);
            table.quat.push(frame.quat);
            table.pos_com0.push(Vec3::ZERO);
            table.pos0.push(Vec3::ZERO);
            table.mat0.push(Mat3::IDENTITY);
            table.orthographic.push(camera.orthographic);
            table.fovy.push(fovy);
            table.ipd.push(camera.ipd);
            table.resolution.push(camera.resolution);
            table.output.push(camera.output);
            table.sensor_size.push(camera.sensor_size);
            table.intrinsic.push(intrinsic);
            element.check_finite("user", &camera.user)?;
            push_user(&mut table.user, &camera.user, table.user_len);
        }
    }
    Ok(())
}

type Visual = std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>>;

/// Focal lengths and principal point in length units, and the field of view. A camera with a sensor
/// size has its own intrinsics, which determine the field of view; otherwise they are those of the
/// near plane.
fn intrinsics(camera: &CameraSpec, element: &Element, visual: &Visual) -> Outcome<([f32; 4], f64)> {
    let [width, height] = camera.sensor_size;
    element.check(camera.resolution.iter().all(|r| *r >= 0), || "resolution must not be negative".into())?;
    if width > 0.0 && height > 0.0 {
        let res = camera.resolution.map(|r| r as f32);
        let pick = |pixel: [f32; 2], length: [f32; 2], k: usize| {
            if pixel[k] != 0.0 && res[k] > 0.0 { pixel[k] * camera.sensor_size[k] / res[k] } else { length[k] }
        };
        let intrinsic = [
            pick(camera.focal_pixel, camera.focal_length, 0),
            pick(camera.focal_pixel, camera.focal_length, 1),
            pick(camera.principal_pixel, camera.principal_length, 0),
            pick(camera.principal_pixel, camera.principal_length, 1),
        ];
        element.check(intrinsic[0] > 0.0 && intrinsic[1] > 0.0, || {
            "a camera with a sensor size needs a positive focal length".into()
        })?;
        // Single precision, as the values it is computed from.
        let angle = 2.0 * real::atan2(f64::from(height / 2.0), f64::from(intrinsic[1])) as f32;
        return Ok((intrinsic, f64::from(angle) * 180.0 / real::PI));
    }
    let near = visual.get("map").and_then(|m| m.get("znear")).and_then(|z| z.trim().parse::<f32>().ok());
    let near = near.unwrap_or(0.01);
    Ok(([near, near, 0.0, 0.0], camera.fovy))
}

/// Fills the light table.
pub(super) fn fill_lights(bodies: &[WorkBody], names: &Names, model: &mut Model) -> Outcome {
    for (id, body) in bodies.iter().enumerate() {
        for light in &body.spec.lights {
            let element = Element::new("light", &light.name, model.lights.mode.len(), &light.place);
            push_light(light, &element, id, names, model)?;
        }
    }
    Ok(())
}

fn push_light(light: &LightSpec, element: &Element, body: usize, names: &Names, model: &mut Model) -> Outcome {
    element.check_finite("pos", &light.pos.to_array())?;
    element.check_finite("dir", &light.dir.to_array())?;
    let (dir, length) = normalize(light.dir);
    element.check(length > 0.0, || "the direction must not be zero".into())?;
    let table = &mut model.lights;
    table.target.push(target(light.target.as_deref(), names, element)?);
    let texture = names.require_some(ObjectKind::Texture, light.texture.as_deref(), element)?;
    table.texture.push(texture.map(TextureId));
    table.name.push(light.name.clone());
    table.mode.push(light.mode);
    table.body.push(BodyId::new(body));
    table.kind.push(light.kind);
    table.cast_shadow.push(light.cast_shadow);
    table.active.push(light.active);
    table.pos.push(light.pos);
    table.dir.push(dir);
    table.pos_com0.push(Vec3::ZERO);
    table.pos0.push(Vec3::ZERO);
    table.dir0.push(dir);
    table.bulb_radius.push(light.bulb_radius);
    table.intensity.push(light.intensity);
    table.range.push(light.range);
    table.attenuation.push(light.attenuation);
    table.cutoff.push(light.cutoff);
    table.softness.push(light.softness);
    table.exponent.push(light.exponent);
    table.ambient.push(light.ambient);
    table.diffuse.push(light.diffuse);
    table.specular.push(light.specular);
    Ok(())
}
