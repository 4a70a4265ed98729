//! Height fields from files: PNG images and MuJoCo's binary format.

use std::io::Cursor;

/// Elevations as read, row by row from −y to +y; the compiler scales them to [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Rows of samples, along y.
    pub nrow: usize,
    /// Columns of samples, along x.
    pub ncol: usize,
    /// Heights, row by row.
    pub data: Vec<f32>,
}

/// The height field file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HfieldError {
    /// The PNG image cannot be decoded.
    #[error("cannot read the PNG image: {0}")]
    Png(String),
    /// The number of rows or columns is invalid.
    #[error("a height field needs at least 2 rows and 2 columns, found {nrow} and {ncol}")]
    Dimensions { nrow: i64, ncol: i64 },
    /// The size of the file does not match the number of rows and columns.
    #[error("{nrow} × {ncol} elevations require a file of {expected} bytes, found {found}")]
    Size { nrow: i64, ncol: i64, expected: u64, found: usize },
    /// The file is too short.
    #[error("a height field file starts with two 4-byte counts, but has only {0} bytes")]
    Short(usize),
    /// An elevation is not finite.
    #[error("the elevation at byte {0} is not finite")]
    NotFinite(usize),
}

/// Upper bound on the compression ratio of deflate.
const DEFLATE_RATIO: usize = 1100;
/// Maximum memory for decoding an image, bytes: a small file can declare a huge image.
const PNG_LIMIT: usize = 1 << 30;

/// Reads an image: the red channel as 8 bits, alpha ignored, the bottom row first.
pub fn read_png(bytes: &[u8]) -> Result<Grid, HfieldError> {
    let fault = |e: png::DecodingError| HfieldError::Png(e.to_string());
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: PNG_LIMIT });
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(fault)?;
    let (ncol, nrow) = reader.info().size();
    let dimensions = HfieldError::Dimensions { nrow: nrow.into(), ncol: ncol.into() };
    let (ncol, nrow) = (ncol as usize, nrow as usize);
    if ncol < 2 || nrow < 2 {
        return Err(dimensions);
    }
    let size = reader
        .output_buffer_size()
        .filter(|size| *size <= PNG_LIMIT)
        .ok_or_else(|| HfieldError::Png(format!("an image of {ncol} × {nrow} pixels is too large")))?;
    // Deflate cannot shrink data by more than this: a larger image is cut off, and nothing is
    // allocated for it.
    let packed = reader.info().raw_bytes();
    if packed > DEFLATE_RATIO * bytes.len() {
        let message = format!("{} bytes cannot hold an image of {ncol} × {nrow} pixels", bytes.len());
        return Err(HfieldError::Png(message));
    }
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(fault)?;
    let channels = frame.color_type.samples();
    let mut data = Vec::with_capacity(nrow * ncol);
    for row in pixels.chunks_exact(ncol * channels).take(nrow).rev() {
        data.extend(row.chunks_exact(channels).map(|pixel| f32::from(pixel[0])));
    }
    Ok(Grid { nrow, ncol, data })
}

/// Reads the binary format: rows and columns as 32-bit integers, then the elevations as 32-bit
/// floats, little-endian.
pub fn read_binary(bytes: &[u8]) -> Result<Grid, HfieldError> {
    let Some((header, body)) = bytes.split_at_checked(8) else {
        return Err(HfieldError::Short(bytes.len()));
    };
    let count = |at: usize| i32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (nrow, ncol) = (i64::from(count(0)), i64::from(count(4)));
    if nrow < 2 || ncol < 2 {
        return Err(HfieldError::Dimensions { nrow, ncol });
    }
    // Each count is below 2³¹, so this cannot overflow; nothing is allocated before it matches.
    let expected = 8 + 4 * (nrow as u64) * (ncol as u64);
    if expected != bytes.len() as u64 {
        return Err(HfieldError::Size { nrow, ncol, expected, found: bytes.len() });
    }
    let data: Vec<f32> = body.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    match data.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(HfieldError::NotFinite(8 + 4 * i)),
        None => Ok(Grid { nrow: nrow as usize, ncol: ncol as usize, data }),
    }
}
