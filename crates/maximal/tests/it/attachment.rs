//! Joints made and cut while running, and screws.

use crate::scene::{Scene, scene};
use saltus_math::{Quat, Vec3, real};
use saltus_maximal::{AttachmentId, AttachmentKind, Error, Options};

/// Two boxes that turn and fly.
const TWO: &str = r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="a" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.05 0.04"/></body>
  <body name="b" pos="0.3 0.02 1.1" euler="10 20 30"><freejoint/><geom type="box" size="0.05 0.06 0.02"/></body>
  </worldbody></mujoco>"#;

fn spinning(options: Options) -> Scene {
    let mut scene = scene(TWO, options);
    for (i, v) in scene.data.state.v.iter_mut().enumerate() {
        *v = 0.6 * (2.1 * i as f64 + 0.4).sin();
    }
    scene
}

fn attach(scene: &mut Scene, bodies: [usize; 2], kind: AttachmentKind) -> Result<AttachmentId, Error> {
    scene.simulation.attach(&scene.model, &mut scene.data, bodies, kind)
}

/// Pose of the second box in the axes of the first.
fn relative(scene: &Scene) -> (Vec3, Quat) {
    let bodies = scene.simulation.bodies();
    let back = bodies.quat[1].conj();
    (back.rotate(bodies.x[2] - bodies.x[1]), back * bodies.quat[2])
}

#[test]
fn what_is_attached_moves_as_its_joint_allows_and_is_free_again_when_cut() {
    let anchor = Vec3::new(0.15, 0.0, 1.05);
    let axis = Vec3::new(0.0, 0.6, 0.8);
    let kinds = [
        AttachmentKind::Fixed,
        AttachmentKind::Ball { anchor },
        AttachmentKind::Hinge { anchor, axis },
        AttachmentKind::Slide { axis },
        AttachmentKind::Screw { anchor, axis, pitch: 0.05 },
    ];
    for kind in kinds {
        for (options, tolerance) in
            [(Options::tree(), 1e-10), (Options { iterations: 500, ..Options::default() }, 1e-4)]
        {
            let mut scene = spinning(options);
            let id = attach(&mut scene, [1, 2], kind).unwrap();
            let (p0, q0) = relative(&scene);
            let (anchor, axis) = (anchor - scene.simulation.bodies().x[1], axis);
            scene.run(1500);
            let (p, q) = relative(&scene);
            // What the second box did, seen from the first.
            let turn = (q * q0.conj()).log();
            let way = p + (q * q0.conj()).rotate(anchor - p0) - anchor;
            let error = match kind {
                AttachmentKind::Fixed => turn.length() + way.length(),
                AttachmentKind::Ball { .. } => way.length(),
                AttachmentKind::Hinge { .. } => way.length() + turn.cross(axis).length(),
                AttachmentKind::Slide { .. } => turn.length() + (p - p0).cross(axis).length(),
                AttachmentKind::Screw { pitch, .. } => {
                    assert!(turn.dot(axis).abs() > 0.01);
                    turn.cross(axis).length()
                        + way.cross(axis).length()
                        + (way.dot(axis) - pitch * turn.dot(axis) / (2.0 * real::PI)).abs()
                }
            };
            assert!(error < tolerance, "{kind:?}: {error:e}");
            scene.simulation.detach(id).unwrap();
            let before = scene.simulation.bodies().linear(1);
            scene.run(10);
            assert!((scene.simulation.bodies().linear(1) - before).length() < 1e-12, "{kind:?}");
        }
    }
}

/// A nut on a fixed bolt goes on for many turns.
#[test]
fn a_screw_goes_forward_by_its_pitch_in_each_turn() {
    let mut scene = scene(TWO, Options::tree());
    let (anchor, axis) = (scene.data.position.p_WB[1], Vec3::Z);
    attach(&mut scene, [0, 1], AttachmentKind::Screw { anchor: anchor + Vec3::Z, axis, pitch: 0.01 }).unwrap();
    let z0 = scene.simulation.bodies().x[1].z;
    scene.data.state.v[5] = 8.0 * real::PI;
    scene.run(2000);
    let forward = scene.simulation.bodies().x[1].z - z0;
    // The screw shares the spin with the motion along it: I ω² + m v² stays.
    let turns = scene.simulation.bodies().angular(1).z / (2.0 * real::PI);
    assert!(turns > 3.9 && (scene.simulation.bodies().linear(1).z - 0.01 * turns).abs() < 1e-12, "{turns}");
    assert!((forward - 0.01 * 2.0 * turns).abs() < 1e-5, "{forward} {turns}");
}

