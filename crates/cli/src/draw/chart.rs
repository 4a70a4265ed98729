//! Axes and curves on a canvas.

use super::canvas::{Anchor, Canvas, Colour, GRID, INK, PALE, Point, fitted, text_width};
use crate::thin::thinned;

/// Maximum number of curve points per pixel.
const DENSITY: f64 = 1.2;
const LABEL: f64 = 11.0;
/// Width of the mark of a curve in a legend, with the space around it, in pixels.
const KEY: f64 = 40.0;

/// The range of values along one side of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Increasing from right to left.
    reversed: bool,
}

impl Axis {
    /// From `low` to `high`, widened if the range is empty.
    pub fn linear(low: f64, high: f64) -> Self {
        let (low, high) = if low.is_finite() && high.is_finite() { (low, high) } else { (0.0, 1.0) };
        let high = if high > low { high } else { low + low.abs().max(1.0) };
        Self { low, high, log: false, reversed: false }
    }

    /// A range with a margin around all values and zero.
    pub fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.filter(|v| v.is_finite()).fold((0.0f64, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        let margin = 0.08 * (high - low);
        Self::linear(if low < 0.0 { low - margin } else { low }, if high > 0.0 { high + margin } else { high })
    }

    /// A logarithmic axis over whole powers of ten that contains the positive values, at most
    /// twelve decades.
    pub fn log(values: impl Iterator<Item = f64>) -> Self {
        let positive = values.filter(|v| v.is_finite() && *v > 0.0);
        let (low, high) =
            positive.map(f64::log10).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low <= high { ((low - 0.05).floor(), (high + 0.05).ceil()) } else { (-1.0, 0.0) };
        Self { low: low.max(high - 12.0), high, log: true, reversed: false }
    }

    /// A logarithmic axis with exact ends, for horizontal axes.
    pub fn log_between(low: f64, high: f64) -> Self {
        let axis = Self::linear(low.max(1e-12).log10(), high.max(1e-12).log10());
        Self { log: true, ..axis }
    }

    pub fn reversed(self) -> Self {
        Self { reversed: true, ..self }
    }

    /// Position along the axis, as a fraction of its length.
    fn share(&self, value: f64) -> f64 {
        let value = if self.log { value.max(1e-300).log10() } else { value };
        let share = (value - self.low) / (self.high - self.low);
        if self.reversed { 1.0 - share } else { share }
    }

    /// About `count` round values with their labels.
    fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        if self.log {
            return self.log_ticks(count);
        }
        let rough = (self.high - self.low) / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= 0.999 * rough).unwrap_or(rough);
        let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let first = (self.low / step - 1e-9).ceil();
        let values = (0..=4 * count).map(|k| (first + k as f64) * step);
        values
            .take_while(|v| *v <= self.high + 1e-9 * step)
            // Avoids the label "-0".
            .map(|v| (v, format!("{:.digits$}", if v.abs() < 1e-9 * step { 0.0 } else { v })))
            .collect()
    }

    fn log_ticks(&self, count: usize) -> Vec<(f64, String)> {
        let power = |p: f64| (10f64.powf(p), if (-2.0..=3.0).contains(&p) { plain(p) } else { format!("1e{p}") });
        let span = self.high - self.low;
        if span < 2.5 {
            let decades = (self.low.floor() as i32)..=(self.high.ceil() as i32);
            let all = decades.flat_map(|p| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(p)));
            let inside = all.filter(|v| (self.low - 1e-6..=self.high + 1e-6).contains(&v.log10()));
            return inside.map(|v| (v, format!("{v}"))).collect();
        }
        let every = (span / count.max(1) as f64).ceil().max(1.0);
        let first = (self.low / every).ceil() * every;
        (0..).map(|k| first + every * f64::from(k)).take_while(|p| *p <= self.high + 1e-9).map(power).collect()
    }
}

fn plain(power: f64) -> String {
    format!("{}", 10f64.powf(power))
}

/// The position of a chart and the ranges of its axes.
#[derive(Clone, Debug)]
pub struct Chart {
    pub corner: Point,
    pub size: Point,
    pub x: Axis,
    pub y: Axis,
}

impl Chart {
    pub fn at(&self, x: f64, y: f64) -> Point {
        let (x, y) = (self.x.share(x).clamp(-0.02, 1.02), self.y.share(y).clamp(-0.02, 1.02));
        [self.corner[0] + self.size[0] * x, self.corner[1] + self.size[1] * (1.0 - y)]
    }

    /// Draws the grid, the labels of the axes and a title.
    pub fn frame(&self, canvas: &mut Canvas, title: &str, x_unit: &str) {
        let ([left, top], [width, height]) = (self.corner, self.size);
        for (value, label) in self.y.ticks((height / 30.0).round().clamp(2.0, 7.0) as usize) {
            let y = self.at(0.0, value)[1];
            canvas.line(vec![[left, y], [left + width, y]], 1.0, GRID);
            canvas.text([left - 6.0, y], LABEL, Anchor::End, PALE, label);
        }
        self.frame_numbers(canvas, x_unit);
        canvas.line(vec![[left, top], [left, top + height], [left + width, top + height]], 1.0, PALE);
        canvas.text([left, top - 11.0], 12.5, Anchor::Start, INK, title);
    }

