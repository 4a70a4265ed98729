//! Contacts: resting forces, friction, impacts without added energy, limits.

use crate::scene::{Scene, scene};
use saltus_maximal::{Cone, Options};
use saltus_sim::constraint::contact_force;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, step};

/// A plate on three feet with a weight to one side: its normal forces follow from statics alone.
const TRIPOD: &str = r#"<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="2 2 1"/>
  <body name="plate" pos="0 0 0.1"><freejoint/><geom type="cylinder" size="0.3 0.02" contype="0" conaffinity="0"/>
    <geom type="box" pos="0.08 0.03 0.05" size="0.05 0.05 0.03" density="3000" contype="0" conaffinity="0"/>
    <geom name="a" type="sphere" pos="0.25 0 -0.05" size="0.05"/><geom name="b" type="sphere" pos="-0.15 0.2 -0.05" size="0.05"/>
    <geom name="c" type="sphere" pos="-0.15 -0.2 -0.05" size="0.05"/></body></worldbody></mujoco>"#;

fn normals(data: &Data) -> Vec<f64> {
    data.contacts.iter().map(|c| contact_force(data, c)[0]).collect()
}

/// Forces of the impulse law in generalized coordinates at rest.
fn impulse_law(scene: &Scene) -> Vec<f64> {
    let mut model = scene.model.clone();
    model.options.laws.law = Law::Impulse;
    model.options.tolerance = 1e-14;
    let mut data = Data::new(&model);
    for _ in 0..3000 {
        step(&model, &mut data).unwrap();
    }
    assert!(data.state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", data.state.v);
    saltus_sim::forward(&model, &mut data);
    normals(&data)
}

#[test]
fn resting_forces_are_those_of_the_impulse_law() {
    let options =
        [Options::tree(), Options { cone: Cone::Pyramidal, ..Options::tree() }, Options::direct(), Options::default()];
    for options in options {
        let mut scene = scene(TRIPOD, Options { erp: 0.5, ..options });
        scene.run(2000);
        let (own, other) = (normals(&scene.data), impulse_law(&scene));
        assert_eq!((own.len(), other.len()), (3, 3));
        let weight = 9.81 * scene.model.bodies.subtree_mass[0];
        assert!((own.iter().sum::<f64>() - weight).abs() < 1e-6 * weight, "{own:?}");
        for (a, b) in own.iter().zip(&other) {
            assert!((a - b).abs() < 1e-6 * weight, "{own:?} {other:?} {options:?}");
        }
    }
}

/// A block on a slope: gravity turned by `angle` about y, or about an axis between x and y.
fn slope(angle: f64, heading: f64) -> String {
    let (s, c) = angle.sin_cos();
    format!(
        r#"<mujoco><option timestep="0.001" gravity="{} {} {}"/><default><geom friction="0.5"/></default>
        <worldbody><geom type="plane" size="9 9 1"/>
        <body pos="0 0 0.05"><freejoint/><geom type="box" size="0.2 0.2 0.05"/></body></worldbody></mujoco>"#,
        9.81 * s * heading.cos(),
        9.81 * s * heading.sin(),
        -9.81 * c
    )
}

#[test]
fn friction_holds_below_its_angle_and_slides_above_it_as_coulomb_says() {
    let steep = 0.6f64;
    let expected = 9.81 * (steep.sin() - 0.5 * steep.cos());
    // A pyramid is exact along its axes only, an ellipse in all directions.
    let cases = [(Options::default(), 0.0), (Options::direct(), 0.0), (Options::tree(), 0.0), (Options::tree(), 0.7)];
    for (options, heading) in cases {
        let mut scene = scene(&slope(steep, heading), Options { smoothing: 0.0, ..options });
        scene.run(500);
        let v = &scene.data.state.v;
        assert!((v[0].hypot(v[1]) / (0.5 * expected) - 1.0).abs() < 1e-3, "{v:?} {}", 0.5 * expected);
        assert!((v[1].atan2(v[0]) - heading).abs() < 1e-3, "{v:?}");
        let mut scene = crate::scene::scene(&slope(0.4, heading), options);
        scene.run(500);
        let q = scene.data.state.q.clone();
        scene.run(1000);
        let drift = (scene.data.state.q[0] - q[0]).hypot(scene.data.state.q[1] - q[1]);
        assert!(drift < 1e-6, "{drift:e} {options:?}");
    }
}

/// A box that starts a centimetre deep in the floor [HsuPeters2014, Fig. 1a].
#[test]
fn split_impulses_correct_penetration_without_adding_energy() {
    let xml = r#"<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 0.09"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"#;
    let fastest = |options: Options| {
        let mut scene = scene(xml, options);
        let mut fastest = 0.0f64;
        for _ in 0..500 {
            scene.run(1);
            fastest = fastest.max(scene.data.state.v[2]);
        }
        assert!((scene.data.state.q[2] - 0.1).abs() < 1e-3, "{}", scene.data.state.q[2]);
        fastest
    };
    // Smoothing mixes in impulses of the step before, which are no longer true.
    for base in [Options { smoothing: 0.0, ..Options::default() }, Options::direct(), Options::tree()] {
        let with = fastest(Options { erp: 1.0, ..base });
        assert!(with < 1e-9, "{with:e}");
    }
    let mut scene = scene(xml, Options { erp: 1.0, split_impulse: false, ..Options::default() });
    scene.run(1);
    // All of 1 cm less the layer that is left alone, in one step: 9.9 m/s.
    assert!((scene.data.state.v[2] - 9.9).abs() < 0.3, "{}", scene.data.state.v[2]);
}

#[test]
fn limits_stop_joints() {
    let xml = r#"<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody><body pos="0 0 1">
        <joint axis="0 1 0" range="-0.5 0.5" limited="true"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body>
        </worldbody></mujoco>"#;
    for options in [Options { smoothing: 0.0, ..Options::default() }, Options::direct(), Options::tree()] {
        let mut scene = scene(xml, options);
        let mut highest = 0.0f64;
        for _ in 0..1500 {
            scene.run(1);
            highest = highest.max(scene.data.state.q[0]);
        }
        assert!(highest < 0.5 + 1e-4 && (scene.data.state.q[0] - 0.5).abs() < 1e-4, "{highest} {options:?}");
        assert!(scene.data.state.v[0].abs() < 1e-9);
    }
}

/// Twenty feet under one plate, more rows than are swept in their own coordinates: a joint carries
/// the force of one foot to all others, so that they have to be swept together.
#[test]
fn many_feet_of_one_robot_stand_still_from_the_first_step_on() {
    let foot = |k: usize| {
        let (x, y) = (0.3 * (k % 5) as f64 - 0.6, 0.3 * (k / 5) as f64 - 0.45);
        format!(
            r#"<body pos="{x} {y} -0.1"><joint axis="1 0 0" damping="1"/><geom type="box" size="0.1 0.1 0.02" pos="0 0 -0.08"/></body>"#
        )
    };
    let feet: String = (0..20).map(foot).collect();
    let xml = format!(
        r#"<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 0.19995"><freejoint/>
        <geom type="box" size="0.8 0.6 0.02" mass="50"/>{feet}</body></worldbody></mujoco>"#
    );
    let mut scene = scene(&xml, Options::tree());
    scene.run(1);
    let fastest = scene.data.state.v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    assert!(scene.data.contacts.len() == 80 && fastest < 1e-9, "{fastest}");
}
