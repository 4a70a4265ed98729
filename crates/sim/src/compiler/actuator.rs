//! Actuators: transmission targets, addresses of controls and activations, ranges, sparsity of the
//! moment.

use super::chain::DofSet;
use super::limits::{MAX_ENTRIES, limited, push_user, user_len};
use super::names::{Element, Names, Outcome};
use crate::ids::{ActuatorId, Span};
use crate::model::Model;
use crate::model::kinds::{ActivationKind, BiasKind, GainKind, JointKind, ObjectKind, TransmissionKind};
use crate::model::spec::{ActuatorSpec, ModelSpec, TransmissionSpec};

/// Inputs of a PID servo as bits, in the order of its controls, which is also that of the ranges.
const PID_INPUTS: [i32; 3] = [1, 2, 4];

/// Fills the actuator table.
pub(super) fn fill_actuators(spec: &ModelSpec, names: &Names, model: &mut Model) -> Outcome {
    let users = spec.actuators.iter().map(|a| a.user.as_slice());
    model.actuators.user_len = user_len("actuator", spec.size.user_actuator, users)?;
    let mut dofs = DofSet::new(model);
    for (id, actuator) in spec.actuators.iter().enumerate() {
        let element = Element::new("actuator", &actuator.name, id, &actuator.place);
        check_numbers(actuator, &element)?;
        let (kind, target) = resolve_target(actuator, &element, names)?;
        let columns = moved_dofs(kind, target, model, &mut dofs);
        let table = &mut model.actuators;
        table.transmission.push(kind);
        table.target.push(target);
        table.moment.push(Span::new(table.moment_col.len(), columns.len()));
        table.moment_col.extend(columns);
        element.check(table.moment_col.len() <= MAX_ENTRIES, || "the actuators' moments are too large".into())?;
        push_activation(actuator, &element, model)?;
        push_controls(spec, actuator, &element, model)?;
        push_plain(spec, actuator, &element, model)?;
        note_contribution(actuator, &element, kind, target, id, model)?;
    }
    model.size.nu = model.actuators.ctrl_limited.len();
    Ok(())
}

fn check_numbers(actuator: &ActuatorSpec, element: &Element) -> Outcome {
    element.check_finite("dynprm", &actuator.activation_prm)?;
    element.check_finite("gainprm", &actuator.gain_prm)?;
    element.check_finite("biasprm", &actuator.bias_prm)?;
    element.check_finite("gear", &actuator.gear)?;
    element.check_finite("damping", &actuator.damping)?;
    element.check_finite("lengthrange", &actuator.length_range)?;
    element.check_finite("user", &actuator.user)?;
    element.check(actuator.armature >= 0.0 && actuator.armature.is_finite(), || {
        format!("armature must not be negative, got {}", actuator.armature)
    })?;
    element.check(actuator.gain != GainKind::So3 && actuator.bias != BiasKind::So3, || {
        "orientation servos (gain or bias so3) are not supported".into()
    })
}

/// Ids of the transmission's objects.
fn resolve_target(
    actuator: &ActuatorSpec,
    element: &Element,
    names: &Names,
) -> Outcome<(TransmissionKind, [Option<u32>; 2])> {
    let find = |kind, name: &str| names.require(kind, name, element).map(Some);
    Ok(match &actuator.transmission {
        TransmissionSpec::Joint(name) => (TransmissionKind::Joint, [find(ObjectKind::Joint, name)?, None]),
        TransmissionSpec::JointInParent(name) => {
            (TransmissionKind::JointInParent, [find(ObjectKind::Joint, name)?, None])
        }
        TransmissionSpec::Tendon(name) => (TransmissionKind::Tendon, [find(ObjectKind::Tendon, name)?, None]),
        TransmissionSpec::SliderCrank { slider_site, crank_site } => {
            element.check(actuator.crank_length > 0.0 && actuator.crank_length.is_finite(), || {
                format!("cranklength must be positive, got {}", actuator.crank_length)
            })?;
            let (crank, slider) = (find(ObjectKind::Site, crank_site)?, find(ObjectKind::Site, slider_site)?);
            (TransmissionKind::SliderCrank, [crank, slider])
        }
        TransmissionSpec::Site { site, ref_site } => {
            let reference = names.require_some(ObjectKind::Site, ref_site.as_deref(), element)?;
            (TransmissionKind::Site, [find(ObjectKind::Site, site)?, reference])
        }
        TransmissionSpec::Body(name) => (TransmissionKind::Body, [find(ObjectKind::Body, name)?, None]),
    })
}

