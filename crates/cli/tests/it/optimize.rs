//! `saltus optimize`, `saltus plot`, and `saltus` alone.

use crate::common::{failure, folder, json, saltus, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BIPED: &str = include_str!("biped.xml");

/// A folder with a planar biped in it.
fn biped(name: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("biped.xml"), BIPED).unwrap();
    folder
}

/// A short run that does not converge.
const SHORT: [&str; 9] = ["optimize", "gait", "biped.xml", "--steps", "8", "--iterations", "20", "--out", "out/a"];

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).map(|all| all.map(|e| e.unwrap().file_name().into_string().unwrap()));
    let mut names: Vec<String> = entries.into_iter().flatten().collect();
    names.sort();
    names
}

#[test]
fn the_humanoid_walks() {
    let dir = folder("walk");
    let report = json(&dir, &["--json"]);
    assert_eq!((&report["status"], &report["converged"]), (&"converged".into(), &true.into()));
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| panic!("{report}"));
    for key in ["iterations", "seconds", "ms_per_iteration", "cost"] {
        assert!(number(&report[key]) > 0.0, "{key}");
    }
    assert!(number(&report["unactuated_residual"]) <= 1e-5 && number(&report["periodicity"]) < 1e-9);
    assert!(number(&report["step_error"]["max"]) < 0.1, "{report}");
    let verdict = &report["law_independent_residual"];
    assert!(number(&verdict["median"]) < 1e-3 && number(&verdict["max"]) < 1e-2, "{verdict}");
    assert!((number(&report["speed"]) - 1.2).abs() < 1e-9);
    assert!(number(&report["stance_slip"]) > 0.0 && number(&report["stance_slip"]) < 0.02, "{report}");
    assert_eq!((&report["steps_per_stride"], &report["folder"]), (&2.into(), &"out/walk".into()));
    assert!(report["violations"].is_object() && report["notes"].is_array());
    assert_eq!(files(&dir.join("out")), ["walk"], "neither checkpoint nor temporary folder is left");
    // The simulation reproduces the plan, and feedback holds it.
    let replay = &report["replay"];
    assert_eq!((&replay["reproduced"], &replay["own_law"]), (&true.into(), &"invertible".into()), "{replay}");
    assert_eq!((&replay["runs"][0]["feedback"], &replay["runs"][1]["strides"]), (&"none".into(), &10.0.into()));
    // Under the soft law the whole body follows it.
    let soft = &replay["runs"][2];
    assert_eq!((&soft["law"], &soft["feedback"], &soft["strides"]), (&"soft".into(), &"body".into(), &10.0.into()));
    assert!(number(&soft["largest_error"]) < 0.2, "{soft}");
    assert!(number(&replay["runs"][0]["largest_error"]) < 1e-6 && number(&replay["runs"][1]["largest_error"]) < 1e-6);
    let again = json(&dir, &["replay", "out/walk", "--law", "soft", "--json"]);
    assert_eq!(again["runs"], replay["runs"], "the folder has all that is needed");
    let table = stdout(&dir, &["replay", "out/walk", "--strides", "1", "--plot"]);
    for law in ["own", "soft", "impulse", "invertible", "lcp", "compliant"] {
        assert!(table.lines().any(|line| line.trim_start().starts_with(law)), "{law}: {table}");
    }
    let picture = std::fs::read_to_string(dir.join("out/walk/replay.svg")).unwrap();
    assert!(picture.contains("own, feedback: none") && picture.contains("impulse"));
    let open = json(&dir, &["replay", "out/walk", "--law", "soft", "--timestep", "0.004", "--open-loop", "--json"]);
    let soft = open["runs"].as_array().unwrap().last().unwrap();
    assert_eq!((&soft["law"], &soft["shapes"], &soft["feedback"]), (&"soft".into(), &"own".into(), &"none".into()));
    assert!(number(&soft["timestep"]) <= 0.004 && number(&soft["seconds"]) > 0.0);
}

