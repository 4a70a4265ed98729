//! A standing pose: feet on the ground, the centre of mass above them, legs slightly bent.
//!
//! Damped least squares over all dofs, from a given pose: height of the lowest points of feet,
//! their places, the centre of mass, and closeness to the given pose.

use crate::geometry::ContactBall;
use crate::problem::mirror::Mirror;
use crate::problem::physics::is_linear;
use saltus_math::{Vec3, cholesky};
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::coordinates::{difference, integrate};
use saltus_sim::kinematics::jacobian::{calc_point, calc_subtree_com};
use saltus_sim::model::kinds::JointKind;
use saltus_sim::{Data, Model, forward_smooth};

/// No pose was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "no pose was found in which the robot stands on its feet: the best is {0:.3} m from it; name a keyframe that stands"
)]
pub struct StandError(f64);

/// Share of its height by which the centre of mass is lowered, so that legs can push in all
/// directions.
const BEND: f64 = 0.05;

/// Least squares: rows of a Jacobian and a right-hand side, added up as normal equations.
struct Normal {
    n: usize,
    matrix: Vec<f64>,
    right: Vec<f64>,
    cost: f64,
}

impl Normal {
    fn add(&mut self, weight: f64, value: f64, row: impl Fn(usize) -> f64) {
        let row: Vec<f64> = (0..self.n).map(row).collect();
        self.cost += weight * weight * value * value;
        for i in 0..self.n {
            let wi = weight * weight * row[i];
            if wi != 0.0 {
                self.right[i] -= wi * value;
                for j in 0..=i {
                    self.matrix[i * self.n + j] += wi * row[j];
                }
            }
        }
    }
}

/// Finds the pose. With `keep` the given pose is only moved vertically to the ground.
pub fn stand(
    model: &Model,
    pose: &[f64],
    points: &[ContactBall],
    ground: f64,
    mirror: Option<&Mirror>,
    keep: bool,
) -> Result<Vec<f64>, StandError> {
    let mut data = Data::new(model);
    let mut q = pose.to_vec();
    place(model, &q, &mut data);
    let height = |data: &Data, &ContactBall { body, centre: local, radius }: &ContactBall| {
        let b = body.idx();
        (data.position.p_WB[b] + data.position.quat_WB[b].rotate(local)).z - radius - ground
    };
    let lowest = points.iter().map(|p| height(&data, p)).fold(f64::INFINITY, f64::min);
    if let Some(i) = upward(model, Some(points[0].body)) {
        q[i] -= lowest;
    }
    place(model, &q, &mut data);
    let root = model.bodies.root[points[0].body.idx()];
    let com = data.position.com[root.idx()];
    let size = (com.z - ground).max(1e-3);
    if keep {
        return Ok(q);
    }
    // Points that are to touch: of each foot those near its lowest one.
    let feet: Vec<BodyId> = points.iter().fold(Vec::new(), |mut feet, p| {
        if !feet.contains(&p.body) {
            feet.push(p.body);
        }
        feet
    });
    let soles: Vec<ContactBall> = points
        .iter()
        .filter(|p| {
            let of_foot = points.iter().filter(|o| o.body == p.body).map(|o| height(&data, o));
            height(&data, p) < of_foot.fold(f64::INFINITY, f64::min) + 0.03 * size
        })
        .copied()
        .collect();
    let places: Vec<Vec3> = feet.iter().map(|&foot| centre(&data, &soles, foot)).collect();
    let reference = q.clone();
    let stance = Stance { model, root, ground, size, feet, soles, places };
    let (nv, unit) = (model.size.nv, 1.0 / size);
    let mut left = f64::INFINITY;
    for _ in 0..100 {
        place(model, &q, &mut data);
        let mut normal = stance.normal(&data);
        left = normal.cost.sqrt() * 0.1 * size;
        stance.stay_close(&reference, &q, &mut normal);
        cholesky::factor(nv, nv, &mut normal.matrix, 1e-12);
        cholesky::solve(nv, nv, &normal.matrix, &mut normal.right);
        let largest =
            (0..nv).fold(0.0f64, |m, d| m.max(normal.right[d].abs() * if is_linear(model, d) { unit } else { 1.0 }));
        integrate(model, &mut q, &normal.right, (0.2 / largest.max(1e-300)).min(1.0));
        keep_limits(model, &mut q);
        if let Some(mirror) = mirror {
            symmetrize(model, mirror, &mut q);
        }
        if normal.right.iter().all(|x| x.abs() < 1e-9) {
            break;
        }
    }
    if left > 0.1 * size { Err(StandError(left)) } else { Ok(q) }
}

/// Where the feet of a robot stand.
struct Stance<'a> {
    model: &'a Model,
    root: BodyId,
    /// Height of the ground, and of the centre of mass above it in the given pose, m.
    ground: f64,
    size: f64,
    feet: Vec<BodyId>,
    /// Points that touch: body, place in it, radius.
    soles: Vec<ContactBall>,
    /// Where the middle of each foot is.
    places: Vec<Vec3>,
}

