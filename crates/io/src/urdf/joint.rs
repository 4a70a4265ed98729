//! Joints: types, limits, dynamics, and `mimic` as an equality constraint.

use super::{Reader, only};
use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::{MIN_VAL, Quat, Vec3};
use saltus_sim::model::kinds::JointKind;
use saltus_sim::model::spec::{EqualityKind, EqualitySpec, JointSpec};
use std::collections::BTreeMap;

impl Reader<'_> {
    /// The joints by which `joint` moves its child: none for a fixed one, three for a planar one.
    pub(super) fn joints(&mut self, joint: Element) -> Result<Vec<JointSpec>, ReadError> {
        let kind = joint.required("type")?;
        let scalar = |kind| vec![JointSpec { kind, ..JointSpec::default() }];
        let mut joints = match kind.as_str() {
            "revolute" | "continuous" => scalar(JointKind::Hinge),
            "prismatic" => scalar(JointKind::Slide),
            "floating" => scalar(JointKind::Free),
            "spherical" => scalar(JointKind::Ball),
            "planar" => [JointKind::Slide, JointKind::Slide, JointKind::Hinge].map(|k| scalar(k).remove(0)).into(),
            "fixed" => return Ok(Vec::new()),
            _ => {
                let expected = "expected one of: revolute, continuous, prismatic, fixed, floating, planar, spherical";
                return Err(joint.attribute_error("type", format!("{expected}; found {kind:?}")));
            }
        };
        self.name_joints(joint, &mut joints, if kind == "planar" { &["_TX", "_TY", "_RZ"] } else { &[""] });
        axes(joint, &mut joints)?;
        dynamics(joint, &mut joints)?;
        if let Some(first) = joints.first_mut() {
            self.limit(joint, first, kind == "continuous")?;
        }
        Ok(joints)
    }

    /// Names the joints of an element after it; a name that is taken is dropped, as in the
    /// reference engine.
    pub(crate) fn name_joints(&mut self, element: Element, joints: &mut [JointSpec], suffixes: &[&str]) {
        let name = element.text("name").unwrap_or_default();
        for (j, suffix) in joints.iter_mut().zip(suffixes) {
            j.place = element.place();
            if name.is_empty() {
                continue;
            }
            j.name = format!("{name}{suffix}");
            if !self.joint_names.insert(j.name.clone()) {
                let warning = format!("{}: joint {:?}: the name is taken, the joint gets none", j.place, j.name);
                self.spec.warnings.push(warning);
                j.name.clear();
            }
        }
    }

    /// Limits a scalar joint to a range, if it is one; another is a warning.
    pub(crate) fn set_range(&mut self, limit: Element, joint: &mut JointSpec, [lower, upper]: [f64; 2]) {
        joint.range = [lower, upper];
        joint.limited = Some(lower < upper && joint.kind != JointKind::Free);
        if lower >= upper {
            self.spec.warnings.push(format!(
                "{}: joint {:?}: lower limit {lower} is not below upper limit {upper}; the joint is not limited",
                limit.place(),
                joint.name
            ));
        }
    }

    /// A joint that follows another: q = offset + multiplier · q(leader).
    pub(crate) fn follow(&mut self, mimic: Element, follower: &str, leader: &str, [offset, multiplier]: [f64; 2]) {
        let poly = [offset, multiplier, 0.0, 0.0, 0.0];
        let kind = EqualityKind::Joint { first: follower.into(), second: Some(leader.into()), poly };
        self.spec.equalities.push(EqualitySpec { place: mimic.place(), ..EqualitySpec::new(kind) });
    }

    fn limit(&mut self, joint: Element, spec: &mut JointSpec, continuous: bool) -> Result<(), ReadError> {
        spec.limited = Some(false);
        spec.actuator_force_limited = Some(false);
        let Some(limit) = only(joint, "limit")? else { return Ok(()) };
        let [mut lower, mut upper, mut effort] = [0.0; 3];
        let both = limit.real("lower", &mut lower)? & limit.real("upper", &mut upper)?;
        limit.real("effort", &mut effort)?;
        if !continuous && both {
            self.set_range(limit, spec, [lower, upper]);
        }
        if effort != 0.0 {
            set_effort(spec, effort);
        }
        let mut velocity = 0.0;
        limit.real("velocity", &mut velocity)?;
        set_velocity(spec, velocity);
        Ok(())
    }

    /// Joints that follow another: q = offset + multiplier · q(other).
    pub(super) fn mimics(&mut self, root: Element) -> Result<(), ReadError> {
        let scalar = |j: &Element| matches!(j.text("type"), Some("revolute" | "continuous" | "prismatic"));
        let joints: BTreeMap<_, _> =
            root.all("joint").filter(scalar).filter_map(|j| Some((j.text("name")?, j))).collect();
        for joint in root.all("joint") {
            let Some(mimic) = only(joint, "mimic")? else { continue };
            let (name, leader) = (joint.text("name").unwrap_or_default(), mimic.required("joint")?);
            let (mut multiplier, mut offset) = (1.0, 0.0);
            mimic.real("multiplier", &mut multiplier)?;
            mimic.real("offset", &mut offset)?;
            if !joints.contains_key(name) || !joints.contains_key(leader.as_str()) {
                let rule = "both joints must exist and be revolute, continuous or prismatic";
                self.spec.warnings.push(format!("{}: mimic of joint {name:?} is ignored: {rule}", mimic.place()));
                continue;
            }
            self.follow(mimic, name, &leader, [offset, multiplier]);
        }
        Ok(())
    }
}

/// Bounds the force of actuators on a scalar joint.
pub(crate) fn set_effort(joint: &mut JointSpec, effort: f64) {
    if effort.is_finite() {
        joint.actuator_force_range = [-effort.abs(), effort.abs()];
        joint.actuator_force_limited = Some(matches!(joint.kind, JointKind::Slide | JointKind::Hinge));
    }
}

/// Keeps the velocity limit of a joint, unless it is zero, which files write for none.
pub(crate) fn set_velocity(joint: &mut JointSpec, velocity: f64) {
    joint.velocity_limit = Some(velocity.abs()).filter(|v| v.is_finite() && *v > 0.0);
}

/// Axis of scalar joints, x unless given. A planar joint moves in the plane normal to it and turns
/// about it.
fn axes(joint: Element, joints: &mut [JointSpec]) -> Result<(), ReadError> {
    let mut axis = Vec3::X;
    if let Some(element) = only(joint, "axis")? {
        element.vec3("xyz", &mut axis)?;
        if axis.length() < MIN_VAL {
            return Err(element.attribute_error("xyz", "the axis must not be zero"));
        }
    }
    match joints {
        [x, y, turn] => {
            let frame = Quat::from_z_to(axis);
            (x.axis, y.axis, turn.axis) = (frame.rotate(Vec3::X), frame.rotate(Vec3::Y), axis);
        }
        [one] if matches!(one.kind, JointKind::Slide | JointKind::Hinge) => one.axis = axis,
        _ => {}
    }
    Ok(())
}

fn dynamics(joint: Element, joints: &mut [JointSpec]) -> Result<(), ReadError> {
    let Some(dynamics) = only(joint, "dynamics")? else { return Ok(()) };
    for j in joints {
        dynamics.real("damping", &mut j.damping[0])?;
        dynamics.real("friction", &mut j.friction_loss)?;
    }
    Ok(())
}
