//! The program of README.md, as it stands there: `cargo run --release --example readme`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = saltus::load("models/humanoid.xml")?;
    let mut data = saltus::Data::new(&model);
    data.reset_to_key(&model, model.key("squat")?);
    while data.state.time < 2.0 {
        // An error names the joint, the time and the likely cause.
        saltus::step(&model, &mut data)?;
    }
    println!("{:?}, {} contacts, {:?}", data.state.q, data.contacts.len(), data.constraints.report);
    Ok(())
}
