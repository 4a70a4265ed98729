//! What a paper gives for a quantity, drawn in black beside our curves.

use super::Panel;
use crate::draw::canvas::{Canvas, INK, Point};
use crate::draw::chart::Chart;

/// Numbers or a curve of a paper, with the words of the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    pub words: String,
    pub mark: Mark,
}

/// How published results are drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// Single values.
    Points(Vec<Point>),
    /// A function.
    Curve(Vec<Point>),
    /// A value of the vertical axis.
    Level(f64),
    /// A value of the horizontal axis.
    Moment(f64),
    /// The paper describes the result in words and gives no numbers.
    Words,
}

impl Panel {
    /// The panel with a published result.
    pub fn beside(mut self, words: impl Into<String>, mark: Mark) -> Self {
        self.published.push(Published { words: words.into(), mark });
        self
    }
}

impl Mark {
    /// Values of the vertical axis that must be inside the chart.
    pub fn heights(&self) -> Vec<f64> {
        match self {
            Self::Points(points) | Self::Curve(points) => points.iter().map(|p| p[1]).collect(),
            Self::Level(y) => vec![*y],
            Self::Moment(_) | Self::Words => Vec::new(),
        }
    }

    /// Draws the mark into the chart.
    pub fn draw(&self, canvas: &mut Canvas, chart: &Chart) {
        match self {
            Self::Points(points) => chart.dots(canvas, points, INK),
            Self::Curve(points) => chart.curve(canvas, points, 1.0, INK),
            Self::Level(y) => chart.level(canvas, *y, INK),
            Self::Moment(x) => chart.moment(canvas, *x, INK),
            Self::Words => {}
        }
    }

    /// Draws the sample of the mark in a legend, 16 pixels wide.
    pub fn draw_key(&self, canvas: &mut Canvas, [x, y]: Point) {
        match self {
            Self::Points(_) => canvas.disc([x + 8.0, y], 3.5, INK),
            Self::Curve(_) => canvas.line(vec![[x, y], [x + 16.0, y]], 1.0, INK),
            Self::Level(_) => canvas.dashes([x, y], [x + 16.0, y], 1.2, INK),
            Self::Moment(_) => canvas.dashes([x + 8.0, y - 8.0], [x + 8.0, y + 8.0], 1.0, INK),
            Self::Words => {}
        }
    }
}
