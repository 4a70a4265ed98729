//! Our own models: every way of storing one gives the same compiled model back.

use saltus::io::{binary, mjcf};
use std::path::{Path, PathBuf};

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut files = Vec::new();
    for folder in [root.clone(), root.join("features")] {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().extension().is_some_and(|e| e == "xml") {
                files.push(entry.path());
            }
        }
    }
    assert!(files.len() >= 6);
    files
}

#[test]
fn written_models_read_back_the_same() {
    for path in models() {
        let spec = saltus::load_spec(&path).unwrap();
        let text = mjcf::write(&spec);
        let again = mjcf::read_str(&text, &Default::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(saltus::compile(&again).unwrap() == saltus::compile(&spec).unwrap(), "{}", path.display());
    }
}

#[test]
fn binary_models_load_the_same() {
    for path in models() {
        let model = saltus::load(&path).unwrap();
        model.validate().unwrap();
        assert!(binary::load(&binary::save(&model).unwrap()).unwrap() == model, "{}", path.display());
    }
}

#[test]
fn repeated_runs_give_the_same_bits() {
    for path in models() {
        let model = saltus::load(&path).unwrap();
        let run = || {
            let mut data = saltus::Data::new(&model);
            data.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64 * 0.7 - 1.0) * 0.3);
            saltus::forward_smooth(&model, &mut data);
            (data.acceleration.a_smooth.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), data.sensor)
        };
        assert!(run() == run(), "{}", path.display());
    }
}
