//! Rays against height fields: the surface, the base, and the walls between them.

use super::Hit;
use super::mesh::triangle;
use super::primitive::block;
use crate::collide::shape::Field;
use saltus_math::Vec3;

pub(super) fn ray(field: &Field, p: Vec3, v: Vec3) -> Option<Hit> {
    if field.nrow < 2 || field.ncol < 2 || field.data.len() < field.nrow * field.ncol {
        return None;
    }
    let mut best = border(field, p, v);
    let top = surface(field, p, v);
    if let (Some(b), Some(t)) = (best, top) {
        best = Some(if t.t < b.t { t } else { b });
    }
    best.or(top)
}

/// Walks through the cells below the ray, in order, to the first triangle that it hits.
fn surface(field: &Field, p: Vec3, v: Vec3) -> Option<Hit> {
    let [sx, sy, height, _] = field.size;
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    // Elevations are in [0, 1]; extended slightly so that round-off cannot miss a summit.
    let slack = 1e-6 * height;
    for (i, from, to) in [(0, -sx, sx), (1, -sy, sy), (2, -slack, height + slack)] {
        if v[i] == 0.0 {
            if p[i] < from || p[i] > to {
                return None;
            }
            continue;
        }
        let (t0, t1) = ((from - p[i]) / v[i], (to - p[i]) / v[i]);
        low = low.max(t0.min(t1));
        high = high.min(t0.max(t1));
    }
    if low > high || low.is_nan() || high.is_nan() {
        return None;
    }
    // Cell coordinates of the ray.
    let (dx, dy) = (2.0 * sx / (field.ncol - 1) as f64, 2.0 * sy / (field.nrow - 1) as f64);
    let cell = |t: f64| {
        let c = ((p.x + t * v.x + sx) / dx).floor().clamp(0.0, (field.ncol - 2) as f64);
        let r = ((p.y + t * v.y + sy) / dy).floor().clamp(0.0, (field.nrow - 2) as f64);
        (r as usize, c as usize)
    };
    let (mut row, mut col) = cell(low);
    let mut entered = low;
    for _ in 0..field.nrow + field.ncol + 2 {
        // Ray parameter at which the ray leaves this cell, and the border that it crosses.
        let leave = |x: f64, v: f64, index: usize, step: f64, half: f64| {
            let border = if v > 0.0 { index + 1 } else { index };
            if v == 0.0 { f64::INFINITY } else { (border as f64 * step - half - x) / v }
        };
        let (tx, ty) = (leave(p.x, v.x, col, dx, sx), leave(p.y, v.y, row, dy, sy));
        let left = tx.min(ty).min(high);
        if reaches(field, row, col, [p.z + entered * v.z, p.z + left * v.z])
            && let Some(hit) = cell_hit(field, row, col, p, v)
        {
            return Some(hit);
        }
        entered = left;
        if tx.min(ty) > high {
            return None;
        }
        let (index, forward, count) =
            if tx <= ty { (&mut col, v.x > 0.0, field.ncol) } else { (&mut row, v.y > 0.0, field.nrow) };
        *index = if forward { *index + 1 } else { index.checked_sub(1)? };
        if *index + 2 > count || !tx.min(ty).is_finite() {
            return None;
        }
    }
    None
}

/// Whether a ray between two heights can hit the triangles of a cell. The comparison is such that
/// NaN passes.
fn reaches(field: &Field, row: usize, col: usize, [z0, z1]: [f64; 2]) -> bool {
    let height = field.size[2];
    let start = row * field.ncol + col;
    let corners = [start, start + 1, start + field.ncol, start + field.ncol + 1].map(|i| field.data[i]);
    let (lowest, highest) = corners.into_iter().fold((f32::INFINITY, 0.0_f32), |(a, b), h| (a.min(h), b.max(h)));
    let slack = 1e-6 * height;
    let (low, high) = (height * f64::from(lowest) - slack, height * f64::from(highest) + slack);
    !(z0 > high && z1 > high || z0 < low && z1 < low)
}

fn height_at(field: &Field, r: usize, c: usize) -> Vec3 {
    let [sx, sy, height, _] = field.size;
    let x = 2.0 * sx * c as f64 / (field.ncol - 1) as f64 - sx;
    let y = 2.0 * sy * r as f64 / (field.nrow - 1) as f64 - sy;
    Vec3::new(x, y, height * f64::from(field.data[r * field.ncol + c]))
}

fn cell_hit(field: &Field, row: usize, col: usize, p: Vec3, v: Vec3) -> Option<Hit> {
    let (a, b) = (height_at(field, row, col), height_at(field, row, col + 1));
    let (c, d) = (height_at(field, row + 1, col), height_at(field, row + 1, col + 1));
    match (triangle([a, b, d], p, v), triangle([a, d, c], p, v)) {
        (Some(x), Some(y)) => Some(if x.t <= y.t { x } else { y }),
        (x, y) => x.or(y),
    }
}

/// The base, a box below elevation 0 (whose top is visible from inside the hills), and the walls
/// above it.
fn border(field: &Field, p: Vec3, v: Vec3) -> Option<Hit> {
    let [sx, sy, _, base] = field.size;
    let half = Vec3::new(sx, sy, 0.5 * base);
    let mut best = if base > 0.0 { block(half, p + Vec3::Z * half.z, v) } else { None };
    let mut add = |t: f64, normal: Vec3| {
        if t >= 0.0 && best.is_none_or(|b| t < b.t) {
            best = Some(Hit { t, normal });
        }
    };
    for sign in [-1.0, 1.0] {
        if v.x != 0.0 {
            let t = (sign * sx - p.x) / v.x;
            let x = p + v * t;
            let edge = if sign > 0.0 { field.ncol - 1 } else { 0 };
            let top = profile(x.y, sy, field.nrow, |r| height_at(field, r, edge).z);
            if x.y.abs() <= sy && x.z >= 0.0 && x.z <= top {
                add(t, Vec3::X * sign);
            }
        }
        if v.y != 0.0 {
            let t = (sign * sy - p.y) / v.y;
            let x = p + v * t;
            let edge = if sign > 0.0 { field.nrow - 1 } else { 0 };
            let top = profile(x.x, sx, field.ncol, |c| height_at(field, edge, c).z);
            if x.x.abs() <= sx && x.z >= 0.0 && x.z <= top {
                add(t, Vec3::Y * sign);
            }
        }
    }
    best
}

/// Height of the surface along a border at coordinate `x`.
fn profile(x: f64, half: f64, count: usize, height: impl Fn(usize) -> f64) -> f64 {
    let s = (x + half) / (2.0 * half) * (count - 1) as f64;
    let k = (s.floor().max(0.0) as usize).min(count - 2);
    let f = s - k as f64;
    height(k) * (1.0 - f) + height(k + 1) * f
}
