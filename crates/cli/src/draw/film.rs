//! A film strip: poses side by side on the ground, with the contact forces.

use super::canvas::{Anchor, Canvas, Colour, GRID, INK, PALE, Point, RED, WHITE};
use super::outline::{Outline, between, outlines, still_geoms, visible_geoms};
use super::side::body_colours;
use saltus::math::Vec3;
use saltus::opt::result::steps::{Push, touching_bodies};
use saltus::sim::model::kinds::GeomShape;
use saltus::store::StoredPlan;
use saltus::{Data, Model};

const FRAMES: usize = 9;
const WIDTH: f64 = 1400.0;
const MARGIN: f64 = 30.0;
const HEAD: f64 = 56.0;
const FOOT: f64 = 54.0;
/// Maximum height of a drawn pose, in pixels; it limits the scale.
const POSE_HEIGHT: f64 = 300.0;
/// Length of the arrow of a force equal to the weight, relative to the height of the robot.
const ARROW: f64 = 0.22;

struct Frame {
    time: f64,
    centre: Vec3,
    outlines: Vec<Outline>,
    pushes: Vec<Push>,
}

pub fn film(stored: &StoredPlan) -> Canvas {
    let (model, frames) = (&stored.own, frames(stored));
    let ground = ground(model);
    let all = || frames.iter().flat_map(|f| f.outlines.iter().flat_map(|o| &o.corners).map(move |p| (f, p)));
    let reach = all().map(|(f, p)| (p[0] - f.centre.x).abs()).fold(0.1, f64::max);
    let top = all().map(|(_, p)| p[1] - ground).fold(0.1, f64::max);
    let strongest = frames.iter().flat_map(|f| &f.pushes).map(|p| p.force.z).fold(0.0, f64::max) / stored.plan.weight;
    let head_room = top.max(ARROW * top * strongest);
    // Poses are drawn at their true distances, or farther apart if they would overlap.
    let travelled = frames.last().map_or(0.0, |f| f.centre.x - frames[0].centre.x) / (frames.len() - 1).max(1) as f64;
    let direction = if travelled < 0.0 { -1.0 } else { 1.0 };
    let spacing = travelled.abs().max(1.75 * reach);
    let scale = ((WIDTH - 2.0 * MARGIN) / (spacing * (frames.len() - 1) as f64 + 2.0 * reach)).min(POSE_HEIGHT / top);
    let floor = HEAD + head_room * scale;
    let mut canvas = Canvas::new(WIDTH, floor + FOOT);
    canvas.text([MARGIN, 20.0], 16.0, Anchor::Start, INK, title(stored));
    canvas.rectangle([0.0, floor], [WIDTH, 7.0], GRID);
    canvas.line(vec![[0.0, floor], [WIDTH, floor]], 1.5, PALE);
    let (colours, scene) = (body_colours(model), scene(model));
    let span = spacing * scale * (frames.len() - 1) as f64;
    for (k, frame) in frames.iter().enumerate() {
        let along = k as f64 - 0.5 * (frames.len() - 1) as f64;
        let middle = 0.5 * WIDTH + direction * along * span / (frames.len() - 1).max(1) as f64;
        let place = |p: Point| [middle + (p[0] - frame.centre.x) * scale, floor - (p[1] - ground) * scale];
        for corners in &scene {
            let seen = between(corners, frame.centre.x - 0.5 * spacing, frame.centre.x + 0.5 * spacing);
            canvas.polygon(seen.into_iter().map(place).collect(), GRID, Some(PALE));
        }
        draw_pose(&mut canvas, frame, &colours, &place);
        let unit = ARROW * top * scale / stored.plan.weight;
        for push in &frame.pushes {
            let from = place([push.point.x, push.point.z]);
            canvas.arrow(from, [from[0] + push.force.x * unit, from[1] - push.force.z * unit], 2.6, RED);
        }
        canvas.text([middle, floor + 22.0], 12.0, Anchor::Middle, INK, format!("{:.2} s", frame.time));
        // Rounded to two digits; adding zero avoids "-0.00".
        let x = (100.0 * frame.centre.x).round() / 100.0 + 0.0;
        canvas.text([middle, floor + 39.0], 11.0, Anchor::Middle, PALE, format!("x = {x:.2} m"));
    }
    let length = ARROW * top * scale;
    canvas.text([WIDTH - MARGIN - 12.0, 20.0], 12.0, Anchor::End, PALE, "contact forces; this arrow: body weight");
    let foot = 14.0 + length;
    canvas.arrow([WIDTH - MARGIN, foot], [WIDTH - MARGIN, 14.0], 2.6, RED);
    canvas
}

