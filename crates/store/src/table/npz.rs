//! numpy's npz: a zip archive of npy arrays. Written uncompressed; read uncompressed or deflated.

use super::{Array, MAX_NUMBERS};
use crate::error::ensure;
use std::borrow::Cow;
use std::io::Read;

const LOCAL_HEADER: u32 = 0x0403_4b50;
const CENTRAL_HEADER: u32 = 0x0201_4b50;
const END_OF_DIRECTORY: u32 = 0x0605_4b50;
/// 1 January 1980, the earliest date of zip archives, so that the same contents give the same
/// bytes.
const DATE: u16 = 0x21;

pub fn write(arrays: &[Array]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for array in arrays {
        let (name, contents) = (format!("{}.npy", array.name), npy(array));
        let offset = file.len() as u32;
        let mut common = Vec::new();
        // Version needed, flags, method (stored), time.
        put16(&mut common, &[20, 0, 0, 0, DATE]);
        put32(&mut common, &[crc32fast::hash(&contents), contents.len() as u32, contents.len() as u32]);
        put16(&mut common, &[name.len() as u16, 0]);
        put32(&mut file, &[LOCAL_HEADER]);
        file.extend_from_slice(&common);
        file.extend_from_slice(name.as_bytes());
        file.extend_from_slice(&contents);
        put32(&mut directory, &[CENTRAL_HEADER]);
        put16(&mut directory, &[20]);
        directory.extend_from_slice(&common);
        // Comment, disk, internal attributes; external attributes and where the file starts.
        put16(&mut directory, &[0, 0, 0]);
        put32(&mut directory, &[0, offset]);
        directory.extend_from_slice(name.as_bytes());
    }
    let (start, count) = (file.len() as u32, arrays.len() as u16);
    file.extend_from_slice(&directory);
    put32(&mut file, &[END_OF_DIRECTORY]);
    put16(&mut file, &[0, 0, count, count]);
    put32(&mut file, &[directory.len() as u32, start]);
    put16(&mut file, &[0]);
    file
}

fn put16(out: &mut Vec<u8>, values: &[u16]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}
fn put32(out: &mut Vec<u8>, values: &[u32]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}

/// An array in numpy's own format, version 1.
fn npy(array: &Array) -> Vec<u8> {
    let descr = if array.is_integer { "<i8" } else { "<f8" };
    let inner: Vec<String> = array.row_shape.iter().map(usize::to_string).collect();
    let shape = format!("({}, {})", array.rows(), inner.join(", "));
    let shape = shape.replace(", )", ",)");
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // Numbers start at a multiple of 64 bytes, after 10 bytes before the header and a line break
    // behind it.
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    put16(&mut out, &[header.len() as u16]);
    out.extend_from_slice(header.as_bytes());
    if array.is_integer {
        out.extend(array.values.iter().flat_map(|v| (*v as i64).to_le_bytes()));
    } else {
        out.extend(array.values.iter().flat_map(|v| v.to_le_bytes()));
    }
    out
}

/// The arrays of an archive, in total at most 1 GiB.
pub fn read(file: &[u8]) -> Result<Vec<Array>, String> {
    let tail = file.len().saturating_sub(22 + 0xffff);
    let end = (tail..file.len().saturating_sub(21))
        .rev()
        .find(|&at| u32_at(file, at) == Some(END_OF_DIRECTORY))
        .ok_or("expected a zip archive (npz), found no directory of files in it")?;
    let count = u16_at(file, end + 10).unwrap_or(0);
    let mut at = u32_at(file, end + 16).unwrap_or(0) as usize;
    let mut room = 8 * MAX_NUMBERS;
    let mut arrays = Vec::new();
    for _ in 0..count {
        let entry = Entry::read(file, at)?;
        at = entry.next;
        let array = entry.array(&mut room).map_err(|message| format!("array {:?}: {message}", entry.name))?;
        arrays.push(array);
    }
    Ok(arrays)
}

/// An entry in the directory of an archive.
struct Entry<'a> {
    name: String,
    /// How the data are compressed.
    method: usize,
    /// Checksum and length of the contents.
    checksum: usize,
    length: usize,
    data: &'a [u8],
    /// Where the next entry is.
    next: usize,
}

impl<'a> Entry<'a> {
    fn read(file: &'a [u8], at: usize) -> Result<Self, String> {
        let broken = "the directory of the archive is broken";
        ensure(u32_at(file, at) == Some(CENTRAL_HEADER), || broken.to_owned())?;
        let short = |offset: usize| u16_at(file, at + offset).map(usize::from).ok_or(broken);
        let long = |offset: usize| u32_at(file, at + offset).map(|x| x as usize).ok_or(broken);
        let (method, checksum, packed, length, local) = (short(10)?, long(16)?, long(20)?, long(24)?, long(42)?);
        let (name_len, extra, comment) = (short(28)?, short(30)?, short(32)?);
        let name = file.get(at + 46..at + 46 + name_len).ok_or(broken)?;
        let name = String::from_utf8_lossy(name).trim_end_matches(".npy").to_owned();
        let local_len = |offset: usize| u16_at(file, local + offset).map(usize::from).ok_or(broken);
        let start = local + 30 + local_len(26)? + local_len(28)?;
        let data = file.get(start..start.saturating_add(packed)).ok_or(broken)?;
        Ok(Self { name, method, checksum, length, data, next: at + 46 + name_len + extra + comment })
    }

