//! Plots of recorded quantities over time. The only place that uses `plotters`; its text comes from a font in the
//! binary, so that pictures are the same on machines without fonts.

mod panel;
mod quantity;
pub mod raster;

pub use quantity::{Axis, Panel, parse};

use crate::table::Array;
use anyhow::{Context, Result, anyhow, bail};
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::path::Path;
use std::sync::OnceLock;

const WIDTH: u32 = 1100;
const PANEL_HEIGHT: u32 = 260;
const TITLE_HEIGHT: u32 = 40;
/// `plotters` knows whole coordinates only, so pictures are drawn larger than these sizes.
const SVG_SCALE: u32 = 8;
const PNG_SCALE: u32 = 2;

/// Kind of picture, by the ending of its name.
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
            ending => bail!("{}: unknown ending {ending:?}; use .svg or .png", path.display()),
        }
    }
}

/// The picture: one panel below the other.
pub fn draw(arrays: &[Array], panels: &[Panel], title: &str, format: Format) -> Result<Vec<u8>> {
    load_font()?;
    let (width, height) = (WIDTH, TITLE_HEIGHT + PANEL_HEIGHT * panels.len() as u32);
    match format {
        Format::Svg => {
            let mut text = String::new();
            let size = (width * SVG_SCALE, height * SVG_SCALE);
            let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
            panel::draw_all(root, arrays, panels, title, SVG_SCALE)?;
            let (large, small) = (
                format!("width=\"{}\" height=\"{}\"", size.0, size.1),
                format!("width=\"{width}\" height=\"{height}\""),
            );
            Ok(text.replacen(&large, &small, 1).into_bytes())
        }
        Format::Png => {
            let size = (width * PNG_SCALE, height * PNG_SCALE);
            let mut pixels = vec![0; (size.0 * size.1 * 3) as usize];
            let root = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
            panel::draw_all(root, arrays, panels, title, PNG_SCALE)?;
            png_file(&pixels, size)
        }
    }
}

fn load_font() -> Result<()> {
    static LOADED: OnceLock<bool> = OnceLock::new();
    let load = || register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular()).is_ok();
    if *LOADED.get_or_init(load) { Ok(()) } else { Err(anyhow!("the built-in font cannot be read")) }
}

fn png_file(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().context("cannot write the picture")?;
    writer.write_image_data(pixels).context("cannot write the picture")?;
    writer.finish().context("cannot write the picture")?;
    Ok(file)
}
