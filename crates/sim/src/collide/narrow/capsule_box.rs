//! Capsule and box: up to two balls of the capsule against the box.
//!
//! The first ball is at the point of the segment nearest to the box. The second is as far along the segment as the
//! capsule stays over the same part of the box: along the face over which it rises least, to the face's border, along
//! an edge to the edge's end, and never beyond the end of the segment. Where the end of the segment is nearest to an
//! edge, the reference has further rules that we did not find out: there the second point can differ from it, or one
//! of the engines has none (3 % of random poses near contact).

use super::{Scratch, Settings, Touch, convex, sphere_box};
use crate::collide::shape::Shape;
use saltus_math::Vec3;

pub(super) fn collide(
    capsule: &Shape,
    block: &Shape,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) {
    let segment =
        Segment { p: block.to_local(capsule.p), axis: block.R.tmul(capsule.axis()), half: capsule.half_length() };
    let first = segment.nearest(block.size);
    if segment.at(first).abs().cmple(block.size * (1.0 + 1e-9)).all() {
        // The segment itself goes through the box.
        return convex::collide(capsule, block, margin, settings, scratch, out);
    }
    let mut add = |t: f64| {
        let touch = sphere_box::touch(capsule.p + capsule.axis() * t, capsule.radius(), block, margin);
        out.extend(touch);
        touch.is_some()
    };
    if add(first) {
        add(segment.second(first, block.size));
    }
}

/// A segment in the box's frame: p + t axis, |t| ≤ half.
struct Segment {
    p: Vec3,
    axis: Vec3,
    half: f64,
}

impl Segment {
    fn at(&self, t: f64) -> Vec3 {
        self.p + self.axis * t
    }

    /// Parameter of the point nearest to the box |xᵢ| ≤ sizeᵢ. The squared distance Σ max(|pᵢ + t aᵢ| − sizeᵢ, 0)² is
    /// convex and piecewise quadratic in t: its minimum is found piece by piece, between the parameters where the line
    /// crosses the planes of the faces.
    fn nearest(&self, size: Vec3) -> f64 {
        let mut breaks = [-self.half, self.half, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut count = 2;
        for i in 0..3 {
            for side in [-1.0, 1.0] {
                let t = (side * size[i] - self.p[i]) / self.axis[i];
                if t.abs() < self.half {
                    breaks[count] = t;
                    count += 1;
                }
            }
        }
        let breaks = &mut breaks[..count];
        breaks.sort_unstable_by(f64::total_cmp);
        let slope = |t: f64| {
            let x = self.at(t);
            (0..3).map(|i| (x[i].abs() - size[i]).max(0.0) * self.axis[i] * x[i].signum()).sum::<f64>()
        };
        // The slope rises; on each piece it is linear.
        let (mut low, mut slope_low) = (breaks[0], slope(breaks[0]));
        if slope_low >= 0.0 {
            return low;
        }
        for &high in &breaks[1..] {
            let slope_high = slope(high);
            if slope_high >= 0.0 {
                return low - slope_low * (high - low) / (slope_high - slope_low);
            }
            (low, slope_low) = (high, slope_high);
        }
        low
    }

    /// Parameter of the second ball.
    fn second(&self, first: f64, size: Vec3) -> f64 {
        let x = self.at(first);
        let outside = |i: usize| x[i].abs() >= size[i];
        // How fast the capsule leaves the parts of the box that it is outside of.
        let rise = |way: f64| {
            let rate = |i: usize| if outside(i) { (way * self.axis[i] * x[i].signum()).max(0.0) } else { 0.0 };
            (0..3).map(|i| rate(i) * rate(i)).sum::<f64>()
        };
        let room = |way: f64| self.half - way * first;
        let inward = -first.signum();
        let at_end = room(-inward) <= 1e-12;
        let leaves_all = (0..3).all(|i| !outside(i) || inward * self.axis[i] * x[i] >= 0.0);
        // From an end of the segment there is one way only where the ball is over a face or leaves the box for good.
        // Else the way of least rise is taken even if it has no room left: a repeated point, as the reference has it.
        let way = if at_end && leaves_all {
            inward
        } else if rise(1.0) < rise(-1.0) {
            1.0
        } else {
            -1.0
        };
        let mut step = room(way);
        for i in 0..3 {
            let rate = way * self.axis[i];
            if outside(i) {
                if rate * x[i] < 0.0 {
                    step = step.min(2.0 * size[i] / rate.abs());
                }
            } else if rate != 0.0 {
                step = step.min((size[i] - x[i] * rate.signum()) / rate.abs());
            }
        }
        first + way * step.max(0.0)
    }
}
