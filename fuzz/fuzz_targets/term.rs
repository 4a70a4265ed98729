//! Terms of users: residuals and derivatives that are anything, in a number that changes from state
//! to state. Nothing panics, and no plan converges with numbers that are not finite.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_opt::problem::rows::{Knot, Part, Rows};
use saltus_opt::problem::{Entry, Role, Term, Window};
use saltus_opt::solve::optimize::Method;
use saltus_opt::task::Task;
use saltus_sim::ModelSpec;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const TASK: &str = r#"
name = "fuzz"
model = "finger"
[motion]
steps = 5
time = 0.25
start = { keyframe = "home" }
[contact]
touch = "nothing"
[[term]]
kind = "effort"
weight = 0.1
[solver]
iterations = 12
threads = 1
"#;

static TASK_AND_MODEL: LazyLock<(Task, ModelSpec)> = LazyLock::new(|| {
    let task = Task::parse(TASK, "fuzz.toml").expect("what is built in is a task");
    let text = include_str!("../../models/finger.xml");
    (task, saltus_io::read_str(text, &BTreeMap::new()).expect("what is built in can be read"))
});

/// A term whose numbers are those of the input, from a place that depends on the state.
#[derive(Debug)]
struct Any {
    bytes: Vec<u8>,
    most_rows: usize,
}

impl Any {
    fn byte(&self, at: &mut usize) -> u8 {
        *at += 1;
        self.bytes.get(*at % self.bytes.len().max(1)).copied().unwrap_or(0)
    }

    fn number(&self, at: &mut usize, knot: &Knot<'_>) -> f64 {
        let sign = if self.byte(at) & 1 == 0 { 1.0 } else { -1.0 };
        let x = f64::from(self.byte(at)) / 64.0;
        sign * match self.byte(at) % 16 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => 1e300 * x,
            3 => f64::MIN_POSITIVE,
            4 => x / knot.v()[0].abs(),
            5 => (knot.q()[0] - x).sqrt(),
            6 => knot.tau[1] * x,
            7..=9 => 0.0,
            10 => knot.q()[1] - x,
            _ => x,
        }
    }
}

impl Term for Any {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let mut at = 7 * knot.t;
        for _ in 0..usize::from(self.byte(&mut at)) % (self.most_rows + 1) {
            out.row(self.number(&mut at, knot));
            for _ in 0..self.byte(&mut at) % 4 {
                let part = [Part::Q, Part::V, Part::A, Part::Tau][usize::from(self.byte(&mut at) % 4)];
                let dof = usize::from(self.byte(&mut at)) % knot.model.size.nv;
                out.add(part, dof, self.number(&mut at, knot));
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [role, method, window, rows, rest @ ..] = bytes else { return };
    let (task, spec) = &*TASK_AND_MODEL;
    let mut planning = task.problem(spec).expect("the task fits the model");
    let role = [Role::Cost, Role::Equality, Role::Inequality][usize::from(role % 3)];
    planning.options.method = [Method::Rounds, Method::Sqp][usize::from(method % 2)];
    planning.options.newton = [0.0, 1e-2, f64::INFINITY][usize::from(method / 2 % 3)];
    let first = usize::from(window % 6);
    let term = Any { bytes: rest.to_vec(), most_rows: usize::from(rows % 5) };
    let window = Window { first, last: first.max(usize::from(window / 6 % 7)) };
    planning.problem.terms.push(Entry::new("any", role, term).within(window));
    let plan = planning.optimize(&mut |_| true).expect("one thread");
    assert!(plan.motion.q.iter().all(|x| x.is_finite()), "{}", plan.status);
    if plan.status.converged() {
        let motion = &plan.motion;
        let numbers = [&motion.v, &motion.a, &motion.tau, &motion.gains, &plan.cost_by_term];
        assert!(plan.cost.is_finite() && numbers.into_iter().flatten().all(|x| x.is_finite()));
        assert!(plan.violations.iter().all(|v| v.largest.is_finite()));
    }
});
