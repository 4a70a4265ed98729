//! Objects around a robot that are in the air.
//!
//! A falling object cannot be part of a cyclic or static motion. Benchmark files place balls
//! somewhere above the ground for programs to move. Here they are put on the ground, and beside the
//! robot if they would be in its way.

use crate::geometry::Candidate;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::{Data, Model, forward_smooth};

/// Objects that are lower than this share of the robot's length above the ground lie on it.
const LIES: f64 = 0.01;
/// Room that is left between the robot and what is put beside it, as a share of its length.
const ROOM: f64 = 0.25;

/// Where a robot stands.
pub struct Surroundings<'a> {
    /// Which bodies are the robot's.
    pub members: &'a [bool],
    /// What can touch the ground, of objects too.
    pub candidates: &'a [Candidate],
    /// Height of the ground, and of the robot's centre of mass above it, m.
    pub ground: f64,
    pub length: f64,
}

impl Surroundings<'_> {
    /// Puts free objects that are in the air in `pose` on the ground; returns notes about what was
    /// done.
    pub fn put_down(&self, model: &Model, pose: &mut [f64]) -> Vec<String> {
        let mut data = Data::new(model);
        data.state.q.copy_from_slice(pose);
        forward_smooth(model, &mut data);
        let robot = across(model, &data, |b| self.members[b]);
        // Left of this there is room.
        let mut edge = robot.1;
        let mut notes = Vec::new();
        for j in (0..model.njoint()).filter(|&j| model.joints.kind[j] == JointKind::Free) {
            let body = model.joints.body[j].idx();
            let own = |b: usize| model.bodies.tree[b] == model.bodies.tree[body];
            let height = self.height(&data, own);
            // An object without candidates cannot lie on anything.
            if self.members[body] || height.is_infinite() || height <= LIES * self.length {
                continue;
            }
            let object = across(model, &data, own);
            let q = model.joints.q_start[j] as usize;
            let in_the_way = object.0 < robot.1 && object.1 > robot.0;
            if in_the_way {
                edge += ROOM * self.length;
                pose[q + 1] += edge - object.0;
                edge += object.1 - object.0;
            }
            pose[q + 2] -= height;
            let place = if in_the_way { "on the ground beside the robot" } else { "on the ground below" };
            notes.push(format!(
                "{} hangs {height:.2} m above the ground, where it cannot stay: it is put {place}",
                model.bodies.name[body]
            ));
        }
        notes
    }

    /// Height of the lowest candidate of some bodies above the ground; infinite if there is none.
    fn height(&self, data: &Data, is_one: impl Fn(usize) -> bool) -> f64 {
        let ones = self.candidates.iter().filter(|c| is_one(c.body.idx()));
        let bottom = ones.map(|c| {
            let b = c.body.idx();
            (data.position.p_WB[b] + data.position.quat_WB[b].rotate(c.position)).z - c.radius
        });
        bottom.fold(f64::INFINITY, f64::min) - self.ground
    }
}

/// From where to where some bodies are along y.
fn across(model: &Model, data: &Data, is_one: impl Fn(usize) -> bool) -> (f64, f64) {
    let ones = (0..model.ngeom()).filter(|&g| is_one(model.geoms.body[g].idx()));
    ones.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), g| {
        let (y, r) = (data.position.p_WG[g].y, model.geoms.bound_radius[g]);
        (low.min(y - r), high.max(y + r))
    })
}
