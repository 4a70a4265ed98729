//! Which triangle is seen at each sample of the picture.
//!
//! Triangles are projected and sorted into square tiles in chunks of a fixed number, so that the
//! order in which a tile sees them, and with it every bit, is the same for any number of threads.

mod chunk;
mod clip;
mod tile;

pub use chunk::Chunk;
pub use tile::{TILE, Tile};

/// A projected triangle.
#[derive(Clone, Copy, Debug)]
pub struct Projected {
    /// Corners in pixels, clockwise in the picture (y down), so that edge functions are positive
    /// inside.
    pub corner: [[f32; 2]; 3],
    /// Nearness at the first corner, and its derivatives by x and y.
    pub nearness: [f32; 3],
    /// Number of the triangle among all of the frame.
    pub id: u32,
}

/// Number of a sample at which nothing is seen.
pub const NOTHING: u32 = u32::MAX;
