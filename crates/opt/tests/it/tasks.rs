//! Task files: those that come with Saltus, and what is said of mistakes.

use saltus_io::read_file;
use saltus_opt::planning::PlanningProblem;
use saltus_opt::problem::identity::TermId;
use saltus_opt::problem::rows::{Knot, Part, Rows};
use saltus_opt::problem::{Entry, Role, Term, Window};
use saltus_opt::solve::optimize::{Event, Method};
use saltus_opt::solve::report::{Quantity, Status};
use saltus_opt::task::Task;
use saltus_opt::template::goal::{Aim, Goal};
use saltus_opt::template::robot::RobotOptions;
use saltus_opt::template::symmetry::find_mirror;
use saltus_sim::{Data, step};

fn root() -> String {
    format!("{}/../..", env!("CARGO_MANIFEST_DIR"))
}

pub fn setup(task: &Task) -> PlanningProblem {
    let spec = read_file(format!("{}/models/{}.xml", root(), task.model.value)).expect("the model");
    task.problem(&spec).unwrap_or_else(|e| panic!("{e}"))
}

pub fn shipped(name: &str) -> Task {
    let file = format!("{}/tasks/{name}.toml", root());
    let text = std::fs::read_to_string(&file).expect("the task");
    let task = Task::parse(&text, &file).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(task.name, name);
    task
}

/// Sets a task up and runs some iterations; the merit at the first and at the last of the first
/// round.
fn begin(name: &str, iterations: usize) -> (f64, f64) {
    let mut setup = setup(&shipped(name));
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
    for name in ["walk", "run", "trot", "bound", "climb", "spin", "hop", "push", "roll", "getup"] {
        let (first, last) = begin(name, 8);
        println!("{name}: {first} {last}");
        assert!(last < first, "{name}: {first} {last}");
    }
}

/// The human runs: converged, with times at which no foot touches the ground.
#[test]
fn the_humanoid_runs() {
    let plan = setup(&shipped("run")).optimize(&mut |_| true).expect("threads");
    assert!(plan.status.converged(), "{}", plan.status);
    let push =
        |contacts: &Vec<saltus_opt::problem::forces::ContactForce>| contacts.iter().map(|c| c.force[2]).sum::<f64>();
    let flying = plan.motion.contacts.iter().filter(|c| push(c) < 0.05 * plan.weight).count();
    let share = flying as f64 / plan.motion.contacts.len() as f64;
    println!("in the air {share}");
    assert!(share > 0.2, "{share}");
    let (median, worst) = plan.law_independent_residual();
    assert!(median < 1e-3 && worst < 0.02, "{median} {worst}");
}

/// The quadruped bounds: feet of a pair touch together, front and back pair in turns with all feet
/// in the air between, and every state is its own mirror image.
#[test]
fn the_quadruped_bounds() {
    let mut setup = setup(&shipped("bound"));
    let plan = setup.optimize(&mut |_| true).expect("threads");
    assert!(plan.status.converged(), "{}", plan.status);
    let (model, m) = (&setup.problem.model, &plan.motion);
    let mirror = find_mirror(model, &vec![true; model.nbody()]).expect("left and right");
    let feet = ["front_left", "front_right", "back_left", "back_right"];
    let feet = feet.map(|name| model.body(&format!("{name}_shank")).expect("a foot").idx());
    let mut seen = [0; 4];
    for t in 0..m.steps {
        let q = &m.q[t * m.nq..(t + 1) * m.nq];
        let mut image = vec![0.0; m.nq];
        mirror.apply(q, &mut image);
        let apart = q.iter().zip(&image).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        assert!(apart < 1e-9, "{t}: {apart}");
        let push = |b| m.contacts[t].iter().filter(|c| c.body == b).map(|c| c.force[2]).sum::<f64>();
        let down = feet.map(|b| push(b) > 0.05 * plan.weight);
        assert_eq!((down[0], down[2]), (down[1], down[3]), "{t}");
        seen[usize::from(down[0]) + 2 * usize::from(down[2])] += 1;
    }
    println!("none, front, back, all: {seen:?}");
    assert!(seen[0] > 0 && seen[1] > m.steps / 5 && seen[2] > m.steps / 5 && seen[3] == 0, "{seen:?}");
    let (median, worst) = plan.law_independent_residual();
    assert!(median < 1e-3 && worst < 0.02, "{median} {worst}");
}

