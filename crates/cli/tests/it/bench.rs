//! `saltus bench`.

use crate::common::{failure, json, pendulum, stdout};

#[test]
fn the_report_has_speed_stages_and_threads() {
    let dir = pendulum("bench");
    let report = json(&dir, &["bench", "pendulum.xml", "--steps", "200", "--threads", "3", "--json"]);
    let rate = report["steps_per_second"].as_f64().unwrap();
    assert!(rate > 0.0 && (report["real_time_factor"].as_f64().unwrap() / rate - 0.001).abs() < 1e-9);
    let profile = report["profile_us"].as_object().unwrap();
    assert!(profile.contains_key("collision") && profile.contains_key("solver"));
    let threads: Vec<u64> =
        report["threads"].as_array().unwrap().iter().map(|t| t["threads"].as_u64().unwrap()).collect();
    assert_eq!(threads, [1, 2, 3]);
    assert!(stdout(&dir, &["bench", "pendulum.xml", "--steps", "10", "--threads", "1"]).contains("steps per second"));
}

#[test]
fn mistakes_are_errors() {
    let dir = pendulum("bench-mistakes");
    assert!(failure(&dir, &["bench", "pendulum.xml", "--steps", "0"]).contains("--steps"));
    assert!(failure(&dir, &["bench", "pendulum.xml", "--threads", "0"]).contains("--threads"));
    assert!(failure(&dir, &["bench", "pendulum.xml", "--keyframe", "9"]).contains("\"raised\", \"hanging\""));
}
