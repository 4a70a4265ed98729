//! The robot like Atlas at work: the same controller in maximal coordinates and under the impulse
//! law.

use saltus::maximal::{Options, Order};
use saltus::sim::options::law::Law;
use saltus_atlas::{Engine, Run, Scene, published};

/// Steps for a time; the largest joint error, m.
fn go(run: &mut Run<'_>, seconds: f64) -> f64 {
    let end = run.data.state.time + seconds;
    let mut joints = 0.0f64;
    while run.data.state.time < end - 1e-9 {
        joints = joints.max(run.step().unwrap().distance);
    }
    joints
}

#[test]
fn its_ankles_have_the_published_ratio_of_inertias() {
    let spec = saltus::io::mjcf::read_str(saltus::shipped::ATLAS, &Default::default()).unwrap();
    let model = saltus::compile(&spec).unwrap();
    let inertia = |name: &str| model.bodies.inertia[model.body(name).unwrap().idx()];
    let mass: f64 = model.bodies.mass.iter().sum();
    assert!((95.0..100.0).contains(&mass), "{mass}");
    for side in ["left", "right"] {
        let [shin, talus] = ["shin", "talus"].map(|part| inertia(&format!("{side}_{part}")));
        let least = talus.x.min(talus.y).min(talus.z);
        // 0.076 of I_yy over 8.42775e-6.
        assert!((shin.y / least - 9017.8).abs() < 0.1, "{shin:?} {talus:?}");
    }
}

/// Published: feet drift without row order and smoothing. With exact joints they do not move at
/// all.
#[test]
fn it_stands_and_feet_drift_less_with_row_order_and_smoothing_and_not_at_all_with_exact_joints() {
    let scene = Scene::standing().unwrap();
    let without = Options { order: Order::AsMade, friction_sweeps: 0, smoothing: 0.0, ..published() };
    let drift = |engine| {
        let mut run = scene.start(engine).unwrap();
        go(&mut run, 1.0);
        let start = run.centre("left_foot").unwrap();
        go(&mut run, 1.0);
        let height = run.centre("pelvis").unwrap().z;
        assert!((height - scene.plan.motion.q[2]).abs() < 0.05, "{height}");
        (run.centre("left_foot").unwrap() - start).with_z(0.0).length()
    };
    let (before, after) = (drift(Engine::Maximal(without)), drift(Engine::Maximal(published())));
    assert!(after < 0.1 * before && before > 1e-4, "{before} {after}");
    let exact = drift(Engine::Maximal(Options::tree()));
    assert!(exact < 1e-9, "{exact}");
    let law = drift(Engine::Law(Law::Impulse));
    assert!(law < 1e-5, "{law}");
}

#[test]
fn it_holds_a_cylinder_by_friction() {
    let scene = Scene::grasping().unwrap();
    for (engine, allowed) in [
        (Engine::Maximal(Options::tree()), 1e-8),
        (Engine::Maximal(published()), 1e-4),
        (Engine::Law(Law::Impulse), 1e-4),
    ] {
        let mut run = scene.start(engine).unwrap();
        go(&mut run, 0.5);
        let start = run.in_hand().unwrap();
        go(&mut run, 0.5);
        let slip = (run.in_hand().unwrap() - start).length();
        assert!(slip < allowed, "{engine:?}: {slip}");
    }
}

/// A stride takes 0.85 s and has two steps.
#[test]
fn it_walks_in_maximal_coordinates_and_under_the_impulse_law() {
    let scene = Scene::walking(0.6).unwrap();
    for (engine, seconds, apart) in [
        (Engine::Maximal(Options::tree()), 4.3, 1e-10),
        (Engine::Maximal(published()), 1.8, 2e-3),
        (Engine::Law(Law::Impulse), 4.3, 0.0),
    ] {
        let mut run = scene.start(engine).unwrap();
        let start = run.data.state.q[0];
        let joints = go(&mut run, seconds);
        let (gone, height) = (run.data.state.q[0] - start, run.data.state.q[2]);
        assert!((gone / seconds - 0.6).abs() < 0.03, "{engine:?}: {gone} m in {seconds} s");
        assert!((height - scene.plan.motion.q[2]).abs() < 0.05, "{engine:?}: {height}");
        assert!(joints <= apart, "{engine:?}: {joints}");
    }
}
