//! How far feet slide during their stance phase.
//!
//! A foot is in stance while some point of it is closer than a gap to the environment. From one
//! state to the next it slides by the largest displacement of a point that touches in both: the
//! displacement of the material point along the surface, since a foot that rolls does not slide.
//! Displacements are added up from touch-down to lift-off.

use crate::problem::forces::FAR;
use crate::result::plan::Motion;
use saltus_math::{Quat, Vec3};
use saltus_sim::collide::update_contacts;
use saltus_sim::data::Contact;
use saltus_sim::ids::GeomId;
use saltus_sim::update_position;
use saltus_sim::{Data, Model};

/// A point that touches the environment.
#[derive(Clone, Copy, Debug)]
struct Touch {
    pair: [GeomId; 2],
    body: usize,
    /// In the frame of the body.
    point: Vec3,
    normal: Vec3,
}

/// Poses of all bodies at a state, and what touches there.
struct Snapshot {
    poses: Vec<(Vec3, Quat)>,
    touches: Vec<Touch>,
}

/// The farthest distance that a body slides on the environment between touch-down (closer than
/// 1 mm) and lift-off, m. `model` is the planning model of the plan, with its contact
/// candidates.
pub fn stance_slip(model: &Model, motion: &Motion) -> f64 {
    let states = motion.time.len();
    // A stance of a limit cycle may go on into the next stride.
    let count = if motion.periodic { 2 * states } else { states };
    let mut data = Data::new(model);
    let at = |k: usize| {
        let (t, lap) = (k % states, k / states);
        data.state.q.copy_from_slice(&motion.q[t * motion.nq..(t + 1) * motion.nq]);
        motion.stride.iter().for_each(|&(i, amount)| data.state.q[i] += lap as f64 * amount);
        snapshot(model, &mut data)
    };
    let all: Vec<Snapshot> = (0..count).map(at).collect();
    let way_of = |body: usize| {
        let (mut most, mut way, mut since) = (0.0f64, 0.0, 0);
        for (k, two) in all.windows(2).enumerate() {
            // A stance phase that never ends counts once.
            if !two[0].touches(body) || k - since >= states {
                (way, since) = (0.0, k);
            }
            way += slide(body, &two[0], &two[1]);
            most = most.max(way);
        }
        most
    };
    (1..model.nbody()).map(way_of).fold(0.0, f64::max)
}

impl Snapshot {
    fn touches(&self, body: usize) -> bool {
        self.touches.iter().any(|touch| touch.body == body)
    }
}

/// The largest displacement of a point of a body that touches before and after.
fn slide(body: usize, before: &Snapshot, after: &Snapshot) -> f64 {
    let goes_on = |touch: &&Touch| touch.body == body && after.touches.iter().any(|other| other.pair == touch.pair);
    before.touches.iter().filter(goes_on).map(|touch| way(touch, before, after)).fold(0.0, f64::max)
}

/// Displacement of a material point along the surface that it touches.
fn way(touch: &Touch, before: &Snapshot, after: &Snapshot) -> f64 {
    let place = |snapshot: &Snapshot| {
        let (origin, rotation) = snapshot.poses[touch.body];
        origin + rotation.rotate(touch.point)
    };
    let by = place(after) - place(before);
    (by - touch.normal * by.dot(touch.normal)).length()
}

fn snapshot(model: &Model, data: &mut Data) -> Snapshot {
    update_position(model, data);
    update_contacts(model, data);
    let position = &data.position;
    let poses: Vec<(Vec3, Quat)> = (0..model.nbody()).map(|b| (position.p_WB[b], position.quat_WB[b])).collect();
    let touch = |c: &Contact| {
        let bodies = [c.geom1, c.geom2].map(|g| model.geoms.body[g.idx()].idx());
        let body = match bodies.map(|b| model.bodies.tree[b].is_some()) {
            [true, false] => bodies[0],
            [false, true] => bodies[1],
            _ => return None,
        };
        let (origin, rotation) = poses[body];
        let point = rotation.conj().rotate(c.pos - origin);
        (c.dist < FAR).then_some(Touch { pair: [c.geom1, c.geom2], body, point, normal: c.frame.r0 })
    };
    Snapshot { touches: data.contacts.iter().filter_map(touch).collect(), poses }
}
