//! The picture of a jump: poses side by side on the floor with the contact forces, and curves over
//! time.

use super::Strobe;
use super::canvas::{Anchor, Canvas, Colour, GRID, INK, ORANGE, PALE, Point, RED};
use super::chart::{Axis, Chart};
use saltus::math::Vec3;

/// Pixels per metre.
const SCALE: f64 = 130.0;
/// Pixels per newton of contact force.
const FORCE: f64 = 0.05;
/// Force of the arrow in the legend, N.
const SHOWN: f64 = 1000.0;
const WIDTH: f64 = 1840.0;
const FLOOR: f64 = 420.0;
const HEIGHT: f64 = 650.0;
/// Colour of the first pose.
const FIRST: Colour = Colour(52, 104, 171);
/// Colour of the last pose.
const LAST: Colour = Colour(214, 96, 58);
const BLACK: Colour = Colour(0, 0, 0);

/// Measured quantities at one time of the jump.
pub struct Sample {
    pub time: f64,
    pub com: Vec3,
    pub com_velocity: Vec3,
    pub angular_momentum: Vec3,
    pub energy: f64,
    /// Accumulated rotation about the y axis, rad.
    pub turn: f64,
    /// Upward force of the floor, N.
    pub floor_force: f64,
    /// Maximum penetration, m.
    pub depth: f64,
    /// Whether any body touches the floor.
    pub touches: bool,
}

/// Draws the whole picture.
pub fn jump(strobes: &[Strobe], samples: &[Sample]) -> Canvas {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    canvas.rectangle([0.0, FLOOR], [WIDTH, 8.0], GRID);
    canvas.line(vec![[0.0, FLOOR], [WIDTH, FLOOR]], 1.5, PALE);
    let count = strobes.len().max(2) as f64;
    for (k, strobe) in strobes.iter().enumerate() {
        let share = k as f64 / (count - 1.0);
        draw_pose(&mut canvas, strobe, 70.0 + (WIDTH - 140.0) * share, FIRST.mix(LAST, share));
    }
    let (right, top) = (WIDTH - 30.0, 20.0);
    canvas.text(
        [right - 12.0, top + 8.0],
        13.0,
        Anchor::End,
        PALE,
        format!("contact forces; this arrow: {SHOWN:.0} N"),
    );
    canvas.arrow([right, top + SHOWN * FORCE], [right, top], 2.0, RED);
    let curve = |of: &dyn Fn(&Sample) -> f64| -> Vec<Point> { samples.iter().map(|s| [s.time, of(s)]).collect() };
    let speed = |w: &[Sample]| [w[0].time, (w[1].turn - w[0].turn) / (w[1].time - w[0].time)];
    let panels = [
        ("angular velocity of the trunk, rad/s", samples.windows(2).map(speed).collect()),
        ("height of the centre of mass, m", curve(&|s| s.com.z)),
        ("upward force of the floor, N", curve(&|s| s.floor_force)),
        ("mechanical energy, J", curve(&|s| s.energy)),
    ];
    for (k, (title, points)) in panels.iter().enumerate() {
        let chart = Chart {
            corner: [80.0 + 440.0 * k as f64, HEIGHT - 168.0],
            size: [360.0, 130.0],
            x: Axis::linear(0.0, samples.last().map_or(1.0, |s| s.time)),
            y: Axis::around(points.iter().map(|p| p[1])),
        };
        chart.frame(&mut canvas, title, " s");
        chart.curve(&mut canvas, points, 2.0, ORANGE);
    }
    canvas
}

/// Draws one pose at the horizontal position `x`.
fn draw_pose(canvas: &mut Canvas, strobe: &Strobe, x: f64, colour: Colour) {
    let place = |p: Vec3| [x + (p.x - strobe.com.x) * SCALE, FLOOR - p.z * SCALE];
    let n = strobe.limbs.len().max(1) as f64;
    for (k, limb) in strobe.limbs.iter().enumerate() {
        // Limbs farther from the viewer are darker.
        let shade = colour.mix(BLACK, 0.3 * (1.0 - k as f64 / n));
        canvas.capsule(limb.ends.map(place), limb.radius * SCALE, shade);
    }
    for touch in &strobe.touches {
        let from = place(touch.point);
        canvas.arrow(from, [from[0] + touch.force.x * FORCE, from[1] - touch.force.z * FORCE], 2.0, RED);
        canvas.disc(from, 3.0, RED);
    }
    canvas.text([x, FLOOR + 24.0], 14.0, Anchor::Middle, INK, format!("{:.2} s", strobe.time));
}
