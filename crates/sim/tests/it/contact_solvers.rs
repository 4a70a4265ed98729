//! The soft law: three solvers agree, forward and inverse are each other's inverse, islands change
//! nothing.

use crate::common::{difference, from_text, load, model_file};
use saltus_sim::inverse;
use saltus_sim::options::{Cone, Disable, Enable, Integrator, Solver};
use saltus_sim::{Data, Model, forward, step};

/// Scenes with many kinds of contact, and how many steps they need to get there.
const SCENES: [(&str, usize); 5] =
    [("humanoid.xml", 120), ("cubes.xml", 60), ("grasp.xml", 150), ("tower.xml", 20), ("features/contacts.xml", 100)];

/// A simulation some time after its start, its solver asked for all the digits there are.
fn scene(file: &str, steps: usize, change: impl Fn(&mut Model)) -> (Model, Data) {
    let mut model = load(model_file(file)).unwrap();
    model.options.tolerance = 0.0;
    model.options.iterations = 500;
    change(&mut model);
    let mut data = Data::new(&model);
    data.input.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = -0.2 + 0.1 * (i as f64).sin());
    for (i, name) in model.actuators.name.iter().enumerate().filter(|(_, name)| name.contains("pull")) {
        data.input.ctrl[model.actuators.ctrl[i].start as usize] = if name.contains("thumb") { -3.0 } else { -4.0 };
    }
    for _ in 0..steps {
        step(&model, &mut data).unwrap();
    }
    (model, data)
}

fn with_solver(model: &Model, solver: Solver, iterations: i32) -> Model {
    let mut model = model.clone();
    (model.options.solver, model.options.iterations) = (solver, iterations);
    model
}

#[test]
fn three_solvers_find_the_same_acceleration() {
    for cone in [Cone::Pyramidal, Cone::Elliptic] {
        for (file, steps) in SCENES {
            let (model, mut data) = scene(file, steps, |m| m.options.cone = cone);
            forward(&model, &mut data);
            assert!(data.constraints.len() > 8, "{file}: no contact");
            for (solver, iterations) in [(Solver::Cg, 20_000), (Solver::Pgs, 200_000)] {
                let mut other = data.clone();
                let model = with_solver(&model, solver, iterations);
                forward(&model, &mut other);
                let gap = difference(&other.acceleration.a, &data.acceleration.a);
                assert!(gap < 1e-6, "{file} {cone:?} {solver:?}: {gap:.1e} after {:?}", other.constraints.report);
            }
        }
    }
}

#[test]
fn islands_do_not_change_the_solution() {
    for (file, steps) in SCENES {
        let (mut model, mut data) = scene(file, steps, |_| {});
        forward(&model, &mut data);
        let mut other = data.clone();
        model.options.disable.set(Disable::ISLAND, true);
        forward(&model, &mut other);
        assert_eq!(other.constraints.n_island, 1);
        let gap = difference(&other.acceleration.a, &data.acceleration.a);
        assert!(gap < 1e-9, "{file}: {gap:.1e}");
    }
}

#[test]
fn inverse_dynamics_returns_the_forces_of_forward_dynamics() {
    for integrator in [Integrator::Euler, Integrator::ImplicitFast, Integrator::Implicit, Integrator::Discrete] {
        for cone in [Cone::Pyramidal, Cone::Elliptic] {
            let (model, mut data) =
                scene("humanoid.xml", 100, |m| (m.options.cone, m.options.integrator) = (cone, integrator));
            let mut contacts = 0;
            for _ in 0..100 {
                step(&model, &mut data).unwrap();
                forward(&model, &mut data);
                contacts += data.contacts.len();
                let applied: Vec<f64> =
                    data.acceleration.tau_actuator.iter().zip(&data.input.tau_applied).map(|(a, b)| a + b).collect();
                let mut back = data.clone();
                inverse(&model, &mut back).expect("the soft law has an inverse");
                let gap = back.acceleration.tau_inverse.iter().zip(&applied).map(|(a, b)| (a - b).abs());
                let gap = gap.fold(0.0, f64::max);
                assert!(gap <= 1e-9, "{integrator:?} {cone:?} at {}: {gap:.1e}", data.state.time);
            }
            assert!(contacts > 200, "{contacts}");
        }
    }
}

