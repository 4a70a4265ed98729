//! Convergence of the optimizer over iterations, and along the continuation from soft to hard
//! contact.

use super::canvas::{Anchor, BLUE, Canvas, Colour, GREEN, INK, ORANGE, PALE};
use super::chart::{Axis, Chart, legend};
use saltus::opt::solve::report::{Iteration, PathPoint};
use saltus::store::StoredPlan;

const WIDTH: f64 = 1000.0;

fn pairs(x: &[f64], y: &[f64]) -> Vec<[f64; 2]> {
    x.iter().zip(y).map(|(x, y)| [*x, *y]).collect()
}

/// A quantity of an iteration with its label and colour.
struct Curve {
    number: fn(&Iteration) -> f64,
    label: &'static str,
    colour: Colour,
}

/// The curves of one chart.
struct Group {
    title: &'static str,
    curves: Vec<Curve>,
    height: f64,
}

/// The charts over iterations.
fn groups() -> [Group; 3] {
    let curve = |number: fn(&Iteration) -> f64, label, colour| Curve { number, label, colour };
    [
        Group {
            title: "cost",
            curves: vec![curve(|i| i.cost, "cost", BLUE), curve(|i| i.merit, "cost and penalties", ORANGE)],
            height: 190.0,
        },
        Group {
            title: "constraint violation",
            curves: vec![
                curve(|i| i.violation, "other constraints", GREEN),
                curve(|i| i.unactuated, "unactuated force / weight", BLUE),
            ],
            height: 210.0,
        },
        Group { title: "damping", curves: vec![curve(|i| i.damping, "damping", BLUE)], height: 120.0 },
    ]
}

/// Cost, violations and damping over iterations, with a dashed line where contact becomes harder.
pub fn convergence(stored: &StoredPlan) -> Canvas {
    let history = &stored.plan.history;
    let x: Vec<f64> = history.iter().map(|i| i.number as f64).collect();
    let mut canvas = Canvas::new(WIDTH, 724.0);
    canvas.text([20.0, 22.0], 15.0, Anchor::Start, INK, format!("{}: convergence over iterations", stored.plan.name));
    canvas.text([WIDTH - 20.0, 22.0], 11.0, Anchor::End, PALE, "dashed: contact becomes harder");
    let axis = Axis::linear(0.0, x.last().copied().unwrap_or(1.0));
    let mut top = 64.0;
    for Group { title, curves, height } in groups() {
        let values = |curve: &Curve| history.iter().map(curve.number).collect::<Vec<f64>>();
        let y = Axis::log(curves.iter().flat_map(values));
        let chart = Chart { corner: [60.0, top], size: [WIDTH - 80.0, height], x: axis, y };
        chart.frame(&mut canvas, title, "");
        for k in (1..history.len()).filter(|&k| history[k].path != history[k - 1].path) {
            chart.moment(&mut canvas, x[k], PALE);
        }
        for curve in &curves {
            chart.curve(&mut canvas, &pairs(&x, &values(curve)), 1.6, curve.colour);
        }
        if curves.len() > 1 {
            let entries: Vec<(&str, Colour)> = curves.iter().map(|curve| (curve.label, curve.colour)).collect();
            legend(&mut canvas, [WIDTH - 20.0, top - 11.0], 0.7 * WIDTH, &entries);
        }
        top += height + 54.0;
    }
    canvas
}

/// Cost, force at a distance and penetration over smoothing, from soft contact (left) to hard
/// contact (right).
pub fn continuation(stored: &StoredPlan) -> Canvas {
    let column = |of: fn(&PathPoint) -> f64| stored.plan.path.iter().map(of).collect::<Vec<f64>>();
    let x = column(|p| p.smoothing);
    let mut canvas = Canvas::new(WIDTH + 80.0, 330.0);
    let title = format!("{}: from soft contact (left) to hard contact (right)", stored.plan.name);
    canvas.text([20.0, 22.0], 15.0, Anchor::Start, INK, title);
    let (low, high) = x.iter().fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(*v), h.max(*v)));
    let axis = if low < high { Axis::log_between(0.85 * low, 1.15 * high) } else { Axis::log(x.iter().copied()) };
    let panels = [
        ("cost", column(|p| p.cost), BLUE),
        ("force at a distance / weight", column(|p| p.force_at_distance), ORANGE),
        ("penetration, mm", column(|p| 1e3 * p.penetration), GREEN),
    ];
    let cell = (WIDTH + 60.0) / 3.0;
    for (k, (title, values, colour)) in panels.into_iter().enumerate() {
        let y = Axis::around(values.iter().copied());
        let chart = Chart { corner: [64.0 + cell * k as f64, 66.0], size: [cell - 74.0, 210.0], x: axis.reversed(), y };
        chart.frame(&mut canvas, title, "");
        let points = pairs(&x, &values);
        chart.curve(&mut canvas, &points, 1.8, colour);
        chart.dots(&mut canvas, &points, colour);
        canvas.text([chart.corner[0] + 0.5 * chart.size[0], 308.0], 11.0, Anchor::Middle, PALE, "smoothing");
    }
    canvas
}
