//! Published problems of planning by inverse dynamics [Kurtz2023], beside what their own optimizer
//! does with them: `cargo run --release -p saltus-opt --example idto -- [--trace] [PROBLEM ...]`
use saltus_opt::planning::PlanningProblem;
use saltus_opt::problem::identity::TermId;
use saltus_opt::problem::rows::{Knot, Rows};
use saltus_opt::problem::{Problem, Role};
use saltus_opt::solve::Evaluator;
use saltus_opt::solve::optimize::{Event, Progress};
use saltus_opt::task::Task;
use saltus_sim::{Data, forward_smooth};
use std::time::Instant;

/// What the published optimizer does: iterations, cost at first and at last, norm of the unactuated
/// forces that it leaves, ms of one thread per iteration with new derivatives.
struct Published {
    name: &'static str,
    iterations: usize,
    cost: [f64; 2],
    unactuated: f64,
    ms: f64,
}

const fn published(name: &'static str, iterations: usize, cost: [f64; 2], unactuated: f64, ms: f64) -> Published {
    Published { name, iterations, cost, unactuated, ms }
}

const PUBLISHED: [Published; 11] = [
    published("pendulum", 50, [98.69, 57.83], 0.0, 3.43),
    published("acrobot", 100, [1006.6, 102.75], 7.6e-5, 3.86),
    published("spinner", 200, [42.86, 0.9212], 7.6e-5, 7.60),
    published("hopper", 200, [50252.0, 1.9687], 4.9e-11, 11.2),
    published("airhockey", 500, [1907.4, 8.9973], 1.9e-9, 16.8),
    published("mini_cheetah", 50, [225.79, 2.5695], 0.44, 28.4),
    published("allegro_hand", 50, [6072.1, 11.220], 0.39, 120.0),
    published("jaco", 50, [239.96, 6.4886], 1.20, 60.9),
    published("dual_jaco", 50, [2218.8, 3.8730], 0.17, 57.7),
    published("jaco_ball", 50, [19.814, 0.71152], 5.1e-4, 8.89),
    published("punyo", 50, [904.0, 17.590], 1.59, 113.0),
];

/// Runs of each problem, of which the fastest counts.
const REPEATS: usize = 5;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let (flags, wanted): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let trace = flags.iter().any(|f| f == "--trace");
    println!(
        "                     initial cost      iterations        final cost    unactuated N, N m   ms per iteration"
    );
    println!(
        "problem          ours   published  ours  publ.     ours  published     ours  published     ours  publ.  ratio"
    );
    for p in PUBLISHED.iter().filter(|p| wanted.is_empty() || wanted.iter().any(|w| w == p.name)) {
        let mut best = f64::INFINITY;
        let mut last = None;
        for repeat in 0..if trace { 1 } else { REPEATS } {
            let mut setup = setup(p.name)?;
            let start = Instant::now();
            let mut progress = Progress::new(setup.guess.clone(), &setup.options);
            setup.solve(&mut progress, &mut |event| {
                if let (true, 0, Event::Iteration(i)) = (trace, repeat, event) {
                    println!(
                        "{:4} cost {:13.6e} merit {:13.6e} violation {:.1e} step {:.1e} radius {:.1e} {}",
                        i.number, i.cost, i.merit, i.unactuated, i.step, i.damping, i.accepted
                    );
                }
                true
            })?;
            let accepted = progress.history.iter().filter(|i| i.accepted).count();
            best = best.min(1e3 * start.elapsed().as_secs_f64() / accepted.max(1) as f64);
            last = Some((setup, progress));
        }
        if let Some((setup, progress)) = last {
            report(p, &setup, &progress, best)?;
        }
    }
    Ok(())
}

fn report(p: &Published, setup: &PlanningProblem, end: &Progress, ms: f64) -> Result<(), Error> {
    let mut q = setup.guess.clone();
    let first = cost(&setup.problem, &mut q)?.0;
    let mut q = end.q.clone();
    let (last, unactuated) = cost(&setup.problem, &mut q)?;
    println!(
        "{:13} {:10.3} {:9.2}  {:5} {:5}  {:9.4} {:9.4}  {:8.1e}  {:8.1e}  {:8.3} {:6.1} {:6.1}",
        p.name,
        first,
        p.cost[0],
        end.iterations,
        p.iterations,
        last,
        p.cost[1],
        unactuated,
        p.unactuated,
        ms,
        p.ms,
        p.ms / ms
    );
    Ok(())
}

fn setup(name: &str) -> Result<PlanningProblem, Error> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let file = format!("{root}/tasks/idto/{name}.toml");
    let task = Task::parse(&std::fs::read_to_string(&file)?, &file)?;
    let spec = saltus_io::read_file(format!("{root}/models/{}.xml", task.model.value))?;
    let mut setup = task.problem(&spec)?;
    setup.options.threads = 1;
    Ok(setup)
}

/// Cost as published, which counts the first state too, and the norm of the forces on dofs without
/// a motor.
fn cost(problem: &Problem, q: &mut [f64]) -> Result<(f64, f64), Error> {
    let mut evaluator = Evaluator::new(problem, 1)?;
    evaluator.update(q);
    let found = evaluator.evaluation();
    let mut square = 0.0;
    if let Some(k) = problem.terms.iter().position(|e| e.id == TermId::Unactuated) {
        let unit = unit_of_rows(problem, k);
        for rows in &found.constraints[k] {
            square += rows.iter().zip(&unit).map(|(c, u)| (c * u) * (c * u)).sum::<f64>();
        }
    }
    Ok((found.cost() + start_cost(problem, q), square.sqrt()))
}

/// N or N m that a constraint of 1 means.
fn unit_of_rows(problem: &Problem, term: usize) -> Vec<f64> {
    let data = Data::new(&problem.model);
    let one = vec![1.0; problem.model.size.nv];
    let mut rows = Rows::default();
    problem.terms[term].term.evaluate(&knot(problem, &data, (&one, true)), &mut rows);
    rows.values().iter().map(|r| 1.0 / r).collect()
}

fn knot<'a>(problem: &'a Problem, data: &'a Data, (tau, has_force): (&'a [f64], bool)) -> Knot<'a> {
    Knot { model: &problem.model, data, t: 0, steps: problem.steps, h: problem.h(), has_force, a: tau, tau }
}

/// What the state at the beginning costs.
fn start_cost(problem: &Problem, q: &[f64]) -> f64 {
    let (model, nq) = (&problem.model, problem.model.size.nq);
    let mut data = Data::new(model);
    data.state.q.copy_from_slice(&q[nq..2 * nq]);
    forward_smooth(model, &mut data);
    let zero = vec![0.0; model.size.nv];
    let mut sum = 0.0;
    for entry in problem.terms.iter().filter(|e| e.role == Role::Cost && e.window.has(0)) {
        let mut rows = Rows::default();
        entry.term.evaluate(&knot(problem, &data, (&zero, false)), &mut rows);
        let squares: f64 = rows.values().iter().map(|r| 0.5 * r * r).sum();
        sum += entry.measure.unwrap_or(1.0 / problem.steps as f64) * squares;
    }
    sum
}
