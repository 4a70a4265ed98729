//! Tasks are written completely: what is written reads back as the same task. The literals below
//! have all fields, so that the compiler asks for a new one here.

use saltus_opt::geometry::Touch;
use saltus_opt::problem::continuation::Hardness;
use saltus_opt::problem::term::Pressure;
use saltus_opt::problem::{Evaluation, Role};
use saltus_opt::solve::optimize::{Method, OptimizeOptions};
use saltus_opt::task::{
    At, ByDof, ContactTask, EndsTask, Line, MotionTask, Place, Pose, Task, TaskKind, TermKind, TermTask, When,
};
use saltus_opt::template::gait::{Gait, GaitWeights, Sides};
use saltus_opt::template::goal::{Aim, Goal};
use saltus_opt::template::robot::RobotOptions;
use saltus_sim::options::law::{CompliantOptions, Law};

const LINE: Line = Line(7);

fn name(text: &str) -> At<String> {
    text.to_owned().into()
}

fn options() -> OptimizeOptions {
    OptimizeOptions {
        threads: 3,
        iterations: 11,
        feasibility: 1.0 / 3.0,
        restoration: 2e-11,
        tolerance: 3e-7,
        settled: 0.02,
        penalty: 2.5,
        penalty_growth: 3.5,
        penalty_limit: 1e5,
        path_goal: 2e-3,
        path_limit: 6e-3,
        path_step: 0.3,
        method: Method::Sqp,
        radius: 0.2,
        newton: 1e-3,
        round_iterations: [41, 16, 42],
        rounds: [13, 4, 61],
    }
}

fn robot() -> RobotOptions {
    RobotOptions {
        feet: vec!["left \"foot\"".into(), "tab\there \\".into()],
        keyframe: Some("k\u{1}".into()),
        keep_pose: true,
    }
}

fn gait() -> Gait {
    Gait {
        speed: Some(-1.0 / 3.0),
        period: Some(1e-3),
        free_period: true,
        steps: 33,
        mirror: Some(Sides::Together),
        weights: GaitWeights {
            effort: 0.11,
            posture: 0.12,
            upright: 0.13,
            smoothness: 0.14,
            steadiness: 0.15,
            slip: 0.16,
            fade: 0.17,
            soles: 0.18,
        },
        noise: 0.21,
        seed: 77,
    }
}

fn contact(touch: Touch, between: Vec<[At<String>; 2]>) -> ContactTask {
    let hardness = |smoothing: f64| Hardness { smoothing, hover: 0.011, inset: 0.013, reach: 0.17 };
    ContactTask {
        law: Law::Compliant,
        compliant: CompliantOptions {
            stiffness: 1234.5,
            smoothing: 0.017,
            dissipation: 0.19,
            stiction: 0.023,
            friction: 0.29,
        },
        touch,
        between,
        from: Some(hardness(0.3)),
        to: Some(hardness(0.1)),
        line: LINE,
    }
}

fn motion(ends: EndsTask, guess: Vec<Pose>) -> MotionTask {
    MotionTask {
        steps: 17,
        time: 1.7,
        ends,
        start: Pose::Coordinates(vec![0.1, -0.0, 1e-300].into()),
        start_velocity: vec![1.0, 2.0].into(),
        evaluation: Evaluation::End,
        limits: false,
        length: Some(0.7),
        guess,
        noise: 0.3,
        seed: 9,
    }
}

