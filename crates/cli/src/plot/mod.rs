//! Plots of recorded quantities: panels of curves, one below the other.

mod panel;
mod published;
mod quantity;

pub use published::Mark;
use published::Published;
pub use quantity::{Axis, Panel, parse};

use crate::draw::canvas::{Anchor, Canvas, INK};
use crate::draw::raster;
use anyhow::{Result, bail};
use saltus::store::table::Array;
use std::path::Path;

const WIDTH: f64 = 1100.0;
const TITLE_HEIGHT: f64 = 40.0;

/// File format of a picture, selected by the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Svg,
    Png,
}

impl Format {
    pub fn of(path: &Path) -> Result<Self> {
        match path.extension().unwrap_or_default().to_string_lossy().to_lowercase().as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            ending => bail!("{}: unknown extension {ending:?}; use .svg or .png", path.display()),
        }
    }

    /// Encodes a picture in this format.
    pub fn encode(self, canvas: &Canvas) -> Result<Vec<u8>> {
        match self {
            Self::Svg => Ok(canvas.to_svg().into_bytes()),
            Self::Png => raster::png(canvas),
        }
    }
}

/// Draws the panels and encodes the picture.
pub fn draw(arrays: &[Array], panels: &[Panel], title: &str, format: Format) -> Result<Vec<u8>> {
    let mut canvas = Canvas::new(WIDTH, TITLE_HEIGHT + panel::HEIGHT * panels.len() as f64);
    canvas.text([16.0, 22.0], 17.0, Anchor::Start, INK, title);
    for (k, panel) in panels.iter().enumerate() {
        panel::draw(&mut canvas, TITLE_HEIGHT + panel::HEIGHT * k as f64, arrays, panel)?;
    }
    format.encode(&canvas)
}