#[test]
fn a_replay_says_how_far_it_is_from_the_plan_and_where_gains_are_valid() {
    let dir = biped("far");
    saltus(&dir, &SHORT);
    let message = failure(&dir, &["replay", "out/a", "--law", "own"]);
    assert!(message.contains("the error grows to") && message.contains("rad or m within one stride (limit: 1e-6)"));
    assert!(
        message.contains("the plan has not converged (short), so it need not be a motion of its model"),
        "{message}"
    );
    let warned = |feedback: &str| {
        let output = saltus(&dir, &["replay", "out/a", "--law", "soft", "--strides", "1", "--feedback", feedback]);
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("the gains are valid only under the plan's own law (invertible)")
    };
    assert!(warned("gains") && !warned("body"));
}

#[test]
fn a_folder_has_everything_and_can_be_drawn_again() {
    let dir = biped("result");
    let output = saltus(&dir, &[&SHORT[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "it cannot have converged");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["converged"], false);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("Try more --iterations (now 20)"), "{message}");
    let result = dir.join("out/a");
    let pictures = ["continuation", "convergence", "film", "forces", "modes", "torques"];
    let mut expected: Vec<String> = pictures.iter().flat_map(|p| [format!("{p}.png"), format!("{p}.svg")]).collect();
    let tables = ["continuation.csv", "convergence.csv", "model.xml", "plan_model.smb", "summary.json", "task.toml"];
    expected.extend(tables.map(String::from));
    expected.extend(["trajectory.csv", "trajectory.npz"].map(String::from));
    expected.sort();
    assert_eq!(files(&result), expected);
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(result.join("summary.json")).unwrap()).unwrap();
    assert_eq!(
        (&summary["format"], &summary["converged"], &summary["status"]),
        (&2.into(), &false.into(), &report["status"])
    );
    stdout(&dir, &["check", "out/a/model.xml"]);
    let header = std::fs::read_to_string(result.join("trajectory.csv")).unwrap();
    let header = header.lines().next().unwrap();
    assert!(header.starts_with("time,q:x,") && header.contains(",tau:left_knee,"), "{header}");
    // The pictures again, from the files.
    let picture = |name: &str| std::fs::read(result.join(name)).unwrap();
    let before: Vec<Vec<u8>> = expected.iter().map(|name| picture(name)).collect();
    std::fs::remove_file(result.join("film.svg")).unwrap();
    stdout(&dir, &["plot", "out/a"]);
    let after: Vec<Vec<u8>> = expected.iter().map(|name| picture(name)).collect();
    assert!(before == after, "the same bytes");
}

#[test]
fn a_folder_without_pictures_is_replayed_and_drawn() {
    // Such as Python writes.
    let dir = folder("library");
    stdout(&dir, &["optimize", "spin", "--out", "out/whole"]);
    saltus::store::StoredPlan::load(dir.join("out/whole")).unwrap().save(dir.join("out/plain")).unwrap();
    let (whole, plain) = (dir.join("out/whole"), dir.join("out/plain"));
    assert_eq!(files(&plain).len() + 12, files(&whole).len(), "no pictures");
    assert!(stdout(&dir, &["replay", "out/plain", "--law", "own"]).contains("reproduces the plan"));
    stdout(&dir, &["plot", "out/plain"]);
    assert_eq!(files(&plain), files(&whole));
    for name in files(&whole) {
        assert!(std::fs::read(plain.join(&name)).unwrap() == std::fs::read(whole.join(&name)).unwrap(), "{name}");
    }
}

#[test]
fn a_task_file_does_it_again() {
    let dir = biped("again");
    saltus(&dir, &SHORT);
    saltus(&dir, &["optimize", "out/a/task.toml", "--out", "out/b", "--threads", "1"]);
    let bytes = |name: &str| std::fs::read(dir.join("out").join(name)).unwrap();
    assert!(bytes("a/trajectory.npz") == bytes("b/trajectory.npz"), "the same bits");
    assert!(bytes("a/task.toml") == bytes("b/task.toml") && bytes("a/model.xml") == bytes("b/model.xml"));
    // The exit code follows the task: with loose tolerances and soft contact it converges.
    let loose = String::from_utf8(bytes("a/task.toml")).unwrap();
    let soft = "{ smoothing = 1.0, hover = 0.02, reach = 0.1 }";
    let loose = loose
        .replace("[contact]\n", &format!("[contact]\nfrom = {soft}\nto = {soft}\n"))
        .replace("feasibility = 5e-5", "feasibility = 1e3")
        .replace("tolerance = 1e-5", "tolerance = 1e3")
        .replace("iterations = 20", "iterations = 30");
    std::fs::write(dir.join("out/a/loose.toml"), loose).unwrap();
    assert_eq!(json(&dir, &["optimize", "out/a/loose.toml", "--out", "out/c", "--json"])["status"], "converged");
}

