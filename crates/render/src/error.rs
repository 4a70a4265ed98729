//! What can be wrong with a request for a picture.

/// Largest width and height of a picture, pixels.
pub const MOST: usize = 8192;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The size of the picture.
    #[error("a picture of {width} × {height} pixels cannot be made: expected 1 to {MOST} in both directions")]
    Size {
        /// Requested width.
        width: usize,
        /// Requested height.
        height: usize,
    },
    /// A pose that is not finite.
    #[error("the place of {0} is not finite: the simulation has diverged, or the state has NaN")]
    NotFinite(String),
    /// The camera.
    #[error("the camera is not valid: {0}")]
    Camera(&'static str),
}
