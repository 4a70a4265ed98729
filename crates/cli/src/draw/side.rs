//! Which side of a robot a body is on, by where it is; sides have colours.

use super::canvas::{BLUE, Colour, ORANGE, PALE};
use saltus::{Data, Model};

pub const LEFT: Colour = BLUE;
pub const RIGHT: Colour = ORANGE;
pub const MIDDLE: Colour = PALE;

/// A colour per body: left (+y) and right of the whole robot's centre in the reference pose, and between.
pub fn body_colours(model: &Model) -> Vec<Colour> {
    let mut data = Data::new(model);
    saltus::forward_smooth(model, &mut data);
    let com = &data.position.com;
    let centre = com.get(1).map_or(0.0, |c| c.y);
    let widest = com.iter().skip(1).map(|c| (c.y - centre).abs()).fold(0.0, f64::max);
    let colour = |b: usize| {
        let y = com[b].y - centre;
        if b == 0 || y.abs() < 0.1 * widest {
            MIDDLE
        } else if y > 0.0 {
            LEFT
        } else {
            RIGHT
        }
    };
    (0..model.nbody()).map(colour).collect()
}
