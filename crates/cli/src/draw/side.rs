//! Colours of bodies by the side of the robot that they are on.

use super::canvas::{BLUE, Colour, ORANGE, PALE};
use saltus::{Data, Model};

pub const LEFT: Colour = BLUE;
pub const RIGHT: Colour = ORANGE;
pub const MIDDLE: Colour = PALE;

/// The colour of each body: left (+y) or right of the centre of the whole robot in the reference
/// pose, or in the middle.
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
