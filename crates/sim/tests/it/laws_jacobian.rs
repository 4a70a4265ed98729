//! Jacobians of points, tendons and actuators against differences.

use crate::calculus::{assert_close, derivative, dof, dot, moved};
use crate::random_tree::{Recipe, random_data};
use saltus_math::{Random, Vec3};
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::jacobian::{apply_wrench, calc_point, calc_point_dot, calc_subtree_com};
use saltus_sim::model::kinds::{JointKind, TransmissionKind};
use saltus_sim::update_position;
use saltus_sim::{Data, Model, forward_smooth};

fn at(model: &Model, data: &Data, direction: &[f64], t: f64) -> Data {
    let mut d = moved(model, data, direction, t);
    update_position(model, &mut d);
    d
}

fn jacobians(model: &Model, data: &Data, b: usize, point: Vec3) -> Vec<f64> {
    let n = 3 * model.size.nv;
    let (mut p, mut r) = (vec![0.0; n], vec![0.0; n]);
    calc_point(model, data, BodyId::new(b), point, Some(&mut p), Some(&mut r));
    [p, r].concat()
}

/// World position of a point given in a body.
fn world(data: &Data, b: usize, local: Vec3) -> Vec3 {
    data.position.p_WB[b] + data.position.R_WB[b] * local
}

#[test]
fn jacobian_is_derivative_of_position() {
    for seed in 0..20 {
        let model = Recipe::PLAIN.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        update_position(&model, &mut data);
        let nv = model.size.nv;
        for b in 1..model.nbody() {
            let local = random.vec3(0.5);
            let jac = jacobians(&model, &data, b, world(&data, b, local));
            for i in 0..nv {
                let rate = derivative(|t| {
                    let d = at(&model, &data, &dof(&model, i), t);
                    let axes = d.position.R_WB[b];
                    [world(&d, b, local).to_array(), axes.col(0).to_array(), axes.col(1).to_array()].concat()
                });
                let w = Vec3::new(jac[3 * nv + i], jac[4 * nv + i], jac[5 * nv + i]);
                let axes = data.position.R_WB[b];
                let expected = [
                    [jac[i], jac[nv + i], jac[2 * nv + i]],
                    w.cross(axes.col(0)).to_array(),
                    w.cross(axes.col(1)).to_array(),
                ];
                assert_close(&expected.concat(), &rate, 1e-9, &format!("body {b}, dof {i}, seed {seed}"));
            }
        }
    }
}

#[test]
fn jacobian_dot_is_derivative_of_jacobian() {
    for seed in 0..20 {
        let model = Recipe::PLAIN.build(seed);
        let random = &mut Random(seed);
        let mut data = random_data(&model, random);
        forward_smooth(&model, &mut data);
        let v = data.state.v.clone();
        let n = 3 * model.size.nv;
        for b in 1..model.nbody() {
            let local = random.vec3(0.5);
            let rate = derivative(|t| {
                let d = at(&model, &data, &v, t);
                jacobians(&model, &d, b, world(&d, b, local))
            });
            let (mut p, mut r) = (vec![0.0; n], vec![0.0; n]);
            calc_point_dot(&model, &data, BodyId::new(b), world(&data, b, local), Some(&mut p), Some(&mut r));
            assert_close(&[p, r].concat(), &rate, 1e-9, &format!("body {b}, seed {seed}"));
        }
    }
}

#[test]
fn jacobian_of_com_is_derivative_of_com() {
    for seed in 0..20 {
        let model = Recipe::PLAIN.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        let (v, nv) = (data.state.v.clone(), model.size.nv);
        for b in 0..model.nbody() {
            let mut jac = vec![0.0; 3 * nv];
            calc_subtree_com(&model, &data, BodyId::new(b), &mut jac);
            let rate = derivative(|t| at(&model, &data, &v, t).position.com[b].to_array().to_vec());
            let expected: Vec<f64> = jac.chunks(nv).map(|row| dot(row, &v)).collect();
            assert_close(&expected, &rate, 1e-9, &format!("body {b}, seed {seed}"));
        }
    }
}

#[test]
fn tendon_jacobian_is_derivative_of_length() {
    let mut wrapped = 0;
    for seed in 0..40 {
        let model = Recipe::FULL.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        wrapped += data.position.wrap_object.iter().filter(|&&o| o >= 0).count();
        for i in 0..model.size.nv {
            let mut same_path = true;
            let rate = derivative(|t| {
                let d = at(&model, &data, &dof(&model, i), t);
                same_path &= d.position.wrap_object == data.position.wrap_object;
                d.position.tendon_length.clone()
            });
            // Where the string leaves the obstacle its length has no second derivative, and
            // differences are poor.
            if !same_path {
                continue;
            }
            let row: Vec<f64> = (0..model.ntendon())
                .map(|t| {
                    let span = model.tendons.jac[t].range();
                    let entry = span.clone().find(|&k| model.tendons.jac_col[k] as usize == i);
                    entry.map_or(0.0, |k| data.position.tendon_jac[k])
                })
                .collect();
            assert_close(&row, &rate, 1e-8, &format!("dof {i}, seed {seed}"));
        }
    }
    assert!(wrapped > 40, "only {wrapped} paths touch an obstacle: the test says little");
}