#[test]
fn shipped_tasks_are_done_again_from_their_folders() {
    let dir = folder("shipped");
    let list = stdout(&dir, &["optimize", "--list"]);
    for name in ["walk", "trot", "hop", "spin", "gait"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}: {list}");
    }
    assert!(list.contains("hop               A planar hopper"), "{list}");
    saltus(&dir, &["optimize", "spin"]);
    saltus(&dir, &["optimize", "out/spin/task.toml", "--out", "out/again"]);
    // Other settings than the task's are in the folder too.
    saltus(&dir, &["optimize", "spin", "--iterations", "9", "--out", "out/short"]);
    saltus(&dir, &["optimize", "out/short/task.toml", "--out", "out/shorter"]);
    let bytes = |name: &str| std::fs::read(dir.join("out").join(name)).unwrap();
    for (a, b) in [("spin", "again"), ("short", "shorter")] {
        for file in ["trajectory.npz", "task.toml", "model.xml", "plan_model.smb"] {
            assert!(bytes(&format!("{a}/{file}")) == bytes(&format!("{b}/{file}")), "{a} and {b}: {file}");
        }
    }
    assert!(bytes("spin/trajectory.npz") != bytes("short/trajectory.npz"));
}

#[test]
fn a_killed_run_goes_on_to_the_same_bits() {
    let dir = biped("resume");
    let run = |out: &str| {
        ["optimize", "gait", "biped.xml", "--steps", "10", "--iterations", "300", "--out", out].map(String::from)
    };
    let whole = run("out/whole");
    saltus(&dir, &whole.each_ref().map(String::as_str));
    let killed = run("out/killed");
    let mut child = Command::new(env!("CARGO_BIN_EXE_saltus"))
        .args(&killed)
        .current_dir(&dir)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (checkpoint, start) = (dir.join("out/killed.checkpoint"), Instant::now());
    while !checkpoint.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint appears");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!dir.join("out/killed").exists(), "a killed run leaves no result");
    let words = killed.each_ref().map(String::as_str);
    // With other settings the checkpoint is a stranger.
    let other = [&words[..], &["--seed", "9", "--resume"]].concat();
    assert!(failure(&dir, &other).contains("another model, other settings"));
    let output = saltus(&dir, &[&words[..], &["--resume"]].concat());
    assert!(!String::from_utf8_lossy(&output.stderr).contains("checkpoint"), "{output:?}");
    let bytes = |name: &str| std::fs::read(dir.join("out").join(name)).unwrap();
    assert!(bytes("whole/trajectory.npz") == bytes("killed/trajectory.npz"), "the same bits");
    assert!(!checkpoint.exists(), "it is not needed any more");
    assert!(failure(&dir, &[&words[..], &["--resume"]].concat()).contains("nothing to resume"));
}

