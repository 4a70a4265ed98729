//! For trees without contact both coordinates describe the same motion.

use crate::scene::{Scene, ZOO, disturb, model, scene};
use saltus_maximal::Options;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::options::Integrator;
use saltus_sim::{Data, Model, step};

#[test]
fn coordinates_come_back_exactly() {
    let Scene { model, mut data, mut simulation } = scene(ZOO, Options::tree());
    disturb(&mut data);
    let v = data.state.v.clone();
    saltus_sim::kinematics::coordinates::integrate(&model, &mut data.state.q, &v, 0.7);
    saltus_sim::kinematics::coordinates::normalize(&model, &mut data.state.q);
    let start = data.clone();
    // A step of no length leaves where it was everything that the links were made from.
    let mut frozen = model.clone();
    frozen.options.timestep = 1e-13;
    simulation.step(&frozen, &mut data).unwrap();
    let mut change = vec![0.0; model.size.nv];
    difference(&model, &start.state.q, &data.state.q, 1.0, &mut change);
    assert!(change.iter().all(|c| c.abs() < 1e-12), "{change:?}");
    for (a, b) in start.state.v.iter().zip(&data.state.v) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

/// q after a time, in steps of h.
fn maximal(xml: &str, h: f64, time: f64, options: Options) -> (Model, Data) {
    let mut model = model(xml);
    model.options.timestep = h;
    let mut data = Data::new(&model);
    disturb(&mut data);
    let mut simulation = saltus_maximal::Simulation::new(&model, options).unwrap();
    for _ in 0..(time / h).round() as usize {
        simulation.step(&model, &mut data).unwrap();
    }
    (model, data)
}

/// The same by Runge–Kutta in generalized coordinates, with steps that leave no error to see.
fn generalized(xml: &str, time: f64) -> Data {
    let mut model = model(xml);
    model.options.timestep = 2e-4;
    model.options.integrator = Integrator::Rk4;
    let mut data = Data::new(&model);
    disturb(&mut data);
    for _ in 0..(time / model.options.timestep).round() as usize {
        step(&model, &mut data).unwrap();
    }
    data
}

fn distance(model: &Model, a: &Data, b: &Data) -> f64 {
    let mut d = vec![0.0; model.size.nv];
    difference(model, &a.state.q, &b.state.q, 1.0, &mut d);
    d.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The error is halved with the step, and its constant is that of semi-implicit Euler in
/// generalized coordinates, within a factor of 4.
fn first_order(options: Options) {
    let time = 0.2;
    let exact = generalized(ZOO, time);
    let errors = [2e-3, 1e-3, 5e-4].map(|h| {
        let (model, data) = maximal(ZOO, h, time, options);
        distance(&model, &data, &exact)
    });
    for pair in errors.windows(2) {
        assert!((1.7..2.3).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
    let mut model = model(ZOO);
    model.options.timestep = 1e-3;
    let mut data = Data::new(&model);
    disturb(&mut data);
    for _ in 0..200 {
        step(&model, &mut data).unwrap();
    }
    let own = distance(&model, &data, &exact);
    assert!(errors[1] < 4.0 * own && own < 4.0 * errors[1], "maximal {} generalized {own}", errors[1]);
}

#[test]
fn exact_joints_give_the_motion_of_generalized_coordinates_to_first_order() {
    first_order(Options::tree());
}

#[test]
fn pivoting_gives_the_motion_of_generalized_coordinates_to_first_order() {
    first_order(Options::direct());
}

#[test]
fn many_sweeps_give_the_motion_of_exact_joints() {
    let exact = maximal(ZOO, 1e-3, 0.1, Options::direct());
    let options = Options { iterations: 4000, inertia_reduction: 0.0, warm_start: 1.0, ..Options::default() };
    let swept = maximal(ZOO, 1e-3, 0.1, options);
    let error = distance(&exact.0, &exact.1, &swept.1);
    assert!(error < 1e-6, "{error}");
}

/// Two discretizations of one motion: they approach each other with the step.
#[test]
fn fixed_bodies_as_rows_move_as_merged_ones_to_first_order() {
    let rows = Options { fixed_bodies: saltus_maximal::FixedBodies::Rows, ..Options::tree() };
    let errors = [1e-3, 5e-4, 2.5e-4].map(|h| {
        let (model, merged) = maximal(ZOO, h, 0.1, Options::tree());
        distance(&model, &merged, &maximal(ZOO, h, 0.1, rows).1)
    });
    assert!(errors[0] < 1e-4, "{errors:?}");
    for pair in errors.windows(2) {
        assert!((1.7..2.3).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}
