//! Charts of one number against another, linear or logarithmic, one below the other.

use super::panel::{COLOURS, INK, LEGEND_WIDTH, drawing, number};
use super::{Format, TITLE_HEIGHT, WIDTH, render};
use crate::thin::thinned;
use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;

const MAX_POINTS: usize = 2000;

/// A line; points if it is asked for `dots`.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub dots: bool,
}

impl Line {
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, dots: false }
    }
}

/// One chart. Logarithmic axes show positive numbers only.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    pub x_name: String,
    pub log_x: bool,
    pub log_y: bool,
    pub lines: Vec<Line>,
    /// Range of y; otherwise that of the points.
    pub y_range: Option<(f64, f64)>,
}

/// The picture.
pub fn draw(charts: &[Chart], title: &str, format: Format) -> Result<Vec<u8>> {
    struct Painter<'a>(&'a [Chart], &'a str);
    impl super::Paint for Painter<'_> {
        fn paint<B: DrawingBackend>(&self, root: DrawingArea<B, Shift>, scale: u32) -> Result<()>
        where
            B::ErrorType: 'static,
        {
            root.fill(&WHITE).map_err(drawing)?;
            let (head, rest) = root.split_vertically(TITLE_HEIGHT * scale);
            let style = ("sans-serif", 20 * scale).into_font().color(&INK);
            head.draw(&Text::new(self.1.to_owned(), (16 * scale as i32, 12 * scale as i32), style)).map_err(drawing)?;
            for (area, chart) in rest.split_evenly((self.0.len(), 1)).iter().zip(self.0) {
                draw_chart(area, chart, scale)?;
            }
            root.present().map_err(drawing)
        }
    }
    render(&Painter(charts, title), charts.len() as u32, format)
}

/// What is drawn of a point: logarithms where axes are logarithmic.
fn place(chart: &Chart, (x, y): (f64, f64)) -> Option<(f64, f64)> {
    let axis = |value: f64, log: bool| if log { value.log10() } else { value };
    let (x, y) = (axis(x, chart.log_x), axis(y, chart.log_y));
    let inside =
        chart.y_range.is_none_or(|(low, high)| (axis(low, chart.log_y)..=axis(high, chart.log_y)).contains(&y));
    (x.is_finite() && y.is_finite() && inside).then_some((x, y))
}

fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
    if low > high { (0.0, 1.0) } else { (low, high.max(low + 1e-9)) }
}

fn label(value: f64, log: bool, span: f64) -> String {
    if !log {
        return number(value, span);
    }
    let value = 10.0_f64.powf(value);
    if (0.01..1e4).contains(&value) {
        format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.0e}")
    }
}

fn draw_chart<B: DrawingBackend>(area: &DrawingArea<B, Shift>, chart: &Chart, scale: u32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let lines: Vec<Vec<(f64, f64)>> = chart
        .lines
        .iter()
        .map(|line| thinned(&line.points.iter().filter_map(|p| place(chart, *p)).collect::<Vec<_>>(), MAX_POINTS))
        .collect();
    let (x0, x1) = range(lines.iter().flatten().map(|p| p.0));
    let (y0, y1) = range(lines.iter().flatten().map(|p| p.1));
    let margin = 0.06 * (y1 - y0);
    let (plot, legend) = area.split_horizontally((WIDTH - 2 * LEGEND_WIDTH) * scale);
    let mut canvas = ChartBuilder::on(&plot)
        .caption(&chart.title, ("sans-serif", 15 * scale).into_font().color(&INK))
        .margin(8 * scale)
        .margin_right(24 * scale)
        .x_label_area_size(44 * scale)
        .y_label_area_size(72 * scale)
        .build_cartesian_2d(x0..x1, y0 - margin..y1 + margin)
        .map_err(drawing)?;
    canvas
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225).stroke_width(scale))
        .axis_style(INK.stroke_width(scale))
        .set_all_tick_mark_size(4 * scale)
        .label_style(("sans-serif", 12 * scale).into_font().color(&INK))
        .x_desc(&chart.x_name)
        .x_label_formatter(&|x| label(*x, chart.log_x, x1 - x0))
        .y_label_formatter(&|y| label(*y, chart.log_y, y1 - y0))
        .draw()
        .map_err(drawing)?;
    for (k, (points, line)) in lines.into_iter().zip(&chart.lines).enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        if line.dots {
            let dot = |p: (f64, f64)| Circle::new(p, 3 * scale, colour.filled());
            canvas.draw_series(points.into_iter().map(dot)).map_err(drawing)?;
        } else {
            canvas.draw_series(LineSeries::new(points, colour.stroke_width(3 * scale / 2))).map_err(drawing)?;
        }
    }
    draw_names(&legend, chart, scale)
}

fn draw_names<B: DrawingBackend>(area: &DrawingArea<B, Shift>, chart: &Chart, scale: u32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let unit = scale as i32;
    for (k, line) in chart.lines.iter().enumerate() {
        let y = unit * (44 + 20 * k as i32);
        let colour = COLOURS[k % COLOURS.len()];
        if line.dots {
            area.draw(&Circle::new((9 * unit, y), 3 * scale, colour.filled())).map_err(drawing)?;
        } else {
            area.draw(&PathElement::new([(0, y), (18 * unit, y)], colour.stroke_width(3 * scale))).map_err(drawing)?;
        }
        let style = ("sans-serif", 12 * scale).into_font().color(&INK);
        area.draw(&Text::new(line.name.clone(), (24 * unit, y - 6 * unit), style)).map_err(drawing)?;
    }
    Ok(())
}
