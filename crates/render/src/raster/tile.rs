//! The samples of one tile: the nearest triangle of each.

use super::{NOTHING, Projected};

/// Width and height of a tile, pixels.
pub const TILE: usize = 32;
/// Samples that are computed at once.
const LANES: usize = 8;
/// Places of the samples of a pixel: one in its centre, or four on a rotated grid.
const ONE: [[f32; 2]; 1] = [[0.5, 0.5]];
const FOUR: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// Nearness and triangle of each sample, `S` for a pixel (1 or 4), row by row.
#[derive(Clone, Debug)]
pub struct Tile<const S: usize> {
    pub nearness: Vec<f32>,
    pub id: Vec<u32>,
    /// Upper left corner in the picture.
    corner: [f64; 2],
}

/// A triangle as the samples of a tile see it.
struct Local {
    /// Values at the corner of the tile, derivatives by x and by y, of the edge functions and of
    /// the nearness.
    at: [f32; 4],
    by_x: [f32; 4],
    by_y: [f32; 4],
    /// The least value of each edge function that is inside.
    least: [f32; 3],
}

impl<const S: usize> Default for Tile<S> {
    fn default() -> Self {
        Self { nearness: vec![0.0; TILE * TILE * S], id: vec![NOTHING; TILE * TILE * S], corner: [0.0; 2] }
    }
}

impl<const S: usize> Tile<S> {
    pub const SAMPLES: [[f32; 2]; S] = {
        let mut places = [[0.5; 2]; S];
        let mut k = 0;
        while k < S {
            places[k] = if S == 1 { ONE[0] } else { FOUR[k % 4] };
            k += 1;
        }
        places
    };

    /// Empties the tile and moves it to a place. `farthest` is the nearness of the background.
    pub fn start(&mut self, column: usize, row: usize, farthest: f32) {
        self.nearness.fill(farthest);
        self.id.fill(NOTHING);
        self.corner = [(column * TILE) as f64, (row * TILE) as f64];
    }

    /// Draws a triangle where it is nearer than what is there.
    #[inline]
    pub fn draw(&mut self, triangle: &Projected) {
        let Some([x0, x1, y0, y1]) = self.pixels(triangle) else { return };
        let local = self.local(triangle);
        let step = LANES / S;
        let mut offset = [[0.0f32; LANES]; 4];
        for (k, offset) in offset.iter_mut().enumerate() {
            for lane in 0..LANES {
                let [x, y] = Self::SAMPLES[lane % S];
                offset[lane] = local.by_x[k] * ((lane / S) as f32 + x) + local.by_y[k] * y;
            }
        }
        for y in y0..=y1 {
            let row: [f32; 4] = core::array::from_fn(|k| local.at[k] + local.by_y[k] * y as f32);
            let mut x = x0 - x0 % step;
            while x <= x1 {
                let base: [f32; 4] = core::array::from_fn(|k| row[k] + local.by_x[k] * x as f32);
                let at = (y * TILE + x) * S;
                let nearness: &mut [f32; LANES] =
                    (&mut self.nearness[at..at + LANES]).try_into().unwrap_or_else(|_| unreachable!());
                let id: &mut [u32; LANES] =
                    (&mut self.id[at..at + LANES]).try_into().unwrap_or_else(|_| unreachable!());
                for lane in 0..LANES {
                    let near = base[3] + offset[3][lane];
                    let inside = (base[0] + offset[0][lane] >= local.least[0])
                        & (base[1] + offset[1][lane] >= local.least[1])
                        & (base[2] + offset[2][lane] >= local.least[2])
                        & (near > nearness[lane]);
                    nearness[lane] = if inside { near } else { nearness[lane] };
                    id[lane] = if inside { triangle.id } else { id[lane] };
                }
                x += step;
            }
        }
    }

    /// First and last pixel of the bounding box within the tile, along x and y.
    #[inline]
    fn pixels(&self, triangle: &Projected) -> Option<[usize; 4]> {
        let range = |k: usize| {
            let [a, b, c] = triangle.corner.map(|p| p[k]);
            let corner = self.corner[k] as f32;
            let (low, high) = (a.min(b).min(c) - corner, a.max(b).max(c) - corner);
            (high >= 0.0 && low < TILE as f32).then(|| (low.max(0.0) as usize, high.min(TILE as f32 - 1.0) as usize))
        };
        let ((x0, x1), (y0, y1)) = (range(0)?, range(1)?);
        Some([x0, x1, y0, y1])
    }

