//! Several points for flat contacts of convex shapes.

use super::{Scratch, Touch};
use crate::collide::shape::Shape;

/// Appends the points of a face against a face or an edge; false if the contact is a single point.
pub(super) fn push(
    _a: &Shape,
    _b: &Shape,
    _touch: &Touch,
    _margin: f64,
    _scratch: &mut Scratch,
    _out: &mut Vec<Touch>,
) -> bool {
    false
}