/// A screw joint of a model: a slide and a hinge about one axis, coupled.
#[test]
fn a_screw_joint_is_a_slide_and_a_hinge_coupled() {
    let xml = r#"<mujoco><compiler angle="radian"/><option timestep="0.001" gravity="0 0 -9.81"/><worldbody><body name="nut" pos="0 0 1">
        <joint name="along" type="slide" axis="0 0 1"/><joint name="about" axis="0 0 1"/><geom type="cylinder" size="0.05 0.02" mass="0.5"/></body></worldbody>
        <equality><joint joint1="along" joint2="about" polycoef="0 0.01591549430918953 0 0 0"/></equality></mujoco>"#;
    let lead = 0.1 / (2.0 * real::PI);
    let mut scene = scene(xml, Options::tree());
    let report = scene.run(500);
    let [z, angle] = [scene.data.state.q[0], scene.data.state.q[1]];
    assert!((z - lead * angle).abs() < 1e-12 && report.joints.largest() < 1e-12, "{z} {angle}");
    // z'' = −g m / (m + I/lead²), by semi-implicit Euler.
    let inertia = scene.model.bodies.inertia[1].z;
    let a = -9.81 * 0.5 / (0.5 + inertia / (lead * lead));
    let expected = 0.5 * a * 0.5 * (0.5 + 0.001);
    assert!((z - expected).abs() < 1e-9 * expected.abs().max(1e-3), "{z} {expected}");
}

#[test]
fn attachments_that_make_no_sense_are_refused() {
    let mut scene = spinning(Options::tree());
    let reason = |result: Result<AttachmentId, Error>| result.unwrap_err().to_string();
    let (anchor, none) = (Vec3::ZERO, Vec3::ZERO);
    assert!(reason(attach(&mut scene, [1, 1], AttachmentKind::Fixed)).contains("one link"));
    assert!(reason(attach(&mut scene, [1, 9], AttachmentKind::Fixed)).contains("no such body"));
    assert!(reason(attach(&mut scene, [1, 2], AttachmentKind::Slide { axis: none })).contains("no length"));
    let bad = AttachmentKind::Ball { anchor: Vec3::new(f64::NAN, 0.0, 0.0) };
    assert!(reason(attach(&mut scene, [1, 2], bad)).contains("finite"));
    let endless = AttachmentKind::Screw { anchor, axis: Vec3::X, pitch: f64::INFINITY };
    assert!(reason(attach(&mut scene, [1, 2], endless)).contains("pitch"));
    let id = attach(&mut scene, [1, 2], AttachmentKind::Fixed).unwrap();
    scene.simulation.detach(id).unwrap();
    assert!(scene.simulation.detach(id).unwrap_err().to_string().contains("cut before"));
}

/// Two points of one box held at two places that move apart: the box cannot follow both.
#[test]
fn contradicting_attachments_are_named() {
    let mut scene = spinning(Options::tree());
    attach(&mut scene, [0, 1], AttachmentKind::Fixed).unwrap();
    attach(&mut scene, [0, 1], AttachmentKind::Fixed).unwrap();
    // Redundant, not contradicting.
    scene.run(10);
    scene.data.state.q[0] += 0.2;
    attach(&mut scene, [0, 1], AttachmentKind::Fixed).unwrap();
    match scene.simulation.step(&scene.model, &mut scene.data) {
        Err(Error::OverDetermined { constraint, residual, .. }) => {
            assert_eq!(constraint, "attachment 2");
            assert!((residual - 0.2).abs() < 1e-6, "{residual}");
        }
        other => panic!("{other:?}"),
    }
}
