//! Poses and velocities of links: the state in maximal coordinates.

use crate::links::Links;
use crate::six::Six;
use saltus_math::{Mat3, Quat, Vec3};
use saltus_sim::Data;

/// Poses and velocities of all links. Entry 0 stands for bodies that cannot move and is not used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    /// Centres of mass.
    pub x: Vec<Vec3>,
    /// Orientations of the links' main bodies.
    pub quat: Vec<Quat>,
    /// (ω, velocity of the centre of mass), world axes.
    pub(crate) V: Vec<Six>,
}

impl Bodies {
    pub(crate) fn new(n: usize) -> Self {
        Self { x: vec![Vec3::ZERO; n], quat: vec![Quat::IDENTITY; n], V: vec![Six::ZERO; n] }
    }

    /// Angular velocity of a link.
    pub fn angular(&self, link: usize) -> Vec3 {
        self.V[link].ang()
    }
    /// Velocity of a link's centre of mass.
    pub fn linear(&self, link: usize) -> Vec3 {
        self.V[link].lin()
    }

    /// From generalized coordinates, exactly. Needs kinematics, centres of mass and velocities of
    /// bodies in `data`.
    pub(crate) fn import(&mut self, links: &Links, data: &Data, roots: &[usize]) {
        for link in 1..links.len() {
            let b = links.main[link];
            let position = &data.position;
            self.x[link] = position.p_WB[b] + position.R_WB[b] * links.com[link];
            self.quat[link] = position.quat_WB[b];
            let V = data.velocity.V[b].shifted(self.x[link] - position.com[roots[b]]);
            self.V[link] = Six::new(V.ang, V.lin);
        }
    }

    /// x ← x ⊕ h V (3).
    pub(crate) fn advance(&mut self, link: usize, V: &Six, h: f64) {
        self.x[link] += V.lin() * h;
        self.turn(link, V.ang() * h);
    }

    /// Turns a link by a rotation vector in world axes.
    pub(crate) fn turn(&mut self, link: usize, turn: Vec3) {
        let (axis, angle) = saltus_math::normalize(turn);
        self.quat[link] = (Quat::from_axis_angle(axis, angle) * self.quat[link]).normalized();
    }

    pub(crate) fn copy_from(&mut self, other: &Bodies) {
        self.x.copy_from_slice(&other.x);
        self.quat.copy_from_slice(&other.quat);
        self.V.copy_from_slice(&other.V);
    }
}

/// Inertia in world axes.
pub(crate) fn world_inertia(I_B: &Mat3, quat: Quat) -> Mat3 {
    let R = quat.to_mat3();
    R * *I_B * R.transpose()
}