/// Terms of every kind, with every setting off its default.
fn terms() -> Vec<TermTask> {
    let list = || ByDof::List(vec![1.5, 0.0, -2.5]);
    let joints = || ByDof::Joints(vec![(name("left hip"), 0.5), (name("b"), 0.25)]);
    let (x, y, z) = ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]);
    let (site, body) = (|| Place::Site(name("tip")), || Place::Body(name("palm")));
    let kinds = vec![
        TermKind::Posture { target: Pose::Keyframe(name("home")), weight: joints() },
        TermKind::Track {
            from: Pose::Coordinates(vec![0.1].into()),
            to: Pose::Keyframe(name("end")),
            weight: list(),
            velocity_weight: ByDof::All(0.3),
        },
        TermKind::Coordinates {
            from: Pose::Coordinates(vec![0.2].into()),
            to: Pose::Coordinates(vec![0.3].into()),
            weight: vec![0.4].into(),
        },
        TermKind::Effort { weight: list() },
        TermKind::Smoothness { weight: joints() },
        TermKind::Power { weight: ByDof::All(2.0) },
        TermKind::Transport { weight: list(), speed: 1.25 },
        TermKind::Speed { velocity: x, weight: y },
        TermKind::Velocity { weight: list(), target: joints() },
        TermKind::Control { torque: vec![0.5, 0.6].into(), weight: joints() },
        TermKind::Site { at: site(), position: x, weight: y },
        TermKind::Orientation { at: body(), quat: [0.1, 0.2, 0.3, 0.4], weight: z },
        TermKind::SiteVelocity { at: site(), velocity: x, weight: y, angular: z, angular_weight: x },
        TermKind::CentreOfMass { body: Some(name("trunk")), position: y, weight: z },
        TermKind::Momentum { body: Some(name("arm")), linear: x, weight: y, angular: z, angular_weight: y },
        TermKind::Sensor { sensor: name("gyro"), target: list(), weight: ByDof::All(0.1) },
        TermKind::Slip { weight: 0.2, fade: 0.03, ground: 0.04 },
        TermKind::Sliding { weight: 0.3, fade: 0.05 },
        TermKind::Clearance { weight: 0.4, height: 0.06, ground: 0.07 },
        TermKind::AboveGround { allowed: 0.08, ground: 0.09 },
        TermKind::Penetration { allowed: 0.001 },
        TermKind::Separation { margin: 0.002 },
        TermKind::Symmetry { weight: list() },
        TermKind::ContactForce {
            bodies: vec![name("foot"), name("hand")],
            of: Pressure::Total,
            least: Some(0.1),
            most: Some(2.0),
            by_weight: true,
            weight: 0.5,
        },
    ];
    let whens = [When::Between(0.1, 0.2), When::At(0.3), When::Start, When::End, When::Always];
    let roles = [Role::Inequality, Role::Equality, Role::Cost];
    let term = |(k, kind): (usize, TermKind)| TermTask {
        name: format!("term {k}"),
        kind,
        role: roles[k % roles.len()],
        when: whens[k % whens.len()],
        measure: Some(0.5 + k as f64),
        slack: 2.0 + k as f64,
        line: LINE,
    };
    kinds.into_iter().enumerate().map(term).collect()
}

fn task(kind: TaskKind, contact: ContactTask) -> Task {
    Task {
        file: String::new(),
        name: "a \"b\" ü".into(),
        about: "about\nit".into(),
        model: At { value: "m\\odel.xml".into(), line: LINE },
        floating_base: true,
        motors: true,
        kind,
        contact,
        terms: terms(),
        options: options(),
    }
}

