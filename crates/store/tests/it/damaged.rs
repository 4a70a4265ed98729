//! Files may come from anywhere: what is wrong is an error with the file and what was expected.

use crate::common::{Place, SPIN, refusal};
use saltus_store::table::{self, Array, Format};
use saltus_store::{MODEL, PLAN_MODEL, StoredPlan};
use std::path::PathBuf;

const FILES: [&str; 7] =
    ["summary.json", "trajectory.npz", "convergence.csv", "continuation.csv", "task.toml", MODEL, PLAN_MODEL];

/// What is done to an array.
type Change = fn(&mut Array);

/// A folder, and what is said of it if a file of it is changed.
struct Folder {
    _place: Place,
    path: PathBuf,
}

impl Folder {
    fn new(name: &str) -> Self {
        let place = Place::new(name);
        let path = place.0.join("plan");
        SPIN.save(&path).unwrap();
        Self { _place: place, path }
    }

    fn with(&self, name: &str, contents: &[u8]) -> String {
        let file = self.path.join(name);
        let before = std::fs::read(&file).unwrap();
        std::fs::write(&file, contents).unwrap();
        let message = StoredPlan::load(&self.path).err().map_or_else(String::new, |e| e.to_string());
        std::fs::write(&file, before).unwrap();
        message
    }

    /// With an array that is changed.
    fn with_array(&self, name: &str, change: impl FnOnce(&mut Array)) -> String {
        let mut arrays = table::read(&self.path.join("trajectory.npz")).unwrap();
        change(arrays.iter_mut().find(|a| a.name == name).unwrap());
        self.with("trajectory.npz", &table::encode(&arrays, Format::Npz))
    }

    /// With a text that is replaced.
    fn with_text(&self, name: &str, from: &str, to: &str) -> String {
        let text = std::fs::read_to_string(self.path.join(name)).unwrap();
        assert!(text.contains(from), "{text}");
        self.with(name, text.replacen(from, to, 1).as_bytes())
    }
}

#[test]
fn files_that_are_not_there_are_named() {
    let folder = Folder::new("missing");
    for name in FILES {
        let file = folder.path.join(name);
        let before = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let message = refusal(&folder.path);
        assert!(message.contains(name), "{name}: {message}");
        std::fs::write(&file, before).unwrap();
    }
    StoredPlan::load(&folder.path).unwrap();
}

#[test]
fn arrays_that_do_not_fit_are_named() {
    let folder = Folder::new("arrays");
    let cases: [(&str, Change, &str); 10] = [
        ("q", |a| a.values[5] = f64::NAN, "q: expected finite numbers"),
        ("v", |a| a.values.truncate(30), "v: expected 41 rows of 3 numbers"),
        ("time", |a| a.values.clear(), "there are no states"),
        ("gains", |a| a.values.truncate(18), "gains: expected 41 rows of 18 numbers"),
        ("u", |a| a.name = "w".into(), "there is no array u"),
        ("contact_body", |a| a.values[0] = 1e9, "contact_body 1000000000 is out of range"),
        ("contact_other", |a| a.values[0] = -1.0, "contact_other -1 is out of range"),
        ("contact_gap", |a| a.values.push(0.0), "contact_gap: expected"),
        ("verdict", |a| a.values.extend([0.0; 9]), "verdict: expected at most 41 rows, found 49"),
        ("step_error", |a| a.values.extend([0.0; 9]), "step_error: expected at most 41 rows, found 49"),
    ];
    for (name, change, expected) in cases {
        let message = folder.with_array(name, change);
        assert!(message.contains(expected), "{name}: {message}");
    }
    let message = folder.with_array("tau", |a| *a = Array { values: a.values.clone(), ..Array::matrix("tau", 1) });
    assert!(message.contains("trajectory.npz: tau: expected 3 numbers per row, found 1"), "{message}");
}

#[test]
fn mistakes_in_texts_are_errors() {
    let folder = Folder::new("texts");
    let cases = [
        (
            "summary.json",
            "\"format\": 2",
            "\"format\": 3",
            "summary.json: it has format 3; this version of Saltus reads",
        ),
        ("summary.json", "\"format\": 2", "\"format\": -2", "there is no format"),
        ("summary.json", "\"status\": \"", "\"status\": \"un", "unknown status \"un"),
        ("summary.json", "\"weight\": ", "\"weight\": -", "weight: expected a positive number"),
        ("summary.json", "\"h\": ", "\"h\": -", "h: expected a positive number"),
        ("summary.json", "\"stride\": []", "\"stride\": [[3, 1.0]]", "the stride refers to coordinates"),
        ("summary.json", "\"notes\"", "\"nodes\"", "summary.json: missing field `notes`"),
        (
            "summary.json",
            "\"terms\": [",
            "\"terms\": [{\"name\": \"a\", \"custom\": true, \"cost\": null}, ",
            "summary.json: there are",
        ),
        ("convergence.csv", "iteration,", "number,", "convergence.csv: column 1: expected iteration, found number"),
        ("convergence.csv", "\n1,", "\n1.5,", "convergence.csv: iteration: expected a whole number, found 1.5"),
        ("convergence.csv", ",cost:", ",coast:", "expected columns cost:…, found coast:"),
        ("continuation.csv", "hover", "hovers", "continuation.csv: column 3: expected hover, found hovers"),
        (MODEL, "<worldbody>", "<worldbodies>", "model.xml"),
        (MODEL, "<actuator>", "<body/><actuator>", "model.xml"),
    ];
    for (name, from, to, expected) in cases {
        let message = folder.with_text(name, from, to);
        assert!(message.contains(expected), "{name}: {message}");
    }
    assert!(folder.with("task.toml", b"\xff").contains("task.toml: expected text in UTF-8"));
    assert!(folder.with(PLAN_MODEL, b"no model").contains("the model for planning"));
    let other = saltus_io::binary::save(&crate::common::HOP.planning).unwrap();
    let message = folder.with(PLAN_MODEL, &other);
    assert!(message.contains("plan_model.smb: expected 3 coordinates as in model.xml, found"), "{message}");
}

#[test]
fn no_file_of_a_model_is_opened() {
    let folder = Folder::new("outside");
    std::fs::write(folder.path.join("secret.xml"), "<mujoco/>").unwrap();
    let message = folder.with_text(MODEL, "<worldbody>", "<include file=\"secret.xml\"/><worldbody>");
    assert!(message.contains("secret.xml"), "{message}");
}

#[test]
fn damage_never_panics() {
    let folder = Folder::new("damage");
    for name in FILES {
        let whole = std::fs::read(folder.path.join(name)).unwrap();
        let step = whole.len().div_ceil(60);
        for at in (0..whole.len()).step_by(step) {
            folder.with(name, &whole[..at]);
            let mut changed = whole.clone();
            changed[at] = changed[at].wrapping_add(1);
            folder.with(name, &changed);
        }
    }
    StoredPlan::load(&folder.path).unwrap();
}
