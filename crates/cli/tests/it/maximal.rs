//! Maximal coordinates on the command line.

use crate::common::{failure, folder, json, pendulum, stdout};

const HUMANOID: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/humanoid.xml");

#[test]
fn a_pendulum_swings_in_maximal_coordinates_as_in_generalized_ones() {
    let dir = pendulum("maximal");
    let base = ["sim", "pendulum.xml", "--keyframe", "raised", "--time", "0.5", "--json", "--record"];
    let last = |file: &str, extra: &[&str]| {
        let report = json(&dir, &[&base[..], &[file], extra].concat());
        let text = std::fs::read_to_string(dir.join(file)).unwrap();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let at = header.iter().position(|n| *n == "q[0]").unwrap();
        let row = text.lines().nth(500).unwrap();
        (report, row.split(',').nth(at).unwrap().parse::<f64>().unwrap())
    };
    let (plain, q) = last("a.csv", &[]);
    assert!(plain["joint_error"].is_null());
    for mode in ["tree", "direct", "published", "plain"] {
        let (report, q_maximal) = last("b.csv", &["--coordinates", "maximal", "--maximal-mode", mode]);
        assert!((q - q_maximal).abs() < 5e-3, "{mode}: {q} {q_maximal}");
        let error = report["joint_error"]["distance"].as_f64().unwrap();
        assert!(error < if mode == "tree" { 1e-10 } else { 1e-4 }, "{mode}: {error}");
    }
}

#[test]
fn maximal_coordinates_are_checked() {
    let dir = folder("maximal_bad");
    for (arguments, expected) in [
        (vec!["sim", HUMANOID, "--sweeps", "10"], "--coordinates maximal"),
        (vec!["sim", HUMANOID, "--coordinates", "maximal", "--sweeps", "0"], "at least 1"),
    ] {
        let message = failure(&dir, &arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert!(stdout(&dir, &["sim", HUMANOID, "--coordinates", "maximal", "--time", "0.1"]).contains("joints"));
}

#[test]
fn maximal_coordinates_are_compared_and_timed_as_other_laws() {
    let dir = folder("maximal_tools");
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/tower.xml");
    let arguments = ["compare", model, "--laws", "impulse", "--coordinates", "maximal", "--time", "0.5", "--json"];
    let rows = json(&dir, &arguments)["laws"].clone();
    let rows = rows.as_array().unwrap();
    assert_eq!([&rows[0]["law"], &rows[1]["law"]], ["impulse", "maximal"]);
    let value = |row: usize, key: &str| rows[row][key].as_f64().unwrap();
    // The weight rests on the contacts, within their cones, under both.
    assert!((value(1, "normal_force_mean") / value(0, "normal_force_mean") - 1.0).abs() < 0.02, "{rows:?}");
    assert!(value(1, "cone_max") < 1e-6 && value(1, "penetration_max") < 2e-3, "{rows:?}");
    assert!(value(1, "signorini_max") < 2e-3 && value(1, "q_rms_from_first") < 1e-3, "{rows:?}");
    let arguments = ["bench", HUMANOID, "--coordinates", "maximal", "--steps", "20", "--threads", "2", "--json"];
    let report = json(&dir, &arguments);
    assert!(report["steps_per_second"].as_f64().unwrap() > 0.0);
    assert!(report["profile_us"]["rows, solver and the rest"].is_number(), "{report}");
    assert_eq!(report["threads"].as_array().unwrap().len(), 2);
}

/// The effects that Hsu and Peters report, and joints that are exact.
#[test]
fn figures_of_2014_show_their_effects() {
    let dir = folder("hsu2014");
    let rows = |name: &str| json(&dir, &["reproduce", name, "--json", "--out", "out"])["rows"].clone();
    let value = |rows: &serde_json::Value, mode: &str, key: &str| {
        let row = rows.as_array().unwrap().iter().find(|r| r["mode"] == mode).unwrap_or_else(|| panic!("no {mode}"));
        row[key].as_f64().unwrap()
    };
    for figure in ["hsu2014/fig1a", "hsu2014/fig1b"] {
        let rows = rows(figure);
        assert!(value(&rows, "without projection", "kinetic_energy_added_j") > 0.1, "{rows}");
        assert!(value(&rows, "split impulse", "kinetic_energy_added_j") < 1e-12, "{rows}");
        assert!(value(&rows, "tree", "kinetic_energy_added_j") < 1e-12, "{rows}");
    }
    let rows = rows("hsu2014/fig2");
    for row in rows.as_array().unwrap() {
        let out = row["out_of_plane_rad"].as_f64().unwrap();
        match row["mode"].as_str().unwrap() {
            "plain" => assert!(out > 0.1, "{row}"),
            "inertia reduction" => assert!(out < 0.001, "{row}"),
            _ => assert!(out < 1e-10 && row["joint_error_m"].as_f64().unwrap() < 1e-10, "{row}"),
        }
    }
    for figure in ["fig1a", "fig1b", "fig2"] {
        let read = |ending: &str| std::fs::read_to_string(dir.join(format!("out/hsu2014/{figure}.{ending}"))).unwrap();
        assert!(read("svg").contains("published: "), "{figure} does not show the published result");
        assert!(!read("csv").is_empty());
    }
}