impl Stance<'_> {
    /// Soles on the ground, feet in their places, and the centre of mass above them, a little lower
    /// than in the given pose.
    fn normal(&self, data: &Data) -> Normal {
        let (model, nv, unit) = (self.model, self.model.size.nv, 1.0 / self.size);
        let mut jac = vec![0.0; 3 * nv];
        let mut normal = Normal { n: nv, matrix: vec![0.0; nv * nv], right: vec![0.0; nv], cost: 0.0 };
        for &ContactBall { body, centre: local, radius } in &self.soles {
            let b = body.idx();
            let p = data.position.p_WB[b] + data.position.quat_WB[b].rotate(local);
            calc_point(model, data, body, p, Some(&mut jac), None);
            normal.add(10.0 * unit, p.z - radius - self.ground, |i| jac[2 * nv + i]);
        }
        for (&foot, place) in self.feet.iter().zip(&self.places) {
            let p = centre(data, &self.soles, foot);
            calc_point(model, data, foot, p, Some(&mut jac), None);
            normal.add(5.0 * unit, p.x - place.x, |i| jac[i]);
            normal.add(5.0 * unit, p.y - place.y, |i| jac[nv + i]);
        }
        let middle = self.places.iter().copied().sum::<Vec3>() / self.places.len() as f64;
        let target = self.ground + (1.0 - BEND) * self.size;
        calc_subtree_com(model, data, self.root, &mut jac);
        let com = data.position.com[self.root.idx()];
        normal.add(10.0 * unit, com.x - middle.x, |i| jac[i]);
        normal.add(10.0 * unit, com.y - middle.y, |i| jac[nv + i]);
        normal.add(10.0 * unit, com.z - target, |i| jac[2 * nv + i]);
        normal
    }

    /// Closeness to a pose, and damping.
    fn stay_close(&self, reference: &[f64], q: &[f64], normal: &mut Normal) {
        let (model, nv, unit) = (self.model, self.model.size.nv, 1.0 / self.size);
        let mut away = vec![0.0; nv];
        difference(model, reference, q, 1.0, &mut away);
        for d in 0..nv {
            let base = model.joints.kind[model.dofs.joint[d].idx()] == JointKind::Free;
            let weight = if is_linear(model, d) {
                0.01 * unit
            } else if base {
                1.0
            } else {
                0.1
            };
            normal.add(weight, away[d], |i| if i == d { 1.0 } else { 0.0 });
            normal.matrix[d * nv + d] += 1e-3 * if is_linear(model, d) { unit * unit } else { 1.0 };
        }
    }
}

fn place(model: &Model, q: &[f64], data: &mut Data) {
    data.state.q.copy_from_slice(q);
    forward_smooth(model, data);
}

/// Middle of a foot's points.
fn centre(data: &Data, points: &[ContactBall], foot: BodyId) -> Vec3 {
    let own: Vec<Vec3> = points.iter().filter(|p| p.body == foot).map(|p| p.centre).collect();
    let local = own.iter().copied().sum::<Vec3>() / own.len().max(1) as f64;
    data.position.p_WB[foot.idx()] + data.position.quat_WB[foot.idx()].rotate(local)
}

/// Coordinate that moves a robot up: the one that a body of it hangs on, or the first of the model.
pub(crate) fn upward(model: &Model, of: Option<BodyId>) -> Option<usize> {
    let own =
        |&j: &usize| of.is_none_or(|b| model.bodies.tree[b.idx()] == model.bodies.tree[model.joints.body[j].idx()]);
    let mut data = Data::new(model);
    forward_smooth(model, &mut data);
    (0..model.njoint()).filter(own).find_map(|j| {
        let i = model.joints.q_start[j] as usize;
        match model.joints.kind[j] {
            JointKind::Free => Some(i + 2),
            JointKind::Slide if data.position.axis_W[j].z > 0.99 => Some(i),
            _ => None,
        }
    })
}

/// Moves joints slightly inside their limits.
pub fn keep_limits(model: &Model, q: &mut [f64]) {
    for j in 0..model.njoint() {
        if model.joints.limited[j] && matches!(model.joints.kind[j], JointKind::Slide | JointKind::Hinge) {
            let [low, high] = model.joints.range[j];
            let margin = 0.02 * (high - low);
            let i = model.joints.q_start[j] as usize;
            q[i] = q[i].clamp(low + margin, high - margin);
        }
    }
}

/// The mean of a pose and its mirror image.
fn symmetrize(model: &Model, mirror: &Mirror, q: &mut [f64]) {
    let (mut image, mut half) = (vec![0.0; q.len()], vec![0.0; model.size.nv]);
    mirror.apply(q, &mut image);
    difference(model, q, &image, 1.0, &mut half);
    integrate(model, q, &half, 0.5);
}
