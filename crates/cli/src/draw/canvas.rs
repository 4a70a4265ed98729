//! A picture as a list of shapes, in pixels from the top left corner. It is written as SVG here and
//! as PNG by `raster`.

use std::fmt::Write;

pub type Point = [f64; 2];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

pub const WHITE: Colour = Colour(255, 255, 255);
pub const INK: Colour = Colour(50, 54, 60);
pub const PALE: Colour = Colour(120, 126, 134);
pub const GRID: Colour = Colour(228, 230, 233);
/// Colours after the Okabe–Ito palette, which people with colour vision deficiency can distinguish.
pub const BLUE: Colour = Colour(0, 114, 178);
pub const ORANGE: Colour = Colour(213, 94, 0);
pub const GREEN: Colour = Colour(0, 158, 115);
pub const RED: Colour = Colour(192, 28, 40);

impl Colour {
    /// Linear interpolation between this and another colour.
    pub fn mix(self, other: Colour, share: f64) -> Colour {
        let of = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Colour(of(self.0, other.0), of(self.1, other.1), of(self.2, other.2))
    }
    fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug)]
pub enum Shape {
    Polygon { points: Vec<Point>, fill: Colour, edge: Option<Colour> },
    Line { points: Vec<Point>, width: f64, colour: Colour },
    Text { at: Point, size: f64, anchor: Anchor, colour: Colour, text: String },
}

/// An estimate of the width of a text in pixels; the true width depends on the viewer's fonts.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.6 * size * text.chars().count() as f64
}

/// The text, or its beginning and its end with an ellipsis between them if it is wider than
/// `width` pixels.
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    let (count, most) = (text.chars().count(), ((width / (0.6 * size)).floor() as usize).max(3));
    if count <= most {
        return text.to_owned();
    }
    let (first, last) = (most / 2, most - most / 2 - 1);
    text.chars().take(first).chain(['…']).chain(text.chars().skip(count - last)).collect()
}

/// A picture to which shapes are added.
#[derive(Clone, Debug)]
pub struct Canvas {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

impl Canvas {
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, shapes: Vec::new() }
    }

    pub fn polygon(&mut self, points: Vec<Point>, fill: Colour, edge: Option<Colour>) {
        if points.len() > 2 && points.iter().flatten().all(|x| x.is_finite()) {
            self.shapes.push(Shape::Polygon { points, fill, edge });
        }
    }

    pub fn rectangle(&mut self, [x, y]: Point, [width, height]: Point, fill: Colour) {
        self.polygon(vec![[x, y], [x + width, y], [x + width, y + height], [x, y + height]], fill, None);
    }

    pub fn line(&mut self, points: Vec<Point>, width: f64, colour: Colour) {
        if points.len() > 1 && points.iter().flatten().all(|x| x.is_finite()) {
            self.shapes.push(Shape::Line { points, width, colour });
        }
    }

    /// A straight dashed line.
    pub fn dashes(&mut self, from: Point, to: Point, width: f64, colour: Colour) {
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let count = ((length / 8.0) as usize).min(1000);
        let at = |s: f64| [from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1])];
        for k in 0..=count {
            let s = 8.0 * k as f64 / length;
            self.line(vec![at(s.min(1.0)), at((s + 5.0 / length).min(1.0))], width, colour);
        }
    }

    pub fn disc(&mut self, [x, y]: Point, radius: f64, fill: Colour) {
        let at = |k: i32| {
            let (sin, cos) = (f64::from(k) * core::f64::consts::TAU / 20.0).sin_cos();
            [x + radius * cos, y + radius * sin]
        };
        self.polygon((0..20).map(at).collect(), fill, None);
    }

    /// All points within `radius` of a straight line.
    pub fn capsule(&mut self, [a, b]: [Point; 2], radius: f64, fill: Colour) {
        let along = (b[1] - a[1]).atan2(b[0] - a[0]);
        let end = |p: Point, from: f64| {
            (0..=8).map(move |k| {
                let (sin, cos) = (along + from + f64::from(k) * core::f64::consts::PI / 8.0).sin_cos();
                [p[0] + radius * cos, p[1] + radius * sin]
            })
        };
        let quarter = core::f64::consts::FRAC_PI_2;
        self.polygon(end(b, -quarter).chain(end(a, quarter)).collect(), fill, None);
    }

    pub fn arrow(&mut self, from: Point, to: Point, width: f64, colour: Colour) {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let length = dx.hypot(dy);
        if length < 2.0 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let head = (4.0 * width).min(length);
        let neck = [to[0] - head * ux, to[1] - head * uy];
        self.line(vec![from, neck], width, colour);
        let side = |s: f64| [neck[0] - 0.45 * s * head * uy, neck[1] + 0.45 * s * head * ux];
        self.polygon(vec![to, side(1.0), side(-1.0)], colour, None);
    }

    /// Text that is vertically centred at `at`.
    pub fn text(&mut self, at: Point, size: f64, anchor: Anchor, colour: Colour, text: impl Into<String>) {
        self.shapes.push(Shape::Text { at, size, anchor, colour, text: text.into() });
    }

    pub fn to_svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let list = |points: &[Point]| {
            let each: Vec<String> = points.iter().map(|p| format!("{:.1},{:.1}", p[0], p[1])).collect();
            each.join(" ")
        };
        for shape in &self.shapes {
            // Writing to a String cannot fail.
            _ = match shape {
                Shape::Polygon { points, fill, edge } => {
                    let edge = edge.map_or(String::new(), |e| format!(" stroke=\"{}\"", e.hex()));
                    writeln!(svg, "<polygon points=\"{}\" fill=\"{}\"{edge}/>", list(points), fill.hex())
                }
                Shape::Line { points, width, colour } => writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
                    list(points),
                    colour.hex()
                ),
                Shape::Text { at, size, anchor, colour, text } => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    writeln!(
                        svg,
                        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
                        at[0],
                        at[1] + 0.35 * size,
                        colour.hex(),
                        escaped(text)
                    )
                }
            };
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Escapes text for SVG; names come from models and can contain markup.
fn escaped(text: &str) -> String {
    let visible = text.chars().filter(|c| !c.is_control());
    visible
        .map(|c| match c {
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '&' => "&amp;".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened_in_the_middle() {
        assert_eq!(fitted("left_foot", 10.0, 60.0), "left_foot");
        let short = fitted("left_foot_contact_link_collision", 10.0, 60.0);
        assert_eq!(short, "left_…sion");
        assert!(text_width(&short, 10.0) <= 60.0);
    }
}
