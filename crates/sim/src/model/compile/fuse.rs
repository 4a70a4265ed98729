//! Fusing of static bodies: a body without joints becomes part of its parent.
//!
//! The fused model has the same dynamics and fewer bodies, which matters for URDF with its many dummy links. A body is
//! kept where something refers to it, or where fusing would change a force that depends on single bodies: gravity
//! compensation and drag.

use super::inertial::merged;
use super::pose::Pose;
use super::work::WorkBody;
use crate::model::kinds::{ObjectKind, SensorKind};
use crate::model::spec::{EqualityKind, ModelSpec, TransmissionSpec};
use saltus_math::MIN_VAL;
use std::collections::HashSet;

/// Fuses what can be fused, if the model asks for it. Inertias are known, ids are not yet in use.
pub(super) fn fuse_static(spec: &ModelSpec, bodies: &mut Vec<WorkBody>) {
    if !spec.compiler.fuse_static {
        return;
    }
    let kept = Kept::of(spec);
    // The body that each one becomes part of (itself where it stays), and its frame in that.
    let mut home: Vec<(usize, Pose)> = (0..bodies.len()).map(|id| (id, Pose::IDENTITY)).collect();
    for id in 1..bodies.len() {
        let old_parent = bodies[id].parent;
        let (parent, offset) = home[old_parent];
        if parent != old_parent {
            let frame = offset.then(bodies[id].frame());
            bodies[id].parent = parent;
            (bodies[id].spec.pos, bodies[id].spec.quat) = (frame.pos, frame.quat);
        }
        if kept.allows(&bodies[id], &bodies[parent]) {
            home[id] = (parent, bodies[id].frame());
            move_parts(bodies, id, parent);
        }
    }
    let mut new_id = vec![0; bodies.len()];
    for (new, id) in (0..bodies.len()).filter(|id| home[*id].0 == *id).enumerate() {
        new_id[id] = new;
    }
    let mut id = 0;
    bodies.retain(|_| {
        id += 1;
        home[id - 1].0 == id - 1
    });
    bodies.iter_mut().for_each(|b| b.parent = new_id[b.parent]);
}

/// Moves everything that `from` has into `to`, its parent. The world has no inertia to add to.
fn move_parts(bodies: &mut [WorkBody], from: usize, to: usize) {
    let frame = bodies[from].frame();
    let mut body = bodies[from].clone();
    let parent = &mut bodies[to];
    if to != 0 {
        body.inertial.frame = frame.then(body.inertial.frame);
        parent.inertial = merged(&parent.inertial, &body.inertial);
    }
    body.geoms.iter_mut().for_each(|g| g.frame = frame.then(g.frame));
    body.sites.iter_mut().for_each(|s| s.frame = frame.then(s.frame));
    for camera in &mut body.spec.cameras {
        let pose = frame.then(Pose::new(camera.pos, camera.quat.normalized()));
        (camera.pos, camera.quat) = (pose.pos, pose.quat);
    }
    for light in &mut body.spec.lights {
        light.pos = frame.pos + frame.quat.rotate(light.pos);
        light.dir = frame.quat.rotate(light.dir);
    }
    parent.geoms.append(&mut body.geoms);
    parent.sites.append(&mut body.sites);
    parent.spec.geoms.append(&mut body.spec.geoms);
    parent.spec.sites.append(&mut body.spec.sites);
    parent.spec.cameras.append(&mut body.spec.cameras);
    parent.spec.lights.append(&mut body.spec.lights);
}

/// What stands against fusing.
struct Kept<'a> {
    /// Bodies and sites that other elements name.
    bodies: HashSet<&'a str>,
    sites: HashSet<&'a str>,
    in_fluid: bool,
}

impl<'a> Kept<'a> {
    fn of(spec: &'a ModelSpec) -> Self {
        let mut bodies = HashSet::new();
        bodies.extend(spec.excludes.iter().flat_map(|e| [e.body1.as_str(), e.body2.as_str()]));
        for e in &spec.equalities {
            if let EqualityKind::ConnectBodies { body1, body2, .. } | EqualityKind::WeldBodies { body1, body2, .. } =
                &e.kind
            {
                bodies.extend([body1.as_str(), body2.as_str()]);
            }
        }
        bodies.extend(spec.actuators.iter().filter_map(|a| match &a.transmission {
            TransmissionSpec::Body(body) => Some(body.as_str()),
            _ => None,
        }));
        let measured = spec.sensors.iter().flat_map(|s| std::iter::once(&s.object).chain(&s.reference));
        let listed = spec.tuples.iter().flat_map(|t| &t.elements).map(|e| (e.kind, e.name.as_str()));
        for (kind, name) in measured.map(|(kind, name)| (*kind, name.as_str())).chain(listed) {
            if matches!(kind, ObjectKind::Body | ObjectKind::XBody) {
                bodies.insert(name);
            }
        }
        for b in &spec.bodies {
            let targets = b.cameras.iter().map(|c| &c.target).chain(b.lights.iter().map(|l| &l.target));
            bodies.extend(targets.flatten().map(String::as_str));
        }
        let loads = spec.sensors.iter().filter(|s| matches!(s.kind, SensorKind::Force | SensorKind::Torque));
        let sites = loads.map(|s| s.object.1.as_str()).collect();
        Self { bodies, sites, in_fluid: spec.options.density != 0.0 || spec.options.viscosity != 0.0 }
    }

    fn allows(&self, body: &WorkBody, parent: &WorkBody) -> bool {
        let b = &body.spec;
        let named = !b.name.is_empty() && self.bodies.contains(b.name.as_str());
        let loaded = b.sites.iter().any(|s| !s.name.is_empty() && self.sites.contains(s.name.as_str()));
        let heavy = body.inertial.mass >= MIN_VAL;
        let dragged = self.in_fluid && (heavy || b.geoms.iter().any(|g| g.fluid_ellipsoid));
        let lifted = heavy && b.gravcomp != parent.spec.gravcomp;
        b.joints.is_empty() && !b.mocap && !named && !loaded && !dragged && !lifted
    }
}
