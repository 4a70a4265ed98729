//! Contact phases of a motion: which bodies touch, when, and with which force.

use crate::problem::forces::ContactForce;
use crate::result::plan::Motion;
use saltus_math::Vec3;

/// Share of the robot's weight above which a body counts as in contact.
pub const TOUCHES: f64 = 0.05;

/// The sum of all contacts of one body at one state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// Sum of the normal forces, N.
    pub normal: f64,
    /// Length of the sum of the forces along the surfaces, N.
    pub tangent: f64,
    /// Sum of the forces, N, world.
    pub force: Vec3,
    /// Centre of the normal forces, world.
    pub point: Vec3,
}

impl Push {
    /// Sums the contacts of a body.
    pub fn of(contacts: &[ContactForce], body: usize) -> Self {
        let mut push = Self::default();
        let mut tangent = Vec3::ZERO;
        for c in contacts.iter().filter(|c| c.body == body) {
            let (force, normal) = (Vec3::from(c.force), Vec3::from(c.normal));
            let pressure = force.dot(normal).max(0.0);
            push.normal += pressure;
            tangent += force - normal * force.dot(normal);
            push.force += force;
            push.point += Vec3::from(c.point) * pressure;
        }
        push.tangent = tangent.length();
        if push.normal > 0.0 {
            push.point /= push.normal;
        }
        push
    }
}

/// Bodies that carry more than [`TOUCHES`] of the weight at some time, in the order of the model.
pub fn touching_bodies(motion: &Motion, weight: f64) -> Vec<usize> {
    let mut bodies: Vec<usize> = motion.contacts.iter().flatten().map(|c| c.body).collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies.retain(|&b| motion.contacts.iter().any(|list| Push::of(list, b).normal > TOUCHES * weight));
    bodies
}

/// Whether a body is in contact, at each state.
pub fn contact_of(motion: &Motion, body: usize, weight: f64) -> Vec<bool> {
    motion.contacts.iter().map(|list| Push::of(list, body).normal > TOUCHES * weight).collect()
}

/// Number of touch-downs of all bodies in one repetition of a limit cycle.
pub fn per_stride(motion: &Motion, weight: f64) -> usize {
    let begins = |touch: Vec<bool>| {
        (0..touch.len()).filter(|&t| touch[t] && !touch[(t + touch.len() - 1) % touch.len()]).count()
    };
    touching_bodies(motion, weight).into_iter().map(|b| begins(contact_of(motion, b, weight))).sum()
}