/// A model of the quadruped in front of a step is the quadruped, a step and keyframes more.
#[test]
fn the_step_is_before_the_quadruped() {
    let read = |name: &str| std::fs::read_to_string(format!("{}/models/{name}.xml", root())).expect(name);
    let lines = |text: String| text.lines().skip(3).map(str::to_owned).collect::<Vec<_>>();
    let (plain, step) = (lines(read("quadruped")), lines(read("step")));
    let more: Vec<&String> = step.iter().filter(|line| !plain.contains(line)).collect();
    assert!(plain.iter().all(|line| step.contains(line)));
    assert!(more.iter().all(|line| line.contains("name=\"step\"") || line.contains("<key ")), "{more:?}");
}

/// Templates for our models: a hand comes to its place, a robot stands with its weight on its feet,
/// a hopper jumps as high as it shall, and what cannot be is said.
#[test]
fn goals_are_reached() {
    let plan = |model: &str, text: &str| {
        let task = Task::parse(&format!("name = \"g\"\nmodel = \"{model}\"\n{text}"), "g.toml").expect("a task");
        let mut setup = setup(&task);
        let plan = setup.optimize(&mut |_| true).expect("threads");
        (setup, plan)
    };
    let (_, stands) = plan("quadruped", "[stand]");
    assert!(stands.status.converged(), "{}", stands.status);
    for contacts in &stands.motion.contacts {
        let up: f64 = contacts.iter().map(|c| c.force[2]).sum();
        assert!((up / stands.weight - 1.0).abs() < 1e-6, "{up}");
    }
    let (setup, jumps) = plan("hopper", "[jump]\nheight = 0.2");
    assert!(jumps.status.converged(), "{}", jumps.status);
    let model = &setup.problem.model;
    let mut data = Data::new(model);
    let mut height = |t: usize| {
        data.state.q.copy_from_slice(&jumps.motion.q[t * model.size.nq..(t + 1) * model.size.nq]);
        saltus_sim::forward_smooth(model, &mut data);
        let sum: f64 = (1..model.nbody()).map(|b| model.bodies.mass[b] * data.position.p_WI[b].z).sum();
        sum / model.bodies.mass.iter().sum::<f64>()
    };
    let highest = (0..jumps.motion.steps).map(&mut height).fold(0.0, f64::max);
    let standing = height(0);
    assert!((highest - standing - 0.2).abs() < 0.02, "{highest} {standing}");
    let (_, far) = plan("arm", "[reach]\nplace = \"tip\"\nposition = [2, 0, 0.3]\n[solver]\niterations = 60");
    assert!(far.status.to_string().contains("tip at its place"), "{}", far.status);
    let task = Task::parse("name = \"g\"\nmodel = \"arm\"\n[reach]\nplace = \"tipp\"\nposition = [1, 0, 0]", "g.toml");
    let spec = read_file(format!("{}/models/arm.xml", root())).expect("the model");
    let why = task.expect("a task").problem(&spec).expect_err("no such site").to_string();
    assert!(why.starts_with("g.toml:3: [reach]: there is no site or body \"tipp\"; sites: tip, box;"), "{why}");
}