/// Moments are exact derivatives of length except where MJCF defines them otherwise: rotations of
/// ball joints and of site pairs act along the gear, which is the derivative only for turns about
/// the present axis; the reaction of a site pair ignores how the reference frame turns; sites
/// without a reference have no length.
#[test]
fn actuator_moment_is_derivative_of_length() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let model = Recipe::FULL.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        for a in 0..model.nactuator() {
            let kind = model.actuators.transmission[a];
            let target = model.actuators.target[a][0].unwrap() as usize;
            let scalar = |j: usize| matches!(model.joints.kind[j], JointKind::Hinge | JointKind::Slide);
            let exact = match kind {
                TransmissionKind::Joint | TransmissionKind::JointInParent => scalar(target),
                TransmissionKind::Tendon | TransmissionKind::SliderCrank => true,
                TransmissionKind::Site | TransmissionKind::Body => false,
            };
            if !exact {
                continue;
            }
            kinds.insert(kind);
            let moment = moment(&model, &data, a);
            for i in 0..model.size.nv {
                let rate = derivative(|t| vec![at(&model, &data, &dof(&model, i), t).position.actuator_length[a]]);
                assert_close(&[moment[i]], &rate, 1e-8, &format!("{kind:?} {a}, dof {i}, seed {seed}"));
            }
        }
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

fn moment(model: &Model, data: &Data, a: usize) -> Vec<f64> {
    let mut row = vec![0.0; model.size.nv];
    for k in model.actuators.moment[a].range() {
        row[model.actuators.moment_col[k] as usize] = data.position.actuator_moment[k];
    }
    row
}

#[test]
fn moment_of_a_ball_joint_is_derivative_of_length_about_its_present_axis() {
    let mut found = 0;
    for seed in 0..40 {
        let model = Recipe::FULL.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        for a in 0..model.nactuator() {
            let kind = model.actuators.transmission[a];
            let joint = model.actuators.target[a][0].unwrap() as usize;
            let is_joint = matches!(kind, TransmissionKind::Joint | TransmissionKind::JointInParent);
            if !is_joint || model.joints.kind[joint] != JointKind::Ball {
                continue;
            }
            found += 1;
            let (i, d) = (model.joints.q_start[joint] as usize, model.joints.dof_start[joint] as usize);
            let axis = saltus_math::Quat::from_slice(&data.state.q[i..]).log().normalize();
            let mut direction = vec![0.0; model.size.nv];
            axis.write_to_slice(&mut direction[d..d + 3]);
            let rate = derivative(|t| vec![at(&model, &data, &direction, t).position.actuator_length[a]]);
            assert_close(&[dot(&moment(&model, &data, a), &direction)], &rate, 1e-9, &format!("seed {seed}"));
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn moment_of_a_site_is_its_wrench_and_that_of_a_fixed_reference_is_exact() {
    for seed in 0..20 {
        let recipe = Recipe { bodies: 6, ..Recipe::FULL };
        let mut spec = recipe.spec(seed);
        // A reference site in the world does not turn: translation along it is an exact derivative.
        let site = saltus_sim::model::spec::SiteSpec { name: "origin".into(), ..Default::default() };
        spec.bodies[0].sites.push(site);
        let pair = spec.actuators.last_mut().unwrap();
        pair.transmission =
            saltus_sim::model::spec::TransmissionSpec::Site { site: "t5".into(), ref_site: Some("origin".into()) };
        pair.gear = [1.0, -2.0, 0.5, 0.0, 0.0, 0.0];
        let model = saltus_sim::compile(&spec).unwrap();
        let mut data = random_data(&model, &mut Random(seed));
        forward_smooth(&model, &mut data);
        let pair = model.nactuator() - 1;
        for i in 0..model.size.nv {
            let rate = derivative(|t| vec![at(&model, &data, &dof(&model, i), t).position.actuator_length[pair]]);
            assert_close(&[moment(&model, &data, pair)[i]], &rate, 1e-9, &format!("dof {i}, seed {seed}"));
        }
        let single = pair - 1;
        let s = model.actuators.target[single][0].unwrap() as usize;
        let (R, gear) = (data.position.R_WS[s], model.actuators.gear[single]);
        let mut tau = vec![0.0; model.size.nv];
        let (force, torque) = (R * Vec3::from_slice(&gear), R * Vec3::from_slice(&gear[3..]));
        apply_wrench(&model, &data, model.sites.body[s].idx(), data.position.p_WS[s], force, torque, &mut tau);
        assert_close(&moment(&model, &data, single), &tau, 1e-13, "wrench");
    }
}
