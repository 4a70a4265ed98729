//! Inertia matrix, its factors, kinetic energy and Newton–Euler dynamics on random trees.

use crate::calculus::{assert_close, derivative, dof, dot, moved};
use crate::random_tree::{Recipe, fill, random_data};
use saltus_math::{Force, Random, Vec3, ldl};
use saltus_sim::dynamics::{calc_rne, update_post_constraint};
use saltus_sim::kinematics::{Frame, calc_object_velocity, object_frame};
use saltus_sim::model::kinds::{JointKind, ObjectKind};
use saltus_sim::{Data, Model, forward_smooth};

const SEEDS: core::ops::Range<u64> = 0..20;

fn dense(model: &Model, values: &[f64]) -> Vec<f64> {
    let mut m = vec![0.0; model.size.nv * model.size.nv];
    ldl::to_dense(&model.mass_pattern, values, &mut m);
    m
}

fn mul_m(model: &Model, data: &Data, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    ldl::mul(&model.mass_pattern, &data.inertia.M, x, &mut y);
    y
}

/// Momentum of a body about a fixed point: angular, linear.
fn momentum(model: &Model, data: &Data, b: usize, about: Vec3) -> Force {
    let frame = object_frame(model, data, ObjectKind::Body, b).unwrap();
    let V = calc_object_velocity(model, data, &frame, Frame::World);
    let lin = V.lin * model.bodies.mass[b];
    let spin = frame.R * (model.bodies.inertia[b] * frame.R.tmul(V.ang));
    Force::new(spin + (frame.p - about).cross(lin), lin)
}

#[test]
fn kinetic_energy_is_half_v_m_v() {
    for seed in SEEDS {
        let model = Recipe::PLAIN.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        let mut sum = 0.0;
        for b in 1..model.nbody() {
            let frame = object_frame(&model, &data, ObjectKind::Body, b).unwrap();
            let V = calc_object_velocity(&model, &data, &frame, Frame::Local);
            sum += 0.5 * (model.bodies.mass[b] * V.lin.dot(V.lin) + V.ang.dot(model.bodies.inertia[b] * V.ang));
        }
        let v = &data.state.v;
        assert_close(&[0.5 * dot(v, &mul_m(&model, &data, v))], &[sum], 1e-13, "energy");
    }
}

#[test]
fn inverse_undoes_forward() {
    for seed in SEEDS {
        let model = Recipe { armature: true, ..Recipe::PLAIN }.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        forward_smooth(&model, &mut data);
        let (mut a, mut tau) = (vec![0.0; model.size.nv], vec![0.0; model.size.nv]);
        fill(&mut a, random);
        calc_rne(&model, &mut data, Some(&a), &mut tau);
        // Newton–Euler knows bodies only: what rotors add to M is not in it.
        (0..a.len()).for_each(|i| tau[i] += model.dofs.armature[i] * a[i]);
        let mut expected = mul_m(&model, &data, &a);
        (0..a.len()).for_each(|i| expected[i] += data.velocity.bias[i]);
        assert_close(&tau, &expected, 1e-13, "inverse dynamics");
        // And with the forward acceleration it returns the forces.
        let a = data.acceleration.a.clone();
        calc_rne(&model, &mut data, Some(&a), &mut tau);
        let rotor: Vec<f64> = (0..a.len()).map(|i| model.dofs.armature[i] * a[i]).collect();
        let sum: Vec<f64> = tau.iter().zip(rotor).map(|(t, r)| t + r).collect();
        assert_close(&sum, &vec![0.0; a.len()], 1e-11, "no forces act");
    }
}

#[test]
fn factors_reproduce_m() {
    for seed in SEEDS {
        let model = Recipe { wrapping: false, chain: seed % 2 == 0, ..Recipe::FULL }.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        let n = model.size.nv;
        let (m, ld) = (dense(&model, &data.inertia.M), dense(&model, &data.inertia.LD));
        let l = |i: usize, j: usize| {
            if i == j {
                1.0
            } else if i > j {
                ld[i * n + j]
            } else {
                0.0
            }
        };
        let mut product = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                product[i * n + j] = (0..n).map(|k| l(k, i) * ld[k * n + k] * l(k, j)).sum();
            }
        }
        assert_close(&product, &m, 1e-13, "LᵀDL");
        let inverse: Vec<f64> = (0..n).map(|i| 1.0 / ld[i * n + i]).collect();
        assert_close(&data.inertia.D_inv, &inverse, 1e-14, "1/D");
    }
}