/// A quadruped that stands takes the weight off a foot if it shall, as far as it is told.
#[test]
fn contact_forces_are_limited() {
    let stand = |more: &str| {
        let text = format!("name = \"g\"\nmodel = \"quadruped\"\n[stand]\n{more}");
        let mut setup = setup(&Task::parse(&text, "g.toml").unwrap_or_else(|e| panic!("{e}")));
        let plan = setup.optimize(&mut |_| true).expect("threads");
        assert!(plan.status.converged(), "{}", plan.status);
        let foot = setup.problem.model.body("front_left_shank").expect("a foot").idx();
        let push =
            |t: usize| plan.motion.contacts[t].iter().filter(|c| c.body == foot).map(|c| c.force[2]).sum::<f64>();
        (0..plan.motion.steps).map(|t| push(t) / plan.weight).collect::<Vec<f64>>()
    };
    let term = "[[term]]\nkind = \"contact_force\"\nbodies = [\"front_left_shank\"]\nunit = \"weight\"\n";
    assert!(stand("").iter().all(|f| (0.2..0.3).contains(f)));
    assert!(stand(&format!("{term}most = 0.1")).iter().all(|f| (0.05..0.1 + 6e-5).contains(f)));
    assert!(stand(&format!("{term}least = 0.35")).iter().all(|f| *f > 0.35 - 6e-5));
    // As a cost: a compromise.
    let less = stand(&format!("{term}most = 0.1\nrole = \"cost\"\nweight = 10"));
    assert!(less.iter().all(|f| (0.1..0.2).contains(f)), "{less:?}");
}

/// An object is not a foot: an arm with a box on its table does not stand, and a quadruped next to
/// a box stands on its own feet.
#[test]
fn objects_are_not_feet() {
    let task = Task::parse("name = \"g\"\nmodel = \"arm\"\n[stand]", "g.toml").expect("a task");
    let spec = read_file(format!("{}/models/arm.xml", root())).expect("the model");
    let why = task.problem(&spec).expect_err("no feet").to_string();
    assert!(why.starts_with("g.toml:3: [stand]: nothing that has motors can move along x"), "{why}");
    let xml = std::fs::read_to_string(format!("{}/models/quadruped.xml", root())).expect("the model");
    let block =
        "<body name=\"block\" pos=\"0.6 0 0.02\"><freejoint/><geom type=\"box\" size=\"0.02 0.02 0.02\"/></body>";
    let (before, _) = xml.split_once("<keyframe>").expect("keyframes");
    let xml = format!("{before}</mujoco>").replacen("<worldbody>", &format!("<worldbody>{block}"), 1);
    let spec = saltus_io::mjcf::read_str(&xml, &Default::default()).expect("the model");
    let task = Task::parse("name = \"g\"\nmodel = \"x\"\n[stand]", "g.toml").expect("a task");
    let mut setup = task.problem(&spec).unwrap_or_else(|e| panic!("{e}"));
    let feet = setup.notes.iter().find(|note| note.starts_with("feet:")).expect("feet");
    assert!(!feet.contains("block") && feet.contains("front_left_shank"), "{feet}");
    let plan = setup.optimize(&mut |_| true).expect("threads");
    assert!(plan.status.converged(), "{}", plan.status);
    let block = setup.problem.model.body("block").expect("the block").idx();
    for contacts in &plan.motion.contacts {
        let up: f64 = contacts.iter().filter(|c| c.body == block).map(|c| c.force[2]).sum();
        assert!((up / (0.064 * 9.81) - 1.0).abs() < 1e-6, "{up}");
    }
}

/// The arm without its box, with other ranges of its strongest motors.
fn bare_arm(range: &str) -> saltus_sim::ModelSpec {
    let xml = std::fs::read_to_string(format!("{}/models/arm.xml", root())).expect("the model");
    let (before, rest) = xml.split_once("<body name=\"box\"").expect("a box");
    let (_, after) = rest.split_once("</body>").expect("its end");
    let xml = format!("{before}{after}").replace("-60 60", range).replace(" 0.55 0 0.06 1 0 0 0\"", "\"");
    saltus_io::mjcf::read_str(&xml, &Default::default()).expect("the model")
}

