//! Exact joints: no error at any ratio of inertias, conservation, loops.

use crate::scene::{Scene, ZOO, disturb, scene};
use saltus_math::Vec3;
use saltus_maximal::{Options, Report};

/// The double pendulum of [HsuPeters2014, Fig. 2]: boxes of equal density that hang on hinges about
/// x, pulled along x. `scale` is the ratio of their lengths; inertias go with its fifth power.
pub fn double_pendulum(scale: f64) -> String {
    let (a, b) = (0.01, 0.01 * scale);
    format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.001" gravity="1 0 -9.81"><flag contact="disable"/></option>
        <default><geom density="2700" type="box"/></default><worldbody>
        <body name="upper" pos="0 0 1" euler="0.7853981633974483 0 0"><joint name="one" axis="1 0 0"/>
          <geom size="{} {} {}" pos="0 0 -{}"/>
          <body name="lower" pos="0 0 -{}" euler="0.7853981633974483 0 0"><joint name="two" axis="1 0 0"/>
            <geom size="{} {} {}" pos="0 0 -{}"/></body></body></worldbody></mujoco>"#,
        a / 2.0,
        a / 2.0,
        5.0 * a,
        5.0 * a,
        10.0 * a,
        b / 2.0,
        b / 2.0,
        5.0 * b,
        5.0 * b
    )
}

/// Angle between a body's x axis and the world's: zero where hinges hold.
pub fn out_of_plane(scene: &Scene) -> f64 {
    (1..scene.model.nbody())
        .map(|b| {
            let x = scene.simulation.bodies().quat[scene.simulation.link_of(b).unwrap()].rotate(Vec3::X);
            x.cross(Vec3::X).length().atan2(x.dot(Vec3::X))
        })
        .fold(0.0, f64::max)
}

/// Ratio of the links' largest moments.
fn inertia_ratio(scene: &Scene) -> f64 {
    scene.model.bodies.inertia[2].max_element() / scene.model.bodies.inertia[1].max_element()
}

fn hold(scale: f64, ratio: f64) {
    let mut scene = scene(&double_pendulum(scale), Options::tree());
    assert!((inertia_ratio(&scene) / ratio - 1.0).abs() < 1e-3, "{}", inertia_ratio(&scene));
    let (mut joints, mut plane) = (0.0f64, 0.0f64);
    for _ in 0..2000 {
        let report: Report = scene.run(1);
        joints = joints.max(report.joints.largest());
        plane = plane.max(out_of_plane(&scene));
    }
    assert!(joints <= 1e-10, "joint error {joints:e} at ratio {ratio}");
    assert!(plane <= 1e-10, "out of plane by {plane:e} at ratio {ratio}");
}

#[test]
fn joints_hold_at_a_ratio_of_3125() {
    hold(5.0, 3125.0);
}

#[test]
fn joints_hold_at_a_ratio_of_9017() {
    hold(9017f64.powf(0.2), 9017.0);
}

#[test]
fn joints_hold_at_a_ratio_of_a_million() {
    hold(1e6f64.powf(0.2), 1e6);
}

/// Linear and angular momentum about the origin, without gravity.
fn momentum(scene: &Scene) -> (Vec3, Vec3) {
    let (model, bodies) = (&scene.model, scene.simulation.bodies());
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for b in 1..model.nbody() {
        let link = scene.simulation.link_of(b).unwrap();
        let (x, R) = (scene.data.position.p_WI[b], scene.data.position.R_WI[b]);
        let w = bodies.angular(link);
        let v = bodies.linear(link) + w.cross(x - bodies.x[link]);
        let m = model.bodies.mass[b];
        linear += v * m;
        angular += x.cross(v * m) + R * (model.bodies.inertia[b] * (R.transpose() * w));
    }
    (linear, angular)
}

