//! A fixed number of triangles, projected and sorted into the tiles of the picture.

use super::{Projected, TILE, clip};
use crate::eye::Eye;
use crate::vector::V3;

/// Triangles of a chunk, and for each tile those that may be seen in it. The memory is used again
/// in the next frame.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    triangles: Vec<Projected>,
    /// For each tile, the index of its first entry in `entries`; one more at the end.
    first: Vec<u32>,
    entries: Vec<u32>,
}

impl Chunk {
    pub fn clear(&mut self) {
        self.triangles.clear();
    }

    /// Adds a triangle in camera coordinates.
    #[inline]
    pub fn add(&mut self, eye: &Eye, corners: [V3; 3], both: bool, id: u32) {
        clip::project(eye, corners, both, id, &mut self.triangles);
    }

    /// Sorts the triangles into tiles; within a tile they keep their order.
    pub fn sort(&mut self, eye: &Eye) {
        let (columns, rows) = (eye.width.div_ceil(TILE), eye.height.div_ceil(TILE));
        self.first.clear();
        self.first.resize(columns * rows + 1, 0);
        let each = |triangle: &Projected, f: &mut dyn FnMut(usize)| {
            let Some([x0, x1, y0, y1]) = tiles(triangle, eye) else { return };
            (y0..=y1).for_each(|y| (x0..=x1).for_each(|x| f(y * columns + x)));
        };
        for triangle in &self.triangles {
            each(triangle, &mut |tile| self.first[tile + 1] += 1);
        }
        for tile in 0..columns * rows {
            self.first[tile + 1] += self.first[tile];
        }
        self.entries.clear();
        self.entries.resize(self.first[columns * rows] as usize, 0);
        // Filled from the end, so that `first` ends as it was.
        for (k, triangle) in self.triangles.iter().enumerate().rev() {
            each(triangle, &mut |tile| {
                self.first[tile + 1] -= 1;
                self.entries[self.first[tile + 1] as usize] = k as u32;
            });
        }
        // Now `first[tile + 1]` is where the entries of the tile begin.
        self.first.remove(0);
        self.first.push(self.entries.len() as u32);
    }

    /// The triangles that may be seen in a tile.
    pub fn of_tile(&self, tile: usize) -> impl Iterator<Item = &Projected> {
        let (from, to) = (self.first[tile] as usize, self.first[tile + 1] as usize);
        self.entries[from..to].iter().map(|&k| &self.triangles[k as usize])
    }
}

/// Columns and rows of the first and the last tile that the bounding box of a triangle touches.
fn tiles(triangle: &Projected, eye: &Eye) -> Option<[usize; 4]> {
    let range = |k: usize, size: usize| {
        let [a, b, c] = triangle.corner.map(|p| p[k]);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        (high >= 0.0 && low < size as f32)
            .then(|| (low.max(0.0) as usize / TILE, (high.min(size as f32 - 1.0) as usize) / TILE))
    };
    let ((x0, x1), (y0, y1)) = (range(0, eye.width)?, range(1, eye.height)?);
    Some([x0, x1, y0, y1])
}