#[test]
fn discrete_inverse_dynamics_returns_the_forces_of_a_step() {
    for integrator in [Integrator::Euler, Integrator::ImplicitFast, Integrator::Implicit, Integrator::Discrete] {
        let (mut model, mut data) = scene("humanoid.xml", 100, |m| m.options.integrator = integrator);
        model.options.enable.set(Enable::INVDISCRETE, true);
        let mut contacts = 0;
        for _ in 0..50 {
            let before = data.clone();
            step(&model, &mut data).unwrap();
            let applied = data.acceleration.tau_actuator.clone();
            let mut back = before.clone();
            forward(&model, &mut back);
            contacts += back.contacts.len();
            for (i, a) in back.acceleration.a.iter_mut().enumerate() {
                *a = (data.state.v[i] - before.state.v[i]) / model.options.timestep;
            }
            inverse(&model, &mut back).expect("the soft law has an inverse");
            // Velocities of order 1 are differenced over h: their round-off comes back divided by
            // h, times M and D.
            let gap = difference(&back.acceleration.tau_inverse, &applied);
            assert!(gap <= 1e-9, "{integrator:?} at {}: {gap:.1e}", data.state.time);
        }
        assert!(contacts > 100, "{contacts}");
    }
}

#[test]
fn inverse_of_steps_does_not_remember_the_last_call() {
    // A servo that resists motion only while its force is within its range.
    for integrator in [Integrator::Implicit, Integrator::ImplicitFast, Integrator::Discrete] {
        let mut model = from_text(
            "<mujoco><option timestep='.01'><flag invdiscrete='enable'/></option><worldbody>
               <body><joint name='j' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body>
             </worldbody><actuator><position joint='j' kp='20' kv='3' forcerange='-2 2'/></actuator></mujoco>",
        );
        model.options.integrator = integrator;
        let applied = |ctrl: f64| {
            let mut data = Data::new(&model);
            data.input.ctrl[0] = ctrl;
            (data.state.q[0], data.state.v[0]) = (0.02, 0.1);
            let before = data.clone();
            step(&model, &mut data).unwrap();
            (before, (data.state.v[0] - 0.1) / model.options.timestep, data.acceleration.tau_actuator[0])
        };
        for (ctrl, inside) in [(0.05, true), (3.0, false)] {
            let (mut back, a, tau) = applied(ctrl);
            assert_eq!(tau.abs() < 2.0, inside);
            // Whatever forces are left from another call.
            for stale in [0.0, 2.0, -5.0] {
                back.acceleration.actuator_force[0] = stale;
                back.acceleration.a[0] = a;
                inverse(&model, &mut back).expect("the soft law has an inverse");
                let gap = (back.acceleration.tau_inverse[0] - tau).abs();
                assert!(gap < 1e-12, "{integrator:?} {ctrl} {stale}: {gap:.1e}");
            }
        }
    }
}

#[test]
fn a_solver_that_runs_out_of_iterations_says_so() {
    let (model, mut data) = scene("cubes.xml", 60, |_| {});
    let model = with_solver(&model, Solver::Pgs, 2);
    forward(&model, &mut data);
    assert_eq!(data.constraints.report.status, saltus_sim::data::SolverStatus::IterationLimit);
    assert!(data.constraints.report.iterations == 2 && data.constraints.report.residual > 0.0);
}

#[test]
fn noslip_stops_creep_on_a_slope() {
    let model = |noslip: usize, cone: &str| {
        from_text(&format!(
            "<mujoco><option noslip_iterations='{noslip}' cone='{cone}'/><worldbody>
               <geom type='plane' size='5 5 .1' euler='0 20 0'/>
               <body pos='0.1 0 0.11' euler='0 20 0'><freejoint/><geom type='box' size='.1 .1 .1' friction='1'/></body>
             </worldbody></mujoco>"
        ))
    };
    for cone in ["pyramidal", "elliptic"] {
        let creep = |noslip| {
            let model = model(noslip, cone);
            let mut data = Data::new(&model);
            (0..1000).for_each(|_| step(&model, &mut data).unwrap());
            let before = data.state.q.clone();
            (0..500).for_each(|_| step(&model, &mut data).unwrap());
            difference(&data.state.q[..3], &before[..3])
        };
        let (soft, hard) = (creep(0), creep(10));
        assert!(soft > 1e-5 && hard < 0.01 * soft, "{cone}: {soft:.1e} {hard:.1e}");
    }
}

#[test]
fn noslip_leaves_contacts_that_cannot_slip_in_all_directions() {
    // An arm on a hinge: the contact's two tangents move together. The reference finds no best
    // force there and keeps the soft law's; a ball beside it, free in both, loses its slip.
    let forces = |noslip: usize| {
        let model = from_text(&format!(
            "<mujoco><option noslip_iterations='{noslip}' cone='elliptic'/><worldbody>
               <geom type='plane' size='5 5 .1'/>
               <body pos='0 0 .3'><joint axis='1 .5 0'/><geom type='capsule' fromto='0 0 0 .1 .2 -.27' size='.05'/></body>
               <body pos='1 0 .0999'><freejoint/><geom size='.1'/></body>
             </worldbody></mujoco>"
        ));
        let mut data = Data::new(&model);
        data.state.v.copy_from_slice(&[0.3, 0.1, 0.2, 0.0, 0.5, 0.0, 0.1]);
        forward(&model, &mut data);
        data.constraints.force.clone()
    };
    let (soft, hard) = (forces(0), forces(3));
    assert_eq!(soft.len(), 6);
    assert!(soft[0] > 0.0 && difference(&soft[1..3], &[0.0; 2]) > 1e-3, "{soft:?}");
    assert_eq!(soft[..3], hard[..3]);
    assert!(difference(&soft[4..], &hard[4..]) > 1e-3, "{soft:?} {hard:?}");
}

