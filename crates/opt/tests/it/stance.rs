//! How far feet slide while they stand.

use saltus_opt::result::plan::Motion;
use saltus_opt::result::stance::stance_slip;
use saltus_sim::compile;

/// A ball of 10 cm above a floor, with coordinates x, z and its angle, at given states.
fn slip(q: &[[f64; 3]], stride: Option<f64>) -> f64 {
    let xml = r#"<mujoco><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 0.1">
        <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
        <geom size="0.1" mass="1"/></body></worldbody></mujoco>"#;
    let mut model = compile(&saltus_io::read_str(xml, &Default::default()).expect("text")).expect("a model");
    // Contacts are seen before they touch.
    model.geoms.margin.fill(0.01);
    let motion = Motion {
        steps: q.len(),
        nq: 3,
        nv: 3,
        time: (0..q.len()).map(|t| t as f64).collect(),
        q: q.concat(),
        stride: stride.into_iter().map(|by| (0, by)).collect(),
        periodic: stride.is_some(),
        ..Motion::default()
    };
    stance_slip(&model, &motion)
}

#[test]
fn the_way_of_the_longest_stance_counts() {
    let up = 0.05;
    // In the air, on the ground for 5 mm, in the air, on the ground for 2 mm; hardly above the
    // ground still counts.
    let x = [0.0, 0.3, 0.302, 0.305, 0.5, 0.7, 0.7, 0.702];
    let z = [up, 0.0, 9e-4, -1e-4, up, 0.0, 0.0, 0.0];
    let q: Vec<[f64; 3]> = x.iter().zip(z).map(|(&x, z)| [x, z, 0.0]).collect();
    assert!((slip(&q, None) - 5e-3).abs() < 1e-9, "{}", slip(&q, None));
    // What rolls does not slide.
    let rolls: Vec<[f64; 3]> = (0..10).map(|t| [1e-3 * f64::from(t), 0.0, 1e-2 * f64::from(t)]).collect();
    assert!(slip(&rolls, None) < 2e-5, "{}", slip(&rolls, None));
}

#[test]
fn a_stance_goes_on_into_the_next_stride() {
    // On the ground at the end and at the beginning of a stride of 1 m: from 0.9 to 1.05.
    let x = [0.0, 0.05, 0.4, 0.9, 0.95];
    let z = [0.0, 0.0, 0.1, 0.0, 0.0];
    let q: Vec<[f64; 3]> = x.iter().zip(z).map(|(&x, z)| [x, z, 0.0]).collect();
    assert!((slip(&q, Some(1.0)) - 0.15).abs() < 1e-9);
    // Always on the ground: one stride.
    let always: Vec<[f64; 3]> = (0..5).map(|t| [0.2 * f64::from(t), 0.0, 0.0]).collect();
    assert!((slip(&always, Some(1.0)) - 1.0).abs() < 1e-9, "{}", slip(&always, Some(1.0)));
}
