//! Published problems [Kurtz2023]: the same cost at the guess, solutions that are as good, and how
//! fast they are approached.

use saltus_io::read_file;
use saltus_opt::planning::PlanningProblem;
use saltus_opt::result::plan::Plan;
use saltus_opt::solve::Evaluator;
use saltus_opt::solve::optimize::Event;
use saltus_opt::solve::report::Iteration;
use saltus_opt::task::Task;

fn root() -> String {
    format!("{}/../..", env!("CARGO_MANIFEST_DIR"))
}

fn setup(name: &str) -> PlanningProblem {
    let file = format!("{}/tasks/idto/{name}.toml", root());
    let task = Task::parse(&std::fs::read_to_string(&file).expect("the task"), &file).unwrap_or_else(|e| panic!("{e}"));
    let spec = read_file(format!("{}/models/{}.xml", root(), task.model.value)).expect("the model");
    task.problem(&spec).unwrap_or_else(|e| panic!("{e}"))
}

/// What the published optimizer, run by its authors' own program, says of its guesses. The first
/// state, which no step changes, is left out here: it costs dt Σ Q (q₀ − q*₀)².
#[test]
fn costs_of_guesses_are_those_that_were_published() {
    for (name, published, start) in [
        ("pendulum", 98.69, 0.0),
        ("acrobot", 1006.6, 0.05 * 9.869_022_25),
        ("spinner", 42.86, 0.0),
        ("hopper", 50252.0, 0.0),
        ("airhockey", 1907.4, 0.0),
        ("mini_cheetah", 225.79, 0.0),
        ("allegro_hand", 6072.1, 0.05 * 10.0 * (2.0 - 2f64.sqrt())),
        ("jaco", 239.96, 0.05 * 10.0 * (2.0 - 2f64.sqrt() + 0.04)),
        ("jaco_ball", 19.814, 0.05 * 0.27 * 0.27),
    ] {
        let setup = setup(name);
        let mut evaluator = Evaluator::new(&setup.problem, 1).expect("threads");
        evaluator.update(&mut setup.guess.clone());
        let cost = start + evaluator.evaluation().cost();
        // Published with four or five digits, models with six.
        assert!((cost / published - 1.0).abs() < 1e-4, "{name}: {cost} instead of {published}");
    }
}

fn solve(setup: &mut PlanningProblem) -> (Plan, Vec<Iteration>) {
    let mut history = Vec::new();
    let plan = setup.optimize(&mut |event| {
        if let Event::Iteration(i) = event {
            history.push(i.clone());
        }
        true
    });
    (plan.expect("threads"), history)
}

#[test]
fn costs_after_as_many_iterations_are_not_above_published_ones() {
    for (name, published) in [("spinner", 0.9212), ("hopper", 1.9687)] {
        let mut setup = setup(name);
        setup.options.threads = 1;
        let (plan, history) = solve(&mut setup);
        assert!(history.len() <= setup.options.iterations);
        assert!(plan.unactuated_residual < 1e-7, "{name}: {}", plan.unactuated_residual);
        assert!(plan.cost <= published, "{name}: {} instead of {published}", plan.cost);
    }
}

/// Near a solution a Newton step is of the order of the square of the one before: that of positions
/// and that of multipliers, since the violation vanishes with it.
#[test]
fn newton_steps_converge_quadratically() {
    let mut setup = setup("hopper");
    setup.options.threads = 1;
    (setup.options.iterations, setup.options.newton) = (150, 1e-4);
    (setup.options.tolerance, setup.options.feasibility) = (1e-18, 1e-11);
    let (plan, history) = solve(&mut setup);
    let taken: Vec<f64> = history.iter().filter(|i| i.accepted).map(|i| i.step).collect();
    let end = taken.iter().position(|step| *step < 1e-7).expect("steps that vanish");
    let last = &taken[end - 2..=end];
    // 1 where convergence is linear, 2 where it is quadratic.
    let order = (last[2] / last[1]).ln() / (last[1] / last[0]).ln();
    println!("last steps: {last:?}, order {order:.2}");
    assert!(last[0] < 1e-3 && order > 1.5, "{last:?}, order {order}");
    assert!(plan.unactuated_residual < 1e-9, "{}", plan.unactuated_residual);
}
