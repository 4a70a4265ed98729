//! Plans a gait for a robot and replays it:
//! `cargo run --release -p saltus-opt --example gait -- models/humanoid.xml 1.2`

use saltus_opt::problem::physics::Units;
use saltus_opt::replay::{Feedback, ReplayOptions, replay};
use saltus_opt::solve::optimize::{Event, OptimizeOptions};
use saltus_opt::template::gait::{Gait, gait};
use saltus_opt::template::robot::RobotOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| "models/humanoid.xml".to_owned());
    let speed = args.next().map(|text| text.parse()).transpose()?;
    let spec = saltus_io::read_file(&path)?;
    let wish = Gait { speed, ..Gait::default() };
    let mut setup = gait("gait", &spec, &RobotOptions::default(), &wish, &OptimizeOptions::default())?;
    let plan = setup.optimize(&mut |event| {
        if let Event::Point(p) = event {
            println!("{:3.0} % of the path: cost {:.5}, violation {:.1e}", 100.0 * p.path, p.cost, p.violation);
        }
        true
    })?;
    let (median, worst) = plan.law_independent_residual();
    println!("{}; {} iterations, {:.1} s", plan.status, plan.iterations, plan.seconds);
    println!(
        "unactuated {:.1e}; without any law {median:.1e}, at worst {worst:.1e} of weight",
        plan.unactuated_residual
    );
    let (model, units) = (&setup.problem.model, Units { weight: plan.weight, length: plan.length });
    for (feedback, strides) in [(Feedback::None, 1), (Feedback::Gains, 10)] {
        let options = ReplayOptions { feedback, strides, ..ReplayOptions::default() };
        let replay = replay(model, &model.options.laws, &setup.actuation, &plan.motion, units, &options);
        println!(
            "replay, feedback {}: {:.1} strides, error {:.1e}",
            feedback.word(),
            replay.strides,
            replay.largest_error()
        );
    }
    Ok(())
}
