//! Binary files of compiled models.
//!
//! Layout, little-endian: magic (8 bytes), format version (u32), version of the writing crate (16 bytes, padded with
//! zeros), payload length (u64), xxh3-64 of everything before and after it (u64), payload. The payload is the
//! [`Model`] in postcard's encoding, which does not describe itself: a change of any table raises [`FORMAT`].

use saltus_sim::Model;
use saltus_sim::model::InvalidModel;
use xxhash_rust::xxh3::Xxh3;

/// Signature: invalid as UTF-8 text, and damaged by transfers that convert line endings.
const MAGIC: [u8; 8] = *b"\x93SALTUS\n";
/// Version of the layout and of the tables in the payload.
pub const FORMAT: u32 = 2;
const WRITER: &str = env!("CARGO_PKG_VERSION");
const CHECKSUM_AT: usize = 8 + 4 + 16 + 8;
const HEADER: usize = CHECKSUM_AT + 8;

/// The file is not a usable binary model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BinaryError {
    /// The file is not a binary model.
    #[error("not a Saltus binary model: the file does not start with its signature")]
    Foreign,
    /// The file ends too early.
    #[error("the file is truncated: expected {expected} bytes, found {found}")]
    Truncated { expected: u64, found: usize },
    /// The file continues after its end.
    #[error("the file has {0} extra bytes after its end")]
    Trailing(u64),
    #[error(
        "the file has format {found}, written by Saltus {writer}; this is Saltus {WRITER}, which reads format {FORMAT}"
    )]
    /// The file was written by an incompatible version.
    Version { found: u32, writer: String },
    /// The checksum does not match.
    #[error("the file is damaged: its checksum does not match")]
    Checksum,
    /// The model cannot be encoded.
    #[error("the model cannot be encoded: {0}")]
    Encode(String),
    /// The payload cannot be decoded.
    #[error("the content of the file cannot be decoded: {0}")]
    Payload(String),
    /// The model is inconsistent.
    #[error(transparent)]
    Invalid(#[from] InvalidModel),
}

/// Encodes a model as a binary file.
pub fn save(model: &Model) -> Result<Vec<u8>, BinaryError> {
    let payload = postcard::to_stdvec(model).map_err(|e| BinaryError::Encode(e.to_string()))?;
    let mut out = Vec::with_capacity(HEADER + payload.len());
    out.extend(MAGIC);
    out.extend(FORMAT.to_le_bytes());
    let mut writer = [0; 16];
    for (to, from) in writer.iter_mut().zip(WRITER.bytes()) {
        *to = from;
    }
    out.extend(writer);
    out.extend((payload.len() as u64).to_le_bytes());
    out.extend(checksum(&out, &payload).to_le_bytes());
    out.extend(payload);
    Ok(out)
}

/// Decodes a file written by [`save`]. Signature, version, length, checksum and the model itself
/// are checked.
pub fn load(bytes: &[u8]) -> Result<Model, BinaryError> {
    let start = bytes.len().min(MAGIC.len());
    if bytes[..start] != MAGIC[..start] || bytes.is_empty() {
        return Err(BinaryError::Foreign);
    }
    let Some((header, payload)) = bytes.split_at_checked(HEADER) else {
        return Err(BinaryError::Truncated { expected: HEADER as u64, found: bytes.len() });
    };
    let found = u32::from_le_bytes(field(header, 8));
    if found != FORMAT {
        let writer = String::from_utf8_lossy(&header[12..28]).trim_end_matches('\0').to_owned();
        return Err(BinaryError::Version { found, writer });
    }
    let length = u64::from_le_bytes(field(header, 28));
    let present = payload.len() as u64;
    if present < length {
        return Err(BinaryError::Truncated { expected: length.saturating_add(HEADER as u64), found: bytes.len() });
    }
    if present > length {
        return Err(BinaryError::Trailing(present - length));
    }
    if u64::from_le_bytes(field(header, CHECKSUM_AT)) != checksum(&header[..CHECKSUM_AT], payload) {
        return Err(BinaryError::Checksum);
    }
    decode_payload(payload)
}

/// Decodes and validates the model in a payload. The bytes are not trusted: there is no checksum at
/// this level.
pub fn decode_payload(payload: &[u8]) -> Result<Model, BinaryError> {
    let (mut model, rest) =
        postcard::take_from_bytes::<Model>(payload).map_err(|e| BinaryError::Payload(e.to_string()))?;
    if !rest.is_empty() {
        return Err(BinaryError::Payload(format!("{} bytes are left over", rest.len())));
    }
    model.validate()?;
    model.index_hulls();
    Ok(model)
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
