//! Conservation laws along trajectories, and invariances of the equations of motion.

use crate::calculus::{assert_close, derivative, dof, dot, moved, simulate};
use crate::random_tree::{Recipe, fill, random_data};
use saltus_math::Random;
use saltus_sim::dynamics::{update_kinetic_energy, update_momentum, update_potential_energy};
use saltus_sim::kinematics::coordinates;
use saltus_sim::{Data, Model, NoCallbacks, Stage, forward_smooth, forward_smooth_from};

fn energy(model: &Model, data: &mut Data) -> f64 {
    forward_smooth(model, data);
    update_potential_energy(model, data);
    update_kinetic_energy(model, data);
    data.energy[0] + data.energy[1]
}

#[test]
fn momentum_conserved_in_free_flight() {
    for seed in 0..6 {
        let recipe =
            Recipe { bodies: 6, floating: true, chain: seed % 2 == 0, gravity: false, wrapping: false, ..Recipe::FULL };
        let mut spec = recipe.spec(seed);
        // Rotors between bodies exchange torque only; one on the free joint would hold on to the
        // world, and so would actuators of sites and of the free joint.
        spec.bodies[1].joints[0].armature = 0.0;
        spec.actuators.clear();
        let model = saltus_sim::compile(&spec).unwrap();
        let mut data = random_data(&model, &mut Random(seed));
        let momenta = |data: &mut Data| {
            forward_smooth(&model, data);
            update_momentum(&model, data);
            let linear = data.velocity.com_velocity[1] * model.bodies.subtree_mass[1];
            [linear.to_array(), data.velocity.angular_momentum[1].to_array()].concat()
        };
        let before = momenta(&mut data);
        let v = data.state.v.clone();
        simulate(&model, &mut data, (5e-4, 200), |_| 0.0);
        assert!(dot(&v, &v) > 0.1 && data.state.v != v, "the tree should move");
        assert_close(&momenta(&mut data), &before, 1e-9, &format!("momentum, seed {seed}"));
    }
}

#[test]
fn energy_conserved_without_damping() {
    for seed in 0..6 {
        let recipe = Recipe { bodies: 6, chain: true, springs: true, armature: true, tendons: true, ..Recipe::PLAIN };
        let model = recipe.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        let before = energy(&model, &mut data);
        let kinetic = data.energy[1];
        simulate(&model, &mut data, (5e-4, 200), |_| 0.0);
        let after = energy(&model, &mut data);
        assert!((data.energy[1] - kinetic).abs() > 1e-3, "energy should change its form");
        assert_close(&[after], &[before], 1e-8, &format!("energy, seed {seed}"));
    }
}

#[test]
fn work_equals_energy_change() {
    for seed in 0..6 {
        let recipe = Recipe { bodies: 6, chain: true, wrapping: false, ..Recipe::FULL };
        let model = recipe.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        fill(&mut data.input.tau_applied, random);
        data.input.body_force.iter_mut().skip(1).for_each(|f| *f = [random.vec3(1.0), random.vec3(1.0)]);
        let before = energy(&model, &mut data);
        let work = simulate(&model, &mut data, (2.5e-4, 400), |d| {
            // Everything but what comes from the potential: gravity (in the bias) and springs.
            let force: Vec<f64> = (0..model.size.nv)
                .map(|i| d.acceleration.tau_smooth[i] + d.velocity.bias[i] - d.velocity.spring[i])
                .collect();
            dot(&force, &d.state.v)
        });
        let after = energy(&model, &mut data);
        assert!(work.abs() > 1e-3, "forces should do work");
        assert_close(&[after - before], &[work], 1e-7, &format!("work, seed {seed}"));
    }
}

#[test]
fn spring_forces_are_minus_the_gradient_of_their_energy() {
    for seed in 0..20 {
        let model = Recipe { gravity: false, actuators: false, ..Recipe::FULL }.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        let gradient: Vec<f64> = (0..model.size.nv)
            .map(|i| {
                derivative(|t| {
                    let mut d = moved(&model, &data, &dof(&model, i), t);
                    saltus_sim::update_position(&model, &mut d);
                    update_potential_energy(&model, &mut d);
                    vec![-d.energy[0]]
                })[0]
            })
            .collect();
        assert_close(&data.velocity.spring, &gradient, 1e-8, &format!("springs, seed {seed}"));
    }
}

