//! Our models for planning: that they are what their sources say.

use saltus_io::read_file;
use saltus_opt::solve::optimize::OptimizeOptions;
use saltus_opt::template::gait::{Gait, gait};
use saltus_opt::template::robot::RobotOptions;
use saltus_sim::{Data, Model, ModelSpec, compile, forward};

fn spec(name: &str) -> ModelSpec {
    read_file(format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"))).expect(name)
}

fn model(name: &str) -> Model {
    compile(&spec(name)).expect(name)
}

/// Mass and inertia of a body, moments in rising order.
fn check(model: &Model, body: &str, mass: f64, mut inertia: [f64; 3]) {
    let b = model.body(body).expect(body).idx();
    let mut found = model.bodies.inertia[b].to_array();
    inertia.sort_by(f64::total_cmp);
    found.sort_by(f64::total_cmp);
    assert_eq!(model.bodies.mass[b], mass, "{body}");
    for (found, expected) in found.iter().zip(inertia) {
        assert!((found - expected).abs() < 1e-12, "{body}: {found} {expected}");
    }
}

/// The state of a keyframe, with contacts.
fn at_key(model: &Model, name: &str) -> Data {
    let key = model.key(name).expect(name).idx();
    let mut data = Data::new(model);
    data.state.q.copy_from_slice(&model.keys.q[key * model.size.nq..(key + 1) * model.size.nq]);
    forward(model, &mut data);
    data
}

#[test]
fn quadruped_is_littledog() {
    let model = model("quadruped.xml");
    assert_eq!((model.size.nq, model.size.nv, model.nactuator()), (19, 18, 12));
    check(&model, "body", 1.8, [0.001625, 0.009178, 0.008794]);
    for leg in ["front_left", "front_right", "back_left", "back_right"] {
        check(&model, &format!("{leg}_hip"), 0.0623, [4e-6, 15e-6, 15e-6]);
        check(&model, &format!("{leg}_thigh"), 0.1279, [82e-6, 89e-6, 15e-6]);
        check(&model, &format!("{leg}_shank"), 0.0464, [38e-6, 35e-6, 4e-6]);
    }
    let mass: f64 = model.bodies.mass.iter().sum();
    assert!((mass - 2.7464).abs() < 1e-12, "{mass}");
    // At home it stands on four feet, to a millimetre.
    let data = at_key(&model, "home");
    for site in 0..model.sites.name.len() {
        if model.sites.name[site].ends_with("_foot") {
            let z = data.position.p_WS[site].z;
            assert!((z - 0.0103).abs() < 1e-3, "{z}");
        }
    }
}

#[test]
fn quadruped_can_be_planned_for() {
    let setup =
        gait("trot", &spec("quadruped.xml"), &RobotOptions::default(), &Gait::default(), &OptimizeOptions::default())
            .expect("a gait");
    println!("{:?}", setup.notes);
    let feet = setup.notes.iter().find(|n| n.starts_with("feet")).expect("feet");
    assert_eq!(feet, "feet: front_left_shank, front_right_shank, back_left_shank, back_right_shank");
    assert!((setup.units.weight - 2.7464 * 9.81).abs() < 1e-9);
    assert!(matches!(&setup.problem.ends, saltus_opt::problem::layout::Ends::Periodic(c) if c.mirror.is_some()));
}

#[test]
fn hopper_and_finger_have_the_published_numbers() {
    let hopper = model("hopper.xml");
    assert_eq!((hopper.size.nq, hopper.size.nv, hopper.nactuator()), (5, 5, 2));
    check(&hopper, "torso", 1.0, [0.013; 3]);
    check(&hopper, "leg", 0.2, [0.01; 3]);
    check(&hopper, "foot", 0.1, [0.005; 3]);
    let data = at_key(&hopper, "home");
    let toe = data.position.p_WS[0].z;
    assert!((toe - 0.03).abs() < 1e-4, "{toe}");
    let finger = model("finger.xml");
    assert_eq!((finger.size.nq, finger.size.nv, finger.nactuator()), (3, 3, 2));
    check(&finger, "base", 1.0, [0.0839, 0.0839, 0.00125]);
    check(&finger, "tip", 1.0, [0.0839, 0.0839, 0.00125]);
    check(&finger, "wheel", 1.0, [0.054, 0.074, 0.022]);
    let data = at_key(&finger, "home");
    // Gravity does nothing: the plane is horizontal.
    assert!(data.velocity.bias.iter().all(|c| c.abs() < 1e-12), "{:?}", data.velocity.bias);
    assert!(data.contacts.is_empty());
}

#[test]
fn arm_rests_with_its_box() {
    let model = model("arm.xml");
    assert_eq!((model.size.nq, model.size.nv, model.nactuator()), (14, 13, 7));
    let data = at_key(&model, "home");
    // Only the box touches, with its four corners, and the tip is above the table near it.
    let bodies: Vec<usize> = data.contacts.iter().map(|c| model.geoms.body[c.geom2.idx()].idx()).collect();
    assert_eq!(bodies, vec![model.body("box").expect("box").idx(); 4]);
    let tip = data.position.p_WS[0];
    assert!(tip.z > 0.05 && tip.x > 0.25 && tip.x < 0.5, "{tip}");
}
