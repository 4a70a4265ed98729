//! Sixty-four simulations with different servo commands, and feedback by a function:
//! `cargo run --release --example rollouts`

use saltus::{Controls, Data, Model, StateParts};

fn main() -> Result<(), saltus::Error> {
    let model = saltus::load("models/humanoid.xml")?;
    let mut start = Data::new(&model);
    start.reset_to_key(&model, model.key("squat")?);
    let (sims, steps, nu) = (64, 300, model.size.nu);

    // One control vector for each simulation, held for all of its steps.
    let values: Vec<f64> = (0..sims * nu).map(|k| start.input.ctrl[k % nu] + 0.3 * (k as f64).sin()).collect();
    let table = Controls::Table { values: &values, sims, steps: 1, parts: StateParts::CTRL };
    let run = saltus::rollout(&model, &start, table, sims, steps)?;
    let height = |sim: usize| run.q(&model, sim, steps - 1)[2];
    let best = (0..sims).max_by(|&a, &b| height(a).total_cmp(&height(b))).unwrap_or(0);
    println!("simulation {best} ends highest: {:.3} m", height(best));
    println!(
        "its centre of mass before the last step: {:.3?}",
        run.sensor(&model, model.sensor("com")?, best, steps - 1)
    );

    // Controls by a function of simulation, step and state: the knees of each simulation are
    // stretched at another speed.
    let knees = [model.actuator("left_knee")?, model.actuator("right_knee")?];
    let stretch = |sim: usize, _: usize, model: &Model, data: &Data, ctrl: &mut [f64]| {
        for knee in knees {
            let first = model.actuators.ctrl[knee.idx()].range().start;
            ctrl[first] = (1.92 - (1.0 + sim as f64) * data.state.time).max(0.0);
        }
    };
    let run = saltus::rollout(&model, &start, Controls::Feedback(&stretch), 8, steps)?;
    for sim in 0..8 {
        println!("{:.0} rad/s: {:.3} m, {:?}", 1.0 + sim as f64, run.q(&model, sim, steps - 1)[2], run.outcomes[sim]);
    }
    Ok(())
}
