//! Motors: robot files describe joints and what their drives can do, but no actuators.

use super::{ActuatorSpec, EqualityKind, ModelSpec, TendonPath, TransmissionSpec};
use crate::model::kinds::JointKind;
use std::collections::BTreeSet;

impl ModelSpec {
    /// Adds a motor to each hinge and slide joint that no actuator drives, except to joints that
    /// follow another one (`mimic`). A motor has the name of its joint and gear 1. The force limit
    /// of the joint (`effort` in URDF and SDF) becomes the force range of the motor; without one
    /// the force is not limited. The velocity limit is kept as the user data of the motor. A note
    /// says what was added. Returns the number of motors.
    pub fn add_motors(&mut self) -> usize {
        let driven = self.driven_joints();
        let joints: Vec<(usize, usize)> =
            self.ordered_joints().filter(|(_, _, j)| is_scalar(j.kind)).map(|(b, i, _)| (b, i)).collect();
        let mut taken: BTreeSet<String> = self.actuators.iter().map(|a| a.name.clone()).collect();
        let (before, mut unlimited) = (self.actuators.len(), Vec::new());
        for (number, (b, i)) in joints.into_iter().enumerate() {
            if driven.contains(&self.bodies[b].joints[i].name) {
                continue;
            }
            self.name_joint(b, i, number);
            let joint = &self.bodies[b].joints[i];
            let name = if taken.insert(joint.name.clone()) { joint.name.clone() } else { String::new() };
            let mut motor = ActuatorSpec::motor(name, TransmissionSpec::Joint(joint.name.clone()));
            motor.place = joint.place.clone();
            motor.user = joint.velocity_limit.into_iter().collect();
            if joint.actuator_force_limited.unwrap_or(joint.actuator_force_range[0] < joint.actuator_force_range[1]) {
                (motor.force_limited, motor.force_range) = (Some(true), joint.actuator_force_range);
            } else {
                unlimited.push(joint.name.clone());
            }
            self.actuators.push(motor);
        }
        let count = self.actuators.len() - before;
        self.notes.push(motor_note(count, &unlimited));
        count
    }

    /// Names of joints that an actuator drives, by itself or by a fixed tendon, or that follow
    /// another joint.
    fn driven_joints(&self) -> BTreeSet<String> {
        let mut driven = BTreeSet::new();
        for actuator in &self.actuators {
            match &actuator.transmission {
                TransmissionSpec::Joint(name) | TransmissionSpec::JointInParent(name) => {
                    _ = driven.insert(name.clone())
                }
                TransmissionSpec::Tendon(name) => {
                    let paths = self.tendons.iter().filter(|t| t.name == *name).map(|t| &t.path);
                    for terms in paths.filter_map(|p| if let TendonPath::Fixed(terms) = p { Some(terms) } else { None })
                    {
                        driven.extend(terms.iter().map(|(joint, _)| joint.clone()));
                    }
                }
                _ => {}
            }
        }
        driven.extend(self.equalities.iter().filter_map(|q| match &q.kind {
            EqualityKind::Joint { first, second: Some(_), .. } => Some(first.clone()),
            _ => None,
        }));
        driven
    }

    /// Gives a joint without a name one that is free, because actuators refer to names.
    fn name_joint(&mut self, body: usize, joint: usize, number: usize) {
        if self.bodies[body].joints[joint].name.is_empty() {
            let mut name = format!("joint{number}");
            while self.bodies.iter().flat_map(|b| &b.joints).any(|j| j.name == name) {
                name.push('_');
            }
            self.bodies[body].joints[joint].name = name;
        }
    }
}

fn is_scalar(kind: JointKind) -> bool {
    matches!(kind, JointKind::Hinge | JointKind::Slide)
}

fn motor_note(count: usize, unlimited: &[String]) -> String {
    const SHOWN: usize = 5;
    let limited = count - unlimited.len();
    let motors = |n: usize| if n == 1 { "1 motor".to_owned() } else { format!("{n} motors") };
    if count == 0 {
        return "no motors were added: actuators drive all hinge and slide joints already".to_owned();
    }
    if unlimited.is_empty() {
        return format!("added {} with the effort limits of the file", motors(count));
    }
    let mut names = unlimited[..unlimited.len().min(SHOWN)].join(", ");
    if unlimited.len() > SHOWN {
        names += &format!(" and {} more", unlimited.len() - SHOWN);
    }
    let rest = format!("the file has no effort limit for {names}");
    match limited {
        0 => format!("added {} without force limits: {rest}", motors(count)),
        _ => format!("added {}, {limited} of them with the effort limits of the file: {rest}", motors(count)),
    }
}