    /// Draws the grid lines and labels of the horizontal axis; the last label includes the unit.
    pub fn frame_numbers(&self, canvas: &mut Canvas, unit: &str) {
        let ([left, top], [width, height]) = (self.corner, self.size);
        let ticks = self.x.ticks((width / 80.0).round().clamp(2.0, 12.0) as usize);
        let last = ticks.len().saturating_sub(1);
        for (k, (value, label)) in ticks.into_iter().enumerate() {
            let x = left + width * self.x.share(value);
            canvas.line(vec![[x, top], [x, top + height]], 1.0, GRID);
            let label = if k == last { format!("{label}{unit}") } else { label };
            canvas.text([x, top + height + 11.0], LABEL, Anchor::Middle, PALE, label);
        }
    }

    /// A curve with gaps where values are not finite.
    pub fn curve(&self, canvas: &mut Canvas, points: &[Point], width: f64, colour: Colour) {
        let is_drawn = |p: &Point| p[0].is_finite() && p[1].is_finite() && !(self.y.log && p[1] <= 0.0);
        for run in points.split(|p| !is_drawn(p)) {
            let pairs: Vec<(f64, f64)> = run.iter().map(|p| (p[0], p[1])).collect();
            let thin = thinned(&pairs, (DENSITY * self.size[0]) as usize);
            match thin.as_slice() {
                [] => {}
                [(x, y)] => canvas.disc(self.at(*x, *y), width, colour),
                _ => canvas.line(thin.iter().map(|(x, y)| self.at(*x, *y)).collect(), width, colour),
            }
        }
    }

    pub fn dots(&self, canvas: &mut Canvas, points: &[Point], colour: Colour) {
        for p in points.iter().filter(|p| !(self.y.log && p[1] <= 0.0)) {
            canvas.disc(self.at(p[0], p[1]), 3.5, colour);
        }
    }

    /// A dashed horizontal line.
    pub fn level(&self, canvas: &mut Canvas, y: f64, colour: Colour) {
        let y = self.at(0.0, y)[1];
        canvas.dashes([self.corner[0], y], [self.corner[0] + self.size[0], y], 1.2, colour);
    }

    /// A dashed vertical line.
    pub fn moment(&self, canvas: &mut Canvas, x: f64, colour: Colour) {
        let x = self.at(x, 0.0)[0];
        canvas.dashes([x, self.corner[1]], [x, self.corner[1] + self.size[1]], 1.0, colour);
    }
}

/// Curve names, whose right end is near `at`, in one row of at most `width` pixels, or in two rows;
/// the second one is below. Names that are too long for two rows are shortened.
pub fn legend(canvas: &mut Canvas, at: Point, width: f64, entries: &[(&str, Colour)]) {
    let row_width = |row: &[(String, Colour)]| row.iter().map(|(name, _)| text_width(name, LABEL) + KEY).sum::<f64>();
    let mut names: Vec<(String, Colour)> = entries.iter().map(|(name, colour)| ((*name).to_owned(), *colour)).collect();
    let mut per_row = names.len().max(1);
    if row_width(&names) > width {
        per_row = names.len().div_ceil(2);
        let room = width / per_row as f64 - KEY;
        names.iter_mut().for_each(|(name, _)| *name = fitted(name, LABEL, room));
    }
    for (row, names) in names.chunks(per_row).enumerate() {
        let mut x = at[0] - row_width(names) + 18.0;
        let y = at[1] + 17.0 * row as f64;
        for (name, colour) in names {
            canvas.line(vec![[x, y], [x + 16.0, y]], 3.0, *colour);
            canvas.text([x + 22.0, y], LABEL, Anchor::Start, INK, name);
            x += text_width(name, LABEL) + KEY;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let labels = |axis: Axis| axis.ticks(5).into_iter().map(|t| t.1).collect::<Vec<_>>();
        assert_eq!(labels(Axis::linear(0.0, 1.0)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Axis::linear(-70.0, 90.0)), ["-50", "0", "50"]);
        assert_eq!(
            labels(Axis::log([1e-4, 0.5].into_iter())),
            ["1e-5", "1e-4", "1e-3", "0.01", "0.1", "1"][..].to_vec()
        );
        // Empty ranges and values that are not finite still give an axis.
        assert!(!labels(Axis::around(core::iter::empty())).is_empty());
        assert!(!labels(Axis::log([f64::NAN, -1.0].into_iter())).is_empty());
        assert!(!labels(Axis::linear(f64::NAN, f64::INFINITY)).is_empty());
    }
}
