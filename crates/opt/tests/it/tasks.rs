//! Task files: those that come with Saltus, and what is said of mistakes.

use saltus_io::read_file;
use saltus_opt::optimize::Event;
use saltus_opt::setup::Setup;
use saltus_opt::task::Task;
use saltus_sim::{Data, step};

fn root() -> String {
    format!("{}/../..", env!("CARGO_MANIFEST_DIR"))
}

fn setup(task: &Task) -> Setup {
    let spec = read_file(format!("{}/models/{}.xml", root(), task.model.value)).expect("the model");
    task.setup(&spec).unwrap_or_else(|e| panic!("{e}"))
}

/// Sets a task up and runs some iterations; the merit at the first and at the last of the first round.
fn begin(name: &str, iterations: usize) -> (f64, f64) {
    let file = format!("{}/tasks/{name}.toml", root());
    let text = std::fs::read_to_string(&file).expect("the task");
    let task = Task::parse(&text, &file).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(task.name, name);
    let mut setup = setup(&task);
    let (mut first, mut last) = (f64::NAN, f64::NAN);
    let plan = setup
        .optimize(&mut |event| {
            if let Event::Iteration(i) = event {
                if first.is_nan() {
                    first = i.merit;
                }
                if i.accepted {
                    last = i.merit;
                }
                return i.number < iterations;
            }
            true
        })
        .expect("threads");
    assert!(plan.motion.q.iter().all(|x| x.is_finite()));
    (first, last)
}

#[test]
fn tasks_that_come_with_saltus_make_progress() {
    for name in ["walk", "trot", "spin", "hop"] {
        let (first, last) = begin(name, 8);
        println!("{name}: {first} {last}");
        assert!(last < first, "{name}: {first} {last}");
    }
}

/// The finger turns the wheel, and what is planned is what the engine does step by step: with the motors' forces only.
#[test]
fn the_finger_spins_the_wheel() {
    let file = format!("{}/tasks/spin.toml", root());
    let task = Task::parse(&std::fs::read_to_string(&file).expect("the task"), &file).unwrap_or_else(|e| panic!("{e}"));
    let mut setup = setup(&task);
    let plan = setup.optimize(&mut |_| true).expect("threads");
    assert!(plan.status.converged(), "{}", plan.status);
    let (model, m) = (&setup.problem.model, &plan.motion);
    let wheel = m.q[m.q.len() - 1];
    assert!(wheel > 1.9, "{wheel}");
    let mut data = Data::new(model);
    let mut worst = 0.0f64;
    for t in 0..m.steps - 1 {
        data.reset(model);
        data.state.q.copy_from_slice(&m.q[t * m.nq..(t + 1) * m.nq]);
        data.state.v.copy_from_slice(&m.v[t * m.nv..(t + 1) * m.nv]);
        for &i in &setup.actuation.actuated {
            data.input.tau_applied[i] = m.tau[t * m.nv + i];
        }
        step(model, &mut data).expect("a step");
        let next = &m.q[(t + 1) * m.nq..(t + 2) * m.nq];
        worst = data.state.q.iter().zip(next).fold(worst, |w, (a, b)| w.max((a - b).abs()));
    }
    println!("largest difference of a step: {worst:e}");
    assert!(worst < 1e-5, "{worst}");
}

const GOOD: &str = r#"name = "reach"
model = "arm"
[motion]
steps = 10
time = 0.5
start = { keyframe = "home" }
[contact]
touch = "nothing"
[[term]]
kind = "site"
site = "tip"
position = [0.4, 0.1, 0.3]
weight = [1, 1, 0]
window = "end"
[[term]]
kind = "effort"
weight = { yaw = 0.01, lift = 0.01 }
[[term]]
kind = "velocity"
window = [0.25, 0.5]
role = "equality"
weight = { turn = 1 }
"#;

