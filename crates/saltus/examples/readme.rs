//! The program of README.md, as it stands there: `cargo run --release --example readme`.

use saltus::{Controls, Data, Error};

fn main() -> Result<(), Error> {
    let model = saltus::load("models/humanoid.xml")?;
    let (knee, gyro, foot) = (model.actuator("left_knee")?, model.sensor("gyro")?, model.body("left_foot")?);
    let mut data = Data::new(&model);
    data.reset_to_key(&model, model.key("squat")?);
    data.set_control(&model, knee, 1.5);
    for _ in 0..60 {
        saltus::step(&model, &mut data)?; // an error names the joint, the time and the likely cause
    }
    saltus::forward(&model, &mut data); // results of the present state
    println!("gyro {:?}, foot at {}", data.sensor(&model, gyro)?, data.body_pose(&model, foot)?.p);
    for contact in data.contact_forces(&model)? {
        println!("{} N on {}", contact.normal, model.name(contact.geoms[1]));
    }
    let d = saltus::derivatives(&model, &data)?; // exact, through contact: dx⁺ = A dx + B du
    let run = saltus::rollout(&model, &data, Controls::Zero, 64, 100)?; // 64 simulations on all processors
    println!("{} × {}, {:?}", d.A.rows(), d.A.cols(), run.q(&model, 0, 99));
    let plan = saltus::plan("walk")?; // a task that comes with Saltus, or a .toml file
    println!("{}: {}, {} torques per state", plan.name, plan.status, plan.motion.nv);
    Ok(())
}