/// The floating part of the zoo without gravity.
fn floating() -> String {
    let xml = ZOO.replace(r#"<option timestep="0.001">"#, r#"<option timestep="0.001" gravity="0 0 0">"#);
    format!("{}</worldbody></mujoco>", &xml[..xml.find(r#"<body name="cart""#).unwrap()])
}

/// Linear and angular momentum after the first step and after 0.3 s.
fn momenta(options: Options, h: f64) -> [(Vec3, Vec3); 2] {
    let mut scene = scene(&floating(), options);
    scene.model.options.timestep = h;
    disturb(&mut scene.data);
    scene.run(1);
    let start = momentum(&scene);
    scene.run((0.3 / h).round() as usize);
    [start, momentum(&scene)]
}

/// Joints, springs and dampers change no momentum of the whole.
#[test]
fn linear_momentum_is_conserved_in_free_flight() {
    for options in [Options::tree(), Options::default(), Options::direct(), Options::plain()] {
        let [start, end] = momenta(options, 1e-3);
        assert!((end.0 - start.0).length() < 1e-11, "{start:?} {end:?}");
    }
}

/// Semi-implicit Euler conserves angular momentum to first order.
#[test]
fn angular_momentum_is_conserved_to_first_order() {
    let drift = [1e-3, 5e-4, 2.5e-4].map(|h| {
        let [start, end] = momenta(Options::tree(), h);
        (end.1 - start.1).length() / start.1.length()
    });
    assert!(drift[0] < 0.01, "{drift:?}");
    for pair in drift.windows(2) {
        assert!((1.7..2.3).contains(&(pair[0] / pair[1])), "{drift:?}");
    }
}

/// Largest change of the energy of a scene within `time`, relative to its largest kinetic energy.
fn energy_error(xml: &str, h: f64, time: f64, push: f64) -> f64 {
    let mut scene = scene(xml, Options::tree());
    scene.model.options.timestep = h;
    scene.model.options.enable.set(saltus_sim::options::Enable::ENERGY, true);
    scene.data.state.v[0] = push;
    scene.run(2);
    let start: f64 = scene.data.energy.iter().sum();
    let (mut worst, mut kinetic) = (0.0f64, 0.0f64);
    for _ in 0..(time / h) as usize {
        scene.run(1);
        worst = worst.max((scene.data.energy.iter().sum::<f64>() - start).abs());
        kinetic = kinetic.max(scene.data.energy[1]);
    }
    worst / kinetic
}

#[test]
fn energy_of_pendulums_and_loops_is_conserved_to_first_order() {
    for (xml, push) in [(double_pendulum(2.0), 0.0), (FOUR_BAR.to_owned(), 2.0)] {
        let errors = [1e-3, 5e-4, 2.5e-4].map(|h| energy_error(&xml, h, 0.5, push));
        assert!(errors[0] < 0.05, "{errors:?}");
        for pair in errors.windows(2) {
            assert!((1.7..2.3).contains(&(pair[0] / pair[1])), "{errors:?}");
        }
    }
}

/// Four bars closed by a connect: planar, so that its row out of the plane depends on the joints'.
const FOUR_BAR: &str = r#"<mujoco><option timestep="0.001"><flag contact="disable"/></option>
  <worldbody>
    <body name="crank" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.02"/>
      <body name="coupler" pos="0 0 0.2"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0.1" size="0.02"/>
        <body name="rocker" pos="0.5 0 0.1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/></body>
      </body></body>
  </worldbody>
  <equality><connect name="loop" body1="rocker" body2="world" anchor="0 0 -0.3"/></equality></mujoco>"#;

#[test]
fn loops_hold_exactly() {
    let mut scene = scene(FOUR_BAR, Options::tree());
    scene.data.state.v[0] = 2.0;
    let (mut apart, mut fastest) = (0.0f64, 0.0f64);
    for _ in 0..2000 {
        scene.run(1);
        let rocker = scene.model.body("rocker").unwrap().idx();
        let end = scene.data.position.p_WB[rocker] + scene.data.position.R_WB[rocker] * Vec3::new(0.0, 0.0, -0.3);
        apart = apart.max((end - Vec3::new(0.5, 0.0, 1.0)).length());
        fastest = fastest.max(scene.data.state.v[0].abs());
    }
    assert!(apart < 1e-10 && fastest > 1.0, "{apart:e} {fastest}");
}

/// A gear: the second joint follows the first, under sweeps and exactly.
#[test]
fn gears_turn_together() {
    let xml = r#"<mujoco><option timestep="0.001" gravity="0 0 0"><flag contact="disable"/></option><worldbody>
        <body><joint name="a" axis="0 0 1"/><geom type="box" size="0.1 0.1 0.02"/></body>
        <body pos="0.5 0 0"><joint name="b" axis="0 0 1"/><geom type="box" size="0.2 0.1 0.02"/></body></worldbody>
        <equality><joint name="gear" joint1="b" joint2="a" polycoef="0 -0.5 0 0 0"/></equality>
        <actuator><motor joint="a"/></actuator></mujoco>"#;
    for (options, bound) in [(Options::tree(), 1e-10), (Options::default(), 1e-4), (Options::direct(), 1e-4)] {
        let mut scene = scene(xml, options);
        scene.data.input.ctrl[0] = 0.3;
        scene.run(500);
        let q = &scene.data.state.q;
        assert!(q[0] > 0.1, "{q:?}");
        assert!((q[1] + 0.5 * q[0]).abs() < bound, "{q:?} {options:?}");
        // τ = (I_a + I_b/4) a for the gear's ratio of −½.
        let I = &scene.model.bodies.inertia;
        let about_z = |b: usize| scene.model.bodies.inertial_quat[b].to_mat3().r2;
        let moment = |b: usize| about_z(b).dot(I[b] * about_z(b));
        let expected = 0.3 / (moment(1) + 0.25 * moment(2)) * 0.5;
        assert!((scene.data.state.v[0] / expected - 1.0).abs() < 1e-3, "{} {expected}", scene.data.state.v[0]);
    }
}
