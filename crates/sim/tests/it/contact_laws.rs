//! What contact must do whatever the solver: conserve momentum, not make energy, carry weight at
//! the depth that the parameters say, hold below the friction angle and slide above it.

use crate::common::from_text;
use saltus_math::Vec3;
use saltus_sim::dynamics::{update_kinetic_energy, update_momentum, update_potential_energy};
use saltus_sim::{Data, Model, step};

fn run(model: &Model, data: &mut Data, steps: usize) {
    (0..steps).for_each(|_| step(model, data).unwrap());
}

fn energy(model: &Model, data: &mut Data) -> f64 {
    saltus_sim::forward(model, data);
    update_potential_energy(model, data);
    update_kinetic_energy(model, data);
    data.energy[0] + data.energy[1]
}

#[test]
fn collisions_of_free_bodies_conserve_momentum() {
    for cone in ["pyramidal", "elliptic"] {
        let model = from_text(&format!(
            "<mujoco><option gravity='0 0 0' timestep='0.0005' cone='{cone}'/><worldbody>
               <body pos='0 0 0'><freejoint/><geom type='box' size='.1 .08 .06' density='800'/></body>
               <body pos='.3 .03 .02'><freejoint/><geom type='capsule' size='.05 .1' density='300'/></body>
               <body pos='0 .25 0'><freejoint/><geom type='sphere' size='.07' condim='6'/></body>
             </worldbody></mujoco>"
        ));
        let mut data = Data::new(&model);
        data.state.v.copy_from_slice(&[
            1.0, 0.4, 0.1, 1.0, -2.0, 0.5, -1.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.1, -0.8, 0.0, 0.0, 0.0, 4.0,
        ]);
        let mut momenta = Vec::new();
        let mut touched = 0;
        for _ in 0..800 {
            saltus_sim::forward(&model, &mut data);
            update_momentum(&model, &mut data);
            let (mut p, mut l) = (Vec3::ZERO, Vec3::ZERO);
            for b in 1..model.nbody() {
                let (m, v) = (model.bodies.mass[b], data.velocity.com_velocity[b]);
                p += m * v;
                l += data.velocity.angular_momentum[b] + data.position.com[b].cross(m * v);
            }
            momenta.push((p, l));
            touched += usize::from(!data.constraints.is_empty());
            step(&model, &mut data).unwrap();
        }
        assert!(touched > 20, "{cone}: {touched}");
        let (p0, l0) = momenta[0];
        for (p, l) in momenta {
            assert!((p - p0).length() < 1e-12 * p0.length(), "{cone} {p} {p0}");
            // Explicit rotation of free bodies is of first order in the time step.
            assert!((l - l0).length() < 5e-3 * l0.length(), "{cone} {l} {l0}");
        }
    }
}

#[test]
fn a_pile_loses_energy_and_comes_to_rest() {
    let model = from_text(
        "<mujoco><option integrator='implicitfast'/><worldbody><geom type='plane' size='5 5 .1'/>
           <replicate count='4' offset='.05 .02 .25'>
             <body pos='0 0 .2' euler='10 20 30'><freejoint/><geom type='box' size='.1 .1 .1'/></body>
           </replicate></worldbody></mujoco>",
    );
    let mut data = Data::new(&model);
    let mut last = energy(&model, &mut data);
    let start = last;
    let mut lowest = start;
    for _ in 0..150 {
        run(&model, &mut data, 20);
        let now = energy(&model, &mut data);
        // Soft contacts store a little energy while they compress, which is not counted.
        assert!(now < lowest + 0.02 * start, "{now} after {lowest}");
        lowest = now.min(lowest);
        last = now;
    }
    assert!(last < 0.75 * start && data.energy[1] < 1e-6 * start, "{start} {last} {}", data.energy[1]);
}

#[test]
fn a_resting_ball_sinks_as_deep_as_its_parameters_say() {
    let (mass, gravity, time_constant) = (2.0, 9.81, 0.02);
    let model = from_text(&format!(
        "<mujoco><option integrator='implicitfast' tolerance='0'/><worldbody>
           <geom type='plane' size='1 1 .1' solref='{time_constant} 1' solimp='.9 .95 .001 .5 2'/>
           <body pos='0 0 .1'><freejoint/><geom size='.1' mass='{mass}' condim='1'/></body></worldbody></mujoco>"
    ));
    let mut data = Data::new(&model);
    run(&model, &mut data, 5000);
    // At rest: R f = −k d r with f = m g, k = 1 / (d_max² T²), R = (1 − d)/d · 1/m, d(r) as solimp.
    let stiffness = 1.0 / (0.95f64 * time_constant).powi(2);
    let impedance = |r: f64| {
        let x = (r / 0.001).min(1.0);
        let y = if x < 0.5 { 2.0 * x * x } else { 1.0 - 2.0 * (1.0 - x) * (1.0 - x) };
        0.9 + y * 0.05
    };
    let (mut low, mut high) = (0.0, 0.01);
    for _ in 0..100 {
        let r = 0.5 * (low + high);
        let d = impedance(r);
        let force = stiffness * r * d * d / (1.0 - d) * mass;
        *(if force < mass * gravity { &mut low } else { &mut high }) = r;
    }
    let depth = 0.1 - data.state.q[2];
    assert!((depth - low).abs() < 1e-9, "{depth} {low}");
    // The two geoms' larger condim counts: a pyramid of four edges.
    let force: f64 = data.constraints.force.iter().sum();
    assert!(data.constraints.len() == 4 && (force - mass * gravity).abs() < 1e-9, "{force}");
}

#[test]
fn a_box_holds_below_the_friction_angle_and_slides_above_it() {
    let friction: f64 = 0.5;
    let slide = |angle: f64, impratio: f64| {
        let (g, a) = (9.81, angle.to_radians());
        let model = from_text(&format!(
            "<mujoco><option gravity='{} 0 {}' cone='elliptic' impratio='{impratio}' integrator='implicitfast'/>
             <worldbody><geom type='plane' size='5 5 .1' friction='{friction}'/>
               <body pos='0 0 .05'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>
                 <geom type='box' size='.1 .1 .05' friction='{friction}'/></body>
             </worldbody></mujoco>",
            g * saltus_math::real::sin(a),
            -g * saltus_math::real::cos(a)
        ));
        let mut data = Data::new(&model);
        run(&model, &mut data, 500);
        let v = data.state.v[0];
        run(&model, &mut data, 500);
        (data.state.v[0], data.state.v[0] - v)
    };
    let (held, _) = slide(20.0, 100.0);
    assert!(held.abs() < 1e-4, "{held}");
    // μ = tan 26.6°. Above, a = g (sin − μ cos).
    let (_, gained) = slide(35.0, 1.0);
    let a = 35f64.to_radians();
    let expected = 9.81 * (a.sin() - friction * a.cos());
    assert!((gained - expected).abs() < 5e-3 * expected, "{gained} {expected}");
}