#[test]
fn solve_undoes_mul() {
    for seed in SEEDS {
        let model = Recipe::FULL.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        forward_smooth(&model, &mut data);
        let mut x = vec![0.0; model.size.nv];
        fill(&mut x, random);
        let mut y = mul_m(&model, &data, &x);
        ldl::solve(&model.mass_pattern, &data.inertia.LD, &data.inertia.D_inv, &mut y);
        assert_close(&y, &x, 1e-10, "M⁻¹ M x");
    }
}

/// Lagrange's equations in quasi-velocities: c = Ṁ v + ω × p_ω (per rotation in body axes) − ½
/// ∂(vᵀMv)/∂q + ∂V/∂q.
#[test]
fn bias_is_christoffel() {
    for seed in SEEDS {
        // Only on a chain does M hold all of a tendon's inertia.
        let chain = seed % 2 == 0;
        let model = Recipe { armature: true, chain, tendons: chain, ..Recipe::PLAIN }.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        let v = data.state.v.clone();
        let at = |direction: &[f64], t: f64| {
            let mut d = moved(&model, &data, direction, t);
            forward_smooth(&model, &mut d);
            d
        };
        let gravity = |d: &Data| -> f64 {
            (1..model.nbody()).map(|b| -model.bodies.mass[b] * model.options.gravity.dot(d.position.p_WI[b])).sum()
        };
        let mut c = derivative(|t| mul_m(&model, &at(&v, t), &v));
        for i in 0..model.size.nv {
            let lagrangian = |d: &Data| 0.5 * dot(&v, &mul_m(&model, d, &v)) - gravity(d);
            c[i] -= derivative(|t| vec![lagrangian(&at(&dof(&model, i), t))])[0];
        }
        let p = mul_m(&model, &data, &v);
        for j in 0..model.njoint() {
            let d = model.joints.dof_start[j] as usize;
            let d = match model.joints.kind[j] {
                JointKind::Free => d + 3,
                JointKind::Ball => d,
                _ => continue,
            };
            let turn = Vec3::from_slice(&v[d..]).cross(Vec3::from_slice(&p[d..]));
            (0..3).for_each(|k| c[d + k] += turn[k]);
        }
        assert_close(&data.velocity.bias, &c, 1e-9, &format!("bias, seed {seed}"));
    }
}

#[test]
fn body_forces_follow_newton_euler() {
    for seed in SEEDS {
        let model = Recipe::FULL.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        data.input.body_force.iter_mut().skip(1).for_each(|f| *f = [random.vec3(1.0), random.vec3(1.0)]);
        forward_smooth(&model, &mut data);
        update_post_constraint(&model, &mut data);
        let v = data.state.v.clone();
        let a = data.acceleration.a.clone();
        for b in 1..model.nbody() {
            let origin = data.position.com[model.bodies.root[b].idx()];
            let rate = derivative(|t| {
                let mut d = moved(&model, &data, &v, t);
                (0..v.len()).for_each(|i| d.state.v[i] += t * a[i]);
                forward_smooth(&model, &mut d);
                momentum(&model, &d, b, origin).to_array().to_vec()
            });
            let weight = model.options.gravity * model.bodies.mass[b];
            let mut total = data.acceleration.F_int[b] + data.acceleration.F_ext[b];
            total += Force::new((data.position.p_WI[b] - origin).cross(weight), weight);
            for child in (b + 1..model.nbody()).filter(|&c| model.bodies.parent[c].idx() == b) {
                total -= data.acceleration.F_int[child];
            }
            assert_close(&total.to_array(), &rate, 1e-8, &format!("body {b} of tree {seed}"));
        }
    }
}

#[test]
fn force_through_a_joint_works_along_its_axis_as_the_joint_forces_do() {
    for seed in SEEDS {
        let recipe = Recipe { springs: true, dampers: true, armature: true, ..Recipe::PLAIN };
        let model = recipe.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        fill(&mut data.input.tau_applied, random);
        data.input.body_force.iter_mut().skip(1).for_each(|f| *f = [random.vec3(1.0), random.vec3(1.0)]);
        forward_smooth(&model, &mut data);
        update_post_constraint(&model, &mut data);
        let along: Vec<f64> = (0..model.size.nv)
            .map(|i| data.position.S[i].dot(data.acceleration.F_int[model.dofs.body[i].idx()]))
            .collect();
        let joint: Vec<f64> = (0..model.size.nv)
            .map(|i| {
                data.velocity.passive[i] + data.input.tau_applied[i] - model.dofs.armature[i] * data.acceleration.a[i]
            })
            .collect();
        assert_close(&along, &joint, 1e-10, &format!("tree {seed}"));
    }
}