/// The message for the good task with a part replaced.
fn message(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    match Task::parse(&text, "reach.toml") {
        Err(e) => e.to_string(),
        Ok(task) => {
            let spec = read_file(format!("{}/models/{}.xml", root(), task.model.value)).expect("the model");
            task.setup(&spec).err().unwrap_or_else(|| panic!("no error with {to}")).to_string()
        }
    }
}

#[test]
fn a_task_becomes_its_problem() {
    let setup = setup(&Task::parse(GOOD, "reach.toml").unwrap_or_else(|e| panic!("{e}")));
    let names: Vec<&str> = setup.problem.terms.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["unactuated", "joint limits", "torque limits", "site", "effort", "velocity"]);
    assert_eq!((setup.problem.h(), setup.problem.steps), (0.05, 10));
    let [site, velocity] = [&setup.problem.terms[3], &setup.problem.terms[5]];
    assert_eq!((site.window.first, site.window.last, site.measure), (10, 10, Some(1.0)));
    assert_eq!((velocity.window.first, velocity.window.last, velocity.measure), (5, 10, None));
}

#[test]
fn mistakes_are_explained() {
    let cases = [
        (
            "steps = 10",
            "steps = 10.5",
            "reach.toml:4: [motion] steps: expected a whole number from 1 to 1000000, found 10.5",
        ),
        ("steps = 10", "step = 10", "reach.toml:3: [motion] steps: this key is missing: expected the number of steps"),
        ("steps = 10", "steps = \"ten\"", "reach.toml:4: [motion] steps: expected a whole number, found text"),
        ("time = 0.5", "time = -1", "reach.toml:5: [motion] time: expected a positive number, found -1"),
        (
            "time = 0.5",
            "time = 0.5\nspeed = 1",
            "reach.toml:6: [motion] speed: there is no such key; there are steps, time, ends, stride, mirror, start, evaluate, limits, length",
        ),
        ("\"home\"", "\"hme\"", "reach.toml:6: [motion] start: there is no keyframe \"hme\"; there are home"),
        (
            "site = \"tip\"",
            "site = \"top\"",
            "reach.toml:11: [[term]] site: there is no site \"top\"; there are tip, box",
        ),
        (
            "yaw = 0.01",
            "jaw = 0.01",
            "reach.toml:17: [[term]] weight: there is no joint \"jaw\"; there are yaw, lift, roll, elbow, twist, wrist, turn, box",
        ),
        (
            "kind = \"effort\"",
            "kind = \"efort\"",
            "reach.toml:16: [[term]] kind: expected one of posture, track, coordinates, effort,",
        ),
        ("[1, 1, 0]", "[1, 1]", "reach.toml:13: [[term]] weight: expected three numbers, found a list"),
        (
            "role = \"equality\"",
            "role = \"must\"",
            "reach.toml:21: [[term]] role: expected one of cost, equality, inequality; found \"must\"",
        ),
        (
            "[0.25, 0.5]",
            "[0.5, 0.25]",
            "reach.toml:20: [[term]] window: expected [from, to] in s, \"always\" or \"end\"",
        ),
        (
            "keyframe = \"home\"",
            "q = [1, 2]",
            "reach.toml:6: [motion] start: expected 14 numbers, the coordinates of the model; found 2",
        ),
        (
            "touch = \"nothing\"",
            "touch = [\"tipp\"]",
            "reach.toml:7: [contact]: there is no body \"tipp\"; the bodies are",
        ),
        ("[contact]", "[gait]\n[contact]", "reach.toml:3: [motion]: a task has either a [gait] or a [motion]"),
        ("name = \"reach\"", "name = reach", "reach.toml:1: "),
        (
            "[motion]",
            "[motions]",
            "reach.toml:1: [motion]: this key is missing: expected what to do: a table [gait] or [motion]",
        ),
    ];
    for (from, to, expected) in cases {
        let found = message(from, to);
        assert!(found.starts_with(expected), "\nfound    {found}\nexpected {expected}");
    }
}
