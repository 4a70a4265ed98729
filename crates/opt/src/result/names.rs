//! Names of the columns of a motion: coordinates, dofs and controls of a model.

use saltus_sim::Model;
use saltus_sim::model::kinds::JointKind;

/// Names of a joint's numbers.
fn names_of(model: &Model, parts: fn(JointKind) -> &'static [&'static str]) -> Vec<String> {
    let mut names = Vec::new();
    for j in 0..model.njoint() {
        let joint = Some(&model.joints.name[j]).filter(|n| !n.is_empty()).cloned();
        let joint = joint.unwrap_or_else(|| format!("joint{j}"));
        let parts = parts(model.joints.kind[j]);
        names.extend(parts.iter().map(|part| if part.is_empty() { joint.clone() } else { format!("{joint}.{part}") }));
    }
    names
}

/// A name for each coordinate: that of the joint, and which of its numbers.
pub fn coordinate_names(model: &Model) -> Vec<String> {
    names_of(model, |kind| match kind {
        JointKind::Free => &["x", "y", "z", "qw", "qx", "qy", "qz"],
        JointKind::Ball => &["qw", "qx", "qy", "qz"],
        JointKind::Slide | JointKind::Hinge => &[""],
    })
}

/// A name for each dof.
pub fn dof_names(model: &Model) -> Vec<String> {
    names_of(model, |kind| match kind {
        JointKind::Free => &["x", "y", "z", "rx", "ry", "rz"],
        JointKind::Ball => &["rx", "ry", "rz"],
        JointKind::Slide | JointKind::Hinge => &[""],
    })
}

/// A name for each control: that of its actuator.
pub fn control_names(model: &Model) -> Vec<String> {
    let mut names: Vec<String> = (0..model.size.nu).map(|i| format!("u{i}")).collect();
    for a in 0..model.nactuator() {
        let (range, name) = (model.actuators.ctrl[a].range(), &model.actuators.name[a]);
        for (k, i) in range.clone().enumerate().filter(|_| !name.is_empty()) {
            names[i] = if range.len() == 1 { name.clone() } else { format!("{name}[{k}]") };
        }
    }
    names
}