    /// The array in this entry. Its size is subtracted from the remaining `room`.
    fn array(&self, room: &mut usize) -> Result<Array, String> {
        *room = room.checked_sub(self.length).ok_or("the arrays are larger than 1 GiB")?;
        let contents = match self.method {
            0 => Cow::Borrowed(self.data),
            8 => {
                let mut contents = Vec::new();
                let mut unpacked = flate2::read::DeflateDecoder::new(self.data).take(self.length as u64);
                unpacked.read_to_end(&mut contents).map_err(|e| e.to_string())?;
                Cow::Owned(contents)
            }
            method => return Err(format!("it is compressed by method {method}; expected none or deflate")),
        };
        ensure(crc32fast::hash(&contents) as usize == self.checksum, || {
            "it is damaged: its checksum does not match".to_owned()
        })?;
        parse_npy(&contents, &self.name)
    }
}

fn parse_npy(bytes: &[u8], name: &str) -> Result<Array, String> {
    ensure(bytes.starts_with(b"\x93NUMPY"), || "expected numpy's format (npy)".to_owned())?;
    let (start, len) = match bytes.get(6) {
        Some(1) => (10, u16_at(bytes, 8).map(usize::from)),
        _ => (12, u32_at(bytes, 8).map(|x| x as usize)),
    };
    let cut_off = "the header is cut off";
    let body = start + len.ok_or(cut_off)?;
    let header = bytes.get(start..body).ok_or(cut_off)?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is not text")?;
    let after = |key: &str| {
        header.split_once(key).map(|(_, rest)| rest).ok_or_else(|| format!("there is no {key} in the header"))
    };
    let descr = after("'descr':")?.trim_start().trim_start_matches('\'');
    let descr = descr.split('\'').next().unwrap_or_default();
    let by_columns = after("'fortran_order':")?.trim_start().starts_with("True");
    let shape = after("'shape':")?.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(s, _)| s);
    let dims: Vec<usize> = shape.split(',').filter_map(|d| d.trim().parse().ok()).collect();
    let (&rows, row_shape) = match dims.as_slice() {
        [rows, inner @ ..] if inner.len() <= 2 => (rows, inner),
        _ => return Err(format!("expected one to three dimensions, found shape ({shape})")),
    };
    let too_large = "the array is larger than 1 GiB";
    let cols = row_shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).ok_or(too_large)?;
    let total = rows.checked_mul(cols).filter(|&n| n <= MAX_NUMBERS).ok_or(too_large)?;
    let mut values = numbers(descr, &bytes[body..])?;
    ensure(values.len() == total, || format!("expected {total} numbers of shape ({shape}), found {}", values.len()))?;
    if by_columns && !row_shape.is_empty() {
        ensure(row_shape.len() == 1, || {
            "arrays with three dimensions must be in C order, found Fortran order".to_owned()
        })?;
        values = (0..total).map(|k| values[(k % cols) * rows + k / cols]).collect();
    }
    let is_integer = descr.contains('i');
    Ok(Array { name: name.to_owned(), cols, row_shape: row_shape.to_vec(), is_integer, values })
}

fn numbers(descr: &str, bytes: &[u8]) -> Result<Vec<f64>, String> {
    fn each<const N: usize>(bytes: &[u8], f: impl Fn([u8; N]) -> f64) -> Vec<f64> {
        bytes.chunks_exact(N).filter_map(|c| c.try_into().ok().map(&f)).collect()
    }
    Ok(match descr {
        "<f8" => each(bytes, f64::from_le_bytes),
        "<f4" => each(bytes, |b| f64::from(f32::from_le_bytes(b))),
        "<i8" => each(bytes, |b| i64::from_le_bytes(b) as f64),
        "<i4" => each(bytes, |b| f64::from(i32::from_le_bytes(b))),
        _ => return Err(format!("numbers of type {descr:?} are not supported; expected <f8, <f4, <i8 or <i4")),
    })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Array> {
        let mut time = Array::vector("time");
        time.values = vec![0.0, 0.5, 1.0];
        let mut q = Array::matrix("q", 2);
        q.values = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.5];
        let mut gains = Array::tensor("gains", [2, 2]);
        gains.values = (0..8).map(f64::from).collect();
        vec![time, q, gains, Array::indices("step", [3, 1, 4].into_iter())]
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        assert_eq!(read(&write(&sample())).unwrap(), sample());
    }

    #[test]
    fn broken_archives_are_errors() {
        let whole = write(&sample());
        for cut in 0..whole.len() {
            assert!(read(&whole[..cut]).is_err(), "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            // Whatever it gives, it must not panic.
            _ = read(&changed);
        }
    }
}
