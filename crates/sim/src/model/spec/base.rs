//! Floating bases: robot files describe robots, but not how they stand in the world.

use super::{JointSpec, ModelSpec};
use crate::model::kinds::JointKind;

/// Name of the joint that [`ModelSpec::float_base`] adds.
pub const BASE_JOINT: &str = "floating_base";

impl ModelSpec {
    /// Adds a free joint to the only body that is fixed to the world, so that the base of the robot
    /// floats. Does nothing if there is no such body but a floating one. If several bodies are
    /// fixed to the world, the error names them.
    pub fn float_base(&mut self) -> Result<(), String> {
        let hangs_on_world = |b: &usize| self.bodies[*b].parent.0 == 0;
        let children: Vec<usize> = (1..self.bodies.len()).filter(hangs_on_world).collect();
        let fixed = |b: &usize| self.bodies[*b].joints.is_empty() && !self.bodies[*b].mocap;
        let free = |b: &usize| self.bodies[*b].joints.iter().any(|j| j.kind == JointKind::Free);
        match *children.iter().copied().filter(fixed).collect::<Vec<_>>() {
            [base] => {
                let taken = self.bodies.iter().flat_map(|b| &b.joints).any(|j| j.name == BASE_JOINT);
                let name = if taken { String::new() } else { BASE_JOINT.to_owned() };
                let place = self.bodies[base].place.clone();
                self.notes
                    .push(format!("added a free joint to the body {:?}, so that it floats", self.bodies[base].name));
                self.bodies[base].joints.push(JointSpec { name, kind: JointKind::Free, place, ..JointSpec::default() });
                Ok(())
            }
            [] if children.iter().any(free) => Ok(()),
            [] => Err("no body is fixed to the world, so there is no base to make floating".into()),
            ref several => {
                let names: Vec<_> = several.iter().map(|b| format!("{:?}", self.bodies[*b].name)).collect();
                Err(format!("only one base can float, but these bodies are fixed to the world: {}", names.join(", ")))
            }
        }
    }
}