/// Tasks that cannot be done end with a constraint that is violated.
#[test]
fn what_cannot_be_is_said() {
    let place = |name: &str, y: f64| {
        format!(
            "[[term]]\nname = \"{name}\"\nkind = \"site\"\nsite = \"tip\"\nposition = [0.3, {y}, 0.4]\n\
             role = \"equality\"\nwindow = \"end\"\n"
        )
    };
    let hold = "[[term]]\nname = \"hold\"\nkind = \"posture\"\nkeyframe = \"home\"\nrole = \"equality\"\n\
                weight = 1.0\n"
        .to_owned();
    let cases = [
        // Two places at once.
        (place("here", 0.0) + &place("there", 0.2), "-60 60", ["here", "there"]),
        // Motors that are too weak for the arm's own weight.
        (hold, "-0.1 0.1", ["torque limits", "hold"]),
    ];
    for (terms, range, expected) in cases {
        let text = format!(
            "name = \"x\"\nmodel = \"arm\"\n[motion]\nsteps = 8\ntime = 0.5\nstart = {{ keyframe = \"home\" }}\n\
             [contact]\ntouch = \"nothing\"\n[solver]\niterations = 300\n{terms}"
        );
        let task = Task::parse(&text, "x.toml").unwrap_or_else(|e| panic!("{e}"));
        let mut setup = task.problem(&bare_arm(range)).unwrap_or_else(|e| panic!("{e}"));
        let plan = setup.optimize(&mut |_| true).expect("threads");
        let status = plan.status.to_string();
        assert!(expected.iter().any(|name| status.starts_with(&format!("infeasible: {name} is violated"))), "{status}");
    }
}

/// The finger turns the wheel, and what is planned is what the engine does step by step: with the
/// motors' forces only.
#[test]
fn the_finger_spins_the_wheel() {
    let mut setup = setup(&shipped("spin"));
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
            task.problem(&spec).err().unwrap_or_else(|| panic!("no error with {to}")).to_string()
        }
    }
}

#[test]
fn a_task_becomes_its_problem() {
    let setup = setup(&Task::parse(GOOD, "reach.toml").unwrap_or_else(|e| panic!("{e}")));
    let names: Vec<String> = setup.problem.terms.iter().map(|t| t.id.to_string()).collect();
    assert_eq!(names, ["unactuated", "joint limits", "torque limits", "site", "effort", "velocity"]);
    assert_eq!((setup.problem.h(), setup.problem.steps), (0.05, 10));
    let [site, velocity] = [&setup.problem.terms[3], &setup.problem.terms[5]];
    assert_eq!((site.window.first, site.window.last, site.measure), (10, 10, Some(1.0)));
    assert_eq!((velocity.window.first, velocity.window.last, velocity.measure), (5, 10, None));
}

#[test]
fn a_guess_that_cannot_be_evaluated_is_a_status() {
    let mut setup = setup(&Task::parse(GOOD, "reach.toml").unwrap_or_else(|e| panic!("{e}")));
    setup.guess.fill(1e200);
    let plan = setup.optimize(&mut |_| true).expect("threads");
    let Status::Invalid { flaw: Some(flaw) } = &plan.status else { panic!("{}", plan.status) };
    assert_eq!((flaw.term.as_ref(), flaw.what), (Some(&TermId::Unactuated), Quantity::Cost));
    assert!(plan.violations.iter().all(|v| v.largest.is_infinite()));
}

#[derive(Debug)]
struct NotANumber;

impl Term for NotANumber {
    fn evaluate(&self, _: &Knot<'_>, out: &mut Rows) {
        out.row(f64::NAN);
    }
}

#[test]
fn a_term_that_is_not_a_number_does_not_hold() {
    for role in [Role::Cost, Role::Equality, Role::Inequality] {
        let mut setup = setup(&Task::parse(GOOD, "reach.toml").unwrap_or_else(|e| panic!("{e}")));
        setup.problem.terms.push(Entry::new("nothing", role, NotANumber));
        let plan = setup.optimize(&mut |_| true).expect("threads");
        let Status::Invalid { flaw: Some(flaw) } = &plan.status else { panic!("{role:?}: {}", plan.status) };
        assert_eq!((flaw.term.as_ref(), flaw.state), (Some(&"nothing".into()), 0), "{role:?}");
        assert_eq!(flaw.what, Quantity::Residual { row: 0 });
    }
}

