//! Numbers over time: named arrays with one row per sample, as CSV text or numpy's npz.

mod csv;
mod npz;

use crate::error::StoreError;
use crate::file::{self, MAX_BYTES};
use std::path::Path;

/// Maximum size of the numbers in a table: 1 GiB.
pub const MAX_NUMBERS: usize = MAX_BYTES / 8;

/// One quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Numbers per row.
    pub cols: usize,
    /// Dimensions of a row in numpy: none for a vector, one for a matrix; their product is `cols`.
    pub row_shape: Vec<usize>,
    /// Whether the values are integers, which numpy can use as indices.
    pub is_integer: bool,
    /// Values in row-major order.
    pub values: Vec<f64>,
}

impl Array {
    /// An array with one number per row.
    pub fn vector(name: &str) -> Self {
        Self { name: name.to_owned(), cols: 1, row_shape: Vec::new(), is_integer: false, values: Vec::new() }
    }
    /// An array with `cols` numbers per row.
    pub fn matrix(name: &str, cols: usize) -> Self {
        Self { cols, row_shape: vec![cols], ..Self::vector(name) }
    }
    /// An array with a matrix per row.
    pub fn tensor(name: &str, row_shape: [usize; 2]) -> Self {
        Self { cols: row_shape[0] * row_shape[1], row_shape: row_shape.to_vec(), ..Self::vector(name) }
    }
    /// An array with one integer per row.
    pub fn indices(name: &str, values: impl Iterator<Item = usize>) -> Self {
        Self { is_integer: true, values: values.map(|v| v as f64).collect(), ..Self::vector(name) }
    }
    /// Whether rows are single numbers.
    pub fn is_vector(&self) -> bool {
        self.row_shape.is_empty()
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.cols).unwrap_or(0)
    }
    /// The numbers of a row; none if there is no such row.
    pub fn row(&self, row: usize) -> &[f64] {
        self.values.get(row * self.cols..(row + 1) * self.cols).unwrap_or_default()
    }
    /// The values of one column.
    pub fn column(&self, col: usize) -> impl Iterator<Item = f64> {
        self.values.iter().skip(col).step_by(self.cols.max(1)).copied()
    }
}

/// Format of a table file, selected by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated text.
    Csv,
    /// numpy's archive of arrays.
    Npz,
}

impl Format {
    /// The format of a file.
    pub fn of(path: &Path) -> Result<Self, StoreError> {
        match path.extension().unwrap_or_default().to_string_lossy().to_lowercase().as_str() {
            "csv" => Ok(Self::Csv),
            "npz" => Ok(Self::Npz),
            ending => Err(StoreError::content(path, format!("unknown extension {ending:?}; use .csv or .npz"))),
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

/// Reads a table file. Columns of CSV come as one vector each, named by the header or unnamed. A
/// file without any number is an error.
pub fn read(path: &Path) -> Result<Vec<Array>, StoreError> {
    let arrays = read_any(path)?;
    if arrays.iter().all(|array| array.values.is_empty()) {
        return Err(StoreError::content(path, "there are no numbers in the file"));
    }
    Ok(arrays)
}

/// As [`read`], for a file that may contain no numbers.
pub fn read_any(path: &Path) -> Result<Vec<Array>, StoreError> {
    let arrays = match Format::of(path)? {
        Format::Csv => csv::read(&file::read_text(path)?),
        Format::Npz => npz::read(&file::read(path)?),
    };
    arrays.map_err(StoreError::in_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_numbers_are_errors() {
        let path = std::env::temp_dir().join(format!("saltus-table-{}.csv", std::process::id()));
        std::fs::write(&path, "a,b\n# nothing\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("no numbers"));
        assert_eq!(read_any(&path).unwrap(), [Array::vector("a"), Array::vector("b")]);
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path).unwrap_err().to_string().starts_with("cannot read "));
    }
}
