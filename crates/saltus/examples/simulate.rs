//! The humanoid drops from a squat for two seconds: `cargo run --release --example simulate`.

use saltus::sim::constraint::contact_force;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = saltus::load("models/humanoid.xml")?;
    let mut data = saltus::Data::new(&model);
    data.reset_to_key(&model, model.key("squat")?);
    while data.state.time < 2.0 {
        // An error names the joint, the time and the likely cause.
        saltus::step(&model, &mut data)?;
    }
    saltus::forward(&model, &mut data);
    let force: f64 = data.contacts.iter().map(|c| contact_force(&data, c)[0]).sum();
    println!("after {:.1} s the trunk is at {:.3} m", data.state.time, data.state.q[2]);
    println!("{} contacts with {force:.0} N in all; {:?}", data.contacts.len(), data.constraints.report);
    Ok(())
}