/// Dofs on which the actuator can exert a force, in any configuration.
fn moved_dofs(kind: TransmissionKind, [first, second]: [Option<u32>; 2], model: &Model, dofs: &mut DofSet) -> Vec<u32> {
    let Some(first) = first.map(|f| f as usize) else { return Vec::new() };
    match kind {
        TransmissionKind::Joint | TransmissionKind::JointInParent => {
            let start = model.joints.dof_start[first];
            (start..start + model.joints.kind[first].nv() as u32).collect()
        }
        TransmissionKind::Tendon => model.tendons.jac_col[model.tendons.jac[first].range()].to_vec(),
        TransmissionKind::SliderCrank | TransmissionKind::Site => {
            dofs.add_body(model, model.sites.body[first].idx());
            if let Some(second) = second {
                dofs.add_body(model, model.sites.body[second as usize].idx());
            }
            dofs.take()
        }
        // Adhesion acts through contacts, and the other body of a contact can be any body.
        TransmissionKind::Body => (0..model.size.nv as u32).collect(),
    }
}

fn push_activation(actuator: &ActuatorSpec, element: &Element, model: &mut Model) -> Outcome {
    let needed = activation_dim(actuator);
    let several = matches!(actuator.activation, ActivationKind::User | ActivationKind::DcMotor | ActivationKind::Pid);
    let count = match actuator.activation_dim {
        Some(n) => {
            element
                .check(n <= 1 || several, || "more than one activation needs user, dcmotor or pid dynamics".into())?;
            let fits = actuator.activation == ActivationKind::User || n == needed;
            element.check(fits, || format!("the dynamics has {needed} activation(s), actdim says {n}"))?;
            n
        }
        None => needed,
    };
    element.check(count < 1 << 20, || format!("actdim {count} is too large"))?;
    let range = actuator.activation_range;
    let has_range = actuator.activation_limited == Some(true) || range[0] < range[1];
    element.check(!has_range || actuator.activation != ActivationKind::None, || {
        "actrange is given but there is no activation".into()
    })?;
    model.actuators.act.push(Span::new(model.size.na, count));
    model.size.na += count;
    Ok(())
}

/// Number of activations that the dynamics requires.
fn activation_dim(actuator: &ActuatorSpec) -> usize {
    match actuator.activation {
        ActivationKind::None => 0,
        // The rate-limited set point and the integral, each only if used.
        ActivationKind::Pid => usize::from(actuator.activation_prm[1] > 0.0) + usize::from(actuator.gain_prm[0] != 0.0),
        _ => actuator.activation_dim.filter(|_| actuator.activation == ActivationKind::User).unwrap_or(1),
    }
}

/// One control, or one per declared input of a PID servo, each with its range.
fn push_controls(spec: &ModelSpec, actuator: &ActuatorSpec, element: &Element, model: &mut Model) -> Outcome {
    let auto = spec.compiler.auto_limits;
    let start = model.actuators.ctrl_limited.len();
    let mut ctrl_range = actuator.ctrl_range;
    if actuator.inherit_range > 0.0 && actuator.activation != ActivationKind::Integrator {
        ctrl_range = inherited_range(actuator, element, model)?;
    }
    let mut push = |flag, range: [f64; 2], what| -> Outcome {
        let on = limited(element, what, flag, range, auto)?;
        model.actuators.ctrl_limited.push(on);
        model.actuators.ctrl_range.push(range);
        Ok(())
    };
    if actuator.gain != GainKind::Pid {
        push(actuator.ctrl_limited, ctrl_range, "ctrl")?;
    } else {
        for (bit, range, flag) in [
            (PID_INPUTS[0], ctrl_range, actuator.ctrl_limited),
            (PID_INPUTS[1], actuator.velocity_range, None),
            (PID_INPUTS[2], actuator.feedforward_range, None),
        ] {
            if actuator.inputs & bit != 0 {
                push(flag, range, "ctrl")?;
            }
        }
    }
    let count = model.actuators.ctrl_limited.len() - start;
    model.actuators.ctrl.push(Span::new(start, count));
    Ok(())
}

