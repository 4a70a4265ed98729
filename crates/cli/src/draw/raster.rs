//! PNG output of a canvas. It is drawn enlarged by `plotters` and then averaged, for smooth edges.
//! This is the only place that uses `plotters`. Text uses a font in the binary, so that pictures do
//! not depend on the fonts of the machine.

use super::canvas::{Anchor, Canvas, Colour, Point, Shape};
use anyhow::{Context, Result, anyhow, ensure};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};
use std::sync::OnceLock;

/// Pixels of the PNG per unit of the canvas, and pixels of the enlarged drawing per pixel of the
/// PNG.
const SCALE: f64 = 1.5;
const FINER: u32 = 2;
/// Ratio of line height to font size. `plotters` takes the line height as the size of a font and
/// centres the line including its descenders.
const LINE_HEIGHT: f64 = 1.164;
const BASELINE: f64 = 0.1;
/// Maximum number of pixels along one side.
const MAX_SIDE: u32 = 20_000;

pub fn png(canvas: &Canvas) -> Result<Vec<u8>> {
    load_font()?;
    let side = |length: f64| (length * SCALE).ceil().max(1.0) as u32;
    let (width, height) = (side(canvas.width), side(canvas.height));
    ensure!(width.max(height) <= MAX_SIDE / FINER, "the picture would have {width} × {height} pixels");
    let large = (width * FINER, height * FINER);
    let mut pixels = vec![255; large.0 as usize * large.1 as usize * 3];
    let root = BitMapBackend::with_buffer(&mut pixels, large).into_drawing_area();
    for shape in &canvas.shapes {
        draw(&root, shape, SCALE * f64::from(FINER)).map_err(|e| anyhow!("{e}"))?;
    }
    root.present().map_err(|e| anyhow!("{e}"))?;
    drop(root);
    png_file(&averaged(&pixels, (width, height)), (width, height))
}

type Area<'a> = DrawingArea<BitMapBackend<'a>, plotters::coord::Shift>;

fn draw(root: &Area<'_>, shape: &Shape, scale: f64) -> Result<(), Box<dyn std::error::Error>> {
    let place = |p: &Point| ((p[0] * scale).round() as i32, (p[1] * scale).round() as i32);
    let rgb = |c: Colour| RGBColor(c.0, c.1, c.2);
    match shape {
        Shape::Polygon { points, fill, edge } => {
            let mut corners: Vec<(i32, i32)> = points.iter().map(place).collect();
            root.draw(&Polygon::new(corners.clone(), rgb(*fill).filled()))?;
            if let Some(edge) = edge {
                corners.extend(corners.first().copied());
                root.draw(&PathElement::new(corners, rgb(*edge).stroke_width(scale.round() as u32)))?;
            }
        }
        Shape::Line { points, width, colour } => {
            // Drawn segment by segment with round joins; a single path would have spikes at sharp
            // bends.
            let (width, colour) = ((width * scale).round().max(1.0) as u32, rgb(*colour));
            for ends in points.windows(2) {
                root.draw(&PathElement::new([place(&ends[0]), place(&ends[1])], colour.stroke_width(width)))?;
            }
            for joint in &points[1..points.len() - 1] {
                root.draw(&Circle::new(place(joint), width / 2, colour.filled()))?;
            }
        }
        Shape::Text { at, size, anchor, colour, text } => {
            let side = match anchor {
                Anchor::Start => HPos::Left,
                Anchor::Middle => HPos::Center,
                Anchor::End => HPos::Right,
            };
            let at = [at[0], at[1] + BASELINE * size];
            let style = ("sans-serif", LINE_HEIGHT * size * scale)
                .into_font()
                .color(&rgb(*colour))
                .pos(Pos::new(side, VPos::Center));
            root.draw(&Text::new(text.clone(), place(&at), style))?;
        }
    }
    Ok(())
}

/// The mean of each block of pixels.
fn averaged(pixels: &[u8], (width, height): (u32, u32)) -> Vec<u8> {
    let (finer, row) = (FINER as usize, (width * FINER) as usize * 3);
    let mut small = Vec::with_capacity(width as usize * height as usize * 3);
    for y in 0..height as usize {
        for x in 0..width as usize {
            for channel in 0..3 {
                let block = (0..finer * finer).map(|k| {
                    let (dx, dy) = (k % finer, k / finer);
                    u32::from(pixels[(y * finer + dy) * row + (x * finer + dx) * 3 + channel])
                });
                small.push((block.sum::<u32>() / (FINER * FINER)) as u8);
            }
        }
    }
    small
}

fn load_font() -> Result<()> {
    static LOADED: OnceLock<bool> = OnceLock::new();
    let load = || register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular()).is_ok();
    if *LOADED.get_or_init(load) { Ok(()) } else { Err(anyhow!("the built-in font cannot be read")) }
}

/// A PNG file of three bytes per pixel, rows from the top.
pub fn png_file(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().context("cannot write the picture")?;
    writer.write_image_data(pixels).context("cannot write the picture")?;
    writer.finish().context("cannot write the picture")?;
    Ok(file)
}
