//! Which term of a problem is meant.

use serde::{Deserialize, Serialize};

/// Identity of a term. A status carries that of the constraint which is violated, and advice is
/// chosen by it; its text is the name of the term in results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TermId {
    /// Generalized forces on unactuated degrees of freedom are zero.
    Unactuated,
    /// Joints stay in their ranges.
    JointLimits,
    /// Actuators stay in their ranges.
    TorqueLimits,
    /// Links stay apart.
    SelfCollision,
    /// Shapes do not overlap.
    Penetration,
    /// Torques are small.
    Effort,
    /// The robot stays close to its nominal pose.
    Posture,
    /// Joint accelerations are small.
    Smoothness,
    /// Accelerations of the trunk are small.
    Steadiness,
    /// Feet that touch the ground do not slide.
    Slip,
    /// Soles that touch the ground are level.
    Soles,
    /// Left and right do the same at the same time.
    BothSides,
    /// The motion begins in the nominal pose.
    Start,
    /// The robot is at rest all the time.
    AtRest,
    /// The robot is at rest in the first state.
    AtRestAtStart,
    /// The robot is at rest in the last state.
    AtRestAtEnd,
    /// The motion ends in the nominal pose.
    PostureAtEnd,
    /// This site or body ends at its target.
    AtPlace(String),
    /// The centre of mass reaches the height of the jump.
    JumpHeight,
    /// A term of a task file or of a program, by the name that it has there.
    Custom(String),
}

/// What follows the name of a site or body in the name of [`TermId::AtPlace`].
const AT_ITS_PLACE: &str = " at its place";

/// Names of the terms that have no part of their own.
const NAMES: [(TermId, &str); 18] = [
    (TermId::Unactuated, "unactuated"),
    (TermId::JointLimits, "joint limits"),
    (TermId::TorqueLimits, "torque limits"),
    (TermId::SelfCollision, "self-collision"),
    (TermId::Penetration, "penetration"),
    (TermId::Effort, "effort"),
    (TermId::Posture, "posture"),
    (TermId::Smoothness, "smoothness"),
    (TermId::Steadiness, "steadiness"),
    (TermId::Slip, "slip"),
    (TermId::Soles, "soles"),
    (TermId::BothSides, "both sides together"),
    (TermId::Start, "start"),
    (TermId::AtRest, "at rest"),
    (TermId::AtRestAtStart, "at rest at the start"),
    (TermId::AtRestAtEnd, "at rest at the end"),
    (TermId::PostureAtEnd, "posture at the end"),
    (TermId::JumpHeight, "height of the jump"),
];

impl TermId {
    /// The term that has this name in a result.
    pub fn of_name(name: &str) -> Self {
        if let Some((id, _)) = NAMES.iter().find(|(_, own)| *own == name) {
            return id.clone();
        }
        match name.strip_suffix(AT_ITS_PLACE) {
            Some(place) => Self::AtPlace(place.to_owned()),
            None => Self::Custom(name.to_owned()),
        }
    }
}

impl From<&str> for TermId {
    /// A term of a program's own.
    fn from(name: &str) -> Self {
        Self::Custom(name.to_owned())
    }
}

impl core::fmt::Display for TermId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::AtPlace(place) => write!(f, "{place}{AT_ITS_PLACE}"),
            Self::Custom(name) => f.write_str(name),
            own => f.write_str(NAMES.iter().find(|(id, _)| id == own).map_or("", |(_, name)| name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_terms() {
        let own = NAMES.iter().map(|(id, _)| id.clone());
        for id in own.chain([TermId::AtPlace("left hand".into()), TermId::Custom("aim".into())]) {
            assert!(!id.to_string().is_empty());
            assert_eq!(TermId::of_name(&id.to_string()), id);
        }
    }
}