#[test]
fn difference_undoes_integrate() {
    for seed in 0..20 {
        let model = Recipe::PLAIN.build(seed);
        let random = &mut Random(seed);
        let (data, other) = (random_data(&model, random), random_data(&model, random));
        let mut v = vec![0.0; model.size.nv];
        let mut q = data.state.q.clone();
        // Rotations below half a turn are recovered exactly.
        coordinates::integrate(&model, &mut q, &data.state.v, 1.7);
        coordinates::difference(&model, &data.state.q, &q, 1.7, &mut v);
        assert_close(&v, &data.state.v, 1e-13, "v");
        // And any two poses are joined by some velocity.
        coordinates::difference(&model, &data.state.q, &other.state.q, 0.3, &mut v);
        let mut q = data.state.q.clone();
        coordinates::integrate(&model, &mut q, &v, 0.3);
        let (mut a, mut b) = (Data::new(&model), Data::new(&model));
        a.state.q.copy_from_slice(&q);
        b.state.q.copy_from_slice(&other.state.q);
        [&mut a, &mut b].into_iter().for_each(|d| forward_smooth(&model, d));
        for k in 0..model.nbody() {
            let (x, y) = (a.position.R_WB[k], b.position.R_WB[k]);
            assert_close(&x.r0.to_array(), &y.r0.to_array(), 1e-12, "orientation");
            assert_close(&a.position.p_WB[k].to_array(), &b.position.p_WB[k].to_array(), 1e-12, "position");
        }
    }
}

#[test]
fn skipping_valid_stages_changes_nothing() {
    for seed in 0..20 {
        let model = Recipe::FULL.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        forward_smooth(&model, &mut data);
        for valid in [Stage::Position, Stage::Velocity] {
            if valid == Stage::Position {
                fill(&mut data.state.v, random);
            }
            fill(&mut data.input.ctrl, random);
            let mut fresh = Data::new(&model);
            (fresh.state, fresh.input) = (data.state.clone(), data.input.clone());
            forward_smooth(&model, &mut fresh);
            forward_smooth_from(&model, &mut data, valid, &mut NoCallbacks);
            assert_eq!(data.acceleration.a, fresh.acceleration.a);
            assert_eq!(data.velocity.bias, fresh.velocity.bias);
            assert_eq!(data.stage(), Stage::Acceleration);
        }
    }
}

#[test]
fn acceleration_does_not_depend_on_the_unit_of_mass() {
    // A power of two: every product and quotient is exact, so the results are the same bits.
    let s = 1024.0;
    for seed in 0..20 {
        let model = Recipe::FULL.build(seed);
        let mut scaled = model.clone();
        let scale = |x: &mut [f64]| x.iter_mut().for_each(|x| *x *= s);
        for x in [&mut scaled.bodies.mass, &mut scaled.bodies.subtree_mass, &mut scaled.dofs.armature] {
            scale(x);
        }
        scaled.bodies.inertia.iter_mut().for_each(|x| *x *= s);
        for x in [&mut scaled.joints.stiffness, &mut scaled.tendons.stiffness, &mut scaled.tendons.armature] {
            scale(x);
        }
        for x in [&mut scaled.dofs.damping, &mut scaled.tendons.damping] {
            scale(x);
        }
        let (joints, dofs, tendons) = (&mut scaled.joints, &mut scaled.dofs, &mut scaled.tendons);
        for x in [&mut joints.stiffness_poly, &mut dofs.damping_poly] {
            x.iter_mut().for_each(|p| scale(p));
        }
        for x in [&mut tendons.stiffness_poly, &mut tendons.damping_poly] {
            x.iter_mut().for_each(|p| scale(p));
        }
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        let mut other = Data::new(&scaled);
        (other.state, other.input) = (data.state.clone(), data.input.clone());
        scale(&mut other.input.ctrl);
        forward_smooth(&scaled, &mut other);
        assert_eq!(data.acceleration.a, other.acceleration.a, "seed {seed}");
    }
}

#[test]
fn reset_leaves_no_trace() {
    for seed in 0..20 {
        let model = Recipe::FULL.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        data.state.time = 3.0;
        fill(&mut data.input.tau_applied, random);
        fill(&mut data.state.a_warm, random);
        data.input.body_force.iter_mut().for_each(|f| *f = [random.vec3(1.0), random.vec3(1.0)]);
        forward_smooth(&model, &mut data);
        data.reset(&model);
        let mut fresh = Data::new(&model);
        assert_eq!((&data.state, &data.input, data.stage()), (&fresh.state, &fresh.input, Stage::None));
        [&mut data, &mut fresh].into_iter().for_each(|d| forward_smooth(&model, d));
        assert_eq!(data.acceleration.a, fresh.acceleration.a);
        assert_eq!(data.inertia.M, fresh.inertia.M);
        assert_eq!(data.velocity.passive, fresh.velocity.passive);
    }
}
