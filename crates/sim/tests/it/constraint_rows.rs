//! Rows of the constraint problem against finite differences, and what follows from their forces.

use crate::common::{from_text, load, model_file};
use saltus_math::Vec3;
use saltus_sim::constraint::contact_force;
use saltus_sim::data::{RowKind, Spring};
use saltus_sim::inverse;
use saltus_sim::kinematics::coordinates;
use saltus_sim::options::{Cone, Integrator};
use saltus_sim::{Data, Model, forward};

/// A state near the reference, by number.
fn state(model: &Model, k: usize, size: f64) -> Data {
    let mut data = Data::new(model);
    let wave = |i: usize, f: f64| ((i + 1) as f64 * f + k as f64 * 1.7).sin();
    let shift: Vec<f64> = (0..model.size.nv).map(|i| size * wave(i, 1.3)).collect();
    coordinates::integrate(model, &mut data.state.q, &shift, 1.0);
    for (i, v) in data.state.v.iter_mut().enumerate() {
        *v = wave(i, 0.7);
    }
    data
}

/// The same, moved along its own velocity.
fn moved(model: &Model, data: &Data, h: f64) -> Data {
    let mut other = Data::new(model);
    other.state = data.state.clone();
    coordinates::integrate(model, &mut other.state.q, &data.state.v, h);
    forward(model, &mut other);
    other
}

