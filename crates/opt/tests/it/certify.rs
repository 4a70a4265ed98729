//! The verdict without any law: what counts as a force that a motion may use.

use saltus_opt::result::certify::Certificate;
use saltus_sim::{Model, compile};

/// 1 m/s² makes 1 N of 1 kg: forces are in units of its weight, 9.81 N.
const WEIGHT: f64 = 9.81;
const H: f64 = 0.01;

fn model(joints: &str, rest: &str) -> Model {
    let xml = format!(
        r#"<mujoco><worldbody>
             <body><joint name="a" type="slide" axis="0 0 1" {joints}/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>
             <body pos="1 0 0"><joint name="b" type="slide" axis="0 0 1"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>
           </worldbody>{rest}</mujoco>"#
    );
    compile(&saltus_io::read_str(&xml, &Default::default()).expect("text")).expect("a model")
}

/// What is missing to balance the first body, where only the second has a motor, on the way from
/// one place of both to the next.
fn residual(model: &Model, places: [f64; 3]) -> f64 {
    let certificate = Certificate { model, h: H, unactuated: &[vec![(0, 1.0 / WEIGHT)]], gap: 1e-3 };
    let nodes: Vec<f64> = places.iter().flat_map(|&z| [z, z]).collect();
    let verdicts = certificate.judge(&nodes);
    assert_eq!(verdicts.len(), 1);
    verdicts[0].residual
}

#[test]
fn what_hangs_in_the_air_falls() {
    let free = model("", "");
    assert!((residual(&free, [0.0; 3]) - 1.0).abs() < 1e-9);
    let fall = -0.5 * WEIGHT * H * H;
    assert!(residual(&free, [fall, 0.0, fall]) < 1e-9);
}

#[test]
fn couplings_may_push_and_pull() {
    let coupled = model("", r#"<equality><joint joint1="a" joint2="b"/></equality>"#);
    assert!(residual(&coupled, [0.0; 3]) < 1e-9);
    assert!(residual(&coupled, [0.0, 0.0, 1e-3]) < 1e-9);
}

#[test]
fn limits_push_where_they_are_reached_and_never_pull() {
    let limited = model(r#"range="0 1" limited="true""#, "");
    assert!(residual(&limited, [0.0; 3]) < 1e-9);
    assert!((residual(&limited, [0.1; 3]) - 1.0).abs() < 1e-9);
    // At the lower limit an acceleration downwards that is more than g would need a pull.
    let pulled = residual(&limited, [0.0, 0.0, -2.0 * WEIGHT * H * H]);
    assert!((pulled - 1.0).abs() < 1e-9, "{pulled}");
}

#[test]
fn dry_friction_brakes_what_moves() {
    // It falls with 1 m/s without getting faster: friction of its own weight does that. Without
    // friction it would.
    let rubbed = model(r#"frictionloss="9.81""#, "");
    let falls = [H, 0.0, -H];
    let left = residual(&rubbed, falls);
    assert!(left < 0.02, "{left}");
    assert!((residual(&model("", ""), falls) - 1.0).abs() < 1e-9);
    // Upwards it adds to the weight.
    let rises = residual(&rubbed, [-H, 0.0, H]);
    assert!((rises - 2.0).abs() < 0.02, "{rises}");
}
