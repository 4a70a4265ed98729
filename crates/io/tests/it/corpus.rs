//! Inputs that fuzzing once found to panic, to hang or to ask for too much memory. None may do so
//! again.

use saltus_io::{binary, hfield, mesh, mjcf, urdf};
use saltus_sim::{Data, compile, forward_smooth};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Runs `run` on each file of a folder of the corpus; returns how many there were.
fn each(folder: &str, run: impl Fn(&[u8])) -> usize {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(folder);
    let files: Vec<_> =
        std::fs::read_dir(&path).map(|dir| dir.flatten().map(|f| f.path()).collect()).unwrap_or_default();
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let start = Instant::now();
        run(&bytes);
        // A generous bound: these took seconds or gigabytes.
        assert!(start.elapsed() < Duration::from_secs(5), "{} took {:?}", file.display(), start.elapsed());
    }
    files.len()
}

#[test]
fn mesh_and_height_field_files() {
    let count = each("mesh", |bytes| {
        let Some((format, bytes)) = bytes.split_first() else { return };
        match format % 5 {
            0 => _ = mesh::read("a.stl", None, bytes),
            1 => _ = mesh::read("a.obj", None, bytes),
            2 => _ = mesh::read("a.msh", None, bytes),
            3 => _ = hfield::read_png(bytes),
            _ => _ = hfield::read_binary(bytes),
        }
    });
    assert!(count > 0);
}

#[test]
fn model_files() {
    let assets = BTreeMap::new();
    each("mjcf", |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let Ok(spec) = mjcf::read_str(text, &assets) else { return };
        let Ok(model) = compile(&spec) else { return };
        forward_smooth(&model, &mut Data::new(&model));
        mjcf::read_str(&mjcf::write(&spec), &assets).unwrap();
    });
    each("urdf", |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        if let Ok(spec) = urdf::read_str(text, &assets) {
            _ = compile(&spec);
            _ = mjcf::write(&spec);
        }
    });
    each("binary_model", |bytes| {
        if let Ok(model) = binary::decode_payload(bytes) {
            forward_smooth(&model, &mut Data::new(&model));
        }
    });
}
