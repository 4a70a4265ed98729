//! Springs, dampers and rotors of dofs as rows that are implicit in velocity [HsuPeters2014, §5.3].
//!
//! With forces s and d of spring and damper at the beginning of the step, their slopes k and b, and
//! the rotor's inertia a,
//!   f = h (s + d) − (a + h b)(v⁺ − v) − h² k v⁺,
//! which is a row v⁺ + f/w = c with (1) w = a + h b + h² k, (2) c = ((a + h b) v + h (s + d)) / w.
//! For a linear spring and damper without rotor that is (12): ERP/h · e = c and CFM/h = 1/w.

use super::{At, Bound, Kind, Rows};
use saltus_math::Motion;

/// Forces and slopes of each dof.
#[derive(Clone, Debug, Default)]
pub struct Softness {
    /// s + d · nv.
    pub force: Vec<f64>,
    /// b, k and a · nv; not negative.
    pub damping: Vec<f64>,
    pub stiffness: Vec<f64>,
    pub armature: Vec<f64>,
}

impl Softness {
    pub fn new(nv: usize) -> Self {
        let zero = vec![0.0; nv];
        Self { force: zero.clone(), damping: zero.clone(), stiffness: zero.clone(), armature: zero }
    }
    /// w of (1).
    pub fn weight(&self, i: usize, h: f64) -> f64 {
        self.armature[i] + h * self.damping[i] + h * h * self.stiffness[i]
    }
}

pub fn push_soft(at: &At<'_>, softness: &Softness, v: &[f64], rows: &mut Rows) {
    for link in 1..at.links.len() {
        for (k, i) in at.links.dofs[link].clone().enumerate() {
            let w = softness.weight(i, at.h);
            // Axes that depend on others move nothing of their own.
            if w <= 0.0 || at.frames[link].D[k] == Motion::ZERO {
                continue;
            }
            let first = rows.jacobian.len();
            rows.push_relative(at.links, at.bodies, &at.frames[link], link, at.frames[link].D[k], 1.0);
            let old = softness.armature[i] + at.h * softness.damping[i];
            let target = (old * v[i] + at.h * softness.force[i]) / w; // (2)
            rows.push(first, Kind::Soft { dof: i as u32 }, Bound::None, 1.0 / w, [target; 2]);
        }
    }
}
