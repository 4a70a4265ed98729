//! A film strip: poses side by side on the ground, with the contact forces.

use super::canvas::{Anchor, Canvas, Colour, GRID, INK, PALE, Point, RED, WHITE, fitted};
use super::outline::{Outline, between, outlines, still_geoms, visible_geoms};
use super::side::body_colours;
use saltus::math::Vec3;
use saltus::opt::result::steps::{Push, touching_bodies};
use saltus::sim::model::kinds::GeomShape;
use saltus::store::StoredPlan;
use saltus::{Data, Model};

/// Numbers of poses, of which the first one is taken that does not make them too small.
const FRAMES: [usize; 3] = [9, 7, 5];
/// Height of a drawn pose below which fewer poses are drawn, in pixels.
const LEAST_POSE_HEIGHT: f64 = 110.0;
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

/// Where poses are drawn: in the order of time from left to right.
struct Layout {
    /// Height of the ground, m.
    ground: f64,
    /// Height of the highest point above the ground, m.
    top: f64,
    /// Distance between the centres of neighbouring poses, m.
    spacing: f64,
    /// Distance of the first centre from the left margin, m.
    first: f64,
    /// Pixels per metre.
    scale: f64,
}

impl Layout {
    fn new(frames: &[Frame], ground: f64) -> Self {
        let extent = |frame: &Frame, sign: f64| {
            let corners = frame.outlines.iter().flat_map(|o| &o.corners);
            corners.map(|p| sign * (p[0] - frame.centre.x)).fold(0.05, f64::max)
        };
        let (left, right): (Vec<f64>, Vec<f64>) = frames.iter().map(|f| (extent(f, -1.0), extent(f, 1.0))).unzip();
        let corners = frames.iter().flat_map(|f| f.outlines.iter().flat_map(|o| &o.corners));
        let top = corners.map(|p| p[1] - ground).fold(0.1, f64::max);
        let gaps = (frames.len() - 1) as f64;
        // Poses are drawn at their true distances, or farther apart if they would overlap.
        let apart = right.iter().zip(&left[1..]).map(|(right, left)| right + left + 0.05 * top).fold(0.0, f64::max);
        let spacing = apart.max(travelled(frames).abs() / gaps.max(1.0));
        let last = right.last().copied().unwrap_or(0.0);
        let width = left[0] + spacing * gaps + last;
        let scale = ((WIDTH - 2.0 * MARGIN) / width).min(POSE_HEIGHT / top);
        let rest = (WIDTH - 2.0 * MARGIN) / scale - width;
        Self { ground, top, spacing, first: left[0] + 0.5 * rest, scale }
    }

    /// Horizontal position of the centre of pose `k`, pixels.
    fn middle(&self, k: usize) -> f64 {
        MARGIN + (self.first + self.spacing * k as f64) * self.scale
    }
}

/// Distance along x between the first and the last pose, m.
fn travelled(frames: &[Frame]) -> f64 {
    frames.last().map_or(0.0, |f| f.centre.x - frames[0].centre.x)
}

/// The largest number of poses that are not too small, and their places.
fn lay_out(stored: &StoredPlan) -> (Vec<Frame>, Layout) {
    let ground = ground(&stored.own);
    let of = |count: usize| {
        let frames = frames(stored, count);
        let layout = Layout::new(&frames, ground);
        (frames, layout)
    };
    let is_large = |layout: &Layout| layout.top * layout.scale >= LEAST_POSE_HEIGHT;
    FRAMES.into_iter().map(of).find(|(_, layout)| is_large(layout)).unwrap_or_else(|| of(FRAMES[FRAMES.len() - 1]))
}