/// A residual of q that is right everywhere, but `wrong` with its derivative at one state.
#[derive(Debug)]
struct Flawed {
    state: usize,
    wrong: f64,
}

impl Term for Flawed {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        for (i, q) in knot.q().iter().take(2).enumerate() {
            out.row(0.1 * (q - 0.3));
            let flawed = knot.t == self.state && i == 1;
            out.add(Part::Q, i, if flawed { self.wrong } else { 0.1 });
        }
    }
}

#[test]
fn a_derivative_that_is_not_finite_is_named_and_nothing_converges_with_it() {
    for role in [Role::Cost, Role::Equality, Role::Inequality] {
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut setup = setup(&Task::parse(GOOD, "reach.toml").unwrap_or_else(|e| panic!("{e}")));
            setup.problem.terms.push(Entry::new("flawed", role, Flawed { state: 5, wrong }));
            let plan = setup.optimize(&mut |_| true).expect("threads");
            let Status::Invalid { flaw: Some(flaw) } = &plan.status else {
                panic!("{role:?} {wrong}: {}", plan.status)
            };
            assert_eq!((flaw.term.as_ref(), flaw.state, flaw.time), (Some(&"flawed".into()), 5, 0.25));
            assert_eq!(flaw.what, Quantity::Derivative { row: 1, part: Part::Q, dof: 1 });
            assert!(plan.motion.gains.is_empty());
            let expected =
                "the derivative of residual 1 with respect to q of dof 1 of flawed is not a finite number at state 5";
            assert!(plan.status.to_string().contains(expected), "{}", plan.status);
        }
    }
}

/// A residual that has no value beside the guess.
#[derive(Debug)]
struct Pointlike(Vec<f64>);

impl Term for Pointlike {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        out.row(if knot.q() == self.0 { 1.0 } else { f64::NAN });
        out.add(Part::Q, 0, 1.0);
    }
}

#[test]
fn a_term_without_values_beside_the_guess_does_not_let_the_guess_pass_as_a_solution() {
    for method in [Method::Rounds, Method::Sqp] {
        let mut setup = setup(&Task::parse(GOOD, "reach.toml").unwrap_or_else(|e| panic!("{e}")));
        setup.options.method = method;
        let (nq, all) = (setup.problem.model.size.nq, setup.guess.len());
        let window = Window::end(setup.problem.steps);
        let term = Pointlike(setup.guess[all - nq..].to_vec());
        setup.problem.terms.push(Entry { window, ..Entry::new("point", Role::Cost, term) });
        let plan = setup.optimize(&mut |_| true).expect("threads");
        let Status::Invalid { flaw: Some(flaw) } = &plan.status else { panic!("{method:?}: {}", plan.status) };
        assert_eq!(flaw.term, Some("point".into()));
    }
}

/// An equality that speaks of forces at the last state too, where there are none.
#[derive(Debug)]
struct Forces;

impl Term for Forces {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        out.row(0.1 * (knot.tau[0] + knot.v()[0]));
        out.add(Part::Tau, 0, 0.1);
        out.add(Part::V, 0, 0.1);
    }
}

#[test]
fn equalities_may_speak_of_forces_where_there_are_none() {
    for method in [Method::Rounds, Method::Sqp] {
        let mut setup = setup(&Task::parse(GOOD, "reach.toml").unwrap_or_else(|e| panic!("{e}")));
        (setup.options.method, setup.options.iterations) = (method, 20);
        setup.problem.terms.push(Entry::new("forces", Role::Equality, Forces));
        let plan = setup.optimize(&mut |_| true).expect("threads");
        assert!(!matches!(plan.status, Status::Invalid { .. }) && plan.cost.is_finite(), "{method:?}: {}", plan.status);
    }
}