fn title(stored: &StoredPlan) -> String {
    let m = &stored.plan.motion;
    let what = if m.periodic { "one stride" } else { "the whole motion" };
    let (time, distance) = (m.h * m.time.len() as f64, m.stride.first().map_or(0.0, |s| s.1));
    let speed = if m.periodic { format!(": {distance:.2} m in {time:.2} s") } else { String::new() };
    let warning = if stored.plan.status.converged() { "" } else { " — NOT CONVERGED" };
    format!("{}, {what} from the side{speed}{warning}", stored.plan.name)
}

/// Poses at equal intervals from the beginning to the end; for a limit cycle up to the beginning of
/// the next stride.
fn frames(stored: &StoredPlan) -> Vec<Frame> {
    let (model, m) = (&stored.own, &stored.plan.motion);
    let states = m.time.len();
    let last = if m.periodic { states } else { states - 1 };
    let count = FRAMES.min(last + 1).max(1);
    let geoms = visible_geoms(model);
    let touching = touching_bodies(m, stored.plan.weight);
    let mut data = Data::new(model);
    let at = |k: usize| if count > 1 { (last * k + (count - 1) / 2) / (count - 1) } else { 0 };
    let frame = |k: usize| {
        let (t, laps) = (at(k) % states, at(k) / states);
        data.state.q.copy_from_slice(&m.q[t * m.nq..(t + 1) * m.nq]);
        for &(i, amount) in &m.stride {
            data.state.q[i] += amount * laps as f64;
        }
        saltus::forward_smooth(model, &mut data);
        let shift = m.stride.first().filter(|s| s.0 == 0).map_or(0.0, |s| s.1 * laps as f64);
        let pushes =
            touching.iter().map(|&b| Push::of(&m.contacts[t], b)).filter(|p| p.normal > 0.01 * stored.plan.weight);
        Frame {
            time: at(k) as f64 * m.h,
            centre: data.position.com.get(1).copied().unwrap_or(Vec3::ZERO),
            outlines: outlines(model, &data, &geoms),
            pushes: pushes.map(|p| Push { point: p.point + Vec3::X * shift, ..p }).collect(),
        }
    };
    (0..count).map(frame).collect()
}

/// Outlines of the static geoms, such as stairs.
fn scene(model: &Model) -> Vec<Vec<Point>> {
    let mut data = Data::new(model);
    saltus::forward_smooth(model, &mut data);
    outlines(model, &data, &still_geoms(model)).into_iter().map(|o| o.corners).collect()
}

/// Height of the highest horizontal plane, m, or zero without one.
fn ground(model: &Model) -> f64 {
    let mut data = Data::new(model);
    saltus::forward_smooth(model, &mut data);
    let is_flat = |g: &usize| model.geoms.shape[*g] == GeomShape::Plane && data.position.R_WG[*g].col(2).z > 0.99;
    (0..model.ngeom()).filter(is_flat).map(|g| data.position.p_WG[g].z).max_by(f64::total_cmp).unwrap_or(0.0)
}

fn draw_pose(canvas: &mut Canvas, frame: &Frame, colours: &[Colour], place: &dyn Fn(Point) -> Point) {
    let far = frame.outlines.iter().map(|o| o.y).fold(f64::NEG_INFINITY, f64::max);
    let near = frame.outlines.iter().map(|o| o.y).fold(f64::INFINITY, f64::min);
    for outline in &frame.outlines {
        let depth = (outline.y - near) / (far - near).max(1e-9);
        let fill = colours[outline.body].mix(WHITE, 0.22 + 0.4 * depth);
        let edge = colours[outline.body].mix(INK, 0.25).mix(WHITE, 0.35 * depth);
        canvas.polygon(outline.corners.iter().map(|&p| place(p)).collect(), fill, Some(edge));
    }
}
