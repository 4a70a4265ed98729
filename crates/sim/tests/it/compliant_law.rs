//! The compliant law: what it does to bodies, and that inverse dynamics undoes it.

use crate::common::{from_text, load, model_file};
use saltus_sim::data::SolverStatus;
use saltus_sim::inverse;
use saltus_sim::options::Integrator;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model, forward, step};

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

fn size(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn compliant(mut model: Model) -> Model {
    model.options.laws.law = Law::Compliant;
    model
}

/// Applied force less what inverse dynamics says it was, relative to the largest force.
fn mismatch(model: &Model, data: &mut Data) -> f64 {
    forward(model, data);
    let report = &data.constraints.report;
    let expected = if data.constraints.is_empty() { SolverStatus::Unconstrained } else { SolverStatus::Converged };
    assert_eq!((report.status, report.iterations), (expected, 0));
    let mut applied = data.acceleration.tau_actuator.clone();
    applied.iter_mut().zip(&data.input.tau_applied).for_each(|(x, t)| *x += t);
    let scale = [&data.acceleration.tau_constraint, &applied, &data.velocity.bias].map(|x| size(x));
    let forces = data.constraints.force.clone();
    let mut back = data.clone();
    inverse(model, &mut back).unwrap();
    assert_eq!(forces, back.constraints.force, "forces do not depend on accelerations");
    difference(&applied, &back.acceleration.tau_inverse) / size(&scale)
}

#[test]
fn inverse_dynamics_undoes_the_law() {
    let linkage = "<mujoco><worldbody><geom type='plane' size='5 5 1' pos='0 0 -1'/>
        <body name='a'><joint axis='0 1 0' limited='true' range='-20 20'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>
        <body name='b' pos='.3 0 0'><joint axis='0 1 0' frictionloss='.1'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>
        </body></body></worldbody>
        <equality><connect body1='b' anchor='.3 0 0'/></equality></mujoco>";
    for integrator in [Integrator::Euler, Integrator::ImplicitFast, Integrator::Rk4, Integrator::Discrete] {
        for file in ["humanoid.xml", "features/contacts.xml", "features/constraints.xml", "linkage"] {
            let model = if file == "linkage" { from_text(linkage) } else { load(model_file(file)).unwrap() };
            let mut model = compliant(model);
            model.options.integrator = integrator;
            model.options.timestep = 0.001;
            let mut data = Data::new(&model);
            let mut rows = 0;
            for _ in 0..150 {
                let gap = mismatch(&model, &mut data);
                assert!(gap < 1e-12, "{file}, {integrator:?}: {gap:.1e}");
                rows = rows.max(data.constraints.len());
                step(&model, &mut data).unwrap();
            }
            assert!(rows >= 4, "{file}: {rows}");
        }
    }
}

/// A ball of 0.1 m radius above a plane.
fn ball(mass: f64, height: f64) -> Model {
    compliant(from_text(&format!(
        "<mujoco><option timestep='0.001' integrator='Euler'/><worldbody><geom type='plane' size='5 5 1'/>
        <body pos='0 0 {height}'><freejoint/><geom size='0.1' mass='{mass}'/></body></worldbody></mujoco>"
    )))
}

#[test]
fn a_ball_rests_where_the_spring_carries_it() {
    for mass in [0.1, 1.0, 10.0] {
        let model = ball(mass, 0.15);
        let mut data = Data::new(&model);
        for _ in 0..6000 {
            step(&model, &mut data).unwrap();
        }
        let own = model.options.laws.compliant;
        // φ from σ k ln(1 + exp(−φ/σ)) = m g.
        let load = mass * 9.81 / (own.smoothing * own.stiffness);
        let rest = -own.smoothing * load.exp_m1().ln();
        assert!((data.state.q[2] - 0.1 - rest).abs() < 1e-8, "{mass} kg: {} {rest}", data.state.q[2] - 0.1);
    }
}

#[test]
fn a_box_creeps_at_the_speed_that_friction_needs() {
    let mut model = compliant(from_text(
        "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='50 50 1' friction='0.5'/>
        <body pos='0 0 0.05'><freejoint/><geom type='box' size='0.2 0.2 0.05' mass='3' friction='0.5'/></body>
        </worldbody></mujoco>",
    ));
    for (mu, share) in [(0.5, 0.3), (0.5, 0.8), (1.0, 0.6)] {
        // A coefficient for all contacts, or the contact's own.
        model.options.laws.compliant.friction = if mu == 0.5 { 0.0 } else { mu };
        let mut data = Data::new(&model);
        data.input.tau_applied[0] = share * mu * 3.0 * 9.81;
        for _ in 0..4000 {
            step(&model, &mut data).unwrap();
        }
        // μ m g v/√(v_s² + v²) = F.
        let speed = model.options.laws.compliant.stiction * share / (1.0 - share * share).sqrt();
        assert!((data.state.v[0] / speed - 1.0).abs() < 1e-6, "{mu}, {share}: {} {speed}", data.state.v[0]);
    }
}

#[test]
fn bouncing_loses_energy_and_free_flight_does_not() {
    let mut model = ball(1.0, 0.2);
    model.options.timestep = 1e-5;
    model.options.integrator = Integrator::Rk4;
    model.options.laws.compliant.dissipation = 5.0;
    let mut data = Data::new(&model);
    let energy = |data: &Data| 0.5 * data.state.v[2] * data.state.v[2] + 9.81 * (data.state.q[2] - 0.1);
    let (mut last, mut bounces, mut before) = (energy(&data), 0, 0.0);
    for _ in 0..120_000 {
        step(&model, &mut data).unwrap();
        if before > 0.0 && data.state.v[2] <= 0.0 && data.state.q[2] > 0.12 {
            // At the top, far from the ground.
            let now = energy(&data);
            assert!(now < 0.95 * last, "{now} {last}");
            (last, bounces) = (now, bounces + 1);
        }
        before = data.state.v[2];
    }
    assert!(bounces >= 2, "{bounces}");
    let mut flight = ball(1.0, 2.0);
    flight.options.integrator = Integrator::Rk4;
    let mut data = Data::new(&flight);
    let start = energy(&data);
    for _ in 0..100 {
        step(&flight, &mut data).unwrap();
    }
    assert!((energy(&data) - start).abs() < 1e-12 * start && data.constraints.is_empty());
}

#[test]
fn contacts_come_into_being_with_next_to_no_force() {
    let model = ball(1.0, 0.2);
    let reach = model.options.laws.compliant.reach();
    let own = model.options.laws.compliant;
    let mut data = Data::new(&model);
    data.state.q[2] = 0.1 + reach * (1.0 - 1e-9);
    forward(&model, &mut data);
    assert!((data.constraints.force[0] / 1.5e-8 - 1.0).abs() < 1e-4, "{:?}", data.constraints.force);
    assert!((own.smoothing * own.stiffness * (-reach / own.smoothing).exp() / 1.5e-8 - 1.0).abs() < 1e-6);
    data.state.q[2] = 0.1 + reach * (1.0 + 1e-9);
    forward(&model, &mut data);
    assert!(data.constraints.is_empty());
}

#[test]
fn limits_dry_friction_and_equalities_hold_softly() {
    let model = compliant(from_text(
        "<mujoco><option timestep='0.001'/><worldbody>
        <body name='low'><joint name='low' axis='0 1 0' limited='true' range='-30 30' damping='.2'/><geom size='.05' pos='.3 0 0' mass='1'/></body>
        <body name='dry' pos='0 1 0'><joint name='dry' type='slide' axis='0 0 1' frictionloss='15'/><geom size='.05' mass='1'/></body>
        <body name='tied' pos='0 2 0'><freejoint/><geom size='.05' mass='1'/></body></worldbody>
        <equality><connect body1='tied' anchor='0 0 0'/></equality></mujoco>",
    ));
    let mut data = Data::new(&model);
    for _ in 0..3000 {
        step(&model, &mut data).unwrap();
    }
    assert!(size(&data.state.v[..1]) < 1e-6 && size(&data.state.v[2..]) < 1e-6, "{:?}", data.state.v);
    // The limit gives way by the load over the inertia times T²; the tie by g T².
    let (time, load) = (0.02f64, 9.81 * 0.3 * data.state.q[0].cos());
    let beyond = data.state.q[0] - 30f64.to_radians();
    let inertia = 0.09 + 0.4 * 0.05 * 0.05;
    assert!((beyond * inertia / (time * time * load) - 1.0).abs() < 0.05, "{beyond}");
    assert!((data.state.q[4] / (-9.81 * time * time) - 1.0).abs() < 1e-6, "{}", data.state.q[4]);
    // Dry friction of 15 N carries 9.81 N where it moves fast enough.
    let (stiction, share) = (model.options.laws.compliant.stiction, 9.81f64 / 15.0);
    assert!((data.state.v[1] / (-stiction * share / (1.0 - share * share).sqrt()) - 1.0).abs() < 1e-6);
}
