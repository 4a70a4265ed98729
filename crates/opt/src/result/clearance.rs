//! How close shapes come to each other that are not planned to touch.
//!
//! The planner knows contacts of candidates and capsules around links. A wall beside an arm is
//! neither, so that a plan may lead through it. This check uses the model's own shapes: all pairs
//! that its filters let collide, except those of bodies between which the plan has contacts. It
//! looks at every state, and halfway from each state to the next.
//!
//! Shapes that overlap in the reference pose already, such as hulls of neighbouring links, are a
//! property of the model: such pairs do not count if only a few joints are between them, as in the
//! planner's own geometry, and otherwise only where the plan makes them overlap deeper. Where a
//! free body is in the reference pose, relative to the world and to other trees, means nothing.

use crate::geometry::{GeometryOptions, joints_between};
use crate::result::plan::Motion;
use crate::solve::report::{Clearance, Status};
use saltus_math::Vec3;
use saltus_sim::collide::{geom_distance, pair_rule};
use saltus_sim::ids::GeomId;
use saltus_sim::kinematics::coordinates::{difference, integrate};
use saltus_sim::kinematics::update_kinematics;
use saltus_sim::model::kinds::{GeomShape, JointKind};
use saltus_sim::{Data, Model};

/// Depth in units of the robot's length down to which shapes count as touching and not as passing
/// through each other.
pub const ALLOWED: f64 = 5e-3;

/// What the check found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The smallest distance; `None` if no shapes come closer than the length of the robot.
    pub clearance: Option<Clearance>,
    /// Depth down to which these two shapes may overlap, m.
    pub allowed: f64,
    /// The pair that overlaps most in the reference pose already, there.
    pub overlap: Option<Clearance>,
}

impl Found {
    /// The status of a plan that leads through something.
    pub fn status(&self) -> Option<Status> {
        let clearance = self.clearance.clone()?;
        let allowed = self.allowed;
        (clearance.distance < -allowed).then_some(Status::Collides { clearance, allowed })
    }

    /// What to say of shapes that overlap in the reference pose.
    pub fn note(&self) -> Option<String> {
        let Clearance { distance, shapes: [a, b], bodies: [of_a, of_b], .. } = self.overlap.as_ref()?;
        Some(format!(
            "shapes of the model overlap in its reference pose, most {a} ({of_a}) and {b} ({of_b}) by {:.1} mm: that \
             does not count as passing through each other",
            -1e3 * distance
        ))
    }
}

/// Two shapes that are not planned to touch.
#[derive(Clone, Copy, Debug)]
struct Pair {
    geoms: [usize; 2],
    /// Depth by which they overlap in the reference pose, m.
    overlap: f64,
}

/// A pair at a time.
#[derive(Clone, Copy, Debug)]
struct Near {
    pair: Pair,
    distance: f64,
    time: f64,
}

/// Checks a motion of the model `own`, whose contacts are those of the planning model. `length` is
/// that of the robot, m.
pub fn find(own: &Model, planning: &Model, motion: &Motion, length: f64) -> Found {
    let allowed = ALLOWED * length;
    let mut data = Data::new(own);
    update_kinematics(own, &mut data);
    let overlap = |geoms: [usize; 2]| {
        let overlap = || distance(own, &data, geoms, 0.0).map_or(0.0, |distance| -distance);
        if is_placed(own, geoms) { overlap() } else { 0.0 }
    };
    let pairs = pairs_of(own, planning).into_iter().map(|geoms| Pair { geoms, overlap: overlap(geoms) });
    let pairs: Vec<Pair> = pairs.collect();
    // Links next to each other turn inside of each other.
    let is_built_in = |pair: &Pair| {
        let [a, b] = pair.geoms.map(|g| own.geoms.body[g].idx());
        pair.overlap > 0.0 && joints_between(own, a, b) <= GeometryOptions::default().near
    };
    let most = pairs.iter().filter(|pair| pair.overlap > 0.0).max_by(|a, b| a.overlap.total_cmp(&b.overlap));
    let mut nearest: Option<Near> = None;
    for (time, q) in configurations(own, motion) {
        data.state.q.copy_from_slice(&q);
        update_kinematics(own, &mut data);
        for &pair in pairs.iter().filter(|pair| !is_built_in(pair)) {
            let limit = nearest.map_or(length, |near| near.distance);
            let limit = if pair.overlap > 0.0 { limit.min(-pair.overlap - allowed) } else { limit };
            if let Some(distance) = distance(own, &data, pair.geoms, limit) {
                nearest = Some(Near { pair, distance, time });
            }
        }
    }
    Found {
        clearance: nearest.map(|near| named(own, &near)),
        allowed: allowed + nearest.map_or(0.0, |near| near.pair.overlap),
        overlap: most.map(|&pair| named(own, &Near { pair, distance: -pair.overlap, time: 0.0 })),
    }
}

