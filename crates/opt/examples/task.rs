//! Runs a task: `cargo run --release -p saltus-opt --example task -- tasks/spin.toml`
use saltus_opt::optimize::Event;
use saltus_opt::task::Task;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which task? for example tasks/spin.toml")?;
    let task = Task::parse(&std::fs::read_to_string(&file)?, &file)?;
    let spec = saltus_io::read_file(format!("models/{}.xml", task.model.value))?;
    let mut setup = task.setup(&spec)?;
    println!("{}: {}", task.name, task.about);
    setup.notes.iter().for_each(|note| println!("  {note}"));
    let plan = setup.optimize(&mut |event| {
        if let Event::Point(p) = event {
            println!(
                "  path {:.3}, smoothing {:.3}: cost {:.5}, violation {:.1e}, {} iterations, {:.2} s",
                p.path, p.smoothing, p.cost, p.violation, p.iterations, p.seconds
            );
        }
        true
    })?;
    println!("{} after {} iterations, {:.2} s; cost {:.5}", plan.status, plan.iterations, plan.seconds, plan.cost);
    plan.terms.iter().zip(&plan.cost_by_term).for_each(|(name, cost)| println!("  {name}: {cost:.5}"));
    plan.violations.iter().for_each(|(name, worst)| println!("  {name} violated by {worst:.1e}"));
    let (median, worst) = plan.law_independent_residual();
    println!("  without any law: residual {median:.4} (median), {worst:.4} (worst), shares of weight");
    let m = &plan.motion;
    println!("  last state {:.3?}", &m.q[m.q.len() - m.nq..]);
    let gap = m.contacts.iter().flatten().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    println!("  deepest contact {:.2} mm", -1e3 * gap);
    Ok(())
}
