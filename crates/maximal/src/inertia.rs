//! Inertias of links in world axes, and the reduction of their ratios across joints [HsuPeters2014,
//! §5.2].
//!
//! About directions s in which a joint holds two links together only the sum of their moments
//! counts. A share α of the difference goes from one to the other: I_i += α P (I_j − I_i) P and the
//! opposite for j, P the projection on all directions that a joint holds. Published is one
//! direction after the other, I_i += α (s·I_j s − s·I_i s) s sᵀ: the same where the s are principal
//! axes of the difference, and otherwise dependent on the choice of rows and easily not positive
//! definite. A change that would leave an inertia that is not is not made.

use crate::joint::Frame;
use crate::links::{Links, inverse, is_positive};
use crate::six::Six;
use crate::state::{Bodies, world_inertia};
use saltus_math::{Mat3, Vec3};

/// Inertias about centres of mass, world axes, and their inverses.
#[derive(Clone, Debug, Default)]
pub struct Inertias {
    pub I: Vec<Mat3>,
    pub inv: Vec<Mat3>,
    pub mass: Vec<f64>,
    pub inv_mass: Vec<f64>,
}

impl Inertias {
    pub fn new(links: &Links) -> Self {
        let n = links.len();
        let (mass, inv_mass) = (links.mass.clone(), links.mass.iter().map(|m| m.recip()).collect());
        Self { I: vec![Mat3::IDENTITY; n], inv: vec![Mat3::IDENTITY; n], mass, inv_mass }
    }

    /// Inertias in the present pose, ratios reduced by α.
    pub fn update(&mut self, links: &Links, bodies: &Bodies, frames: &[Frame], alpha: f64) {
        for link in 1..links.len() {
            self.I[link] = world_inertia(&links.inertia[link], bodies.quat[link]);
        }
        if alpha > 0.0 {
            for link in (1..links.len()).filter(|&link| links.parent[link] != 0) {
                self.even_out(link, links.parent[link], &frames[link], alpha);
            }
        }
        for link in 1..links.len() {
            self.inv[link] = inverse(&self.I[link]);
        }
    }

    fn even_out(&mut self, i: usize, j: usize, frame: &Frame, alpha: f64) {
        let held = || frame.N[..frame.rows].iter().filter(|N| N.lin == Vec3::ZERO).map(|N| N.ang);
        let mut P = Mat3::ZERO;
        for s in held() {
            P = P + Mat3::new(s * s.x, s * s.y, s * s.z);
        }
        let moved = P * (self.I[j] - self.I[i]) * P * alpha;
        let (first, second) = (self.I[i] + moved, self.I[j] - moved);
        if is_positive(&first) && is_positive(&second) {
            (self.I[i], self.I[j]) = (first, second);
        }
    }

    /// M V.
    #[inline]
    pub fn mul(&self, link: usize, V: &Six) -> Six {
        Six::new(self.I[link] * V.ang(), V.lin() * self.mass[link])
    }
    /// M⁻¹ p.
    #[inline]
    pub fn solve(&self, link: usize, p: &Six) -> Six {
        Six::new(self.inv[link] * p.ang(), p.lin() * self.inv_mass[link])
    }
}
