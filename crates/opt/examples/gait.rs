//! Finds a gait for a robot: `cargo run --release -p saltus-opt --example gait -- models/humanoid.xml --speed 1.2`
use saltus_opt::optimize::{Event, OptimizeOptions};
use saltus_opt::template::gait::{Gait, gait};
use saltus_opt::template::robot::RobotOptions;

fn arg(name: &str) -> Option<f64> {
    let args: Vec<String> = std::env::args().collect();
    args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).and_then(|v| v.parse().ok())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or("models/humanoid.xml".into());
    let spec = saltus_io::read_file(&path)?;
    let mut g = Gait { speed: arg("--speed"), period: arg("--period"), ..Gait::default() };
    g.seed = arg("--seed").unwrap_or(1.0) as u64;
    g.steps = arg("--steps").unwrap_or(20.0) as usize;
    let w = &mut g.weights;
    for (name, field) in [("--effort", &mut w.effort), ("--posture", &mut w.posture), ("--smooth", &mut w.smoothness), ("--slip", &mut w.slip), ("--fade", &mut w.fade)] {
        if let Some(x) = arg(name) {
            *field = x;
        }
    }
    let mut options = OptimizeOptions::default();
    options.threads = arg("--threads").unwrap_or(0.0) as usize;
    options.penalty_limit = arg("--rho").unwrap_or(1e4);
    options.penalty_growth = arg("--growth").unwrap_or(3.0);
    options.round_iterations[2] = arg("--inner").unwrap_or(40.0) as usize;
    options.gauss_newton_rounds = arg("--gn").map_or(usize::MAX, |x| x as usize);
    options.path_step = arg("--ds").unwrap_or(0.2);
    let mut setup = gait("gait", &spec, &RobotOptions::default(), &g, &options)?;
    let to = &mut setup.path.to;
    to.smoothing = arg("--ts").unwrap_or(to.smoothing);
    to.hover = arg("--th").map_or(to.hover, |x| x * setup.length);
    to.inset = arg("--ti").unwrap_or(0.7) * to.hover;
    to.reach = arg("--tr").map_or(to.reach, |x| x * setup.length);
    setup.options.tolerance = arg("--tol").unwrap_or(setup.options.tolerance);
    let verbose = arg("--verbose").unwrap_or(0.0);
    let mut last = (0usize, 0.0);
    let plan = setup.optimize(&mut |event| {
        match event {
            Event::Point(p) => println!(
                "s {:.3} smoothing {:.4}: cost {:.5} violation {:.1e} far {:.3} depth {:.4} it {} {:.2} s",
                p.path, p.smoothing, p.cost, p.violation, p.force_at_distance, p.penetration, p.iterations, p.seconds
            ),
            Event::Iteration(i) => {
                if verbose > 1.0 {
                    println!("   {} {} merit {:.6} damping {:.1e} step {:.1e} una {:.1e} vio {:.1e}", i.number, i.accepted, i.merit, i.damping, i.step, i.unactuated, i.violation);
                }
                last = (i.number, i.merit);
            }
            Event::Round(p) => {
                if verbose > 0.0 {
                    let i = p.history.last();
                    println!("  round s {:.3} it {} rho {:.0} {:?}", p.s, p.iterations, p.penalty, i.map(|i| (i.merit, i.unactuated, i.violation, i.damping)));
                }
            }
        }
        true
    })?;
    for note in &plan.notes {
        println!("{note}");
    }
    let (median, max) = plan.law_independent_residual();
    println!(
        "{}: {} iterations {:.2} s, cost {:.5}, unactuated {:.1e}, periodicity {:.1e}, law-independent {:.4} {:.4} inexact {}\n{:?}",
        plan.status, plan.iterations, plan.seconds, plan.cost, plan.unactuated_residual, plan.periodicity, median, max, plan.inexact_steps, plan.violations
    );
    println!("{:?}", plan.times);
    use saltus_opt::replay::{ReplayOptions, replay};
    let own_law = setup.problem.model.options.laws;
    let soft = setup.own.options.laws;
    let mut impulse = soft;
    impulse.law = saltus_sim::law::options::Law::Impulse;
    let tries: [(&str, &saltus_sim::Model, _, f64, bool, usize); 7] = [
        ("own law open loop", &setup.problem.model, own_law, f64::INFINITY, false, 1),
        ("own law feedback", &setup.problem.model, own_law, f64::INFINITY, true, 10),
        ("own law 2 ms feedback", &setup.problem.model, own_law, 2e-3, true, 10),
        ("soft 2 ms open", &setup.own, soft, 2e-3, false, 1),
        ("soft 2 ms feedback", &setup.own, soft, 2e-3, true, 10),
        ("soft own steps feedback", &setup.own, soft, 1.0, true, 10),
        ("impulse 2 ms feedback", &setup.own, impulse, 2e-3, true, 10),
    ];
    for (name, model, laws, timestep, feedback, strides) in tries {
        let options = ReplayOptions { timestep, feedback, strides, ..ReplayOptions::default() };
        let r = replay(model, &laws, &setup.actuation, &plan.motion, &options);
        println!("{name}: {} strides {:.2}, error {:.2e} (first stride {:.2e})", r.end, r.strides, r.largest_error(), r.error.iter().take(plan.motion.steps + 1).fold(0.0f64, |m, x| m.max(*x)));
    }
    let m = &plan.motion;
    let mut feet: Vec<usize> = m.contacts.iter().flatten().map(|c| c.body).collect();
    feet.sort();
    feet.dedup();
    for t in 0..m.steps.min(arg("--show").unwrap_or(24.0) as usize) {
        let mut line = format!("{t:3} z {:.3} ", m.q[t * m.nq + 2]);
        for &f in &feet {
            let (mut force, mut gap) = (0.0, f64::INFINITY);
            for c in m.contacts[t].iter().filter(|c| c.body == f) {
                force += c.force[2];
                gap = f64::min(gap, c.gap);
            }
            line += &format!("| {:5.2} {:6.1} mm ", force / plan.weight, 1e3 * gap);
        }
        let tau = m.tau[t * m.nv..(t + 1) * m.nv].iter().skip(6).fold(0.0f64, |m, x| m.max(x.abs()));
        println!("{line}| {tau:.1} Nm | verdict {:.4}", plan.verdicts[t % plan.verdicts.len()].residual);
    }
    Ok(())
}
