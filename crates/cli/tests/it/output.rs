//! What is printed, and what happens when it cannot be: closed pipes, full devices, Ctrl-C, errors
//! as JSON.

use crate::common::{failure, folder, pendulum, saltus, stdout};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn start(folder: &PathBuf, args: &[&str], out: Stdio) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltus"));
    command.args(args).current_dir(folder).stdout(out).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = pendulum("closed_pipe");
    for args in [
        &["info", "pendulum.xml"][..],
        &["check", "pendulum.xml", "--json"],
        &["sim", "pendulum.xml", "--time", "0.1", "--record", "run.csv"],
        &["reproduce"],
    ] {
        let mut child = start(&folder, args, Stdio::piped());
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.is_empty(), "{args:?}: {:?} {said}", output.status);
    }
    assert!(folder.join("run.csv").exists(), "what was asked for is written all the same");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_without_a_panic() {
    let folder = pendulum("full_device");
    for args in [&["info", "pendulum.xml"][..], &["sim", "pendulum.xml", "--time", "0.1", "--json"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = start(&folder, args, full.into()).wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1));
        assert!(said.contains("cannot print the result") && !said.contains("panicked"), "{args:?}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_does_not_stop_the_work() {
    let folder = folder("full_stderr");
    let run = |args: &[&str]| {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_saltus"));
        command.args(args).current_dir(&folder).stdout(Stdio::null()).stderr(full).status().unwrap().code()
    };
    // Progress of each continuation point, and an error.
    assert_eq!(run(&["optimize", "hop", "--out", "hop"]), Some(0));
    assert!(folder.join("hop/summary.json").exists());
    assert_eq!(run(&["info", "nothing.xml"]), Some(1));
}

#[test]
fn what_cannot_be_written_is_found_before_the_work() {
    let folder = pendulum("unwritable");
    std::fs::create_dir(folder.join("taken.csv")).unwrap();
    // Weeks of work, or an error at once.
    for path in ["pendulum.xml/run.csv", "taken.csv"] {
        let wrong =
            failure(&folder, &["sim", "pendulum.xml", "--time", "1e7", "--every", "100000000", "--record", path]);
        assert!(wrong.contains("cannot") && wrong.contains("pendulum.xml") | wrong.contains("taken.csv"), "{wrong}");
    }
    let wrong = failure(&folder, &["compare", "pendulum.xml", "--time", "9000", "--plot", "pendulum.xml/laws.svg"]);
    assert!(wrong.contains("pendulum.xml"), "{wrong}");
    // Looking leaves nothing behind, and nothing that was there is lost.
    std::fs::write(folder.join("old.csv"), "kept").unwrap();
    let wrong = failure(&folder, &["sim", "pendulum.xml", "--record", "old.csv", "--plot", "pendulum.xml/a.svg"]);
    assert!(wrong.contains("pendulum.xml"), "{wrong}");
    assert_eq!(std::fs::read_to_string(folder.join("old.csv")).unwrap(), "kept");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_recorded() {
    let folder = pendulum("ctrl_c");
    let args = ["sim", "pendulum.xml", "--time", "1e6", "--every", "1000", "--record", "run.csv", "--json"];
    let child = start(&folder, &args, Stdio::piped());
    // Until it listens, the signal would end it.
    std::thread::sleep(Duration::from_secs(2));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let asked = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["interrupted"], true);
    let steps = report["steps"].as_u64().unwrap();
    let rows = std::fs::read_to_string(folder.join("run.csv")).unwrap().lines().count() as u64 - 1;
    assert!(steps > 1000 && rows.abs_diff(steps / 1000) <= 2, "{steps} steps, {rows} rows");
}

#[test]
fn errors_are_json_where_that_was_asked_for() {
    let folder = pendulum("json_errors");
    let error = |args: &[&str], code| {
        let output = saltus(&folder, args);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        document["error"].as_str().unwrap().to_owned()
    };
    assert!(error(&["sim", "missing.xml", "--json"], 1).contains("missing.xml"));
    assert!(error(&["sim", "pendulum.xml", "--law", "hard", "--json"], 2).contains("invertible"));
    assert!(error(&["optimize", "walk", "--speed", "1", "--json"], 2).contains("--speed"));
    assert!(error(&["optimize", "nothing", "--json"], 1).contains("nothing"));
    // A report that says what happened stays the only document.
    let fast = crate::common::PENDULUM.replace("timestep=\"0.001\"", "timestep=\"0.5\"").replace("-2 3", "-1e9 1e9");
    std::fs::write(folder.join("fast.xml"), fast).unwrap();
    let output = saltus(&folder, &["sim", "fast.xml", "--control", "random", "--time", "500", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["diverged"].is_string(), "{report}");
    let said: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(said["error"], report["diverged"]);
}

#[test]
fn compare_takes_a_list_of_laws() {
    let folder = pendulum("compare_law");
    let wrong = failure(&folder, &["compare", "pendulum.xml", "--law", "impulse"]);
    assert!(wrong.contains("--laws"), "{wrong}");
}

#[test]
fn plots_have_round_numbers_and_names() {
    let folder = pendulum("plot_names");
    let args = ["sim", "pendulum.xml", "--keyframe", "raised", "--time", "0.97", "--plot", "a.svg", "--quantities"];
    stdout(&folder, &[&args[..], &["q,v,ctrl,sensor"]].concat());
    let picture = std::fs::read_to_string(folder.join("a.svg")).unwrap();
    for text in [">hinge<", ">angle<", ">0.5<", ">0.9 s<", ">ctrl[0]<"] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    assert!(!picture.contains("0.97"), "axes have round numbers");
    stdout(&folder, &["demo", "--output", "jump.svg", "--step", "0.002"]);
    assert!(std::fs::read_to_string(folder.join("jump.svg")).unwrap().contains("contact forces; this arrow: 1000 N"));
}

/// Lines of one colour on white have shades of it at their edges.
#[test]
fn lines_of_png_pictures_are_smooth() {
    let folder = folder("png_lines");
    std::fs::write(folder.join("pendulum.xml"), crate::common::PENDULUM).unwrap();
    let args = ["sim", "pendulum.xml", "--keyframe", "raised", "--time", "1", "--plot", "a.png", "--quantities", "q"];
    stdout(&folder, &args);
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(File::open(folder.join("a.png")).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    // The curve is (0, 114, 178): between it and white.
    let is_shade = |p: &[u8]| p[0] > 20 && p[0] < 235 && p[2] > p[1] && p[1] > p[0] && p[2] - p[0] > 20;
    let shades = pixels.chunks_exact(3).filter(|p| is_shade(p)).count();
    assert!(shades > 200, "{shades}");
}
