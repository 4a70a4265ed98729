//! Aligns the frame of a free body with its inertial frame, in which its inertia matrix is diagonal
//! and constant.

use super::pose::Pose;
use super::work::WorkBody;
use crate::model::kinds::JointKind;
use crate::model::spec::CompilerSpec;

/// Aligns bodies that have a free joint, no children, and the option enabled; objects fixed to them
/// keep their poses.
pub(super) fn align_free_bodies(bodies: &mut [WorkBody], compiler: &CompilerSpec) {
    let mut has_child = vec![false; bodies.len()];
    for body in bodies.iter().skip(1) {
        has_child[body.parent] = true;
    }
    for (body, has_child) in bodies.iter_mut().zip(has_child) {
        let wanted = match body.spec.joints.as_slice() {
            [joint] => joint.kind == JointKind::Free && joint.align.unwrap_or(body.compiler(compiler).align_free),
            _ => false,
        };
        if wanted && !has_child {
            align(body);
        }
    }
}

fn align(body: &mut WorkBody) {
    let frame = body.frame().then(body.inertial.frame);
    let inverse = body.inertial.frame.inverse();
    (body.spec.pos, body.spec.quat) = (frame.pos, frame.quat);
    body.inertial.frame = Pose::IDENTITY;
    for geom in &mut body.geoms {
        geom.frame = inverse.then(geom.frame);
    }
    for site in &mut body.sites {
        site.frame = inverse.then(site.frame);
    }
    for camera in &mut body.spec.cameras {
        let moved = inverse.then(Pose::new(camera.pos, camera.quat));
        (camera.pos, camera.quat) = (moved.pos, moved.quat);
    }
    for light in &mut body.spec.lights {
        light.pos = inverse.pos + inverse.quat.rotate(light.pos);
        light.dir = inverse.quat.rotate(light.dir);
    }
}
