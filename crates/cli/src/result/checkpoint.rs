//! Where a run is, on disk, so that it can go on after the process was killed.
//!
//! Layout, little-endian: magic (8 bytes), format (u32), hash of what is being optimized (u64), payload length (u64),
//! xxh3-64 of everything before and after it (u64), payload: [`Progress`] in postcard's encoding.

use crate::files::write_file;
use anyhow::{Context, Result, bail, ensure};
use saltus::opt::solve::optimize::Progress;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::Xxh3;

const MAGIC: [u8; 8] = *b"\x93SALTUSp";
const FORMAT: u32 = 3;
const CHECKSUM_AT: usize = 8 + 4 + 8 + 8;
const HEADER: usize = CHECKSUM_AT + 8;
/// Least time between two checkpoints.
const PAUSE: Duration = Duration::from_secs(1);

/// Hash of all that decides how a run goes on: the version of the program, the model, and the settings.
pub fn identity(model_text: &str, task_text: &str) -> u64 {
    let mut hash = Xxh3::new();
    for part in [env!("CARGO_PKG_VERSION"), model_text, task_text] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.digest()
}

/// The checkpoint that belongs to a result folder.
#[derive(Debug)]
pub struct Checkpoint {
    pub path: PathBuf,
    identity: u64,
    last: Option<Instant>,
}

impl Checkpoint {
    pub fn new(folder: &Path, identity: u64) -> Self {
        let mut name = folder.file_name().unwrap_or_default().to_owned();
        name.push(".checkpoint");
        Self { path: folder.with_file_name(name), identity, last: None }
    }

    /// Writes where a run is, unless that was done a moment ago.
    pub fn save(&mut self, progress: &Progress) -> Result<()> {
        if self.last.is_some_and(|last| last.elapsed() < PAUSE) {
            return Ok(());
        }
        self.last = Some(Instant::now());
        let bytes = encode(progress, self.identity)?;
        write_file(&self.path, &bytes)
    }

    /// Where the run was.
    pub fn load(&self) -> Result<Progress> {
        let place = self.path.display();
        let bytes = std::fs::read(&self.path)
            .with_context(|| format!("there is nothing to resume: no checkpoint {place}; leave --resume out"))?;
        decode(&bytes, self.identity).with_context(|| format!("checkpoint {place}"))
    }

    pub fn remove(&self) {
        // One that is not there, or stays, does no harm: it is used with --resume only.
        _ = std::fs::remove_file(&self.path);
    }
}

fn encode(progress: &Progress, identity: u64) -> Result<Vec<u8>> {
    // A run that goes on has no status yet.
    let progress = Progress { status: None, ..progress.clone() };
    let payload = postcard::to_stdvec(&progress).context("the checkpoint cannot be encoded")?;
    let mut out = Vec::with_capacity(HEADER + payload.len());
    out.extend(MAGIC);
    out.extend(FORMAT.to_le_bytes());
    out.extend(identity.to_le_bytes());
    out.extend((payload.len() as u64).to_le_bytes());
    out.extend(checksum(&out, &payload).to_le_bytes());
    out.extend(payload);
    Ok(out)
}

fn decode(bytes: &[u8], identity: u64) -> Result<Progress> {
    ensure!(bytes.starts_with(&MAGIC), "this is not a checkpoint of Saltus");
    let Some((header, payload)) = bytes.split_at_checked(HEADER) else { bail!("the file is cut off") };
    let format = u32::from_le_bytes(field(header, 8));
    ensure!(format == FORMAT, "it has format {format}; expected {FORMAT}");
    let length = u64::from_le_bytes(field(header, 20));
    ensure!(payload.len() as u64 == length, "the file is cut off: {} bytes of {length}", payload.len());
    let intact = u64::from_le_bytes(field(header, CHECKSUM_AT)) == checksum(&header[..CHECKSUM_AT], payload);
    ensure!(intact, "the file is damaged: its checksum does not match");
    ensure!(
        u64::from_le_bytes(field(header, 12)) == identity,
        "it belongs to another model, other settings or another version of Saltus; \
         resume with what the run was started with, or leave --resume out"
    );
    postcard::from_bytes(payload).context("its content cannot be decoded")
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
    use saltus::opt::solve::optimize::OptimizeOptions;

    #[test]
    fn damage_and_strangers_are_refused() {
        let progress = Progress::new(vec![1.0, -0.0, 1.0 / 3.0], &OptimizeOptions::default());
        let whole = encode(&progress, 7).unwrap();
        assert_eq!(decode(&whole, 7).unwrap(), progress);
        assert!(decode(&whole, 8).unwrap_err().to_string().contains("another model"));
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