    /// Edge functions and nearness relative to the corner of the tile.
    ///
    /// An edge is computed from the smaller of its ends to the larger one, in both triangles that
    /// share it. Their values are then exactly opposite, and each sample belongs to one of them:
    /// where the value is zero, to the one that runs along the edge in this direction.
    #[inline]
    fn local(&self, triangle: &Projected) -> Local {
        let mut local = Local { at: [0.0; 4], by_x: [0.0; 4], by_y: [0.0; 4], least: [0.0; 3] };
        for k in 0..3 {
            let (a, b) = (triangle.corner[k], triangle.corner[(k + 1) % 3]);
            let turned = (b[0], b[1]) < (a[0], a[1]);
            let (from, to) = if turned { (b, a) } else { (a, b) };
            let [fx, fy, tx, ty] = [from[0], from[1], to[0], to[1]].map(f64::from);
            let (dx, dy) = (tx - fx, ty - fy);
            let at = dx * (self.corner[1] - fy) - dy * (self.corner[0] - fx);
            let sign = if turned { -1.0 } else { 1.0 };
            (local.at[k], local.by_x[k], local.by_y[k]) = (sign * at as f32, sign * -dy as f32, sign * dx as f32);
            local.least[k] = if turned { f32::MIN_POSITIVE } else { 0.0 };
        }
        let [near, by_x, by_y] = triangle.nearness;
        let [x, y] = triangle.corner[0];
        let at = f64::from(near)
            + f64::from(by_x) * (self.corner[0] - f64::from(x))
            + f64::from(by_y) * (self.corner[1] - f64::from(y));
        (local.at[3], local.by_x[3], local.by_y[3]) = (at as f32, by_x, by_y);
        local
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(corner: [[f32; 2]; 3], near: f32, id: u32) -> Projected {
        Projected { corner, nearness: [near, 0.0, 0.0], id }
    }

    /// A fan of triangles around a point covers a square: each sample once.
    #[test]
    fn shared_edges_have_no_gaps_and_no_overlaps() {
        for seed in 0..200 {
            let mut state = seed * 7919 + 13u64;
            let mut random = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                ((state >> 40) as f32) / (1u64 << 24) as f32
            };
            let middle = [8.0 + 16.0 * random(), 8.0 + 16.0 * random()];
            // Corners of the square, clockwise in pixels, with points between them.
            let mut rim =
                vec![[-1.0, -1.0], [10.0 * random(), -1.0], [33.0, -1.0], [33.0, 30.0 * random()], [33.0, 33.0]];
            rim.extend([[20.0 * random(), 33.0], [-1.0, 33.0], [-1.0, 25.0 * random()]]);
            let mut count = vec![0; TILE * TILE * 4];
            for k in 0..rim.len() {
                let mut tile = Tile::<4>::default();
                tile.start(0, 0, 0.0);
                tile.draw(&triangle([middle, rim[k], rim[(k + 1) % rim.len()]], 1.0, 7));
                tile.id.iter().zip(&mut count).for_each(|(id, n)| *n += i32::from(*id == 7));
            }
            assert!(count.iter().all(|n| *n == 1), "seed {seed}");
        }
    }

    #[test]
    fn the_nearest_is_seen() {
        let mut tile = Tile::<1>::default();
        tile.start(0, 0, 0.01);
        let whole = [[-5.0, -5.0], [100.0, -5.0], [-5.0, 100.0]];
        tile.draw(&triangle(whole, 0.5, 1));
        tile.draw(&triangle(whole, 0.25, 2));
        tile.draw(&triangle([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]], 0.75, 3));
        tile.draw(&triangle(whole, 0.001, 4));
        assert_eq!((tile.id[0], tile.id[TILE * TILE - 1]), (3, 1));
        assert_eq!(tile.id.iter().filter(|id| **id == 3).count(), 28);
    }
}
