//! A model built by program: a pendulum of three links with a motor at its top.
//! `cargo run --release --example build_model`

use saltus::sim::model::kinds::{GeomShape, ObjectKind, SensorKind};
use saltus::spec::{ActuatorSpec, BodySpec, GeomSpec, JointSpec, SensorSpec, TransmissionSpec};
use saltus::{ModelSpec, Vec3};

fn main() -> Result<(), saltus::Error> {
    let mut spec = ModelSpec::new("pendulum");
    spec.options.timestep = 0.001;
    let mut parent = spec.world();
    for k in 0..3 {
        let joint = JointSpec { name: format!("hinge{k}"), axis: Vec3::Y, ..JointSpec::default() };
        let pos = Vec3::new(0.0, 0.0, -0.15);
        let link = GeomSpec { shape: GeomShape::Capsule, size: [0.02, 0.13, 0.0], pos, ..GeomSpec::default() };
        let pos = Vec3::new(0.0, 0.0, if k == 0 { 1.0 } else { -0.3 });
        let body =
            BodySpec { name: format!("link{k}"), pos, joints: vec![joint], geoms: vec![link], ..BodySpec::default() };
        parent = spec.add_body(parent, body);
    }
    spec.actuators.push(ActuatorSpec::motor("top", TransmissionSpec::Joint("hinge0".into())));
    let angle = SensorSpec::new(SensorKind::JointPos, ObjectKind::Joint, "hinge0");
    spec.sensors.push(SensorSpec { name: "angle".into(), ..angle });

    // Compiled once, read-only from then on: to change it, change the spec and compile again.
    let model = saltus::compile(&spec)?;
    let mut data = saltus::Data::new(&model);
    data.set_joint_q(&model, model.joint("hinge1")?, &[0.5])?;
    data.set_control(&model, model.actuator("top")?, 0.2);
    while data.state.time < 1.0 {
        saltus::step(&model, &mut data)?;
    }
    saltus::forward(&model, &mut data);
    let tip = data.body_pose(&model, model.body("link2")?)?.to_world(Vec3::new(0.0, 0.0, -0.3));
    println!("angle {:.3} rad, tip at {tip:.3}", data.sensor(&model, model.sensor("angle")?)?[0]);
    Ok(())
}
