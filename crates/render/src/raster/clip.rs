//! Clipping of triangles that reach behind the camera or far outside of the picture, and their
//! projection.

use super::Projected;
use crate::eye::Eye;
use crate::vector::{V3, add, scale, sub};

/// Distance outside of the picture, in pixels, up to which triangles are not clipped. Larger
/// numbers would lose precision.
const GUARD: f32 = 4096.0;
/// Corners of a triangle that is cut by five planes.
const MOST: usize = 8;

/// A polygon with a fixed memory.
struct Polygon {
    corner: [V3; MOST],
    count: usize,
}

impl Polygon {
    fn push(&mut self, p: V3) {
        if self.count < MOST {
            self.corner[self.count] = p;
            self.count += 1;
        }
    }

    /// The part where `inside`, linear in the point, is not negative.
    fn cut(&self, inside: impl Fn(V3) -> f32) -> Self {
        let mut out = Self { corner: [[0.0; 3]; MOST], count: 0 };
        for k in 0..self.count {
            let (a, b) = (self.corner[k], self.corner[(k + 1) % self.count]);
            let (at_a, at_b) = (inside(a), inside(b));
            if at_a >= 0.0 {
                out.push(a);
            }
            if (at_a >= 0.0) != (at_b >= 0.0) {
                // From the same end on both sides of a shared edge.
                let (from, to, s) =
                    if at_a < at_b { (a, b, at_a / (at_a - at_b)) } else { (b, a, at_b / (at_b - at_a)) };
                out.push(add(from, scale(sub(to, from), s)));
            }
        }
        out
    }
}

/// Projects a triangle given in camera coordinates. `both` also draws its back.
#[inline]
pub fn project(eye: &Eye, corners: [V3; 3], both: bool, id: u32, out: &mut Vec<Projected>) {
    let far_out = |h: V3| {
        let (x, y) = (h[0], h[1]);
        x < -GUARD * h[2]
            || y < -GUARD * h[2]
            || x > (eye.width as f32 + GUARD) * h[2]
            || y > (eye.height as f32 + GUARD) * h[2]
    };
    let h = corners.map(|p| eye.homogeneous(p));
    let behind = corners.map(|p| -p[2] < eye.near);
    if behind == [true; 3] {
        return;
    }
    if behind == [false; 3] && !h.iter().any(|&h| far_out(h)) {
        push(eye, corners, both, id, out);
        return;
    }
    let mut polygon = Polygon { corner: [[0.0; 3]; MOST], count: 0 };
    corners.iter().for_each(|&p| polygon.push(p));
    let polygon = polygon.cut(|p| -p[2] - eye.near);
    let sides: [&dyn Fn(V3) -> f32; 4] =
        [&|h| h[0] + GUARD * h[2], &|h| (eye.width as f32 + GUARD) * h[2] - h[0], &|h| h[1] + GUARD * h[2], &|h| {
            (eye.height as f32 + GUARD) * h[2] - h[1]
        }];
    let polygon = sides.iter().fold(polygon, |polygon, side| polygon.cut(|p| side(eye.homogeneous(p))));
    for k in 2..polygon.count {
        push(eye, [polygon.corner[0], polygon.corner[k - 1], polygon.corner[k]], both, id, out);
    }
}

/// Adds a triangle that is in front of the camera, unless it shows its back or has no area.
#[inline]
fn push(eye: &Eye, corners: [V3; 3], both: bool, id: u32, out: &mut Vec<Projected>) {
    let place = |p: V3| {
        let h = eye.homogeneous(p);
        [h[0] / h[2], h[1] / h[2]]
    };
    let [a, mut b, mut c] = corners.map(place);
    let near = corners.map(|p| f64::from(eye.nearness(p)));
    let mut near = [near[0], near[1], near[2]];
    let area = |b: [f32; 2], c: [f32; 2]| {
        let f = |x: f32, y: f32| f64::from(x) - f64::from(y);
        f(b[0], a[0]) * f(c[1], a[1]) - f(c[0], a[0]) * f(b[1], a[1])
    };
    // Counter-clockwise in camera coordinates is negative in pixels, whose y points down.
    let mut twice = area(b, c);
    if twice == 0.0 || (twice > 0.0 && !both) || !twice.is_finite() {
        return;
    }
    if twice < 0.0 {
        (b, c) = (c, b);
        near.swap(1, 2);
        twice = -twice;
    }
    let d = |p: [f32; 2], k: usize| f64::from(p[k]) - f64::from(a[k]);
    let (n1, n2) = (near[1] - near[0], near[2] - near[0]);
    let by_x = (n1 * d(c, 1) - n2 * d(b, 1)) / twice;
    let by_y = (n2 * d(b, 0) - n1 * d(c, 0)) / twice;
    out.push(Projected { corner: [a, b, c], nearness: [near[0] as f32, by_x as f32, by_y as f32], id });
}
