//! How a plan was found: over iterations, and along the path from soft to hard contact.

use super::canvas::{Anchor, BLUE, Canvas, Colour, GREEN, INK, ORANGE, PALE};
use super::chart::{Axis, Chart, legend};
use crate::result::Stored;
use crate::table::Array;

const WIDTH: f64 = 1000.0;

fn column(table: &[Array], name: &str) -> Vec<f64> {
    table.iter().find(|a| a.name == name).map_or_else(Vec::new, |a| a.values.clone())
}

fn pairs(x: &[f64], y: &[f64]) -> Vec<[f64; 2]> {
    x.iter().zip(y).map(|(x, y)| [*x, *y]).collect()
}

/// Curves in one chart: column, label and colour.
struct Group {
    title: &'static str,
    curves: Vec<(&'static str, &'static str, Colour)>,
    height: f64,
}

/// Cost, violations and damping over iterations; dashed where contact was made harder.
pub fn convergence(stored: &Stored) -> Canvas {
    let table = &stored.convergence;
    let (x, path) = (column(table, "iteration"), column(table, "path"));
    let mut canvas = Canvas::new(WIDTH, 724.0);
    canvas.text([20.0, 22.0], 15.0, Anchor::Start, INK, format!("{}: convergence over iterations", stored.name));
    canvas.text([WIDTH - 20.0, 22.0], 11.0, Anchor::End, PALE, "dashed: contact is made harder");
    let axis = Axis::linear(0.0, x.last().copied().unwrap_or(1.0));
    let groups = [
        Group {
            title: "cost",
            curves: vec![("cost", "cost", BLUE), ("merit", "cost and penalties", ORANGE)],
            height: 190.0,
        },
        Group {
            title: "violation of constraints",
            curves: vec![("violation", "other constraints", GREEN), ("unactuated", "unactuated force / weight", BLUE)],
            height: 210.0,
        },
        Group { title: "damping", curves: vec![("damping", "damping", BLUE)], height: 120.0 },
    ];
    let mut top = 64.0;
    for Group { title, curves, height } in groups {
        let values: Vec<(Vec<f64>, Colour)> = curves.iter().map(|(name, _, c)| (column(table, name), *c)).collect();
        let y = Axis::log(values.iter().flat_map(|(v, _)| v.iter().copied()));
        let chart = Chart { corner: [60.0, top], size: [WIDTH - 80.0, height], x: axis, y };
        chart.frame(&mut canvas, title, "");
        for k in (1..path.len()).filter(|&k| path[k] != path[k - 1]) {
            chart.moment(&mut canvas, x[k], PALE);
        }
        for (values, colour) in values {
            chart.curve(&mut canvas, &pairs(&x, &values), 1.6, colour);
        }
        if curves.len() > 1 {
            let entries: Vec<(&str, Colour)> = curves.iter().map(|(_, label, colour)| (*label, *colour)).collect();
            legend(&mut canvas, [WIDTH - 20.0, top - 11.0], &entries);
        }
        top += height + 54.0;
    }
    canvas
}

/// Cost, force at a distance and penetration against smoothing, soft on the left and hard on the right.
pub fn continuation(stored: &Stored) -> Canvas {
    let table = &stored.continuation;
    let x = column(table, "smoothing");
    let mut canvas = Canvas::new(WIDTH + 80.0, 330.0);
    let title = format!("{}: from soft contact (left) to hard contact (right)", stored.name);
    canvas.text([20.0, 22.0], 15.0, Anchor::Start, INK, title);
    let (low, high) = x.iter().fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(*v), h.max(*v)));
    let axis = if low < high { Axis::log_between(0.85 * low, 1.15 * high) } else { Axis::log(x.iter().copied()) };
    let millimetres = |values: Vec<f64>| values.into_iter().map(|v| 1e3 * v).collect::<Vec<f64>>();
    let panels = [
        ("cost", column(table, "cost"), BLUE),
        ("force at a distance / weight", column(table, "force_at_distance"), ORANGE),
        ("penetration, mm", millimetres(column(table, "penetration")), GREEN),
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
