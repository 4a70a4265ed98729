//! Controls, sensors and contact forces by name: the humanoid drops into a squat while its trunk is
//! pushed. `cargo run --release --example control`

use saltus::Vec3;

fn main() -> Result<(), saltus::Error> {
    let model = saltus::load("models/humanoid.xml")?;
    let torso = model.body("torso")?;
    let feet = [model.body("left_foot")?, model.body("right_foot")?];
    let [gyro, com] = [model.sensor("gyro")?, model.sensor("com")?];
    let ankles = [model.actuator("left_ankle_y")?, model.actuator("right_ankle_y")?];

    let mut data = saltus::Data::new(&model);
    data.reset_to_key(&model, model.key("squat")?);
    let hold = ankles.map(|ankle| data.control(&model, ankle));
    while data.state.time < 0.4 {
        // What sensors read belongs to a state: `forward` computes it for the present one.
        saltus::forward(&model, &mut data);
        let pitch_rate = data.sensor(&model, gyro)?[1];
        for (ankle, hold) in ankles.into_iter().zip(hold) {
            data.set_control(&model, ankle, hold + 0.05 * pitch_rate);
        }
        let push = if data.state.time < 0.1 { 20.0 } else { 0.0 };
        data.set_body_force(&model, torso, Vec3::X * push, Vec3::ZERO);
        saltus::step(&model, &mut data)?;
    }

    saltus::forward(&model, &mut data);
    println!("centre of mass {:.3?}, torso at {:.3}", data.sensor(&model, com)?, data.body_pose(&model, torso)?.p);
    for foot in feet {
        let force: Vec3 = data.contact_forces(&model)?.map(|contact| contact.force_on(foot)).sum();
        println!("{} carries {:.1} N, {:.1} N forward", model.name(foot), force.z, force.x);
    }
    let knee = model.actuator("left_knee")?;
    println!("{} motor torque: {:.1} N m", model.name(knee), data.actuator_force(&model, knee)?);

    // Results of another state are an error that says what to call.
    saltus::step(&model, &mut data)?;
    if let Err(stale) = data.sensor(&model, gyro) {
        println!("after a step: {stale}");
    }
    // And so is a name that is not there.
    if let Err(missing) = model.actuator("knee") {
        println!("{missing}");
    }
    Ok(())
}
