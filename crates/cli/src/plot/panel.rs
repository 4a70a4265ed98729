//! Drawing of one panel.

use super::{Panel, WIDTH};
use crate::draw::canvas::{Anchor, BLUE, Canvas, Colour, GREEN, INK, ORANGE, PALE, Point, WHITE};
use crate::draw::chart::{Axis, Chart};
use anyhow::{Context, Result};
use saltus::store::table::Array;

pub const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
/// Width of the legend beside a panel.
const LEGEND_WIDTH: f64 = 170.0;
/// Number of characters that fit in the legend.
const LEGEND_LETTERS: usize = 21;
const LEGEND_ROW: f64 = 14.5;
/// Maximum number of curves in a legend.
const MAX_NAMES: usize = 14;
/// Colours for readers with any colour vision, after the Okabe–Ito palette.
const COLOURS: [Colour; 8] = [
    BLUE,
    ORANGE,
    GREEN,
    Colour(204, 121, 167),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(90, 90, 90),
    Colour(150, 140, 20),
];

/// Draws a panel whose upper edge is at the height `top`.
pub fn draw(canvas: &mut Canvas, top: f64, arrays: &[Array], panel: &Panel) -> Result<()> {
    let find = |name: &str| arrays.iter().find(|a| a.name == name).with_context(|| format!("{name} was not recorded"));
    let x = find(panel.x.array)?;
    // Quantities without numbers, such as activations of most models, are not recorded.
    let values = if panel.lines.is_empty() { x } else { find(panel.array)? };
    let curve = |col: usize| x.values.iter().copied().zip(values.column(col)).map(|(x, y)| [x, y]).collect();
    let curves: Vec<Vec<Point>> = panel.lines.iter().map(|(col, _)| curve(*col)).collect();
    let chart = Chart {
        corner: [LEFT, top + 30.0],
        size: [WIDTH - LEFT - LEGEND_WIDTH - 24.0, HEIGHT - 64.0],
        x: across(x, panel.x.log),
        y: upward(&curves, panel),
    };
    chart.frame(canvas, &panel.title, panel.x.unit);
    for (k, curve) in curves.iter().enumerate() {
        chart.curve(canvas, curve, 1.6, colour(k));
    }
    for published in &panel.published {
        published.mark.draw(canvas, &chart);
    }
    draw_names(canvas, [WIDTH - LEGEND_WIDTH, chart.corner[1]], panel);
    Ok(())
}

/// Limits of the horizontal axis: the first and the last value.
fn across(x: &Array, log: bool) -> Axis {
    let ends = [x.values.first().copied().unwrap_or(0.0), x.values.last().copied().unwrap_or(1.0)];
    let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    if log { Axis::log_between(low, high) } else { Axis::linear(low, high) }
}

/// Limits of the vertical axis: the range of all values with a margin.
fn upward(curves: &[Vec<Point>], panel: &Panel) -> Axis {
    let published: Vec<f64> = panel.published.iter().flat_map(|p| p.mark.heights()).collect();
    let values = || curves.iter().flatten().map(|p| p[1]).chain(published.iter().copied()).filter(|y| y.is_finite());
    if panel.log {
        return Axis::log(values());
    }
    let (low, high): (f64, f64) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if low == high {
        // A constant lies in the middle.
        return Axis::linear(low - low.abs().max(1.0), high + high.abs().max(1.0));
    }
    let margin = (0.06 * (high - low)).max(1e-6 * low.abs().max(high.abs()));
    Axis::linear(low - margin, high + margin)
}

/// Colour of a curve; colours repeat in a paler shade.
fn colour(line: usize) -> Colour {
    let round = (line / COLOURS.len()).min(2) as f64;
    COLOURS[line % COLOURS.len()].mix(WHITE, 0.3 * round)
}

/// Draws the legend beside the panel, where it covers no curve.
fn draw_names(canvas: &mut Canvas, [x, top]: Point, panel: &Panel) {
    let named: Vec<_> = panel.lines.iter().enumerate().filter(|(_, (_, name))| !name.is_empty()).collect();
    let shown = if named.len() > MAX_NAMES { MAX_NAMES - 1 } else { named.len() };
    for (row, (k, (_, name))) in named.iter().take(shown).enumerate() {
        let y = top + LEGEND_ROW * row as f64;
        canvas.line(vec![[x, y], [x + 16.0, y]], 3.0, colour(*k));
        canvas.text([x + 22.0, y], 10.5, Anchor::Start, INK, shortened(name));
    }
    let mut y = top + LEGEND_ROW * shown as f64;
    if shown < named.len() {
        let text = format!("and {} more", named.len() - shown);
        canvas.text([x + 22.0, y], 10.5, Anchor::Start, PALE, text);
        y += LEGEND_ROW;
    }
    for published in &panel.published {
        published.mark.draw_key(canvas, [x, y]);
        for line in lines(&format!("published: {}", published.words)) {
            canvas.text([x + 22.0, y], 10.5, Anchor::Start, INK, line);
            y += LEGEND_ROW;
        }
    }
}

/// The text in lines of the width of the legend.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LEGEND_LETTERS + 2 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A name shortened to the width of the legend, in the middle: the end of long names is more
/// specific.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LEGEND_LETTERS {
        return name.to_owned();
    }
    let (head, tail) = (LEGEND_LETTERS / 3, LEGEND_LETTERS - LEGEND_LETTERS / 3 - 1);
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_is_named_or_counted() {
        for (count, texts) in [(1, 1), (14, 14), (15, 14), (200, 14)] {
            let lines = (0..count).map(|k| (k, format!("joint_with_a_rather_long_name_{k}"))).collect();
            let mut canvas = Canvas::new(WIDTH, HEIGHT);
            draw_names(&mut canvas, [0.0, 0.0], &Panel::over_time("q".into(), "q", lines));
            let svg = canvas.to_svg();
            assert_eq!(svg.matches("<text").count(), texts, "{count}");
            assert_eq!(svg.contains("more"), count > MAX_NAMES);
            assert!(svg.contains("joint_w…r_long_name_0"), "{svg}");
        }
    }
}
