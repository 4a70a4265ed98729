//! `saltus sim`.

use crate::common::{failure, folder, json, pendulum, saltus, stdout};

/// Columns of a CSV file by name.
fn column(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|n| n == name).unwrap_or_else(|| panic!("no column {name}"));
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

#[test]
fn a_pendulum_swings_and_keeps_its_energy() {
    let dir = pendulum("swing");
    let args = ["sim", "pendulum.xml", "--keyframe", "raised", "--time", "1", "--record", "out/a.csv", "--json"];
    let report = json(&dir, &args);
    assert_eq!(report["steps"], 1000);
    let (start, end) = (report["energy"]["start"].as_f64().unwrap(), report["energy"]["end"].as_f64().unwrap());
    assert!((start - end).abs() < 1e-2 * start.abs(), "energy {start} → {end}");
    let text = std::fs::read_to_string(dir.join("out/a.csv")).unwrap();
    let (time, q) = (column(&text, "time"), column(&text, "q[0]"));
    assert_eq!((time.len(), time[0], q[0]), (1001, 0.0, 1.0));
    assert!((time[1000] - 1.0).abs() < 1e-9 && q.iter().any(|&q| q < -0.5));
    // Sensors belong to the state of the same row.
    assert_eq!(q, column(&text, "sensor[0]"));
}

#[test]
fn a_recording_replays_bit_for_bit() {
    let dir = pendulum("replay");
    for (record, ending) in [("a.csv", "csv"), ("a.npz", "npz")] {
        let again = format!("b.{ending}");
        let base = ["sim", "pendulum.xml", "--time", "0.3"];
        stdout(&dir, &[&base[..], &["--control", "random", "--seed", "3", "--record", record]].concat());
        stdout(&dir, &[&base[..], &["--control", record, "--record", &again]].concat());
        assert_eq!(std::fs::read(dir.join(record)).unwrap(), std::fs::read(dir.join(&again)).unwrap());
    }
    let other = ["sim", "pendulum.xml", "--time", "0.3", "--control", "random", "--seed", "4", "--record", "c.csv"];
    stdout(&dir, &other);
    assert_ne!(std::fs::read(dir.join("a.csv")).unwrap(), std::fs::read(dir.join("c.csv")).unwrap());
    let text = std::fs::read_to_string(dir.join("c.csv")).unwrap();
    let ctrl = column(&text, "ctrl[0]");
    assert!(ctrl.iter().all(|u| (-2.0..=3.0).contains(u)) && ctrl.iter().any(|&u| u > 1.0), "in the control range");
}

#[test]
fn controls_by_step_and_by_time() {
    let dir = pendulum("control");
    std::fs::write(dir.join("steps.csv"), "1\n2\n").unwrap();
    std::fs::write(dir.join("times.csv"), "time,ctrl\n0,1\n0.002,2\n").unwrap();
    for (file, expected) in [("steps.csv", [1.0, 2.0, 2.0, 2.0]), ("times.csv", [1.0, 1.0, 2.0, 2.0])] {
        let args = ["sim", "pendulum.xml", "--time", "0.004", "--control", file, "--record", "out.csv"];
        stdout(&dir, &args);
        let text = std::fs::read_to_string(dir.join("out.csv")).unwrap();
        assert_eq!(column(&text, "ctrl[0]")[..4], expected, "{file}");
    }
}

#[test]
fn plots_are_pictures() {
    let dir = pendulum("plot");
    let quantities = "q,v[0],energy,contacts,force,iterations,joint:hinge,sensor:angle,ctrl[0:1],act";
    for file in ["p.svg", "p.png"] {
        stdout(&dir, &["sim", "pendulum.xml", "--time", "0.1", "--plot", file, "--quantities", quantities]);
    }
    let svg = std::fs::read_to_string(dir.join("p.svg")).unwrap();
    assert!(svg.contains("<svg") && svg.contains("joint hinge, rad") && svg.contains("potential"));
    assert!(std::fs::read(dir.join("p.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn options_replace_the_models() {
    let dir = pendulum("options");
    let report = json(&dir, &["sim", "pendulum.xml", "--timestep", "0.01", "--time", "1", "--json"]);
    assert_eq!((report["steps"].as_u64(), report["timestep"].as_f64()), (Some(100), Some(0.01)));
    for option in [
        ["--integrator", "rk4"],
        ["--integrator", "implicitfast"],
        ["--integrator", "discrete"],
        ["--cone", "elliptic"],
        ["--solver", "cg"],
    ] {
        stdout(&dir, &["sim", "pendulum.xml", "--time", "0.01", option[0], option[1]]);
    }
}

#[test]
fn mistakes_say_what_was_expected() {
    let dir = pendulum("mistakes");
    std::fs::write(dir.join("two.csv"), "1,2\n").unwrap();
    std::fs::write(dir.join("words.csv"), "1\nx\n").unwrap();
    std::fs::write(dir.join("broken.npz"), "no archive").unwrap();
    let cases: [(&[&str], &str); 13] = [
        (&["--keyframe", "up"], "there is no keyframe \"up\"; there are \"raised\", \"hanging\""),
        (
            &["--control", "two.csv"],
            "expected 1 columns, one per control of the model (and optionally `time`), found 2",
        ),
        (&["--control", "words.csv"], "line 2: expected a number, found \"x\""),
        (&["--control", "broken.npz"], "expected a zip archive"),
        (&["--control", "none.csv"], "none.csv"),
        (&["--control", "some.txt"], "use .csv or .npz"),
        (&["--record", "r.txt"], "use .csv or .npz"),
        (&["--plot", "r.jpg"], "use .svg or .png"),
        (&["--quantities", "joint:knee"], "no joint \"knee\"; the model has hinge"),
        (&["--quantities", "q[3]"], "index 3 is out of range; the length is 1"),
        (&["--quantities", "speed"], "expected one of q, v"),
        (&["--time", "-1"], "--time"),
        (&["--timestep", "0"], "--timestep must be a positive number"),
    ];
    for (args, expected) in cases {
        let message = failure(&dir, &[&["sim", "pendulum.xml"], args].concat());
        assert!(message.contains(expected), "{args:?}: {message}");
    }
    assert!(failure(&dir, &["sim", "none.xml"]).contains("none.xml"));
    // Nothing is left of a simulation that did not start.
    assert!(!dir.join("r.txt").exists() && !dir.join("r.jpg").exists());
}

#[test]
fn too_long_recordings_are_refused_before_they_start() {
    let dir = pendulum("long");
    let message = failure(&dir, &["sim", "pendulum.xml", "--time", "1e6", "--record", "r.csv"]);
    assert!(message.contains("1 GiB") && message.contains("--every"), "{message}");
}

#[test]
fn divergence_is_an_error_with_its_place() {
    let dir = folder("diverge");
    let model = r#"<mujoco><option timestep="0.01"/><worldbody><body name="b"><joint name="wild" axis="0 1 0"/>
        <geom size="0.1" pos="0.1 0 0"/></body></worldbody>
        <actuator><general joint="wild" biastype="affine" biasprm="0 1e9 1e6"/></actuator></mujoco>"#;
    std::fs::write(dir.join("wild.xml"), model).unwrap();
    let output = saltus(&dir, &["sim", "wild.xml", "--record", "r.csv", "--time", "10"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("wild"), "{message}");
    assert!(dir.join("r.csv").exists(), "what happened until then is kept");
}
