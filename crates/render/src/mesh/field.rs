//! Height fields: the surface, the four sides and the underside.

use super::{Mesh, asset::smooth};
use crate::vector::V3;
use saltus_sim::Model;

/// The triangles of height field `id` of the model, in the frame of its geom.
pub fn field_of(model: &Model, id: usize) -> Mesh {
    let fields = &model.hfields;
    let (rows, columns) = (fields.nrow[id] as usize, fields.ncol[id] as usize);
    let [x, y, height, depth] = fields.size[id].map(|s| s as f32);
    let start = fields.start[id] as usize;
    let share = |k: usize, n: usize| 2.0 * k as f32 / (n - 1) as f32 - 1.0;
    let mut position: Vec<V3> = Vec::new();
    for r in 0..rows {
        for c in 0..columns {
            position.push([x * share(c, columns), y * share(r, rows), height * fields.data[start + r * columns + c]]);
        }
    }
    let mut triangle = Vec::new();
    let at = |r: usize, c: usize| (r * columns + c) as u32;
    for r in 0..rows - 1 {
        for c in 0..columns - 1 {
            let [a, b, d, e] = [at(r, c), at(r, c + 1), at(r + 1, c), at(r + 1, c + 1)];
            triangle.extend([[a, b, e], [a, e, d]]);
        }
    }
    // The sides: the rim, counter-clockwise from above, and the same below.
    let rim: Vec<u32> = (0..columns)
        .map(|c| at(0, c))
        .chain((1..rows).map(|r| at(r, columns - 1)))
        .chain((0..columns - 1).rev().map(|c| at(rows - 1, c)))
        .chain((1..rows - 1).rev().map(|r| at(r, 0)))
        .collect();
    let below = position.len() as u32;
    for &v in &rim {
        let [px, py, _] = position[v as usize];
        position.push([px, py, -depth]);
    }
    for k in 0..rim.len() {
        let next = (k + 1) % rim.len();
        let (a, b, c, d) = (rim[k], rim[next], below + k as u32, below + next as u32);
        triangle.extend([[a, c, b], [b, c, d]]);
    }
    for k in 1..rim.len() as u32 - 1 {
        triangle.push([below, below + k + 1, below + k]);
    }
    smooth(&position, &triangle)
}
