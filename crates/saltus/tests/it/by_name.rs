//! The front door: objects by name, state and results by id, rollouts and derivatives with named
//! parts.

use crate::common::{from_text, model_file};
use saltus::{Controls, Data, Error, Model, Stage, Stale, StateParts, Vec3};

fn humanoid() -> (Model, Data) {
    let model = saltus::load(model_file("humanoid.xml")).unwrap();
    let mut data = Data::new(&model);
    data.reset_to_key(&model, model.key("squat").unwrap());
    (model, data)
}

#[test]
fn names_and_ids_are_each_others_inverse() {
    let (model, _) = humanoid();
    assert_eq!(model.name(model.body("left_foot").unwrap()), "left_foot");
    assert_eq!(model.name(model.joint("root").unwrap()), "root");
    assert_eq!(model.name(model.geom("floor").unwrap()), "floor");
    assert_eq!(model.name(model.site("imu").unwrap()), "imu");
    assert_eq!(model.name(model.camera("side").unwrap()), "side");
    assert_eq!(model.name(model.actuator("left_knee").unwrap()), "left_knee");
    assert_eq!(model.name(model.sensor("gyro").unwrap()), "gyro");
    assert_eq!(model.name(model.key("tuck").unwrap()), "tuck");
    assert_eq!(model.name(saltus::BodyId::new(1000)), "");
}

