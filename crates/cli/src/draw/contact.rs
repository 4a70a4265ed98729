//! Contact modes and contact forces of bodies over time.

use super::canvas::{Anchor, Canvas, GRID, INK, PALE, RED, WHITE, fitted, text_width};
use super::chart::{Axis, Chart, legend};
use super::side::body_colours;
use saltus::Model;
use saltus::opt::result::steps::{Push, TOUCHES, contact_of, touching_bodies};
use saltus::store::StoredPlan;

const WIDTH: f64 = 1000.0;
/// Maximum width of the name of a body, in pixels; longer ones are shortened.
const MAX_NAME: f64 = 300.0;
const RIGHT_MARGIN: f64 = 30.0;
const ROW: f64 = 34.0;
/// Number of strides of a limit cycle that are shown.
const LAPS: usize = 2;

fn laps(stored: &StoredPlan) -> usize {
    if stored.plan.motion.periodic { LAPS } else { 1 }
}

/// Contact modes: one row per body, filled where its normal force exceeds 5 % of the weight.
pub fn modes(stored: &StoredPlan) -> Canvas {
    let (m, colours) = (&stored.plan.motion, body_colours(&stored.own));
    let bodies = touching_bodies(m, stored.plan.weight);
    let states = m.time.len();
    let end = (laps(stored) * states) as f64 * m.h;
    let height = ROW * bodies.len().max(1) as f64;
    let mut canvas = Canvas::new(WIDTH, height + 100.0);
    let what = if m.periodic { ", two strides" } else { "" };
    let title = format!(
        "{}: contact modes{what} (normal force above {:.0} % of the weight)",
        stored.plan.name,
        100.0 * TOUCHES
    );
    canvas.text([20.0, 22.0], 15.0, Anchor::Start, INK, title);
    let names: Vec<String> = bodies.iter().map(|&b| fitted(&stored.own.bodies.name[b], 12.0, MAX_NAME)).collect();
    let widest = names.iter().map(|name| text_width(name, 12.0)).fold(100.0, f64::max);
    let corner = [widest + 30.0, 52.0];
    let size = [WIDTH - corner[0] - RIGHT_MARGIN, height];
    let place = |t: f64| corner[0] + size[0] * t / end;
    let time = Chart { corner, size, x: Axis::linear(0.0, end), y: Axis::linear(-10.0, -9.0) };
    let top = |row: usize| corner[1] + ROW * row as f64;
    for row in 0..bodies.len() {
        canvas.rectangle([corner[0], top(row) + 6.0], [size[0], ROW - 12.0], GRID.mix(WHITE, 0.5));
    }
    time.frame_numbers(&mut canvas, " s");
    for (row, &body) in bodies.iter().enumerate() {
        let middle = top(row) + 0.5 * ROW;
        let touch = contact_of(m, body, stored.plan.weight);
        let share = 100.0 * touch.iter().filter(|t| **t).count() as f64 / states.max(1) as f64;
        canvas.text([corner[0] - 10.0, middle - 6.0], 12.0, Anchor::End, INK, &names[row]);
        canvas.text([corner[0] - 10.0, middle + 8.0], 10.0, Anchor::End, PALE, format!("{share:.0} % of time"));
        let all: Vec<bool> = touch.iter().cycle().take(laps(stored) * states).copied().collect();
        let mut begin = 0;
        for run in all.chunk_by(|a, b| a == b) {
            if run[0] {
                let (x0, x1) = (place(begin as f64 * m.h), place((begin + run.len()) as f64 * m.h));
                canvas.rectangle([x0, top(row) + 6.0], [x1 - x0, ROW - 12.0], colours[body]);
            }
            begin += run.len();
        }
    }
    if m.periodic {
        time.moment(&mut canvas, states as f64 * m.h, INK);
    }
    canvas
}

/// Normal force of each body relative to the weight, and the ratio of its tangential force to the
/// friction limit.
pub fn forces(stored: &StoredPlan) -> Canvas {
    let (m, colours) = (&stored.plan.motion, body_colours(&stored.own));
    let bodies = touching_bodies(m, stored.plan.weight);
    let total = laps(stored) * m.time.len();
    let time = |k: usize| k as f64 * m.h;
    let pushes: Vec<Vec<Push>> =
        bodies.iter().map(|&b| m.contacts.iter().map(|list| Push::of(list, b)).collect()).collect();
    let curve = |of: &dyn Fn(&Push) -> f64, pushes: &[Push]| -> Vec<[f64; 2]> {
        // Forces are constant over their time step.
        (0..total)
            .flat_map(|k| {
                let y = of(&pushes[k % pushes.len()]);
                [[time(k), y], [time(k + 1), y]]
            })
            .collect()
    };
    let normal: Vec<_> = pushes.iter().map(|p| curve(&|p| p.normal / stored.plan.weight, p)).collect();
    let used: Vec<_> = bodies
        .iter()
        .zip(&pushes)
        .map(|(&b, p)| {
            let friction = friction(&stored.own, b);
            let of = |p: &Push| {
                if p.normal > TOUCHES * stored.plan.weight { p.tangent / (friction * p.normal) } else { f64::NAN }
            };
            curve(&of, p)
        })
        .collect();
    let mut canvas = Canvas::new(WIDTH, 560.0);
    let title = fitted(&format!("{}: contact forces", stored.plan.name), 15.0, 0.5 * WIDTH - 40.0);
    canvas.text([20.0, 22.0], 15.0, Anchor::Start, INK, title);
    let entries: Vec<(&str, _)> = bodies.iter().map(|&b| (stored.own.bodies.name[b].as_str(), colours[b])).collect();
    legend(&mut canvas, [WIDTH - RIGHT_MARGIN, 22.0], 0.5 * WIDTH, &entries);
    let x = Axis::linear(0.0, time(total));
    let y = Axis::around(normal.iter().flatten().map(|p| p[1]).chain([1.0]));
    let size = [WIDTH - 60.0 - RIGHT_MARGIN, 230.0];
    let upper = Chart { corner: [60.0, 66.0], size, x, y };
    upper.frame(&mut canvas, "normal force / weight", " s");
    upper.level(&mut canvas, 1.0, PALE);
    let most = used.iter().flatten().map(|p| p[1]).filter(|y| y.is_finite()).fold(1.0, f64::max);
    let y = Axis::linear(0.0, 1.1 * most.min(3.0));
    let lower = Chart { corner: [60.0, 366.0], size: [size[0], 150.0], x, y };
    lower.frame(&mut canvas, "friction use: tangential force / (friction coefficient · normal force)", " s");
    lower.level(&mut canvas, 1.0, RED);
    for ((normal, used), &b) in normal.iter().zip(&used).zip(&bodies) {
        upper.curve(&mut canvas, normal, 2.0, colours[b]);
        lower.curve(&mut canvas, used, 2.0, colours[b]);
    }
    if m.periodic {
        upper.moment(&mut canvas, time(m.time.len()), INK);
        lower.moment(&mut canvas, time(m.time.len()), INK);
    }
    canvas
}

/// Friction coefficient between a body and the world: the maximum of both surfaces, as MJCF
/// combines them.
fn friction(model: &Model, body: usize) -> f64 {
    let of = |b: usize| {
        let collides = |g: &usize| model.geoms.contype[*g] != 0 || model.geoms.conaffinity[*g] != 0;
        let geoms = (0..model.ngeom()).filter(|&g| model.geoms.body[g].idx() == b).filter(collides);
        geoms.map(|g| model.geoms.friction[g][0]).fold(0.0, f64::max)
    };
    of(body).max(of(0)).max(1e-9)
}
