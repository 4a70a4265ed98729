//! `saltus compare`, `saltus reproduce`, and laws on the command line.

use crate::common::{failure, folder, json, stdout};

const HUMANOID: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/humanoid.xml");

#[test]
fn compare_measures_every_law() {
    let dir = folder("compare");
    let arguments = ["compare", HUMANOID, "--time", "0.4", "--plot", "laws.svg", "--record", "laws.csv", "--json"];
    let report = json(&dir, &arguments);
    let laws = report["laws"].as_array().unwrap();
    let names: Vec<&str> = laws.iter().map(|l| l["law"].as_str().unwrap()).collect();
    assert_eq!(names, ["soft", "invertible", "impulse", "lcp", "compliant"]);
    for law in laws {
        assert_eq!(law["steps"], 80, "{law}");
        assert!(law["diverged"].is_null() && law["energy_end"].as_f64().unwrap().is_finite(), "{law}");
    }
    let penetration = |k: usize| laws[k]["penetration_max"].as_f64().unwrap();
    assert!(penetration(2) < 1e-5 && penetration(2) < penetration(0), "{} {}", penetration(0), penetration(2));
    assert!(std::fs::read_to_string(dir.join("laws.svg")).unwrap().starts_with("<svg"));
    assert_eq!(std::fs::read_to_string(dir.join("laws.csv")).unwrap().lines().count(), 81);
    assert!(stdout(&dir, &["compare", HUMANOID, "--time", "0.1", "--laws", "soft,impulse"]).contains("impulse"));
}

#[test]
fn laws_and_settings_are_chosen_and_checked() {
    let dir = folder("laws");
    let report = json(&dir, &["sim", HUMANOID, "--time", "0.1", "--law", "impulse", "--set", "reach=0.02", "--json"]);
    assert_eq!(report["steps"], 20);
    let help = stdout(&dir, &["sim", "--help"]);
    for name in ["impulse_iterations", "impulse_ls_iterations", "impulse_solver", "lcp_iterations", "reach"] {
        assert!(help.contains(&format!("{name}: ")), "{name}: {help}");
    }
    for (arguments, expected) in [
        (vec!["compare", HUMANOID, "--laws", "soft,hard"], "there are soft, invertible, impulse, lcp"),
        (vec!["compare", HUMANOID, "--time", "1e-5"], "shorter than one step"),
        (vec!["sim", HUMANOID, "--set", "reach=-1"], "at least 0"),
        (vec!["sim", HUMANOID, "--set", "rech=1"], "reach"),
        (vec!["sim", HUMANOID, "--set", "reach"], "NAME=VALUE"),
        (vec!["reproduce", "todorov2011/fig9"], "todorov2011/fig1"),
    ] {
        let message = failure(&dir, &arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn reproductions_are_listed_and_print_ours_beside_the_published() {
    let dir = folder("reproduce");
    let list = stdout(&dir, &["reproduce"]);
    for name in ["table1", "fig1", "fig3", "fig4"] {
        assert!(list.contains(&format!("todorov2011/{name}")), "{list}");
    }
    let reproduce = |name: &str| json(&dir, &["reproduce", name, "--json", "--out", "out"]);
    let equality = reproduce("mujoco2013/equality");
    assert!((equality["rate"].as_f64().unwrap() + 1.0).abs() < 0.01, "{equality}");
    let sweeps = reproduce("mujoco2013/sweeps");
    let error = |k: usize| sweeps["rows"][k]["error_mean"].as_f64().unwrap();
    assert!(error(49) < 1e-2 * error(4) && error(4) < error(0), "{} {} {}", error(0), error(4), error(49));
    for row in reproduce("mujoco2013/integrators")["rows"].as_array().unwrap() {
        let (order, expected) = (row["smooth_order"].as_f64().unwrap(), row["expected_order"].as_f64().unwrap());
        assert!((order - expected).abs() < 0.4, "{row}");
    }
    let table = reproduce("todorov2011/table1");
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|r| r["contacts"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 5, 10, 20]);
    for row in rows {
        for key in ["evals_per_second", "dense_evals_per_second", "published"] {
            assert!(row[key].as_f64().unwrap() > 0.0, "{row}");
        }
    }
    reproduce("todorov2011/fig1");
    let gait = reproduce("todorov2011/gait");
    assert!(gait["newton_iterations"].as_u64().unwrap() > 0 && gait["periodicity"].as_f64().unwrap() < 1e-6, "{gait}");
    assert!(gait["law_independent_residual"]["max"].as_f64().unwrap() < 0.05, "{gait}");
    // The ball slows down and stops, as published: it does not bounce.
    let ball = reproduce("todorov2011/fig3")["exponential"].clone();
    let value = |key: &str| ball[key].as_f64().unwrap();
    assert!(value("bounce") < 0.03 && value("stopping_time") < 0.1 && value("least_gap") > 0.0, "{ball}");
    assert!(value("last_velocity_share") < 1e-3, "{ball}");
    // Times are a matter of the machine, iterations are not: those of the slowest contact do not
    // grow with their number.
    let iterations = reproduce("todorov2011/fig4")["iterations"].as_array().unwrap().clone();
    assert!(iterations.iter().all(|n| n.as_f64().unwrap() < 20.0), "{iterations:?}");
    for name in list.lines().filter_map(|line| line.split_whitespace().next()).filter(|n| !n.starts_with("hsu2014")) {
        let read = |ending: &str| std::fs::read_to_string(dir.join("out").join(format!("{name}.{ending}"))).unwrap();
        assert!(read("svg").contains("published: "), "{name} does not show the published result");
        assert!(!read("csv").is_empty());
    }
}