#[test]
fn row_velocity_is_the_rate_of_the_residual() {
    let model = load(model_file("features/constraints.xml")).unwrap();
    let h = 1e-6;
    let mut compared = 0;
    for k in 0..20 {
        let mut data = state(&model, k, 0.2);
        forward(&model, &mut data);
        let (before, after) = (moved(&model, &data, -h), moved(&model, &data, h));
        let rows = &data.constraints;
        if before.constraints.kind != rows.kind || after.constraints.kind != rows.kind {
            continue;
        }
        for r in 0..rows.len() {
            if matches!(rows.kind[r], RowKind::FrictionDof | RowKind::FrictionTendon) {
                continue;
            }
            let rate = (after.constraints.pos[r] - before.constraints.pos[r]) / (2.0 * h);
            assert!((rate - rows.vel[r]).abs() < 1e-7, "state {k} row {r}: {rate} {}", rows.vel[r]);
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn reference_of_connects_and_welds_counts_the_turning_of_their_rows() {
    let model = load(model_file("features/constraints.xml")).unwrap();
    let h = 1e-6;
    for k in 0..10 {
        let mut data = state(&model, k, 0.2);
        forward(&model, &mut data);
        let (before, after) = (moved(&model, &data, -h), moved(&model, &data, h));
        let rows = &data.constraints;
        for block in rows.blocks.iter().filter(|b| b.kind == RowKind::Equality && b.rows.len >= 3) {
            for r in block.rows.range() {
                // J̇ v: the rate of J v where v stays.
                let rate = (after.constraints.vel[r] - before.constraints.vel[r]) / (2.0 * h);
                let Spring { stiffness, damping, impedance: d, .. } = rows.spring[r];
                let spring = -damping * rows.vel[r] - stiffness * d * rows.pos[r];
                assert!((spring - rows.a_ref[r] - rate).abs() < 1e-6 * (1.0 + spring.abs()), "state {k} row {r}");
            }
        }
    }
}

/// A ball that rolls and spins on a slab that moves.
const BALL: &str = "<mujoco><worldbody>
    <body><joint type='slide' axis='0 0 1'/><joint axis='1 0 0'/>
      <geom type='box' size='2 2 .1' pos='0 0 -.1' condim='6'/>
      <body pos='0 0 .5'><joint axis='0 1 0' pos='0 0 .3'/><joint type='slide' axis='0 0 1'/>
        <geom size='.51' condim='6' friction='.7 .02 .003'/></body></body>
  </worldbody></mujoco>";

#[test]
fn contact_rows_leave_out_common_ancestors_and_measure_the_distance() {
    let mut model = from_text(BALL);
    // Parent and child do not collide unless asked to.
    model.options.disable.set(saltus_sim::options::Disable::FILTERPARENT, true);
    for cone in [Cone::Elliptic, Cone::Pyramidal] {
        model.options.cone = cone;
        let mut data = state(&model, 3, 0.005);
        forward(&model, &mut data);
        let rows = &data.constraints;
        let block = rows.blocks[0];
        assert_eq!(&rows.col[block.cols.range()], &[2, 3]);
        let h = 1e-6;
        let (before, after) = (moved(&model, &data, -h), moved(&model, &data, h));
        let rate = (after.contacts[0].dist - before.contacts[0].dist) / (2.0 * h);
        let normal = match cone {
            Cone::Elliptic => rows.vel[0],
            Cone::Pyramidal => 0.5 * (rows.vel[0] + rows.vel[1]),
        };
        assert!((rate - normal).abs() < 1e-8, "{rate} {normal}");
    }
}

#[test]
fn edges_of_a_pyramid_are_the_normal_and_the_scaled_tangents() {
    let mut model = load(model_file("features/contacts.xml")).unwrap();
    let data = {
        let mut data = state(&model, 0, 0.0);
        forward(&model, &mut data);
        data
    };
    model.options.cone = Cone::Elliptic;
    let mut elliptic = state(&model, 0, 0.0);
    forward(&model, &mut elliptic);
    let mut dims = [0; 7];
    for (a, b) in data.contacts.iter().zip(&elliptic.contacts).filter(|(a, _)| a.first_row >= 0 && a.dim > 1) {
        dims[usize::from(a.dim)] += 1;
        let (edge, axis) = (a.first_row as usize, b.first_row as usize);
        for k in 1..usize::from(a.dim) {
            let friction = a.friction[k - 1] * elliptic.constraints.vel[axis + k];
            let normal = elliptic.constraints.vel[axis];
            assert!((data.constraints.vel[edge + 2 * k - 2] - (normal + friction)).abs() < 1e-12);
            assert!((data.constraints.vel[edge + 2 * k - 1] - (normal - friction)).abs() < 1e-12);
        }
    }
    assert!(dims[3] > 0 && dims[4] > 0 && dims[6] > 0, "{dims:?}");
}

#[test]
fn sensors_of_a_resting_box_feel_its_weight() {
    let model = from_text(
        "<mujoco><option cone='elliptic'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>
           <body name='box' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/>
             <site name='foot' type='box' size='.2 .2 .02' pos='0 0 -.1'/></body></worldbody>
         <sensor><touch site='foot'/>
           <contact body1='world' body2='box' reduce='netforce' data='found force torque pos'/>
           <contact body1='box' body2='world' num='6' reduce='maxforce' data='found force normal'/></sensor></mujoco>",
    );
    let mut data = Data::new(&model);
    for _ in 0..2000 {
        saltus_sim::step(&model, &mut data).unwrap();
    }
    forward(&model, &mut data);
    let weight = 2.0 * 9.81;
    let near = |x: f64, y: f64| (x - y).abs() < 1e-3;
    assert!(near(data.sensor[0], weight), "{:?}", data.sensor);
    let net = &data.sensor[1..11];
    assert!(near(net[0], 4.0) && near(net[3], weight) && near(net[1], 0.0) && near(net[9], 0.0), "{net:?}");
    let slots: Vec<&[f64]> = data.sensor[11..].chunks(7).collect();
    assert!(slots[..4].iter().all(|s| s[0] == 4.0 && near(s[6], -1.0)), "{slots:?}");
    assert!(slots[4..].iter().all(|s| s.iter().all(|x| *x == 0.0)), "{slots:?}");
    let sum: f64 = slots.iter().map(|s| s[1]).sum();
    assert!(near(sum, weight));
    let total: Vec3 = data.contacts.iter().map(|c| c.frame.r0 * contact_force(&data, c)[0]).sum();
    assert!(near(total.z, weight));
}

#[test]
fn inverse_undoes_forward_under_every_integrator() {
    for file in ["features/constraints.xml", "features/contacts.xml", "features/contacts_elliptic.xml", "hand.xml"] {
        let mut model = load(model_file(file)).unwrap();
        model.options.iterations = 500;
        model.options.tolerance = 0.0;
        for integrator in [Integrator::Euler, Integrator::ImplicitFast, Integrator::Discrete] {
            model.options.integrator = integrator;
            let mut data = state(&model, 5, 0.01);
            data.input.ctrl.iter_mut().for_each(|u| *u = 0.1);
            for (i, f) in data.input.tau_applied.iter_mut().enumerate() {
                *f = (i as f64).cos();
            }
            forward(&model, &mut data);
            let a = &data.acceleration;
            let applied: Vec<f64> = a.tau_actuator.iter().zip(&data.input.tau_applied).map(|(x, y)| x + y).collect();
            let scale = a.tau_constraint.iter().fold(1.0, |s: f64, f| s.max(f.abs()));
            inverse(&model, &mut data).expect("the soft law has an inverse");
            for (i, (x, y)) in data.acceleration.tau_inverse.iter().zip(&applied).enumerate() {
                assert!((x - y).abs() < 1e-6 * scale, "{file} {integrator:?} dof {i}: {x} {y} of {scale}");
            }
        }
    }
}
