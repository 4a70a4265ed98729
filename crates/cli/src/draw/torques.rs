//! Joint torques and their limits: one small chart per joint, with left and right in the same
//! chart.

use super::canvas::{Anchor, Canvas, Colour, INK, PALE, RED, fitted};
use super::chart::{Axis, Chart, legend};
use super::side::{LEFT, MIDDLE, RIGHT};
use saltus::opt::problem::actuation::Actuation;
use saltus::opt::result::names::dof_names;
use saltus::store::StoredPlan;

const COLUMNS: usize = 4;
const CELL: [f64; 2] = [300.0, 170.0];
const HEAD: f64 = 44.0;

/// The chart of a joint, or of a left and right pair.
struct Panel {
    title: String,
    curves: Vec<(usize, Colour)>,
}

pub fn torques(stored: &StoredPlan) -> Canvas {
    let m = &stored.plan.motion;
    let actuation = Actuation::new(&stored.own);
    let (dofs, limits) = actuation.map_or_else(|_| (Vec::new(), Vec::new()), |a| (a.actuated, a.limits));
    let panels = panels(&dofs, &dof_names(&stored.own));
    let rows = panels.len().div_ceil(COLUMNS).max(1);
    let columns = panels.len().clamp(2, COLUMNS);
    let (width, height) = (CELL[0] * columns as f64 + 20.0, HEAD + CELL[1] * rows as f64 + 10.0);
    let mut canvas = Canvas::new(width, height);
    let end = m.time.len() as f64 * m.h;
    let title = fitted(&format!("{}: joint torques, N m", stored.plan.name), 15.0, width - 260.0);
    canvas.text([20.0, 22.0], 15.0, Anchor::Start, INK, title);
    let has_sides = panels.iter().any(|p| p.curves.len() > 1);
    let mut entries = vec![];
    if has_sides {
        entries.extend([("left", LEFT), ("right", RIGHT)]);
    }
    if !limits.is_empty() {
        entries.push(("limit", RED));
    }
    legend(&mut canvas, [width - 20.0, 22.0], 220.0, &entries);
    for (k, panel) in panels.iter().enumerate() {
        let corner = [CELL[0] * (k % columns) as f64 + 58.0, HEAD + CELL[1] * (k / columns) as f64 + 26.0];
        let value = |dof: usize, t: usize| m.tau[t * m.nv + dof];
        let curve = |dof: usize| -> Vec<[f64; 2]> {
            // A torque is constant over its time step.
            let of = |t: usize| [[t as f64 * m.h, value(dof, t)], [(t + 1) as f64 * m.h, value(dof, t)]];
            (0..m.time.len()).flat_map(of).collect()
        };
        let curves: Vec<_> = panel.curves.iter().map(|&(dof, colour)| (curve(dof), colour)).collect();
        let values = curves.iter().flat_map(|(points, _)| points.iter().map(|p| p[1]));
        let most = values.clone().fold(0.0f64, |m, v| m.max(v.abs()));
        let own = limits.iter().filter(|l| panel.curves.iter().any(|c| c.0 == l.0)).flat_map(|l| [l.1, l.2]);
        let own: Vec<f64> = own.filter(|l| l.is_finite()).collect();
        // Distant limits would flatten the curve; they are only given as a number.
        let near = own.iter().copied().filter(|l| l.abs() < 3.0 * most);
        let chart = Chart {
            corner,
            size: [CELL[0] - 78.0, CELL[1] - 56.0],
            x: Axis::linear(0.0, end),
            y: Axis::around(values.clone().chain(near.clone()).chain([1.0, -1.0])),
        };
        chart.frame(&mut canvas, &fitted(&panel.title, 12.5, chart.size[0] - 90.0), " s");
        let peak = format!("peak {most:.0}");
        let bound = own.iter().map(|l| l.abs()).fold(f64::INFINITY, f64::min);
        let note = if bound.is_finite() { format!("{peak} of {bound:.0}") } else { peak };
        canvas.text([corner[0] + chart.size[0], corner[1] - 11.0], 10.5, Anchor::End, PALE, note);
        for limit in near {
            chart.level(&mut canvas, limit, RED);
        }
        for (points, colour) in curves {
            chart.curve(&mut canvas, &points, 1.8, colour);
        }
    }
    canvas
}

/// Panels in the order of the dofs. Names that differ only in the word left or right share one.
fn panels(dofs: &[usize], names: &[String]) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    for &dof in dofs {
        let (title, colour) = side(&names[dof]);
        match panels.iter_mut().find(|p| p.title == title && p.curves.iter().all(|c| c.1 != colour)) {
            Some(panel) if colour != MIDDLE => panel.curves.push((dof, colour)),
            _ => panels.push(Panel { title, curves: vec![(dof, colour)] }),
        }
    }
    // A joint without a counterpart keeps its full name.
    for panel in panels.iter_mut().filter(|p| p.curves.len() == 1) {
        panel.title.clone_from(&names[panel.curves[0].0]);
    }
    panels
}

/// The name without the word for the side, and the colour of that side.
fn side(name: &str) -> (String, Colour) {
    for (word, colour) in [("left", LEFT), ("right", RIGHT)] {
        if let Some(at) = name.to_ascii_lowercase().find(word) {
            let rest = format!("{}{}", &name[..at], &name[at + word.len()..]);
            let rest = rest.replace("__", "_");
            return (rest.trim_matches(['_', '-', '.', ' ']).to_owned(), colour);
        }
    }
    (name.to_owned(), MIDDLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_and_right_share_a_panel() {
        let names: Vec<String> = ["root", "left_knee", "waist", "right_knee", "right_tail"].map(String::from).to_vec();
        let panels = panels(&[1, 2, 3, 4], &names);
        let titles: Vec<&str> = panels.iter().map(|p| p.title.as_str()).collect();
        assert_eq!(titles, ["knee", "waist", "right_tail"]);
        assert_eq!(panels[0].curves, [(1, LEFT), (3, RIGHT)]);
    }
}
