//! Height field readers. Expected elevations were checked against the reference engine's
//! `hfield_data`.

use png::{BitDepth, ColorType};
use saltus_io::hfield::{HfieldError, read_binary, read_png};

/// A 3 × 2 image.
fn png(color: ColorType, depth: BitDepth, palette: Option<Vec<u8>>, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, 3, 2);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if let Some(palette) = palette {
        encoder.set_palette(palette);
    }
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    out
}

fn elevations(bytes: &[u8]) -> Vec<f32> {
    let grid = read_png(bytes).unwrap();
    assert_eq!((grid.nrow, grid.ncol), (2, 3));
    grid.data
}

#[test]
fn gray_images_are_read_bottom_row_first() {
    let expected = [150.0, 200.0, 255.0, 0.0, 50.0, 100.0];
    let gray = [0, 50, 100, 150, 200, 255];
    assert_eq!(elevations(&png(ColorType::Grayscale, BitDepth::Eight, None, &gray)), expected);
    let deep: Vec<u8> = gray.iter().flat_map(|b| [*b, 0xff]).collect();
    assert_eq!(elevations(&png(ColorType::Grayscale, BitDepth::Sixteen, None, &deep)), expected);
    let alpha: Vec<u8> = gray.iter().flat_map(|b| [*b, 7]).collect();
    assert_eq!(elevations(&png(ColorType::GrayscaleAlpha, BitDepth::Eight, None, &alpha)), expected);
    let nibbles = png(ColorType::Grayscale, BitDepth::Four, None, &[0x05, 0xa0, 0xf1, 0x20]);
    assert_eq!(elevations(&nibbles), [255.0, 17.0, 34.0, 0.0, 85.0, 170.0]);
}

#[test]
fn color_images_give_their_red_channel() {
    let rgb = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 200, 30, 255, 255, 255];
    let expected = [0.0, 10.0, 255.0, 0.0, 255.0, 0.0];
    assert_eq!(elevations(&png(ColorType::Rgb, BitDepth::Eight, None, &rgb)), expected);
    let rgba: Vec<u8> = rgb.chunks(3).flat_map(|p| [p[0], p[1], p[2], 9]).collect();
    assert_eq!(elevations(&png(ColorType::Rgba, BitDepth::Eight, None, &rgba)), expected);
    let indexed = png(ColorType::Indexed, BitDepth::Eight, Some(rgb.to_vec()), &[0, 1, 2, 3, 4, 5]);
    assert_eq!(elevations(&indexed), expected);
    let deep: Vec<u8> = rgb.iter().flat_map(|b| [*b, *b]).collect();
    assert_eq!(elevations(&png(ColorType::Rgb, BitDepth::Sixteen, None, &deep)), expected);
}

#[test]
fn broken_images_are_errors() {
    let good = png(ColorType::Grayscale, BitDepth::Eight, None, &[0, 50, 100, 150, 200, 255]);
    assert!(matches!(read_png(b"hello"), Err(HfieldError::Png(_))));
    for end in 0..good.len() - 12 {
        assert!(read_png(&good[..end]).is_err(), "cut at {end}");
    }
    let mut row = Vec::new();
    let mut encoder = png::Encoder::new(&mut row, 3, 1);
    encoder.set_color(ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[1, 2, 3]).unwrap();
    assert_eq!(read_png(&row), Err(HfieldError::Dimensions { nrow: 1, ncol: 3 }));
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut flipped = good.clone();
            flipped[at] ^= 1 << bit;
            let _ = read_png(&flipped);
        }
    }
}

#[test]
fn images_that_declare_more_than_a_gibibyte_are_refused() {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, 60_000, 60_000);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Sixteen);
    drop(encoder.write_header());
    assert!(matches!(read_png(&out), Err(HfieldError::Png(_))));
}

fn binary(nrow: i32, ncol: i32, data: &[f32]) -> Vec<u8> {
    let mut out = [nrow.to_le_bytes(), ncol.to_le_bytes()].concat();
    out.extend(data.iter().flat_map(|x| x.to_le_bytes()));
    out
}

#[test]
fn binary_files_keep_their_order_and_values() {
    let data = [-1.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let grid = read_binary(&binary(2, 3, &data)).unwrap();
    assert_eq!((grid.nrow, grid.ncol, grid.data.as_slice()), (2, 3, data.as_slice()));
}

#[test]
fn binary_errors_say_what_was_expected() {
    let data = [0.0; 6];
    assert_eq!(read_binary(&[0; 7]), Err(HfieldError::Short(7)));
    assert_eq!(read_binary(&binary(-2, -3, &data)), Err(HfieldError::Dimensions { nrow: -2, ncol: -3 }));
    let huge = read_binary(&binary(i32::MAX, i32::MAX, &data)).unwrap_err();
    assert!(matches!(huge, HfieldError::Size { found: 32, .. }));
    assert_eq!(
        read_binary(&binary(2, 4, &data)).unwrap_err().to_string(),
        "2 × 4 elevations require a file of 40 bytes, found 32"
    );
    assert_eq!(read_binary(&binary(2, 3, &[0., 1., f32::NAN, 0., 0., 0.])), Err(HfieldError::NotFinite(16)));
}
