//! Distance sensors: signed distance, direction and segment between the closest points of two
//! geoms, or of the closest geoms of two bodies. The cutoff is the largest distance considered.

use super::object;
use crate::collide::{GeomDistance, Workspace, geom_distance_within};
use crate::data::Position;
use crate::ids::GeomId;
use crate::model::Model;
use crate::model::kinds::{ObjectKind, SensorKind};
use core::ops::Range;
use saltus_math::{MIN_VAL, Vec3};

/// The last answer: the three kinds of sensor often query the same objects consecutively.
#[derive(Default)]
pub(super) struct Memory(Option<(Question, Option<GeomDistance>)>);

#[derive(Clone, Copy, PartialEq)]
struct Question {
    objects: [(ObjectKind, usize); 2],
    limit: f64,
}

pub(super) fn read(model: &Model, x: &Position, s: usize, memory: &mut Memory, work: &mut Workspace, out: &mut [f64]) {
    let sensors = &model.sensors;
    let reference = sensors.reference[s].unwrap_or(0) as usize;
    let objects = [(sensors.object_kind[s], object(model, s)), (sensors.reference_kind[s], reference)];
    let question = Question { objects, limit: sensors.cutoff[s] };
    let nearest = match memory.0 {
        Some((before, answer)) if before == question => answer,
        _ => nearest(model, x, &question, work),
    };
    memory.0 = Some((question, nearest));
    let Some(GeomDistance { dist, from, to }) = nearest else {
        return out.fill(if sensors.kind[s] == SensorKind::GeomDist { question.limit } else { 0.0 });
    };
    match sensors.kind[s] {
        SensorKind::GeomDist => out[0] = dist,
        SensorKind::GeomNormal => {
            // From surface to surface, so into the other geom if they overlap; zero if they just
            // touch.
            let length = (to - from).length();
            let normal = if length < MIN_VAL { Vec3::ZERO } else { (to - from) / length };
            normal.write_to_slice(out);
        }
        _ => {
            from.write_to_slice(&mut out[..3]);
            to.write_to_slice(&mut out[3..]);
        }
    }
}

/// The smallest distance over all pairs of geoms, if it is below the limit; the first of equals.
fn nearest(model: &Model, x: &Position, question: &Question, work: &mut Workspace) -> Option<GeomDistance> {
    let [first, second] = question.objects.map(|(kind, id)| geoms(model, kind, id));
    let mut best: Option<GeomDistance> = None;
    for g1 in first {
        for g2 in second.clone() {
            let limit = best.map_or(question.limit, |b| b.dist);
            let pair = [GeomId::new(g1), GeomId::new(g2)];
            best = geom_distance_within(model, x, pair, limit, work).or(best);
        }
    }
    best
}

fn geoms(model: &Model, kind: ObjectKind, id: usize) -> Range<usize> {
    match kind {
        ObjectKind::Geom => id..id + 1,
        _ => model.bodies.geoms[id].range(),
    }
}
