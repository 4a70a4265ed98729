//! Objects around a robot that hang in the air.
//!
//! What falls is no part of a motion that repeats itself or stands still. Files of benchmarks have balls somewhere above the ground
//! that programs put elsewhere; here they are put on the ground, and beside the robot where they would be in its way.

use crate::geometry::Candidate;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::{Data, Model, forward_smooth};

/// Objects that are lower than this share of the robot's length above the ground lie on it.
const LIES: f64 = 0.01;
/// Room that is left between the robot and what is put beside it, as a share of its length.
const ROOM: f64 = 0.25;

/// Puts free objects that hang in the air of `pose` down; what was done. `members` are the bodies of the robot.
pub fn put_down(
    model: &Model,
    (members, candidates): (&[bool], &[Candidate]),
    (ground, length): (f64, f64),
    pose: &mut [f64],
) -> Vec<String> {
    let mut data = Data::new(model);
    data.state.q.copy_from_slice(pose);
    forward_smooth(model, &mut data);
    let mut notes = Vec::new();
    for j in (0..model.njoint()).filter(|&j| model.joints.kind[j] == JointKind::Free) {
        let body = model.joints.body[j].idx();
        let own = |b: usize| model.bodies.tree[b] == model.bodies.tree[body];
        if members[body] {
            continue;
        }
        let lowest = candidates.iter().filter(|c| own(c.body.idx())).map(|c| {
            let b = c.body.idx();
            (data.position.p_WB[b] + data.position.quat_WB[b].rotate(c.position)).z - c.radius
        });
        let height = lowest.fold(f64::INFINITY, f64::min) - ground;
        // What has no candidates cannot lie anywhere.
        if height.is_infinite() || height <= LIES * length {
            continue;
        }
        let across = |is_one: &dyn Fn(usize) -> bool| {
            let ones = (0..model.ngeom()).filter(|&g| is_one(model.geoms.body[g].idx()));
            ones.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), g| {
                let (y, r) = (data.position.p_WG[g].y, model.geoms.bound_radius[g]);
                (low.min(y - r), high.max(y + r))
            })
        };
        let (robot, object) = (across(&|b| members[b]), across(&own));
        let q = model.joints.q_start[j] as usize;
        let in_the_way = object.0 < robot.1 && object.1 > robot.0;
        if in_the_way {
            pose[q + 1] += robot.1 + ROOM * length - object.0;
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
