//! Numbers over time: named arrays with one row per sample, as CSV text or numpy's npz.

mod csv;
mod npz;

use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// Largest amount of numbers that a table may hold: 1 GiB.
pub const MAX_NUMBERS: usize = 1 << 27;

/// One quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub name: String,
    /// Numbers per row.
    pub cols: usize,
    /// Dimensions of a row in numpy: none for a vector, one for a matrix; their product is `cols`.
    pub row_shape: Vec<usize>,
    /// Whole numbers, which numpy can index with.
    pub is_integer: bool,
    pub values: Vec<f64>,
}

impl Array {
    /// One number per row.
    pub fn vector(name: &str) -> Self {
        Self { name: name.to_owned(), cols: 1, row_shape: Vec::new(), is_integer: false, values: Vec::new() }
    }
    /// `cols` numbers per row.
    pub fn matrix(name: &str, cols: usize) -> Self {
        Self { cols, row_shape: vec![cols], ..Self::vector(name) }
    }
    /// A matrix per row.
    pub fn tensor(name: &str, row_shape: [usize; 2]) -> Self {
        Self { cols: row_shape[0] * row_shape[1], row_shape: row_shape.to_vec(), ..Self::vector(name) }
    }
    /// One whole number per row.
    pub fn indices(name: &str, values: impl Iterator<Item = usize>) -> Self {
        Self { is_integer: true, values: values.map(|v| v as f64).collect(), ..Self::vector(name) }
    }
    pub fn is_vector(&self) -> bool {
        self.row_shape.is_empty()
    }
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.cols).unwrap_or(0)
    }
    pub fn row(&self, row: usize) -> &[f64] {
        self.values.get(row * self.cols..(row + 1) * self.cols).unwrap_or_default()
    }
    /// One column from top to bottom.
    pub fn column(&self, col: usize) -> impl Iterator<Item = f64> {
        self.values.iter().skip(col).step_by(self.cols.max(1)).copied()
    }
}

/// Format of a table file, by the ending of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Npz,
}

impl Format {
    pub fn of(path: &Path) -> Result<Self> {
        match path.extension().unwrap_or_default().to_string_lossy().to_lowercase().as_str() {
            "csv" => Ok(Self::Csv),
            "npz" => Ok(Self::Npz),
            ending => bail!("{}: unknown ending {ending:?}; use .csv or .npz", path.display()),
        }
    }
}

/// The contents of a table file.
pub fn encode(arrays: &[Array], format: Format) -> Vec<u8> {
    match format {
        Format::Csv => csv::write(arrays).into_bytes(),
        Format::Npz => npz::write(arrays),
    }
}

/// Reads a table file. Columns of CSV come as one vector each, named by the header or unnamed.
pub fn read(path: &Path) -> Result<Vec<Array>> {
    let format = Format::of(path)?;
    let read = || -> Result<Vec<Array>> {
        let bytes = std::fs::read(path)?;
        ensure!(bytes.len() <= 8 * MAX_NUMBERS, "the file is larger than 1 GiB");
        match format {
            Format::Csv => csv::read(std::str::from_utf8(&bytes).context("expected text in UTF-8")?),
            Format::Npz => npz::read(&bytes),
        }
    };
    read().with_context(|| path.display().to_string())
}
