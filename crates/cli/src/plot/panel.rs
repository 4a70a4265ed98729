//! Drawing of one panel.

use super::{Panel, TITLE_HEIGHT, WIDTH};
use crate::table::Array;
use crate::thin::thinned;
use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Colours that stay apart for most eyes, after the Okabe–Ito palette.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
    RGBColor(150, 140, 20),
];
const INK: RGBColor = RGBColor(60, 60, 60);
/// Place for the names of lines beside a panel.
const LEGEND_WIDTH: u32 = 110;
/// More lines than this have no legend.
const MAX_LEGEND: usize = 8;
/// Points per line; more cannot be told apart in the picture.
const MAX_POINTS: usize = 2000;

/// All panels below a title; `scale` is the size of a unit in pixels.
pub fn draw_all<B: DrawingBackend>(
    root: DrawingArea<B, Shift>,
    arrays: &[Array],
    panels: &[Panel],
    title: &str,
    scale: u32,
) -> Result<()>
where
    B::ErrorType: 'static,
{
    root.fill(&WHITE).map_err(drawing)?;
    let (head, rest) = root.split_vertically(TITLE_HEIGHT * scale);
    let style = ("sans-serif", 20 * scale).into_font().color(&INK);
    head.draw(&Text::new(title.to_owned(), (16 * scale as i32, 12 * scale as i32), style)).map_err(drawing)?;
    for (area, panel) in rest.split_evenly((panels.len(), 1)).iter().zip(panels) {
        draw_panel(area, arrays, panel, scale)?;
    }
    root.present().map_err(drawing)
}

fn drawing(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("{error}")
}

fn draw_panel<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    arrays: &[Array],
    panel: &Panel,
    scale: u32,
) -> Result<()>
where
    B::ErrorType: 'static,
{
    let find = |name: &str| arrays.iter().find(|a| a.name == name).with_context(|| format!("{name} was not recorded"));
    let x = find(panel.x.array)?;
    // Quantities without numbers, such as activations of most models, are not recorded.
    let values = if panel.lines.is_empty() { x } else { find(panel.array)? };
    let lines: Vec<Vec<(f64, f64)>> = panel.lines.iter().map(|(col, _)| points(panel, x, values, *col)).collect();
    let ends = || {
        [x.values.first().copied().unwrap_or(0.0), x.values.last().copied().unwrap_or(1.0)]
            .map(|x| scaled(x, panel.x.log))
    };
    let t = (ends()[0].min(ends()[1]), ends()[0].max(ends()[1]));
    let (low, high) = bounds(&lines);
    let (plot, legend) = area.split_horizontally((WIDTH - LEGEND_WIDTH) * scale);
    let mut chart = ChartBuilder::on(&plot)
        .caption(&panel.title, ("sans-serif", 15 * scale).into_font().color(&INK))
        .margin(8 * scale)
        .margin_right(24 * scale)
        .x_label_area_size(28 * scale)
        .y_label_area_size(64 * scale)
        .build_cartesian_2d(t.0..t.1.max(t.0 + 1e-9), low..high)
        .map_err(drawing)?;
    let label = ("sans-serif", 12 * scale).into_font().color(&INK);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225).stroke_width(scale))
        .axis_style(INK.stroke_width(scale))
        .set_all_tick_mark_size(4 * scale)
        .label_style(label)
        .x_label_formatter(&|t| match panel.x.log {
            true => power(*t),
            false => format!("{t:.4}").trim_end_matches('0').trim_end_matches('.').to_owned() + panel.x.unit,
        })
        .y_label_formatter(&|y| if panel.log { power(*y) } else { number(*y, high - low) })
        .x_labels(11)
        .y_labels(7)
        .draw()
        .map_err(drawing)?;
    for (k, line) in lines.into_iter().enumerate() {
        let style = colour(k).stroke_width(3 * scale / 2);
        chart.draw_series(LineSeries::new(line, style)).map_err(drawing)?;
    }
    if panel.lines.len() <= MAX_LEGEND { draw_legend(&legend, panel, scale) } else { Ok(()) }
}

fn colour(line: usize) -> RGBColor {
    COLOURS[line % COLOURS.len()]
}

/// Names of the lines beside the panel, where they hide nothing.
fn draw_legend<B: DrawingBackend>(area: &DrawingArea<B, Shift>, panel: &Panel, scale: u32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let unit = scale as i32;
    let named = panel.lines.iter().enumerate().filter(|(_, (_, name))| !name.is_empty());
    for (row, (k, (_, name))) in named.enumerate() {
        let y = unit * (44 + 20 * row as i32);
        let stroke = colour(k).stroke_width(3 * scale);
        area.draw(&PathElement::new([(0, y), (18 * unit, y)], stroke)).map_err(drawing)?;
        let style = ("sans-serif", 12 * scale).into_font().color(&INK);
        area.draw(&Text::new(name.clone(), (24 * unit, y - 6 * unit), style)).map_err(drawing)?;
    }
    Ok(())
}

/// One column against x, thinned out to what can be seen.
fn points(panel: &Panel, x: &Array, values: &Array, col: usize) -> Vec<(f64, f64)> {
    let all = x.values.iter().copied().zip(values.column(col));
    let all = all.map(|(x, y)| (scaled(x, panel.x.log), scaled(y, panel.log)));
    thinned(&all.filter(|(x, y)| x.is_finite() && y.is_finite()).collect::<Vec<_>>(), MAX_POINTS)
}

/// The number itself or its decimal logarithm.
fn scaled(x: f64, log: bool) -> f64 {
    if log { x.log10() } else { x }
}

/// A power of ten.
fn power(exponent: f64) -> String {
    if exponent.fract().abs() < 1e-9 { format!("1e{exponent:.0}") } else { format!("1e{exponent:.1}") }
}

/// Smallest and largest value with a margin; never an empty range.
fn bounds(lines: &[Vec<(f64, f64)>]) -> (f64, f64) {
    let values = || lines.iter().flatten().map(|p| p.1);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if low > high {
        return (0.0, 1.0);
    }
    if low == high {
        // A constant lies in the middle.
        return (low - low.abs().max(1.0), high + high.abs().max(1.0));
    }
    let margin = (0.06 * (high - low)).max(1e-6 * low.abs().max(high.abs()));
    (low - margin, high + margin)
}

/// A number with as many digits as a range of `span` needs.
fn number(y: f64, span: f64) -> String {
    if y != 0.0 && !(1e-4..1e6).contains(&y.abs()) && !(1e-3..1e6).contains(&span) {
        return format!("{y:.1e}");
    }
    let digits = (1.0 - span.abs().max(1e-9).log10()).ceil().clamp(0.0, 9.0) as usize;
    format!("{y:.digits$}")
}