#[test]
fn mistakes_are_errors_and_leave_no_result() {
    let dir = biped("wrong");
    let without = |from: &str, to: &str| {
        let (start, end) = (BIPED.find(from).unwrap(), BIPED.find(to).unwrap() + to.len());
        format!("{}{}", &BIPED[..start], &BIPED[end..])
    };
    std::fs::write(dir.join("limp.xml"), without("<actuator>", "</actuator>")).unwrap();
    std::fs::write(
        dir.join("floating.xml"),
        BIPED.replacen("<worldbody>", "<option gravity=\"0 0 0\"/><worldbody>", 1),
    )
    .unwrap();
    std::fs::write(dir.join("bad.toml"), "name = 3\n").unwrap();
    let task = |name: &str, model: &str, steps: usize| {
        format!("name = \"{name}\"\nmodel = \"{model}\"\n[gait]\nsteps = {steps}\n")
    };
    std::fs::write(dir.join("lost.toml"), task("a", "nowhere.xml", 8)).unwrap();
    std::fs::write(dir.join("few.toml"), task("a", "biped.xml", 3)).unwrap();
    std::fs::write(dir.join("path.toml"), task("../a", "biped.xml", 8)).unwrap();
    let cases: [(&[&str], &str); 19] = [
        (
            &["gait", "biped.xml", "--feet", "nosuch"],
            "there is no body \"nosuch\"; there are \"world\", \"trunk\", \"left_thigh\"",
        ),
        (&["gait", "biped.xml", "--keyframe", "up"], "there is no keyframe \"up\""),
        (&["gait", "limp.xml"], "the model has no actuators: nothing can move it; `--motors`"),
        (&["gait", "floating.xml"], "the model has no gravity"),
        (&["gait", "biped.xml", "--steps", "1"], "--steps: expected a whole number from 5 to 1000, found 1"),
        (&["gait", "biped.xml", "--speed", "NaN"], "--speed: expected a number of m/s from -100 to 100, found NaN"),
        (&["gait", "biped.xml", "--speed", "inf"], "--speed: expected a number of m/s from -100 to 100, found inf"),
        (&["gait", "biped.xml", "--period", "-1"], "--period: expected a positive number, found -1"),
        (
            &["gait", "biped.xml", "--iterations", "0"],
            "--iterations: expected a whole number from 1 to 1000000, found 0",
        ),
        (&["gait", "biped.xml", "--seed", "18446744073709551615"], "--seed: expected a whole number from 1 to 1000000"),
        (&["gait", "biped.xml", "--threads", "100000"], "--threads must be at most 1024"),
        (&["gait", "none.xml"], "none.xml"),
        (&["gait", "biped.xml", "--resume"], "nothing to resume"),
        (
            &["fly"],
            "unknown task fly; expected one of walk, trot, bound, hop, spin, push, roll, getup, run, climb, idto-pendulum",
        ),
        (&["bad.toml"], "bad.toml:1: name: "),
        (&["lost.toml"], "lost.toml:2: model"),
        (&["few.toml"], "few.toml:4: [gait] steps: expected a whole number from 5 to 1000, found 3"),
        (&["path.toml"], "expected a name that a folder can have"),
        (&[], "--list"),
    ];
    for (args, expected) in cases {
        let message = failure(&dir, &[&["optimize"], args].concat());
        assert!(message.contains(expected), "{args:?}: {message}");
    }
    assert!(files(&dir.join("out")).is_empty(), "{:?}", files(&dir.join("out")));
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_at_once() {
    let dir = biped("unwritable");
    std::fs::write(dir.join("file"), "").unwrap();
    std::fs::create_dir(dir.join("photographs")).unwrap();
    std::fs::write(dir.join("photographs/cat.jpg"), "cat").unwrap();
    for (out, expected) in [
        ("file/result", "cannot create the folder file"),
        ("file", "file exists and is not a folder"),
        ("photographs", "it is not a result and will not be replaced"),
        ("/", "not a name for a folder"),
    ] {
        let message = failure(&dir, &["optimize", "gait", "biped.xml", "--out", out]);
        assert!(message.contains(expected), "{out}: {message}");
    }
    assert_eq!(files(&dir), ["biped.xml", "file", "photographs"]);
    assert_eq!(files(&dir.join("photographs")), ["cat.jpg"]);
}

#[test]
fn damaged_folders_are_errors() {
    let dir = biped("damaged");
    saltus(&dir, &SHORT);
    let result = dir.join("out/a");
    assert!(failure(&dir, &["plot", "nowhere"]).contains("is not a result"));
    let intact = std::fs::read(result.join("trajectory.npz")).unwrap();
    let with = |name: &str, contents: &[u8]| {
        let before = std::fs::read(result.join(name)).unwrap();
        std::fs::write(result.join(name), contents).unwrap();
        let message = failure(&dir, &["plot", "out/a"]);
        std::fs::write(result.join(name), before).unwrap();
        message
    };
    assert!(with("trajectory.npz", &intact[..intact.len() / 2]).contains("zip archive"));
    let mut flipped = intact.clone();
    flipped[1000] ^= 1;
    assert!(with("trajectory.npz", &flipped).contains("checksum"));
    assert!(with("summary.json", b"{\"format\": 9}").contains("format 9"));
    assert!(with("summary.json", b"[").contains("summary.json"));
    let other = BIPED
        .replace("<joint name=\"left_knee\" axis=\"0 1 0\" range=\"0 120\"/>", "")
        .replace("<motor joint=\"left_knee\"/>", "");
    assert!(with("model.xml", other.as_bytes()).contains("expected 6 numbers per row, found 7"));
    stdout(&dir, &["plot", "out/a"]);
    // Replays: the plan did not converge, so it is not reproduced; and mistakes.
    let replay = |args: &[&str]| failure(&dir, &[&["replay", "out/a"], args].concat());
    assert!(replay(&["--law", "own"]).contains("does not reproduce the plan"));
    assert!(replay(&["--timestep", "0"]).contains("--timestep must be at least"));
    assert!(replay(&["--timestep", "NaN"]).contains("--timestep must be at least"));
    assert!(replay(&["--strides", "0"]).contains("--strides must be between 1 and 10000, not 0"));
    assert!(replay(&["--law", "magic"]).contains("possible values: own, soft"));
    let damaged = std::fs::read(result.join("plan_model.smb")).unwrap();
    std::fs::write(result.join("plan_model.smb"), &damaged[..100]).unwrap();
    assert!(replay(&[]).contains("the model for planning"));
    std::fs::remove_file(result.join("plan_model.smb")).unwrap();
    assert!(replay(&[]).contains("plan_model.smb"));
}

#[test]
fn results_are_named_after_robots_and_do_not_replace_those_of_other_tasks() {
    let folder = folder("names");
    let text = BIPED;
    let start = text.find("<mujoco").unwrap();
    let end = start + text[start..].find('>').unwrap();
    for robot in ["left", "right"] {
        std::fs::create_dir_all(folder.join(robot)).unwrap();
        let anonymous = format!("{}<mujoco>{}", &text[..start], &text[end + 1..]);
        std::fs::write(folder.join(robot).join("scene.xml"), anonymous).unwrap();
        // Too few iterations to converge; the result is written all the same.
        let short = failure(&folder, &["optimize", "gait", &format!("{robot}/scene.xml"), "--iterations", "2"]);
        assert!(short.contains(&format!("{robot}-gait")), "{short}");
        assert!(folder.join(format!("out/{robot}-gait/summary.json")).exists());
    }
    let summary = || std::fs::read_to_string(folder.join("out/left-gait/summary.json")).unwrap();
    let before = summary();
    let faster = ["optimize", "gait", "left/scene.xml", "--iterations", "2", "--speed", "0.4"];
    let refused = failure(&folder, &faster);
    assert!(
        refused.contains("another task") && refused.contains("speed = 0.4") && refused.contains("--force"),
        "{refused}"
    );
    assert_eq!(summary(), before);
    let forced: Vec<&str> = faster.iter().copied().chain(["--force"]).collect();
    assert!(failure(&folder, &forced).contains("left-gait"));
    assert_ne!(summary(), before);
    // The same task with other settings of the solver replaces its result.
    let again = failure(&folder, &["optimize", "gait", "left/scene.xml", "--iterations", "3", "--speed", "0.4"]);
    assert!(!again.contains("another task"), "{again}");
}

#[test]
fn a_model_without_actuators_is_planned_with_motors_and_its_folder_knows_them() {
    let dir = biped("motors");
    let (start, end) = (BIPED.find("<actuator>").unwrap(), BIPED.find("</actuator>").unwrap() + "</actuator>".len());
    std::fs::write(dir.join("limp.xml"), format!("{}{}", &BIPED[..start], &BIPED[end..])).unwrap();
    // Two iterations are not enough, but the folder is written.
    let run = saltus(
        &dir,
        &["optimize", "gait", "limp.xml", "--motors", "--steps", "8", "--iterations", "2", "--out", "out/limp-gait"],
    );
    let said = String::from_utf8(run.stdout).unwrap() + &String::from_utf8(run.stderr).unwrap();
    assert!(said.contains("without force limits: the file has no effort limit for"), "{said}");
    let task = std::fs::read_to_string(dir.join("out/limp-gait/task.toml")).unwrap();
    assert!(task.contains("motors = true") && task.contains("floating_base = false"), "{task}");
    let model = json(&dir, &["check", "out/limp-gait/model.xml", "--json"]);
    assert!(model["sizes"]["nu"].as_u64().unwrap() > 0);
    let again = saltus(&dir, &["optimize", "out/limp-gait/task.toml", "--iterations", "2", "--out", "again"]);
    let said = String::from_utf8(again.stdout).unwrap() + &String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("no motors were added: actuators drive all"), "{said}");
}