pub fn film(stored: &StoredPlan) -> Canvas {
    let (frames, layout) = lay_out(stored);
    let Layout { ground, top, spacing, scale, .. } = layout;
    let weight = stored.plan.weight;
    let strongest = frames.iter().flat_map(|f| &f.pushes).map(|p| p.force.z).fold(0.0, f64::max) / weight;
    let head_room = top.max(ARROW * top * strongest);
    let floor = HEAD + head_room * scale;
    let mut canvas = Canvas::new(WIDTH, floor + FOOT);
    canvas.text([MARGIN, 20.0], 16.0, Anchor::Start, INK, fitted(&title(stored), 16.0, WIDTH - 420.0));
    canvas.text([MARGIN, 40.0], 12.0, Anchor::Start, PALE, directions(&frames, top));
    canvas.rectangle([0.0, floor], [WIDTH, 7.0], GRID);
    canvas.line(vec![[0.0, floor], [WIDTH, floor]], 1.5, PALE);
    let (colours, scene) = (body_colours(&stored.own), scene(&stored.own));
    for (k, frame) in frames.iter().enumerate() {
        let middle = layout.middle(k);
        let place = |p: Point| [middle + (p[0] - frame.centre.x) * scale, floor - (p[1] - ground) * scale];
        for corners in &scene {
            let seen = between(corners, frame.centre.x - 0.5 * spacing, frame.centre.x + 0.5 * spacing);
            canvas.polygon(seen.into_iter().map(place).collect(), GRID, Some(PALE));
        }
        draw_pose(&mut canvas, frame, &colours, &place);
        let unit = ARROW * top * scale / weight;
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

/// How time and x run in the picture, and where the robot goes.
fn directions(frames: &[Frame], top: f64) -> String {
    let travelled = travelled(frames);
    let goes = if travelled.abs() < 0.02 * top {
        "the robot stays in place"
    } else if travelled > 0.0 {
        "the robot moves to the right"
    } else {
        "the robot moves to the left"
    };
    format!("time runs from left to right, x points to the right; {goes}")
}

fn title(stored: &StoredPlan) -> String {
    let m = &stored.plan.motion;
    let what = if m.periodic { "one stride" } else { "the whole motion" };
    let (time, distance) = (m.h * m.time.len() as f64, m.stride.first().map_or(0.0, |s| s.1));
    let speed = if m.periodic { format!(": {distance:.2} m in {time:.2} s") } else { String::new() };
    let warning = if stored.plan.status.converged() { "" } else { " — NOT CONVERGED" };
    format!("{}, {what} from the side{speed}{warning}", stored.plan.name)
}

/// At most `most` poses at equal intervals from the beginning to the end; for a limit cycle up to
/// the beginning of the next stride.
fn frames(stored: &StoredPlan, most: usize) -> Vec<Frame> {
    let (model, m) = (&stored.own, &stored.plan.motion);
    let states = m.time.len();
    let last = if m.periodic { states } else { states - 1 };
    let count = most.min(last + 1).max(1);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(x: f64, left: f64, right: f64) -> Frame {
        let corners = vec![[x - left, 0.0], [x + right, 0.0], [x, 1.0]];
        let outlines = vec![Outline { corners, y: 0.0, body: 1 }];
        Frame { time: 0.0, centre: Vec3::new(x, 0.0, 0.5), outlines, pushes: Vec::new() }
    }

    #[test]
    fn poses_are_in_the_order_of_time_and_do_not_overlap() {
        let back = [frame(0.0, 0.5, 2.0), frame(-0.1, 2.0, 0.5), frame(-0.4, 0.5, 0.5)];
        let forth = [frame(0.0, 0.5, 0.5), frame(5.0, 0.5, 0.5)];
        let still = [frame(0.0, 0.5, 0.5), frame(-1e-9, 0.5, 0.5)];
        for (frames, goes) in [(&back[..], "left"), (&forth[..], "right"), (&still[..], "in place")] {
            let layout = Layout::new(frames, 0.0);
            let seen = |k: usize, side: usize| {
                layout.middle(k) + layout.scale * (frames[k].outlines[0].corners[side][0] - frames[k].centre.x)
            };
            assert!((1..frames.len()).all(|k| seen(k - 1, 1) < seen(k, 0)), "no overlap, in order");
            assert!(seen(0, 0) > MARGIN - 1e-9 && seen(frames.len() - 1, 1) < WIDTH - MARGIN + 1e-9, "inside");
            assert!(directions(frames, layout.top).ends_with(goes));
        }
        let layout = Layout::new(&forth, 0.0);
        assert!((layout.middle(1) - layout.middle(0) - 5.0 * layout.scale).abs() < 1e-9, "true distances");
    }
}
