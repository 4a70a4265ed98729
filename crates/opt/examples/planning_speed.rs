//! Times iterations of the planner, part by part, as JSON; `bench/planning.py` puts them beside
//! others:
//! `cargo run --release -p saltus-opt --example planning_speed -- [--threads N] [--repeats N] [--only K]`
use saltus_opt::solve::optimize::{OptimizeOptions, Progress};
use saltus_opt::solve::report::TimeByPart;
use saltus_opt::template::gait::{Gait, gait};
use saltus_opt::template::robot::RobotOptions;

/// Model, steps, and whether steps are Newton's.
const SUBJECTS: [(&str, usize, bool); 7] = [
    ("humanoid", 25, false),
    ("humanoid", 50, false),
    ("humanoid", 100, false),
    ("humanoid", 200, false),
    ("quadruped", 30, false),
    ("humanoid", 100, true),
    ("quadruped", 30, true),
];
/// Iterations of one run. The first touches new memory, which takes as long as some of the others.
const ITERATIONS: usize = 30;
/// Gauss–Newton iterations before those of Newton, which are not for the beginning.
const BEFORE: usize = 40;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, otherwise: usize| {
        let found = arguments.windows(2).find(|w| w[0] == name);
        found.map_or(Ok(otherwise), |w| w[1].parse())
    };
    let (threads, repeats) = (number("--threads", 2)?, number("--repeats", 10)?);
    let only = number("--only", SUBJECTS.len())?;
    for (k, (model, steps, newton)) in SUBJECTS.into_iter().enumerate() {
        if only < SUBJECTS.len() && only != k {
            continue;
        }
        let (nv, ms, cpu) = time(model, steps, newton, (threads, if newton { 2 } else { repeats }))?;
        println!(
            "{{\"model\": \"{model}\", \"nv\": {nv}, \"steps\": {steps}, \"newton\": {newton}, \"threads\": {threads}, \
             \"derivatives\": {:.4}, \"assembly\": {:.4}, \"factorization\": {:.4}, \"trial\": {:.4}, \"total\": {:.4}, \"corrections\": {:.4}, \"cpu\": {cpu:.4}}}",
            ms.derivatives,
            ms.assembly,
            ms.factorization,
            ms.trials,
            total(&ms),
            ms.corrections
        );
    }
    Ok(())
}

/// One iteration of Gauss and Newton's or of Newton's method, without the corrections of its step.
fn total(ms: &TimeByPart) -> f64 {
    ms.derivatives + ms.assembly + ms.factorization + ms.trials
}

/// Number of dofs, ms of one iteration in the fastest of the runs, and ms of processors for it and
/// for the steps that were tried in vain: a gait from its guess, with contact at the beginning of
/// its path, where the most contacts act.
fn time(
    name: &str,
    steps: usize,
    newton: bool,
    (threads, repeats): (usize, usize),
) -> Result<(usize, TimeByPart, f64), Error> {
    let spec = saltus_io::read_file(format!("{}/../../models/{name}.xml", env!("CARGO_MANIFEST_DIR")))?;
    let wish = Gait { steps, ..Gait::default() };
    let mut planning = gait(name, &spec, &RobotOptions::default(), &wish, &OptimizeOptions::default())?;
    planning.continuation.to = planning.continuation.from;
    planning.options = OptimizeOptions { threads, tolerance: 0.0, rounds: [1; 3], ..planning.options };
    let (nv, mut start) = (planning.own.size.nv, planning.guess.clone());
    let mut run = |guess: &[f64], iterations: usize, newton: f64| -> Result<Progress, Error> {
        let (options, round_iterations) = (planning.options, [iterations; 3]);
        planning.options = OptimizeOptions { iterations, round_iterations, newton, ..options };
        let mut progress = Progress { damping: 1.0, ..Progress::new(guess.to_vec(), &planning.options) };
        planning.solve(&mut progress, &mut |_| true)?;
        Ok(progress)
    };
    if newton {
        start = run(&start, BEFORE, 0.0)?.q;
    }
    let mut best: Option<TimeByPart> = None;
    let mut cpu = f64::INFINITY;
    for _ in 0..repeats {
        let before = cpu_seconds();
        let progress = run(&start, ITERATIONS, if newton { f64::INFINITY } else { 0.0 })?;
        let tried = progress.history.len();
        let taken = progress.history.iter().filter(|i| i.accepted).count();
        cpu = cpu.min(1e3 * (cpu_seconds() - before) / (taken + 1) as f64);
        // Derivatives are evaluated at the beginning and after each step that was taken.
        let (per_point, per_try) = (1e3 / (taken + 1) as f64, 1e3 / tried.max(1) as f64);
        let times = progress.times;
        let ms = TimeByPart {
            derivatives: times.derivatives * per_point,
            assembly: times.assembly * 1e3 / taken.max(1) as f64,
            factorization: times.factorization * per_try,
            trials: times.trials * per_try,
            corrections: times.corrections * per_try,
        };
        if best.as_ref().is_none_or(|b| total(&ms) < total(b)) {
            best = Some(ms);
        }
    }
    Ok((nv, best.unwrap_or_default(), cpu))
}

/// Time that the threads of this process have had a processor, s: what other programs do does not
/// count. NaN where the system does not say it.
fn cpu_seconds() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return f64::NAN };
    let of = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    1e-9 * threads.flatten().filter_map(of).sum::<f64>()
}
