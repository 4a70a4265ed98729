//! Binary files of compiled models.
//!
//! The file is an [`Envelope`] whose tag is the version of the writing crate, padded with zeros.
//! The payload is the [`Model`] in postcard's encoding, which does not describe itself: a change of
//! any table raises [`FORMAT`].

use crate::envelope::{Envelope, EnvelopeError};
use saltus_sim::Model;
use saltus_sim::model::InvalidModel;

/// Version of the layout and of the tables in the payload.
pub const FORMAT: u32 = 2;
/// The signature is not text, not valid UTF-8, and broken visibly by a transfer that changes line
/// ends.
const ENVELOPE: Envelope<16> = Envelope { magic: *b"\x93SALTUS\n", format: FORMAT };
const WRITER: &str = env!("CARGO_PKG_VERSION");

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

impl From<EnvelopeError<16>> for BinaryError {
    fn from(error: EnvelopeError<16>) -> Self {
        match error {
            EnvelopeError::Foreign => Self::Foreign,
            EnvelopeError::Truncated { expected, found } => Self::Truncated { expected, found },
            EnvelopeError::Trailing(count) => Self::Trailing(count),
            EnvelopeError::Format { found, tag, .. } => {
                Self::Version { found, writer: String::from_utf8_lossy(&tag).trim_end_matches('\0').to_owned() }
            }
            EnvelopeError::Checksum => Self::Checksum,
        }
    }
}

/// Encodes a model as a binary file.
pub fn save(model: &Model) -> Result<Vec<u8>, BinaryError> {
    let payload = postcard::to_stdvec(model).map_err(|e| BinaryError::Encode(e.to_string()))?;
    let mut writer = [0; 16];
    for (to, from) in writer.iter_mut().zip(WRITER.bytes()) {
        *to = from;
    }
    Ok(ENVELOPE.seal(writer, &payload))
}

/// Decodes a file written by [`save`]. Signature, version, length, checksum and the model itself
/// are checked.
pub fn load(bytes: &[u8]) -> Result<Model, BinaryError> {
    decode_payload(ENVELOPE.open(bytes)?.payload)
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
