//! Steps that are too long are told from those that are not.

use saltus_opt::result::coarse::{ALLOWED, step_errors};
use saltus_opt::solve::optimize::OptimizeOptions;
use saltus_opt::solve::report::Status;
use saltus_opt::template::gait::{Gait, gait};
use saltus_opt::template::robot::RobotOptions;
use saltus_sim::Model;

fn model(xml: &str) -> Model {
    let spec = saltus_io::read_str(xml, &Default::default()).expect("a model");
    saltus_sim::compile(&spec).expect("a model that compiles")
}

#[test]
fn a_ball_that_is_thrown_has_no_error() {
    let model = model("<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>");
    let h = 0.05;
    let at = |t: f64| [3.0 * t, 0.0, 2.0 * t - 0.5 * 9.81 * t * t, 1.0, 0.0, 0.0, 0.0];
    let q: Vec<f64> = (0..8).flat_map(|k| at(f64::from(k) * h)).collect();
    let errors = step_errors(&model, h, &q);
    assert_eq!(errors.len(), 6);
    // Differences over 1e-4 s have seven digits.
    assert!(errors.iter().all(|e| *e < 1e-6), "{errors:?}");
}

#[test]
fn a_mass_on_a_circle_has_the_error_of_its_chords() {
    let xml =
        "<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='0.1' pos='0.3 0 0'/></body></worldbody></mujoco>";
    let (model, h, rate, radius) = (model(xml), 0.02, 20.0, 0.3);
    let q: Vec<f64> = (0..6).map(|k| rate * h * f64::from(k)).collect();
    let angle: f64 = rate * h;
    let chords = 2.0 * (1.0 - angle.cos()) / (h * h);
    let expected = radius * (rate * rate - chords) / 9.81;
    for error in step_errors(&model, h, &q) {
        // Differences over 1e-4 s leave out (20 · 1e-4)²/12 of the acceleration.
        let left_out = radius * rate * rate / 9.81 * (rate * 1e-4).powi(2) / 12.0;
        assert!((error - expected).abs() < 1.1 * left_out, "{error} {expected}");
    }
}

#[test]
fn a_humanoid_that_rows_through_the_air_has_not_converged() {
    let spec =
        saltus_io::read_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/humanoid.xml")).expect("a model");
    let wish = Gait { speed: Some(30.0), ..Gait::default() };
    let mut setup =
        gait("fast", &spec, &RobotOptions::default(), &wish, &OptimizeOptions::default()).expect("a problem");
    let plan = setup.optimize(&mut |_| true).expect("threads");
    assert!(matches!(plan.status, Status::Coarse { .. }), "{}", plan.status);
    assert!(plan.step_error().1 > ALLOWED, "{:?}", plan.step_error());
}