/// Range of the joint or tendon, scaled about its middle.
fn inherited_range(actuator: &ActuatorSpec, element: &Element, model: &Model) -> Outcome<[f64; 2]> {
    // The target of this actuator was appended last.
    let (kind, target) = match (model.actuators.transmission.last(), model.actuators.target.last()) {
        (Some(kind), Some([Some(target), _])) => (*kind, *target as usize),
        _ => return Err(element.error("inheritrange needs a joint or tendon")),
    };
    let range = match kind {
        TransmissionKind::Joint | TransmissionKind::JointInParent => model.joints.range[target],
        TransmissionKind::Tendon => model.tendons.range[target],
        _ => return Err(element.error("inheritrange needs a joint or tendon")),
    };
    element.check(range[0] < range[1], || "inheritrange is given but the target has no range".into())?;
    let (mean, half) = (0.5 * (range[0] + range[1]), 0.5 * (range[1] - range[0]) * actuator.inherit_range);
    Ok([mean - half, mean + half])
}

fn push_plain(spec: &ModelSpec, actuator: &ActuatorSpec, element: &Element, model: &mut Model) -> Outcome {
    let auto = spec.compiler.auto_limits;
    let mut act_range = actuator.activation_range;
    if actuator.inherit_range > 0.0 && actuator.activation == ActivationKind::Integrator {
        act_range = inherited_range(actuator, element, model)?;
    }
    let table = &mut model.actuators;
    table.name.push(actuator.name.clone());
    table.activation.push(actuator.activation);
    table.gain.push(actuator.gain);
    table.bias.push(actuator.bias);
    table.inputs.push(actuator.inputs);
    table.activation_prm.push(actuator.activation_prm);
    table.gain_prm.push(actuator.gain_prm);
    table.bias_prm.push(actuator.bias_prm);
    table.activation_limited.push(limited(element, "act", actuator.activation_limited, act_range, auto)?);
    table.activation_range.push(act_range);
    table.activation_early.push(actuator.activation_early);
    table.force_limited.push(limited(element, "force", actuator.force_limited, actuator.force_range, auto)?);
    table.force_range.push(actuator.force_range);
    table.gear.push(actuator.gear);
    table.crank_length.push(actuator.crank_length);
    table.damping.push(actuator.damping[0]);
    table.damping_poly.push([actuator.damping[1], actuator.damping[2]]);
    table.armature.push(actuator.armature);
    table.acc0.push(0.0);
    table.length0.push(0.0);
    table.length_range.push(actuator.length_range);
    table.group.push(actuator.group);
    push_user(&mut table.user, &actuator.user, table.user_len);
    Ok(())
}

/// Records at the joint or tendon of an actuator that the actuator contributes damping and
/// armature.
fn note_contribution(
    actuator: &ActuatorSpec,
    element: &Element,
    kind: TransmissionKind,
    target: [Option<u32>; 2],
    id: usize,
    model: &mut Model,
) -> Outcome {
    let armature = actuator.armature != 0.0;
    if !armature && actuator.damping == [0.0; 3] {
        return Ok(());
    }
    let what = if armature { "armature" } else { "damping" };
    let id = Some(ActuatorId::new(id));
    match (kind, target[0].map(|t| t as usize)) {
        (TransmissionKind::Joint | TransmissionKind::JointInParent, Some(joint)) => {
            element.check(model.joints.kind[joint] != JointKind::Free || !armature, || {
                "an actuator of a free joint cannot have armature".into()
            })?;
            model.joints.actuator[joint] = model.joints.actuator[joint].or(id);
            Ok(())
        }
        (TransmissionKind::Tendon, Some(tendon)) => {
            model.tendons.actuator[tendon] = model.tendons.actuator[tendon].or(id);
            Ok(())
        }
        _ => Err(element.error(format!("{what} needs a joint or tendon to act on"))),
    }
}
