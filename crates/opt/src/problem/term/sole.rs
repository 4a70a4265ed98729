//! Soles in contact are level: feet stand on their whole sole and not on an edge.

use super::slip::fade;
use crate::geometry::ContactBall;
use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_math::Vec3;
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::jacobian::dofs_of;

/// r = w (z_i − z̄) s(z̄/d) for the lowest points of balls, z̄ their mean height above the ground
/// by foot: feet in the air may turn.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelSoles {
    /// By foot: body, and centres in its frame and radii of its balls.
    pub feet: Vec<(BodyId, Vec<(Vec3, f64)>)>,
    /// Height of the ground and over which it fades, m.
    pub ground: f64,
    /// Height over which it fades, m.
    pub fade: f64,
    /// Weight of the residuals.
    pub weight: f64,
}

impl LevelSoles {
    /// For the feet that have at least two of the given balls.
    pub fn new(points: &[ContactBall], ground: f64, fade: f64, weight: f64) -> Self {
        let mut feet: Vec<(BodyId, Vec<(Vec3, f64)>)> = Vec::new();
        for &ContactBall { body, centre: local, radius } in points {
            match feet.iter_mut().find(|(own, _)| *own == body) {
                Some((_, balls)) => balls.push((local, radius)),
                None => feet.push((body, vec![(local, radius)])),
            }
        }
        feet.retain(|(_, balls)| balls.len() > 1);
        Self { feet, ground, fade, weight }
    }
}

impl Term for LevelSoles {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let position = &knot.data.position;
        for (body, balls) in &self.feet {
            let (b, share) = (body.idx(), 1.0 / balls.len() as f64);
            let rotated = |local: &Vec3| position.quat_WB[b].rotate(*local);
            let middle: Vec3 = balls.iter().map(|(local, _)| rotated(local)).sum::<Vec3>() * share;
            let radius: f64 = balls.iter().map(|(_, radius)| radius * share).sum();
            let at = position.p_WB[b] + middle;
            let (stands, slope) = fade((at.z - radius - self.ground) / self.fade);
            let arm_of_root = at - position.com[knot.model.bodies.root[b].idx()];
            for (local, own) in balls {
                let arm = rotated(local) - middle;
                let away = arm.z - own + radius;
                out.row(self.weight * away * stands);
                for i in dofs_of(knot.model, b) {
                    let S = position.S[i];
                    let rise = S.shifted(arm_of_root).lin.z;
                    let by_q = S.ang.cross(arm).z * stands + away * slope * rise / self.fade;
                    out.add(Part::Q, i, self.weight * by_q);
                }
            }
        }
    }
}
