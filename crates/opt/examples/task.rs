//! Runs a task: `cargo run --release -p saltus-opt --example task -- tasks/spin.toml`
use saltus_math::Vec3;
use saltus_opt::problem::point::PointMotion;
use saltus_opt::problem::tangent::Rotations;
use saltus_opt::result::plan::Motion;
use saltus_opt::solve::optimize::Event;
use saltus_opt::task::Task;
use saltus_sim::{Data, Model, forward_smooth};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which task? for example tasks/spin.toml")?;
    let task = Task::parse(&std::fs::read_to_string(&file)?, &file)?;
    let spec = saltus_io::read_file(format!("models/{}.xml", task.model.value))?;
    let mut setup = task.problem(&spec)?;
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
    plan.violations.iter().for_each(|v| println!("  {} violated by {:.1e}", v.constraint, v.largest));
    if plan.verdicts.is_empty() {
        println!("  not judged without its law: that needs evaluate = \"begin\"");
    } else {
        let (median, worst) = plan.law_independent_residual();
        println!("  without any law: residual {median:.4} (median), {worst:.4} (worst), shares of weight");
    }
    let m = &plan.motion;
    println!("  last state {:.3?}", &m.q[m.q.len() - m.nq..]);
    let gap = m.contacts.iter().flatten().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    println!("  deepest contact {:.2} mm", -1e3 * gap);
    let pushed = friction_that_pushes(&setup.problem.model, m);
    println!("  friction along the sliding that it should oppose: {:.3} of the weight at worst", pushed / plan.weight);
    for &body in &feet(m) {
        let forces = m.contacts.iter().map(|c| c.iter().filter(|c| c.body == body).map(|c| c.force).fold(0.0, push));
        let pattern: String = forces.map(|f| if f > 0.02 * plan.weight { '#' } else { '.' }).collect();
        println!("  {pattern} {}", setup.problem.model.bodies.name[body]);
    }
    if std::env::args().any(|a| a == "--steps") {
        steps(&setup.problem.model, &plan);
    }
    Ok(())
}

/// What is left without any law, and all contacts that carry more than 1 % of the weight, by steps.
fn steps(model: &Model, plan: &saltus_opt::result::plan::Plan) {
    for (t, contacts) in plan.motion.contacts.iter().enumerate() {
        let left = plan.verdicts.get(t).map_or(f64::NAN, |v| v.residual);
        print!("  {t:3} {left:8.1e}");
        for c in contacts.iter().filter(|c| Vec3::from(c.force).length() > 0.01 * plan.weight) {
            let (force, normal) = (Vec3::from(c.force) / plan.weight, Vec3::from(c.normal));
            let f_n = force.dot(normal);
            let f_t = (force - normal * f_n).length();
            print!("  {} {:.2} mm {f_n:.2}+{f_t:.2}", model.bodies.name[c.body], 1e3 * c.gap);
        }
        println!();
    }
}

/// Bodies that are pushed at some time.
fn feet(m: &Motion) -> Vec<usize> {
    let mut feet: Vec<usize> = m.contacts.iter().flatten().map(|c| c.body).collect();
    feet.sort_unstable();
    feet.dedup();
    feet
}

fn push(sum: f64, force: [f64; 3]) -> f64 {
    sum + Vec3::from(force).length()
}

/// Largest tangential force in the direction of sliding, by steps of the law: after the step, N.
fn friction_that_pushes(model: &Model, m: &Motion) -> f64 {
    let rotations = Rotations::new(model);
    let mut data = Data::new(model);
    let mut worst = 0.0f64;
    for t in 0..m.steps - 1 {
        data.state.q.copy_from_slice(&m.q[t * m.nq..(t + 1) * m.nq]);
        let (v, a) = (&m.v[t * m.nv..(t + 1) * m.nv], &m.a[t * m.nv..(t + 1) * m.nv]);
        data.state.v.iter_mut().zip(v.iter().zip(a)).for_each(|(out, (v, a))| *out = v + m.h * a);
        forward_smooth(model, &mut data);
        for c in &m.contacts[t] {
            let (point, normal, force) = (Vec3::from(c.point), Vec3::from(c.normal), Vec3::from(c.force));
            let [own, other] = [c.body, c.other].map(|b| PointMotion::new(model, &rotations, &data, b, point).velocity);
            let sliding = (own - other) - normal * normal.dot(own - other);
            if sliding.length() > 1e-3 {
                worst = worst.max(force.dot(sliding) / sliding.length());
            }
        }
    }
    worst
}