/// Whether the reference pose says where two shapes are relative to each other: no free joint is
/// between them.
fn is_placed(model: &Model, geoms: [usize; 2]) -> bool {
    let bodies = geoms.map(|g| model.geoms.body[g].idx());
    let is_free = |body: usize| {
        let joints = model.bodies.joints[model.bodies.root[body].idx()].range();
        joints.clone().any(|j| model.joints.kind[j] == JointKind::Free)
    };
    model.bodies.tree[bodies[0]] == model.bodies.tree[bodies[1]] || !bodies.into_iter().any(is_free)
}

fn named(model: &Model, near: &Near) -> Clearance {
    let geoms = near.pair.geoms;
    Clearance {
        distance: near.distance,
        time: near.time,
        shapes: geoms.map(|g| shape_name(model, g)),
        bodies: geoms.map(|g| model.bodies.name[model.geoms.body[g].idx()].clone()),
    }
}

fn shape_name(model: &Model, geom: usize) -> String {
    let name = &model.geoms.name[geom];
    if name.is_empty() { format!("geom {geom}") } else { name.clone() }
}

/// Pairs of shapes that the model's filters let collide, of bodies without planned contacts.
fn pairs_of(own: &Model, planning: &Model) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    for a in 0..own.nbody() {
        for b in a + 1..own.nbody() {
            let fixed = [a, b].iter().all(|&body| own.bodies.tree[body].is_none());
            let geoms = |model: &Model| -> Vec<[usize; 2]> {
                let all = |body: usize| model.bodies.geoms[body].range();
                let may = |[g, h]: &[usize; 2]| pair_rule(model, GeomId::new(*g), GeomId::new(*h)).is_some();
                all(a).flat_map(|g| all(b).map(move |h| [g, h])).filter(may).collect()
            };
            if !fixed && geoms(planning).is_empty() {
                pairs.extend(geoms(own));
            }
        }
    }
    pairs
}

/// All states of a motion and what is halfway between them, with their times. A limit cycle ends
/// where it begins again.
fn configurations(model: &Model, motion: &Motion) -> Vec<(f64, Vec<f64>)> {
    let mut states: Vec<Vec<f64>> = motion.q.chunks_exact(motion.nq.max(1)).map(<[f64]>::to_vec).collect();
    if motion.periodic && !states.is_empty() {
        let mut again = states[0].clone();
        motion.stride.iter().for_each(|&(i, amount)| again[i] += amount);
        states.push(again);
    }
    let mut out = Vec::with_capacity(2 * states.len());
    let mut by = vec![0.0; motion.nv];
    for (k, q) in states.iter().enumerate() {
        let time = k as f64 * motion.h;
        out.push((time, q.clone()));
        if let Some(next) = states.get(k + 1) {
            let mut between = q.clone();
            difference(model, q, next, 1.0, &mut by);
            integrate(model, &mut between, &by, 0.5);
            out.push((time + 0.5 * motion.h, between));
        }
    }
    out
}

/// The signed distance of two shapes if it is below a limit.
fn distance(model: &Model, data: &Data, [g, h]: [usize; 2], limit: f64) -> Option<f64> {
    if least_distance(model, data, [g, h]) >= limit {
        return None;
    }
    geom_distance(model, data, GeomId::new(g), GeomId::new(h), limit).map(|found| found.dist)
}

/// The distance of balls around two shapes, which are not closer to each other.
fn least_distance(model: &Model, data: &Data, geoms: [usize; 2]) -> f64 {
    let is_plane = geoms.map(|g| model.geoms.shape[g] == GeomShape::Plane);
    let [p, r] = geoms.map(|g| data.position.p_WG[g]);
    let [a, b] = geoms.map(|g| model.geoms.bound_radius[g]);
    let above = |plane: usize, by: Vec3| data.position.R_WG[geoms[plane]].col(2).dot(by);
    match is_plane {
        [true, true] => f64::INFINITY,
        [true, false] => above(0, r - p) - b,
        [false, true] => above(1, p - r) - a,
        [false, false] => (p - r).length() - a - b,
    }
}
