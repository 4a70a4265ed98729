//! Comma-separated text: one line per row, a header with the names of the columns.

use super::Array;
use crate::error::ensure;
use std::fmt::Write;

/// Columns are `name` for vectors and `name[i]` for matrices. Numbers are written with enough
/// digits to be read back exactly.
pub fn write(arrays: &[Array]) -> String {
    let mut header = Vec::new();
    for array in arrays {
        if array.is_vector() {
            header.push(array.name.clone());
        } else {
            header.extend((0..array.cols).map(|i| format!("{}[{i}]", array.name)));
        }
    }
    let mut text = header.join(",");
    text.push('\n');
    for row in 0..arrays.first().map_or(0, Array::rows) {
        let mut separator = "";
        for value in arrays.iter().flat_map(|a| a.row(row)) {
            // Writing to a String cannot fail.
            _ = write!(text, "{separator}{value}");
            separator = ",";
        }
        text.push('\n');
    }
    text
}

/// Reads numbers separated by commas. Lines that are empty or start with `#` are skipped; a first
/// line that is not all numbers is the header. Columns may be empty if there is a header.
pub fn read(text: &str) -> Result<Vec<Array>, String> {
    let mut columns: Vec<Array> = Vec::new();
    let lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    let mut first = true;
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if first {
            first = false;
            let is_header = fields.iter().any(|f| f.parse::<f64>().is_err());
            columns = fields.iter().map(|f| Array::vector(if is_header { f } else { "" })).collect();
            if is_header {
                continue;
            }
        }
        let (found, expected) = (fields.len(), columns.len());
        ensure(found == expected, || {
            format!("line {number} has {found} columns, expected {expected} as in the first line")
        })?;
        for (column, field) in columns.iter_mut().zip(fields) {
            let value = field.parse::<f64>();
            column.values.push(value.map_err(|_| format!("line {number}: expected a number, found {field:?}"))?);
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let mut time = Array::vector("time");
        time.values = vec![0.0, 0.1 + 0.2, 1e-300];
        let mut q = Array::matrix("q", 2);
        q.values = vec![1.0, -2.5, 1.0 / 3.0, 4e17, f64::MIN_POSITIVE, -0.0];
        let columns = read(&write(&[time.clone(), q.clone()])).unwrap();
        let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["time", "q[0]", "q[1]"]);
        assert_eq!(columns[0].values, time.values);
        assert_eq!(columns[1].values, q.column(0).collect::<Vec<_>>());
        assert_eq!(columns[2].values, q.column(1).collect::<Vec<_>>());
    }

    #[test]
    fn errors_name_the_line() {
        let message = |text: &str| read(text).unwrap_err();
        assert!(message("1,2\n3\n").contains("line 2 has 1 columns, expected 2"));
        assert!(message("a,b\n1,2\n\n3,x\n").contains("line 4: expected a number, found \"x\""));
    }
}
