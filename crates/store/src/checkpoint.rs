//! Checkpoints of the optimizer on disk, so that a run can continue after its process was killed.
//!
//! The file is an [`Envelope`] with the hash of the optimization problem as tag. The payload is
//! [`Progress`] in postcard encoding.

use crate::error::StoreError;
use crate::file;
use saltus_io::envelope::{Envelope, EnvelopeError};
use saltus_opt::solve::optimize::Progress;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::Xxh3;

const ENVELOPE: Envelope<8> = Envelope { magic: *b"\x93SALTUSp", format: 3 };
/// Minimum time between two checkpoints.
const PAUSE: Duration = Duration::from_secs(1);

/// Hash of everything that determines the course of a run: the version of the program, the model
/// and the settings.
pub fn identity(model_text: &str, task_text: &str) -> u64 {
    let mut hash = Xxh3::new();
    for part in [env!("CARGO_PKG_VERSION"), model_text, task_text] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.digest()
}

/// The checkpoint file of a result folder.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    identity: u64,
    last: Option<Instant>,
}

impl Checkpoint {
    /// The checkpoint beside `folder` of the run with this [`identity`].
    pub fn new(folder: &Path, identity: u64) -> Self {
        let mut name = folder.file_name().unwrap_or_default().to_owned();
        name.push(".checkpoint");
        Self { path: folder.with_file_name(name), identity, last: None }
    }

    /// Whether the file exists.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Writes the progress of a run, unless the last checkpoint is very recent.
    pub fn save(&mut self, progress: &Progress) -> Result<(), StoreError> {
        if self.last.is_some_and(|last| last.elapsed() < PAUSE) {
            return Ok(());
        }
        self.last = Some(Instant::now());
        let bytes = encode(progress, self.identity).map_err(|message| self.wrong(message))?;
        file::replace(&self.path, &bytes)
    }

    /// Reads the progress of the run; `None` if there is no checkpoint.
    pub fn load(&self) -> Result<Option<Progress>, StoreError> {
        let bytes = match file::read(&self.path) {
            Err(StoreError::Io { cause, .. }) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        decode(&bytes, self.identity).map(Some).map_err(|message| self.wrong(message))
    }

    /// Removes the file. Failures are ignored, since a checkpoint is only used when a run is
    /// resumed.
    pub fn remove(&self) {
        _ = std::fs::remove_file(&self.path);
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn wrong(&self, message: String) -> StoreError {
        StoreError::Checkpoint { path: self.path.display().to_string(), message }
    }
}

fn encode(progress: &Progress, identity: u64) -> Result<Vec<u8>, String> {
    // A run that continues has no status yet.
    let progress = Progress { status: None, ..progress.clone() };
    let payload = postcard::to_stdvec(&progress).map_err(|e| format!("it cannot be encoded: {e}"))?;
    Ok(ENVELOPE.seal(identity.to_le_bytes(), &payload))
}

fn decode(bytes: &[u8], identity: u64) -> Result<Progress, String> {
    let opened = ENVELOPE.open(bytes).map_err(|error| match error {
        EnvelopeError::Foreign => "this is not a checkpoint of Saltus".to_owned(),
        error => error.to_string(),
    })?;
    if u64::from_le_bytes(opened.tag) != identity {
        let message = "it belongs to another model, other settings or another version of Saltus; resume with the command \
        and version that started the run, or start anew";
        return Err(message.to_owned());
    }
    postcard::from_bytes(opened.payload).map_err(|e| format!("its content cannot be decoded: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_opt::solve::optimize::OptimizeOptions;

    #[test]
    fn damage_and_strangers_are_refused() {
        let progress = Progress::new(vec![1.0, -0.0, 1.0 / 3.0], &OptimizeOptions::default());
        let whole = encode(&progress, 7).unwrap();
        assert_eq!(decode(&whole, 7).unwrap(), progress);
        assert!(decode(&whole, 8).unwrap_err().contains("another model"));
        for cut in 0..whole.len() {
            assert!(decode(&whole[..cut], 7).is_err(), "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(decode(&changed, 7).is_err(), "changed at {at}");
        }
    }
}
