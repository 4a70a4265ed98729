//! Joints: types, axes, limits, dynamics, `mimic`.

use super::Reader;
use super::frames::Frames;
use super::value::{numbers, real_or, required};
use crate::error::ReadError;
use crate::urdf::{only, set_effort, set_velocity};
use crate::xml::Element;
use saltus_math::{MIN_VAL, Vec3};
use saltus_sim::model::kinds::JointKind;
use saltus_sim::model::spec::JointSpec;

/// Limits of this size are none.
const UNBOUNDED: f64 = 1e16;

/// A joint in its model.
pub(super) struct Context<'a, 't> {
    pub frames: &'a Frames<'t>,
    /// The link that it moves.
    pub child: &'a str,
    /// Frame in which axes are given unless they say otherwise.
    pub axes_in: &'a str,
}

impl<'t> Reader<'_> {
    /// The joints by which `joint` moves its child: none for a fixed one, two for a universal one.
    pub(super) fn joints(
        &mut self,
        joint: Element<'t>,
        context: &Context<'_, 't>,
    ) -> Result<Vec<JointSpec>, ReadError> {
        let kind = joint.required("type")?;
        let (kinds, axes): (&[JointKind], &[&str]) = match kind.as_str() {
            "fixed" => return Ok(Vec::new()),
            "ball" => (&[JointKind::Ball], &[]),
            "revolute" | "continuous" => (&[JointKind::Hinge], &["axis"]),
            "prismatic" => (&[JointKind::Slide], &["axis"]),
            "universal" | "revolute2" => (&[JointKind::Hinge, JointKind::Hinge], &["axis", "axis2"]),
            "screw" | "gearbox" => {
                return Err(joint.attribute_error("type", format!("joints of type {kind} are not supported")));
            }
            _ => {
                let expected = "expected one of: fixed, revolute, continuous, prismatic, ball, universal, revolute2";
                return Err(joint.attribute_error("type", format!("{expected}; found {kind:?}")));
            }
        };
        let name = joint.required("name")?;
        let pos = context.frames.pose_in(joint, &name, context.child)?.pos;
        let of_kind = |kind| JointSpec { kind, pos, ..JointSpec::default() };
        let mut joints: Vec<_> = kinds.iter().map(|k| of_kind(*k)).collect();
        let suffixes: &[&str] = if kinds.len() == 2 { &["_1", "_2"] } else { &[""] };
        self.robot.name_joints(joint, &mut joints, suffixes);
        for (spec, tag) in joints.iter_mut().zip(axes) {
            self.axis(required(joint, tag)?, spec, context, kind == "continuous")?;
        }
        Ok(joints)
    }

    fn axis(
        &mut self,
        axis: Element<'t>,
        spec: &mut JointSpec,
        context: &Context<'_, 't>,
        continuous: bool,
    ) -> Result<(), ReadError> {
        let xyz = only(axis, "xyz")?;
        let direction = Vec3::from_array(xyz.map_or(Ok([0.0, 0.0, 1.0]), numbers)?);
        if direction.length() < MIN_VAL {
            return Err(axis.error("the axis must not be zero"));
        }
        let frame = xyz.and_then(|e| e.text("expressed_in")).unwrap_or(context.axes_in);
        spec.axis = context.frames.direction(axis, direction, frame, context.child)?;
        (spec.limited, spec.actuator_force_limited) = (Some(false), Some(false));
        if let Some(limit) = only(axis, "limit")? {
            let (lower, upper) = (real_or(limit, "lower", -UNBOUNDED)?, real_or(limit, "upper", UNBOUNDED)?);
            if !continuous && lower > -UNBOUNDED && upper < UNBOUNDED {
                self.robot.set_range(limit, spec, [lower, upper]);
            } else if !continuous && (lower > -UNBOUNDED || upper < UNBOUNDED) {
                let warning = format!("{}: joint {:?}: one limit alone does not limit it", limit.place(), spec.name);
                self.robot.spec.warnings.push(warning);
            }
            let effort = real_or(limit, "effort", -1.0)?;
            if effort > 0.0 && effort < UNBOUNDED {
                set_effort(spec, effort);
            }
            let velocity = real_or(limit, "velocity", 0.0)?;
            set_velocity(spec, if velocity < UNBOUNDED { velocity.max(0.0) } else { 0.0 });
        }
        if let Some(dynamics) = only(axis, "dynamics")? {
            spec.damping[0] = real_or(dynamics, "damping", 0.0)?;
            spec.friction_loss = real_or(dynamics, "friction", 0.0)?;
            spec.stiffness[0] = real_or(dynamics, "spring_stiffness", 0.0)?;
            spec.spring_reference = real_or(dynamics, "spring_reference", 0.0)?;
        }
        Ok(())
    }

    /// Axes that follow those of other joints: q = multiplier · (q(leader) − reference) + offset.
    pub(super) fn mimics(&mut self, model: Element<'t>) -> Result<(), ReadError> {
        for joint in model.all("joint") {
            for (axis, number) in [("axis", 0), ("axis2", 1)] {
                let Some(mimic) = only(joint, axis)?.map_or(Ok(None), |a| only(a, "mimic"))? else { continue };
                let leader = mimic.required("joint")?;
                let leader_axis = usize::from(mimic.text("axis") == Some("axis2"));
                let element = model.all("joint").find(|j| j.text("name") == Some(&leader));
                let follower = moving_axis(joint, number);
                let leader = element.and_then(|j| moving_axis(j, leader_axis));
                let (Some(follower), Some(leader)) = (follower, leader) else {
                    let rule = "both joints must exist and have that axis";
                    let warning = format!("{}: mimic is ignored: {rule}", mimic.place());
                    self.robot.spec.warnings.push(warning);
                    continue;
                };
                let multiplier = real_or(mimic, "multiplier", 1.0)?;
                let offset = real_or(mimic, "offset", 0.0)? - multiplier * real_or(mimic, "reference", 0.0)?;
                self.robot.follow(mimic, &follower, &leader, [offset, multiplier]);
            }
        }
        Ok(())
    }
}

/// Name of the joint that an axis of an SDF joint became.
fn moving_axis(joint: Element, number: usize) -> Option<String> {
    let name = joint.text("name")?;
    match (joint.text("type")?, number) {
        ("revolute" | "continuous" | "prismatic", 0) => Some(name.to_owned()),
        ("universal" | "revolute2", n) => Some(format!("{name}_{}", n + 1)),
        _ => None,
    }
}
