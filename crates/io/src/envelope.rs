//! The envelope of our binary files: it tells what a file is, and whether it is complete and
//! intact.
//!
//! Layout, little-endian: magic (8 bytes), format (u32), tag (`TAG` bytes with a meaning of the
//! file's own), payload length (u64), xxh3-64 of everything before and after it (u64), payload.

use xxhash_rust::xxh3::Xxh3;

/// What is the same in all files of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope<const TAG: usize> {
    /// The bytes that a file starts with.
    pub magic: [u8; 8],
    /// Version of the layout of the payload.
    pub format: u32,
}

/// A file that is opened: its tag and its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened<'a, const TAG: usize> {
    /// What the writer put beside the payload.
    pub tag: [u8; TAG],
    /// The contents.
    pub payload: &'a [u8],
}

/// A file that is not intact, or of another kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError<const TAG: usize> {
    /// The file is of another kind.
    #[error("the file does not start with its signature")]
    Foreign,
    /// The file ends too early.
    #[error("the file is truncated: expected {expected} bytes, found {found}")]
    Truncated {
        /// Length of the whole file, or of the header if not even that is there.
        expected: u64,
        /// Number of bytes that are there.
        found: usize,
    },
    /// The file goes on after its end, by this number of bytes.
    #[error("the file has {0} bytes after its end")]
    Trailing(u64),
    /// The file was written by another version.
    #[error("the file has format {found}; expected {expected}")]
    Format {
        /// Format of the file.
        found: u32,
        /// The format that is read.
        expected: u32,
        /// Tag of the file.
        tag: [u8; TAG],
    },
    /// The file was damaged.
    #[error("the file is damaged: its checksum does not match")]
    Checksum,
}

impl<const TAG: usize> Envelope<TAG> {
    const TAG_AT: usize = 8 + 4;
    const LENGTH_AT: usize = Self::TAG_AT + TAG;
    const CHECKSUM_AT: usize = Self::LENGTH_AT + 8;
    const HEADER: usize = Self::CHECKSUM_AT + 8;

    /// The file with this payload.
    pub fn seal(&self, tag: [u8; TAG], payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(Self::HEADER + payload.len());
        out.extend(self.magic);
        out.extend(self.format.to_le_bytes());
        out.extend(tag);
        out.extend((payload.len() as u64).to_le_bytes());
        out.extend(checksum(&out, payload).to_le_bytes());
        out.extend(payload);
        out
    }

    /// Reads what [`Envelope::seal`] wrote. Signature, format, length and checksum are checked, in
    /// this order.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<Opened<'a, TAG>, EnvelopeError<TAG>> {
        let start = bytes.len().min(self.magic.len());
        if bytes[..start] != self.magic[..start] || bytes.is_empty() {
            return Err(EnvelopeError::Foreign);
        }
        let Some((header, payload)) = bytes.split_at_checked(Self::HEADER) else {
            return Err(EnvelopeError::Truncated { expected: Self::HEADER as u64, found: bytes.len() });
        };
        let tag = field(header, Self::TAG_AT);
        let found = u32::from_le_bytes(field(header, 8));
        if found != self.format {
            return Err(EnvelopeError::Format { found, expected: self.format, tag });
        }
        let length = u64::from_le_bytes(field(header, Self::LENGTH_AT));
        let present = payload.len() as u64;
        if present < length {
            let expected = length.saturating_add(Self::HEADER as u64);
            return Err(EnvelopeError::Truncated { expected, found: bytes.len() });
        }
        if present > length {
            return Err(EnvelopeError::Trailing(present - length));
        }
        if u64::from_le_bytes(field(header, Self::CHECKSUM_AT)) != checksum(&header[..Self::CHECKSUM_AT], payload) {
            return Err(EnvelopeError::Checksum);
        }
        Ok(Opened { tag, payload })
    }
}

fn checksum(header: &[u8], payload: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(payload);
    hash.digest()
}

/// The `N` bytes at `at` of the header, which is long enough.
fn field<const N: usize>(header: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| header[at + i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damage_is_seen() {
        let envelope = Envelope::<3> { magic: *b"\x93ENVELOP", format: 7 };
        let whole = envelope.seal([1, 2, 3], b"payload");
        assert_eq!(envelope.open(&whole), Ok(Opened { tag: [1, 2, 3], payload: b"payload" }));
        for cut in 0..whole.len() {
            assert!(envelope.open(&whole[..cut]).is_err(), "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(envelope.open(&changed).is_err(), "changed at {at}");
        }
        assert_eq!(envelope.open(&[&whole[..], b"!"].concat()), Err(EnvelopeError::Trailing(1)));
        let other = Envelope::<3> { format: 8, ..envelope };
        assert_eq!(other.open(&whole), Err(EnvelopeError::Format { found: 7, expected: 8, tag: [1, 2, 3] }));
    }
}
