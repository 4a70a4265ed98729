//! Fewer candidates: those inside others, those that a joint carries along with a neighbour's, and
//! too many on one body.

use super::ball::{Ball, protrusion};
use saltus_sim::Model;
use saltus_sim::model::kinds::JointKind;

/// A ball of a body, and which shapes it is to touch.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub body: usize,
    pub geom: usize,
    pub ball: Ball,
    /// Geoms, in order, of the environment and of bodies named to touch this one.
    pub surfaces: Vec<usize>,
    /// Whether it is for other bodies only, and does not count among those that span a body.
    pub extra: bool,
}

/// Slack for balls at the same place, m.
const SAME: f64 = 1e-6;

impl Draft {
    fn covers(&self, other: &Draft) -> bool {
        other.surfaces.iter().all(|s| self.surfaces.contains(s))
    }
}

/// Removes balls inside another ball of the same body that touches all they touch.
pub(super) fn drop_covered(drafts: &mut Vec<Draft>) {
    drop_where(drafts, |one, other, earlier| {
        let same = one.body == other.body && one.ball.is_inside(&other.ball, SAME) && other.covers(one);
        // Of two that are equal the first stays.
        same && (earlier || !(other.ball.is_inside(&one.ball, SAME) && one.covers(other)))
    });
}

/// Removes balls that are inside a ball of the parent in all states: centred on all joints between
/// them.
pub(super) fn drop_at_joints(model: &Model, drafts: &mut Vec<Draft>) {
    drop_where(drafts, |one, other, _| {
        let parent = model.bodies.parent[one.body].idx();
        if other.body != parent || one.body == parent || !is_on_joints(model, one) || !other.covers(one) {
            return false;
        }
        let (pos, quat) = (model.bodies.pos[one.body], model.bodies.quat[one.body]);
        let moved = Ball { centre: pos + quat.rotate(one.ball.centre), ..one.ball };
        moved.is_inside(&other.ball, SAME)
    });
}

/// Whether the joints of the body leave the ball's centre where it is in the parent.
fn is_on_joints(model: &Model, draft: &Draft) -> bool {
    let joints = &model.joints;
    model.bodies.joints[draft.body].range().all(|j| {
        let r = draft.ball.centre - joints.pos[j];
        match joints.kind[j] {
            JointKind::Hinge => r.cross(joints.axis[j]).length() <= SAME,
            JointKind::Ball => r.length() <= SAME,
            JointKind::Slide | JointKind::Free => false,
        }
    })
}

/// Keeps at most `most` balls on each body, those that span the others best. Returns the bodies
/// that lost some.
pub(super) fn limit(drafts: &mut Vec<Draft>, most: usize) -> Vec<usize> {
    let mut bodies: Vec<usize> = drafts.iter().map(|d| d.body).collect();
    bodies.sort_unstable();
    bodies.dedup();
    let mut limited = Vec::new();
    for body in bodies {
        let own: Vec<usize> = (0..drafts.len()).filter(|&i| drafts[i].body == body && !drafts[i].extra).collect();
        if own.len() <= most {
            continue;
        }
        limited.push(body);
        let balls: Vec<Ball> = own.iter().map(|&i| drafts[i].ball).collect();
        let kept: Vec<usize> = spanning(&balls, most).into_iter().map(|k| own[k]).collect();
        let mut index = 0..;
        drafts.retain(|_| index.next().is_some_and(|i| kept.contains(&i) || !own.contains(&i)));
    }
    limited
}

/// Indices of at most `most` balls: the one that sticks out most of the hull of those chosen, again
/// and again.
fn spanning(balls: &[Ball], most: usize) -> Vec<usize> {
    let mean = balls.iter().map(|b| b.centre).sum::<saltus_math::Vec3>() / balls.len() as f64;
    let (mut hull, mut chosen) = (vec![Ball::point(mean)], Vec::new());
    while chosen.len() < most {
        let rest = (0..balls.len()).filter(|k| !chosen.contains(k)).map(|k| (k, protrusion(&balls[k], &hull)));
        let Some((k, out)) = rest.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        if out <= SAME {
            break;
        }
        chosen.push(k);
        hull.push(balls[k]);
        if hull.len() == 2 {
            hull.remove(0);
        }
    }
    chosen
}

/// Removes each draft for which `f(it, another, whether the other comes first)` says so; those
/// removed no longer count.
fn drop_where(drafts: &mut Vec<Draft>, f: impl Fn(&Draft, &Draft, bool) -> bool) {
    let mut kept = vec![true; drafts.len()];
    for i in 0..drafts.len() {
        let hidden = (0..drafts.len()).any(|j| j != i && kept[j] && f(&drafts[i], &drafts[j], j < i));
        kept[i] = !hidden;
    }
    let mut index = kept.into_iter();
    drafts.retain(|_| index.next().unwrap_or(true));
}
