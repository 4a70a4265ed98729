//! How far simulations go away from the plan.

use super::Run;
use crate::draw::canvas::{Anchor, BLUE, Canvas, Colour, GREEN, INK, ORANGE, PALE, RED};
use crate::draw::chart::{Axis, Chart, legend};

const SIZE: [f64; 2] = [1000.0, 420.0];
const COLOURS: [Colour; 7] = [INK, PALE, BLUE, ORANGE, GREEN, RED, Colour(204, 121, 167)];

/// Largest error of coordinates over time, a curve for each simulation.
pub fn picture(name: &str, runs: &[Run]) -> Canvas {
    let mut canvas = Canvas::new(SIZE[0], SIZE[1]);
    canvas.text([20.0, 22.0], 15.0, Anchor::Start, INK, format!("{name}: error of replays over time"));
    let end = runs.iter().filter_map(|run| run.replay.time.last()).fold(0.0f64, |most, t| most.max(*t));
    let y = Axis::log(runs.iter().flat_map(|run| run.replay.error.iter().copied()));
    let chart = Chart { corner: [60.0, 84.0], size: [SIZE[0] - 80.0, SIZE[1] - 124.0], x: Axis::linear(0.0, end), y };
    chart.frame(&mut canvas, "largest error of coordinates, rad or m", " s");
    let mut entries = Vec::new();
    for (run, colour) in runs.iter().zip(COLOURS.iter().cycle()) {
        let points: Vec<[f64; 2]> = run.replay.time.iter().zip(&run.replay.error).map(|(t, e)| [*t, *e]).collect();
        chart.curve(&mut canvas, &points, 1.6, *colour);
        entries.push((format!("{}, feedback: {}", run.law, run.feedback.word()), *colour));
    }
    let entries: Vec<(&str, Colour)> = entries.iter().map(|(label, colour)| (label.as_str(), *colour)).collect();
    legend(&mut canvas, [SIZE[0] - 20.0, 48.0], SIZE[0] - 40.0, &entries);
    canvas
}