#[track_caller]
fn assert_survives(task: Task) {
    let text = task.to_text();
    let again = Task::parse(&text, "").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(again, task, "{text}");
    task.validate().unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn every_setting_survives_writing_and_reading() {
    // What templates choose themselves stays as it is.
    let path = || ContactTask {
        from: contact(Touch::Environment, Vec::new()).from,
        to: contact(Touch::Environment, Vec::new()).to,
        ..ContactTask::default()
    };
    assert_survives(task(TaskKind::Gait { gait: gait(), robot: robot(), line: LINE }, path()));
    let reach = Aim::Reach { place: "left \"hand\"".into(), position: [1.0 / 3.0, -2.0, 0.5] };
    for aim in [Aim::Stand, reach, Aim::Jump { height: 0.1 }] {
        let goal = Goal { aim, time: Some(0.7), steps: Some(21) };
        assert_survives(task(TaskKind::Goal { goal, robot: robot(), line: LINE }, path()));
    }
    let cycle = || EndsTask::Cycle {
        stride: vec![(name("root x"), 0.7), (name("y"), -0.1)],
        mirror: true,
        free_time: true,
        line: LINE,
    };
    let pairs = || vec![[name("a"), name("b c")]];
    let keyframes = || vec![Pose::Keyframe(name("mid")), Pose::Keyframe(name("end"))];
    let coordinates = || vec![Pose::Keyframe(name("mid")), Pose::Coordinates(vec![0.1, 0.2].into())];
    for (ends, guess, touch, between) in [
        (EndsTask::Free, Vec::new(), Touch::Nothing, pairs()),
        (EndsTask::Fixed, keyframes(), Touch::Shapes, Vec::new()),
        (cycle(), coordinates(), Touch::Bodies(vec!["foot".into(), "hand".into()]), pairs()),
    ] {
        assert_survives(task(TaskKind::Motion(motion(ends, guess)), contact(touch, between)));
    }
}

#[test]
fn no_setting_of_the_optimizer_has_its_default_here() {
    let text = |options: OptimizeOptions| format!("{options:#?}").lines().map(str::to_owned).collect::<Vec<_>>();
    let (ours, usual) = (text(options()), text(OptimizeOptions::default()));
    let same = ours.iter().zip(&usual).filter(|(a, b)| a == b && a.contains(": ") && !a.ends_with('['));
    assert_eq!(same.collect::<Vec<_>>(), []);
}

#[test]
fn tasks_of_programs_are_refused_in_the_words_of_the_parser() {
    let refused = |gait: Gait| Task::gait("g", "m.xml", gait, RobotOptions::default()).validate().unwrap_err();
    let wrong = refused(Gait { steps: 2, ..Gait::default() });
    let written = Task::parse("name = \"g\"\nmodel = \"m.xml\"\n[gait]\nsteps = 2\n", "g.toml").unwrap_err();
    assert_eq!((&wrong.key, &wrong.message), (&written.key, &written.message));
    assert_eq!(wrong.to_string(), "[gait] steps: expected a whole number from 5 to 1000, found 2");
    assert_eq!(written.to_string(), format!("g.toml:4: {wrong}"));
    for gait in [
        Gait { speed: Some(f64::INFINITY), ..Gait::default() },
        Gait { period: Some(0.0), ..Gait::default() },
        Gait { noise: f64::NAN, ..Gait::default() },
        Gait { seed: 0, ..Gait::default() },
    ] {
        assert!(refused(gait.clone()).key.starts_with("[gait] "), "{gait:?}");
    }
    let named = |name: &str| Task::gait(name, "m.xml", Gait::default(), RobotOptions::default()).validate();
    assert!(named("a/b").unwrap_err().to_string().contains("a name that a folder can have"));
    assert!(named("walk").is_ok());
}

#[test]
fn another_format_is_refused() {
    let text = |format: &str| format!("format = {format}\nname = \"g\"\nmodel = \"m.xml\"\n[stand]\n");
    assert!(Task::parse(&text("1"), "").is_ok());
    let wrong = Task::parse(&text("2"), "t.toml").unwrap_err().to_string();
    assert_eq!(wrong, "t.toml:1: format: this version of Saltus reads task files of format 1, found 2");
}

#[test]
fn what_a_template_chooses_itself_is_refused() {
    let text = |contact: &str| format!("name = \"g\"\nmodel = \"m.xml\"\n[stand]\n[contact]\n{contact}\n");
    for contact in ["touch = \"nothing\"", "law = \"soft\"", "between = [[\"a\", \"b\"]]"] {
        let wrong = Task::parse(&text(contact), "").unwrap_err().to_string();
        assert!(wrong.contains("a template chooses this itself"), "{wrong}");
    }
    let contact = ContactTask { law: Law::Soft, ..ContactTask::default() };
    let task = Task { contact, ..Task::gait("g", "m", Gait::default(), RobotOptions::default()) };
    assert!(task.validate().unwrap_err().to_string().contains("a template chooses this itself"));
    assert!(Task::parse(&text("to = { smoothing = 0.1, hover = 0.001, reach = 0.1 }"), "").is_ok());
}

#[test]
fn the_parser_says_which_keys_there_are() {
    let (_, keys) = Task::parse_with_keys("name = \"g\"\nmodel = \"m.xml\"\n[stand]\n", "").unwrap();
    let of = |table: &str| keys.iter().find(|k| k.table == table).map(|k| k.keys.clone());
    assert!(of("[stand]").unwrap().contains(&"keep_pose"));
    assert!(of("[solver]").unwrap().contains(&"path_goal"));
    assert!(of("").unwrap().contains(&"about"));
    assert_eq!(of("[motion]"), None);
}

#[test]
fn the_reference_has_every_key() {
    let reference = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/TASKS.md")).unwrap();
    let kinds = ["gait = {}", "stand = {}", "reach = { place = \"p\", position = 0 }", "jump = { height = 0.1 }"];
    let motion = "motion = { steps = 9, time = 1, start = {} }\ncontact = { compliant = {}, \
                  from = { smoothing = 1, hover = 1, reach = 1 } }\nguess = { kind = \"line\", to = [1] }";
    for what in kinds.into_iter().chain([motion]) {
        let text = format!("name = \"g\"\nmodel = \"m.xml\"\n{what}\n");
        let (_, tables) = Task::parse_with_keys(&text, "").unwrap_or_else(|e| panic!("{e}"));
        for table in tables {
            for key in table.keys {
                let forms = [format!("`{key}`"), format!("[{key}]"), format!("{key} = ")];
                assert!(forms.iter().any(|form| reference.contains(form)), "{key}");
            }
        }
    }
    for term in terms() {
        let written = Task { terms: vec![term], ..Task::gait("g", "m", Gait::default(), RobotOptions::default()) };
        let (_, tables) = Task::parse_with_keys(&written.to_text(), "").unwrap_or_else(|e| panic!("{e}"));
        let of_term = tables.iter().filter(|t| t.table == "[[term]]").flat_map(|t| &t.keys);
        of_term.for_each(|key| assert!(reference.contains(&format!("`{key}`")), "{key}"));
    }
}

#[test]
fn odd_values_are_named_in_words_and_long_ones_are_cut() {
    let error = |line: &str| {
        let text = format!("name = \"g\"\nmodel = \"m.xml\"\n[gait]\n{line}\n");
        Task::parse(&text, "").unwrap_err().to_string()
    };
    assert!(error("steps = 2026-11-20").contains("found a date or a time (texts are written in quotes)"));
    assert!(error("steps = nan").contains("NaN"), "{}", error("steps = nan"));
    let huge = format!("steps = {}", "9".repeat(300));
    assert!(error(&huge).contains("characters)") && error(&huge).len() < 200, "{}", error(&huge));
    let word = format!("mirror = \"{}\"", "m".repeat(100_000));
    assert!(error(&word).len() < 300, "{}", error(&word).len());
}
