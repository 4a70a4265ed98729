//! Inertia matrix, acceleration and a Jacobian of the humanoid:
//! `cargo run --release --example quickstart`.

use saltus::sim::kinematics::jacobian;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = saltus::load("models/humanoid.xml")?;
    let mut data = saltus::Data::new(&model);
    data.reset_to_key(&model, model.key("squat")?);
    saltus::forward_smooth(&model, &mut data);
    let foot = model.body("left_foot")?;
    let mut jac = vec![0.0; 3 * model.size.nv];
    jacobian::calc_point(&model, &data, foot, data.position.p_WB[foot.idx()], Some(&mut jac), None);
    println!("centre of mass {:.3}, acceleration of the root {:.3?}", data.position.com[1], &data.acceleration.a[..3]);
    Ok(())
}