#[test]
fn a_name_that_is_not_there_says_what_is() {
    let (model, _) = humanoid();
    let words = |error: saltus::NoSuchName| error.to_string();
    assert_eq!(
        words(model.actuator("left_kne").unwrap_err()),
        r#"there is no actuator "left_kne"; did you mean "left_knee"?"#
    );
    let knee = words(model.joint("knee").unwrap_err());
    assert_eq!(knee, r#"there is no joint "knee"; did you mean one of "left_knee", "right_knee"?"#);
    let sensor = words(model.sensor("camera").unwrap_err());
    assert_eq!(sensor, r#"there is no sensor "camera"; there are "accelerometer", "gyro", "com", "angular_momentum""#);
    assert_eq!(words(model.tendon("rope").unwrap_err()), r#"there is no tendon "rope"; no tendon has a name"#);
    assert!(words(model.body("qqqqqqq").unwrap_err()).ends_with("more"));
    assert_eq!(words(model.mocap("torso").unwrap_err()), r#"there is no mocap body "torso"; no mocap body has a name"#);
}

#[test]
fn state_and_inputs_are_where_the_arrays_have_them() {
    let (model, mut data) = humanoid();
    let (knee, root) = (model.joint("left_knee").unwrap(), model.joint("root").unwrap());
    data.set_joint_q(&model, knee, &[0.7]).unwrap();
    data.set_joint_v(&model, root, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!(data.joint_q(&model, knee), [0.7]);
    assert_eq!(data.state.q[model.joints.q_start[knee.idx()] as usize], 0.7);
    assert_eq!((data.joint_q(&model, root).len(), &data.state.v[..6]), (7, data.joint_v(&model, root)));
    let error = data.set_joint_q(&model, root, &[0.0]).unwrap_err();
    assert_eq!(error.to_string(), r#"joint "root" takes 7 values, not 1"#);
    let motor = model.actuator("left_knee").unwrap();
    data.set_control(&model, motor, 1.25);
    assert_eq!((data.control(&model, motor), data.input.ctrl[motor.idx()]), (1.25, 1.25));
    assert!(data.set_controls(&model, motor, &[1.0, 2.0]).is_err());
    let foot = model.body("left_foot").unwrap();
    data.set_body_force(&model, foot, Vec3::X, Vec3::Y);
    assert_eq!(data.body_force(&model, foot), [Vec3::X, Vec3::Y]);
}

#[test]
fn results_of_another_state_are_an_error_that_says_what_to_call() {
    let (model, mut data) = humanoid();
    let (gyro, com) = (model.sensor("gyro").unwrap(), model.sensor("com").unwrap());
    let foot = model.body("left_foot").unwrap();
    assert_eq!(data.body_pose(&model, foot), Err(Stale { needed: Stage::Position, have: Stage::None }));
    saltus::forward(&model, &mut data);
    assert!(data.body_pose(&model, foot).is_ok() && data.contact_forces(&model).is_ok());
    // A control changes forces, but not where things are and how they move.
    data.set_control(&model, model.actuator("left_knee").unwrap(), 0.1);
    assert!(data.sensor(&model, gyro).is_ok() && data.contact_force(&model, 0).is_err());
    data.set_joint_v(&model, model.joint("left_knee").unwrap(), &[0.1]).unwrap();
    assert!(data.sensor(&model, com).is_ok());
    let error = data.sensor(&model, gyro).unwrap_err();
    assert_eq!(error, Stale { needed: Stage::Velocity, have: Stage::Position });
    let words = error.to_string();
    assert!(words.contains("velocity stage") && words.contains("call `saltus::forward`"), "{words}");
    saltus::forward(&model, &mut data);
    saltus::step(&model, &mut data).unwrap();
    assert!(data.sensor(&model, com).is_err());
}

#[test]
fn poses_velocities_and_sensors_agree_with_each_other() {
    let (model, mut data) = humanoid();
    data.state.v.iter_mut().enumerate().for_each(|(k, v)| *v = 0.1 * ((7 * k) % 5) as f64);
    let (foot, imu, sole) =
        (model.body("left_foot").unwrap(), model.site("imu").unwrap(), model.site("left_sole").unwrap());
    saltus::forward(&model, &mut data);
    let before = data.body_pose(&model, foot).unwrap();
    let velocity = data.body_velocity(&model, foot).unwrap();
    let sole_velocity = data.site_velocity(&model, sole).unwrap();
    let sole_pose = data.site_pose(&model, sole).unwrap();
    // A sensor measures in the axes of its site.
    let local = data.site_pose(&model, imu).unwrap().R.tmul(data.site_velocity(&model, imu).unwrap().ang);
    let gyro = data.sensor(&model, model.sensor("gyro").unwrap()).unwrap();
    assert!((local - Vec3::from_slice(gyro)).length() < 1e-12);
    let com = data.sensor(&model, model.sensor("com").unwrap()).unwrap();
    assert_eq!(data.center_of_mass(&model, model.body("torso").unwrap()).unwrap(), Vec3::from_slice(com));
    // A frame's velocity is the rate of its place.
    let h = 1e-6;
    let mut v = data.state.v.clone();
    v.iter_mut().for_each(|v| *v *= h);
    saltus::sim::kinematics::coordinates::integrate(&model, &mut data.state.q, &v, 1.0);
    saltus::forward(&model, &mut data);
    let after = data.body_pose(&model, foot).unwrap();
    assert!(((after.p - before.p) / h - velocity.lin).length() < 1e-5);
    let moved = (data.site_pose(&model, sole).unwrap().p - sole_pose.p) / h;
    assert!((moved - sole_velocity.lin).length() < 1e-5);
    assert!((before.to_local(before.to_world(Vec3::ONE)) - Vec3::ONE).length() < 1e-12);
}

/// Forces of contacts are all that the constraints put on the root's translation.
#[test]
fn contact_forces_add_up_to_the_constraint_force() {
    let (model, mut data) = humanoid();
    for _ in 0..200 {
        saltus::step(&model, &mut data).unwrap();
    }
    saltus::forward(&model, &mut data);
    let mut sum = Vec3::ZERO;
    for (k, contact) in data.contact_forces(&model).unwrap().enumerate() {
        assert_eq!(contact, data.contact_force(&model, k).unwrap());
        let parts = Vec3::new(contact.normal, contact.friction[0], contact.friction[1]);
        assert!((contact.frame * contact.force - parts).length() < 1e-9);
        let [ground, foot] = contact.bodies;
        assert_eq!((model.name(ground), contact.force_on(foot)), ("world", -contact.force_on(ground)));
        sum += contact.force_on(foot);
    }
    let expected = Vec3::from_slice(&data.acceleration.tau_constraint[..3]);
    assert!((sum - expected).length() < 1e-6 * expected.length() && sum.z > 100.0, "{sum} {expected}");
}

#[test]
fn mocap_bodies_and_equalities_are_found() {
    let model = from_text(
        "<mujoco><worldbody><body name='hand' mocap='true' pos='1 2 3'/><body name='ball'><freejoint/><geom size='.1'/></body>\
         </worldbody><equality><weld name='grip' body1='hand' body2='ball'/></equality></mujoco>",
    );
    let mut data = Data::new(&model);
    let (hand, grip) = (model.mocap("hand").unwrap(), model.equality("grip").unwrap());
    assert_eq!(data.mocap_pose(&model, hand).0, Vec3::new(1.0, 2.0, 3.0));
    data.set_mocap_pose(&model, hand, Vec3::Z, saltus::Quat::IDENTITY);
    saltus::forward(&model, &mut data);
    assert_eq!(data.body_pose(&model, model.body("hand").unwrap()).unwrap().p, Vec3::Z);
    assert!(data.equality_active(&model, grip) && !data.constraints.is_empty());
    data.set_equality_active(&model, grip, false);
    saltus::forward(&model, &mut data);
    assert!(data.constraints.is_empty());
    assert!(model.mocap("ball").unwrap_err().to_string().contains("hand"));
}

#[test]
fn a_rollout_repeats_what_steps_do() {
    let (model, start) = humanoid();
    let values: Vec<f64> = (0..3 * model.size.nu).map(|k| 0.02 * (k % 11) as f64).collect();
    let controls = Controls::Table { values: &values, sims: 3, steps: 1, parts: StateParts::CTRL };
    let run = saltus::rollout(&model, &start, controls, 3, 30).unwrap();
    let mut data = start.clone();
    data.input.ctrl.copy_from_slice(&values[2 * model.size.nu..]);
    for _ in 0..30 {
        saltus::step(&model, &mut data).unwrap();
    }
    assert_eq!((run.q(&model, 2, 29), run.v(&model, 2, 29)), (&data.state.q[..], &data.state.v[..]));
    let com = model.sensor("com").unwrap();
    let mut first = start.clone();
    saltus::forward(&model, &mut first);
    assert_eq!(run.sensor(&model, com, 1, 0), first.sensor(&model, com).unwrap());
}

#[test]
fn derivatives_predict_a_step() {
    let (model, mut data) = humanoid();
    let stale = saltus::derivatives(&model, &data).unwrap_err();
    assert!(stale.to_string().contains("first"), "{stale}");
    saltus::forward(&model, &mut data);
    let d = saltus::derivatives(&model, &data).unwrap();
    let (nv, motor) = (model.size.nv, model.actuator("left_knee").unwrap());
    let next = |change: f64| {
        let mut data = data.clone();
        data.set_control(&model, motor, data.control(&model, motor) + change);
        saltus::step(&model, &mut data).unwrap();
        data.state.v
    };
    let (up, down) = (next(1e-5), next(-1e-5));
    for i in 0..nv {
        let slope = (up[i] - down[i]) / 2e-5;
        assert!((d.B[(nv + i, motor.idx())] - slope).abs() < 1e-4 * (1.0 + slope.abs()), "{i}");
    }
    assert_eq!(d.C.rows(), model.size.nsensordata);
    let inverse = saltus::inverse_derivatives(&model, &data).unwrap();
    // τ(q, v, a) is linear in a where no contact answers: its slope is symmetric.
    assert!((inverse.dtau_da[(0, 7)] - inverse.dtau_da[(7, 0)]).abs() < 1e-9);
    assert_eq!(d.A.mul(&vec![0.0; d.A.cols()]), vec![0.0; d.A.rows()]);
}

#[test]
fn edited_models_are_checked() {
    let (model, _) = humanoid();
    let foot = model.body("left_foot").unwrap().idx();
    let heavy = model.edited(|m| m.bodies.mass[foot] = 5.0).unwrap();
    assert!(heavy.bodies.mass[foot] == 5.0 && model.bodies.mass[foot] != 5.0);
    let error = model.edited(|m| m.bodies.mass[foot] = -1.0).unwrap_err();
    assert_eq!(error.to_string(), "invalid model: a body has negative mass");
    assert!(model.edited(|m| m.joints.q_start[3] = 1000).is_err());
}

#[test]
fn every_error_becomes_one() {
    let one = |name: &str| -> Result<(), Error> {
        let model = saltus::load(model_file("humanoid.xml"))?;
        let data = Data::new(&model);
        data.body_pose(&model, model.body(name)?)?;
        Ok(())
    };
    assert!(matches!(one("nobody"), Err(Error::Name(_))) && matches!(one("torso"), Err(Error::Stale(_))));
    assert!(matches!(saltus::plan("nothing.toml"), Err(Error::Load(_))));
}