#[test]
fn the_number_of_steps_that_follows_from_time_or_height_is_bounded() {
    let refusal = |aim: Aim, time: f64| {
        let place = read_file(format!("{}/models/humanoid.xml", root())).expect("the model");
        let task = Task::goal("goal", "humanoid", Goal { aim, time: Some(time), steps: None }, RobotOptions::default());
        task.problem(&place).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let reach = || Aim::Reach { place: "left_grip".to_owned(), position: [0.3, 0.3, 1.0] };
    for aim in [|| Aim::Stand, reach, || Aim::Jump { height: 0.3 }] {
        for time in [1e20, 1e9, 40.0] {
            let message = refusal(aim(), time);
            assert!(message.contains("at most 1000 steps are possible"), "{time}: {message}");
        }
    }
    // Few steps are as many as a task may ask for.
    let spec = read_file(format!("{}/models/humanoid.xml", root())).expect("the model");
    let goal = Goal { aim: Aim::Stand, time: Some(1e-3), steps: None };
    let short = Task::goal("goal", "humanoid", goal, RobotOptions::default()).problem(&spec).expect("problem");
    assert_eq!(short.problem.steps, 5);
    let jump = Goal { aim: Aim::Jump { height: 1e5 }, time: None, steps: None };
    let high = Task::goal("goal", "humanoid", jump, RobotOptions::default()).problem(&spec);
    assert!(high.is_err_and(|e| e.to_string().contains("up to 100")));
}

#[test]
fn mistakes_are_explained() {
    let cases = [
        (
            "steps = 10",
            "steps = 10.5",
            "reach.toml:4: [motion] steps: expected a whole number from 5 to 1000, found 10.5",
        ),
        ("steps = 10", "step = 10", "reach.toml:3: [motion] steps: this key is missing: expected the number of steps"),
        (
            "steps = 10",
            "steps = \"ten\"",
            "reach.toml:4: [motion] steps: expected a whole number from 5 to 1000, found text",
        ),
        ("time = 0.5", "time = -1", "reach.toml:5: [motion] time: expected a positive number, found -1"),
        (
            "time = 0.5",
            "time = 0.5\nspeed = 1",
            "reach.toml:6: [motion] speed: there is no such key; there are steps, time, ends, stride, mirror, free_time, start, evaluate, limits, length",
        ),
        ("\"home\"", "\"hme\"", "reach.toml:6: [motion] start: there is no keyframe \"hme\"; did you mean \"home\"?"),
        (
            "site = \"tip\"",
            "site = \"top\"",
            "reach.toml:11: [[term]] site: there is no site \"top\"; did you mean \"tip\"?",
        ),
        (
            "yaw = 0.01",
            "jaw = 0.01",
            "reach.toml:17: [[term]] weight: there is no joint \"jaw\"; did you mean \"yaw\"?",
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
            "reach.toml:20: [[term]] window: expected [from, to] in s, \"always\", \"start\" or \"end\"",
        ),
        (
            "keyframe = \"home\"",
            "q = [1, 2]",
            "reach.toml:6: [motion] start: expected 14 numbers, the coordinates of the model; found 2",
        ),
        (
            "touch = \"nothing\"",
            "touch = [\"tipp\"]",
            "reach.toml:7: [contact]: there is no body \"tipp\"; there are \"world\", ",
        ),
        ("[contact]", "[gait]\n[contact]", "reach.toml:3: [motion]: a task has either a [gait] or a [motion]"),
        (
            "[contact]",
            "[stand]\n[jump]\nheight = 1\n[contact]",
            "reach.toml:8: [jump]: a task has one template: [stand] or [jump]",
        ),
        ("name = \"reach\"", "name = reach", "reach.toml:1: "),
        (
            "[motion]",
            "[motions]",
            "reach.toml:1: [motion]: this key is missing: expected what to do: a table [gait], [stand], [reach], [jump] or [motion]",
        ),
    ];
    for (from, to, expected) in cases {
        let found = message(from, to);
        assert!(found.starts_with(expected), "\nfound    {found}\nexpected {expected}");
    }
}
