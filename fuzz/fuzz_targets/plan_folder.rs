//! A result folder of which one file is replaced: its first byte says which one, the rest is its
//! content.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_store::StoredPlan;
use std::path::PathBuf;
use std::sync::LazyLock;

const FILES: [(&str, &[u8]); 7] = [
    ("summary.json", include_bytes!("../../crates/store/tests/data/format1/summary.json")),
    ("trajectory.npz", include_bytes!("../../crates/store/tests/data/format1/trajectory.npz")),
    ("convergence.csv", include_bytes!("../../crates/store/tests/data/format1/convergence.csv")),
    ("continuation.csv", include_bytes!("../../crates/store/tests/data/format1/continuation.csv")),
    ("model.xml", include_bytes!("../../crates/store/tests/data/format1/model.xml")),
    ("plan_model.smb", include_bytes!("../../crates/store/tests/data/format1/plan_model.smb")),
    ("task.toml", include_bytes!("../../crates/store/tests/data/format1/task.toml")),
];

/// A folder of this process that is complete but for the file under test.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("saltus-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    for (name, content) in FILES {
        std::fs::write(folder.join(name), content).expect("a temporary file can be written");
    }
    folder
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&which, content)) = bytes.split_first() else { return };
    let (name, original) = FILES[usize::from(which) % FILES.len()];
    let place = FOLDER.join(name);
    std::fs::write(&place, content).expect("a temporary file can be written");
    _ = StoredPlan::load(&*FOLDER);
    std::fs::write(&place, original).expect("a temporary file can be written");
});