#[test]
fn one_sweep_is_enough_for_one_contact() {
    // Between two trees that are neighbours, whose dofs are one run of columns.
    let forces = |noslip: usize| {
        let model = from_text(&format!(
            "<mujoco><option noslip_iterations='{noslip}' noslip_tolerance='0' cone='elliptic' gravity='0 0 0'/><worldbody>
               <body><freejoint/><geom type='capsule' size='.05 .3' condim='4' zaxis='1 .2 0'/></body>
               <body pos='.2 .1 .099'><freejoint/><geom type='capsule' size='.05 .2' condim='4' zaxis='.3 1 .1'/></body>
             </worldbody></mujoco>"
        ));
        let mut data = Data::new(&model);
        data.state.v[..6].copy_from_slice(&[0.05, -0.02, 0.1, 0.3, 0.1, -0.2]);
        forward(&model, &mut data);
        data.constraints.force.clone()
    };
    let (soft, once, often) = (forces(0), forces(1), forces(20));
    assert_eq!(soft.len(), 4);
    assert!(soft[0] > 0.0 && difference(&soft, &once) > 1e-4 * soft[0], "{soft:?} {once:?}");
    assert!(difference(&once, &often) < 1e-10 * soft[0], "{once:?} {often:?}");
}

#[test]
fn noslip_holds_what_moves_in_a_plane() {
    // The contact cannot slip along y: its tangential block is singular, and the other direction
    // must hold nevertheless.
    for friction in [1.0, 2.0] {
        let model = from_text(&format!(
            "<mujoco><option noslip_iterations='3' cone='elliptic'/><worldbody><geom type='plane' size='5 5 .1'/>
               <body pos='0 0 .099'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>
                 <geom size='.1' mass='.5' friction='{friction}'/></body></worldbody></mujoco>"
        ));
        let mut data = Data::new(&model);
        data.input.tau_applied[0] = 2.0;
        forward(&model, &mut data);
        assert_eq!(data.constraints.len(), 3);
        assert!((data.acceleration.tau_constraint[0] + 2.0).abs() < 1e-12, "{:?}", data.constraints.force);
        assert!(data.acceleration.a[0].abs() < 1e-11, "{:?}", data.acceleration.a);
    }
}

/// At rest the last step's solution is almost the present one. It is taken without an iteration
/// only if its forces are right, not already if its cost is: forward and inverse dynamics agree to
/// round-off and small changes of a control are seen.
#[test]
fn what_rests_has_the_forces_of_its_acceleration() {
    for (file, most) in [("tower.xml", 1e-6), ("grasp.xml", 1e-7), ("humanoid.xml", 1e-9)] {
        let model = load(model_file(file)).unwrap();
        let mut data = Data::new(&model);
        let mut worst = 0.0f64;
        for k in 0..1500 {
            step(&model, &mut data).unwrap();
            if k % 50 == 49 && k > 1000 {
                forward(&model, &mut data);
                let gap = saltus_sim::compare_with_inverse(&model, &data);
                worst = worst.max(gap[0]).max(gap[1]);
            }
        }
        assert!(worst < most, "{file}: {worst:.1e}");
    }
}

#[test]
fn a_small_change_of_a_control_changes_the_acceleration_at_rest() {
    // A finger presses against a heavy block: what the control changes is little beside the block's
    // inertia, and beside the cost.
    let model = from_text(
        "<mujoco><option cone='elliptic'/><worldbody><geom type='plane' size='5 5 .1'/>
           <body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='3000'/></body>
           <body pos='.3 0 .1'><joint name='j' type='slide' axis='1 0 0' damping='50'/><geom size='.05' mass='.2'/></body>
         </worldbody><actuator><motor joint='j' gear='-1'/></actuator></mujoco>",
    );
    let mut data = Data::new(&model);
    data.input.ctrl[0] = 5.0;
    for _ in 0..3000 {
        step(&model, &mut data).unwrap();
    }
    let slope = |du: f64| {
        let mut at = [data.clone(), data.clone()];
        at[1].input.ctrl[0] += du;
        at.iter_mut().for_each(|data| forward(&model, data));
        (at[1].acceleration.a[6] - at[0].acceleration.a[6]) / du
    };
    let (small, large) = (slope(1e-4), slope(1e-2));
    assert!(large.abs() > 1e-3 && (small / large - 1.0).abs() < 1e-4, "{small} {large}");
}
