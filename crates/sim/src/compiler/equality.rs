//! Equality constraints.

use super::names::{Element, Names, Outcome};
use crate::model::Model;
use crate::model::kinds::{EqualityType, JointKind, ObjectKind};
use crate::model::spec::{EqualityKind, ModelSpec};

/// Fills the table of equality constraints. Values that depend on the reference pose (anchors in
/// the second body, relative poses that were not given) are computed in [`super::reference`].
pub(super) fn fill_equalities(spec: &ModelSpec, names: &Names, model: &mut Model) -> Outcome {
    for (id, equality) in spec.equalities.iter().enumerate() {
        let element = Element::new("equality", &equality.name, id, &equality.place);
        element.check_finite("solref", &equality.solref)?;
        element.check_finite("solimp", &equality.solimp)?;
        let row = resolve(&equality.kind, names, model, &element)?;
        let table = &mut model.equalities;
        table.name.push(equality.name.clone());
        table.kind.push(row.kind);
        table.object_kind.push(row.object_kind);
        table.object1.push(row.object1);
        table.object2.push(row.object2);
        table.active.push(equality.active);
        table.solref.push(equality.solref);
        table.solimp.push(equality.solimp);
        table.data.push(row.data);
    }
    Ok(())
}

struct Row {
    kind: EqualityType,
    object_kind: ObjectKind,
    object1: u32,
    object2: Option<u32>,
    data: [f64; 12],
}

/// Entry of a weld's data that is 1 if its relative pose is that of the reference pose.
pub(super) const WELD_FROM_REFERENCE: usize = 11;

fn resolve(kind: &EqualityKind, names: &Names, model: &Model, element: &Element) -> Outcome<Row> {
    let body = |name: &str| {
        if name.is_empty() { Ok(0) } else { names.require(ObjectKind::Body, name, element) }
    };
    let mut data = [0.0; 12];
    // Unused except for welds, where it is the torque scale.
    data[10] = 1.0;
    let (eq, object_kind, object1, object2) = match kind {
        EqualityKind::ConnectBodies { body1, body2, anchor } => {
            data[..3].copy_from_slice(&anchor.to_array());
            element.check_finite("anchor", &data)?;
            let first = names.require(ObjectKind::Body, body1, element)?;
            (EqualityType::Connect, ObjectKind::Body, first, Some(body(body2)?))
        }
        EqualityKind::WeldBodies { body1, body2, anchor, relative_pose, torque_scale } => {
            data[..3].copy_from_slice(&anchor.to_array());
            data[10] = *torque_scale;
            if let Some((pos, quat)) = relative_pose {
                data[3..6].copy_from_slice(&pos.to_array());
                data[6..10].copy_from_slice(&quat.normalized().to_array());
            }
            element.check_finite("anchor, relpose or torquescale", &data)?;
            if !relative_pose.is_some_and(|(_, quat)| quat.norm() > 0.0) {
                data[3..10].fill(0.0);
                data[WELD_FROM_REFERENCE] = 1.0;
            }
            let first = names.require(ObjectKind::Body, body1, element)?;
            (EqualityType::Weld, ObjectKind::Body, first, Some(body(body2)?))
        }
        EqualityKind::ConnectSites { site1, site2 } => {
            data[10] = 0.0;
            let first = names.require(ObjectKind::Site, site1, element)?;
            let second = names.require(ObjectKind::Site, site2, element)?;
            (EqualityType::Connect, ObjectKind::Site, first, Some(second))
        }
        EqualityKind::WeldSites { site1, site2, torque_scale } => {
            // Unused; the value that MJCF's default leaves there.
            data[1] = 1.0;
            data[10] = *torque_scale;
            element.check_finite("torquescale", &data)?;
            let first = names.require(ObjectKind::Site, site1, element)?;
            let second = names.require(ObjectKind::Site, site2, element)?;
            (EqualityType::Weld, ObjectKind::Site, first, Some(second))
        }
        EqualityKind::Joint { first, second, poly } => {
            data[..5].copy_from_slice(poly);
            element.check_finite("polycoef", poly)?;
            let a = scalar_joint(first, names, model, element)?;
            let b = match second.as_deref().filter(|s| !s.is_empty()) {
                Some(name) => Some(scalar_joint(name, names, model, element)?),
                None => None,
            };
            (EqualityType::Joint, ObjectKind::Joint, a, b)
        }
        EqualityKind::Tendon { first, second, poly } => {
            data[..5].copy_from_slice(poly);
            element.check_finite("polycoef", poly)?;
            let a = names.require(ObjectKind::Tendon, first, element)?;
            let b = names.require_some(ObjectKind::Tendon, second.as_deref(), element)?;
            (EqualityType::Tendon, ObjectKind::Tendon, a, b)
        }
    };
    element.check(object2 != Some(object1), || "both of its objects are the same".into())?;
    Ok(Row { kind: eq, object_kind, object1, object2, data })
}

fn scalar_joint(name: &str, names: &Names, model: &Model, element: &Element) -> Outcome<u32> {
    let joint = names.require(ObjectKind::Joint, name, element)?;
    let scalar = matches!(model.joints.kind[joint as usize], JointKind::Hinge | JointKind::Slide);
    element.check(scalar, || format!("joint \"{name}\" must be a hinge or slide joint"))?;
    Ok(joint)
}
