//! Where candidates are, and how well they fit.

use super::{model, parse, planning};
use saltus_math::Vec3;
use saltus_opt::geometry::{GeometryOptions, Planning, Touch, Touched, build_planning_spec};

fn of_body<'a>(planning: &'a Planning, body: &str) -> Vec<(Vec3, f64, &'a str)> {
    let own = planning.candidates.iter().filter(|c| c.body_name == body);
    own.map(|c| (c.position, c.radius, c.geom.as_str())).collect()
}

fn error(planning: &Planning, body: &str) -> f64 {
    planning.report.bodies.iter().find(|b| b.body == body).expect(body).error
}

#[test]
fn feet_of_the_humanoid_are_the_ends_of_their_capsules() {
    let options = GeometryOptions {
        touch: Touch::Bodies(vec!["left_foot".into(), "right_foot".into()]),
        ..GeometryOptions::default()
    };
    let planning = build_planning_spec(&model("humanoid.xml"), &options).expect("a planning model");
    assert_eq!(planning.candidates.len(), 8);
    assert_eq!(planning.report.worst_error(), 0.0);
    let left = of_body(&planning, "left_foot");
    assert_eq!(left.len(), 4);
    let toe = left.iter().find(|c| (c.0 - Vec3::new(0.16, -0.01, -0.03)).length() < 1e-9).expect("the inner toe");
    assert_eq!(toe.1, 0.025);
    assert!(toe.2.starts_with("plan:left_foot_inner:"), "{}", toe.2);
}

#[test]
fn corners_touch_the_floor_where_the_box_does() {
    let spec = parse(
        r#"<mujoco><worldbody><geom type="plane" size="0 0 1"/><body name="box"><freejoint/>
             <geom type="box" size="0.1 0.05 0.02" pos="0.3 0 0"/></body></worldbody></mujoco>"#,
    );
    let planning = planning(&spec);
    let balls = of_body(&planning, "box");
    assert_eq!(balls.len(), 8);
    let top = |u: Vec3| balls.iter().map(|b| b.0.dot(u) + b.1).fold(f64::NEG_INFINITY, f64::max);
    for (u, h) in [(Vec3::X, 0.4), (Vec3::NEG_X, -0.2), (Vec3::Y, 0.05), (Vec3::NEG_Z, 0.02)] {
        assert!((top(u) - h).abs() < 1e-12, "{u}");
    }
    assert!((error(&planning, "box") - (3f64.sqrt() - 1.0) * 0.005).abs() < 1e-7);
}

/// A sole of 0.2 × 0.08 m with rounded ends below an ankle, as many points.
fn foot_mesh() -> String {
    let mut vertices = String::new();
    for k in 0..40 {
        let (s, c) = (k as f64 / 40.0 * std::f64::consts::TAU).sin_cos();
        let x = 0.1 * c.signum() * c.abs().sqrt();
        let y = 0.04 * s.signum() * s.abs().sqrt();
        for (scale, z) in [(1.0, 0.0), (1.0, 0.02), (0.4, 0.08)] {
            vertices += &format!("{} {} {z} ", x * scale, y * scale);
        }
    }
    format!(
        r#"<mujoco><asset><mesh name="foot" vertex="{vertices}"/></asset><worldbody>
             <geom type="plane" size="0 0 1"/>
             <body name="foot" pos="0 0 1"><freejoint/><geom name="sole" type="mesh" mesh="foot"/></body>
           </worldbody></mujoco>"#
    )
}

#[test]
fn a_mesh_foot_keeps_its_sole() {
    let spec = parse(&foot_mesh());
    let planning = planning(&spec);
    let balls = of_body(&planning, "foot");
    assert!((5..=8).contains(&balls.len()), "{}", balls.len());
    let reported = error(&planning, "foot");
    // A rounded end reaches 16 mm beyond the line between two corners.
    assert!(reported < 0.02, "{reported}");
    // The mesh in its body's frame.
    let model = saltus_sim::compile(&spec).expect("compiles");
    let (g, R) = (1, model.geoms.quat[1].to_mat3());
    let points: Vec<Vec3> = model.meshes.vertex.iter().map(|v| Vec3::from(v.map(f64::from))).collect();
    let points: Vec<Vec3> = points.into_iter().map(|p| model.geoms.pos[g] + R * p).collect();
    let of_mesh = |u: Vec3| points.iter().map(|p| p.dot(u)).fold(f64::NEG_INFINITY, f64::max);
    let of_balls = |u: Vec3| balls.iter().map(|b| b.0.dot(u) + b.1).fold(f64::NEG_INFINITY, f64::max);
    let down = Vec3::NEG_Z;
    assert!((of_mesh(down) - of_balls(down)).abs() < 1e-6);
    assert!(balls.iter().filter(|b| b.0.dot(down) + b.1 > of_mesh(down) - 1e-6).count() >= 4, "the sole has corners");
    // Never outside, and nowhere farther inside than reported: the Hausdorff distance by its
    // definition.
    let mut worst: f64 = 0.0;
    for i in 0..800 {
        for j in 0..800 {
            let (z, angle) = (-1.0 + (i as f64 + 0.5) / 400.0, j as f64 / 800.0 * std::f64::consts::TAU);
            let r = (1.0 - z * z).sqrt();
            let u = Vec3::new(r * angle.cos(), r * angle.sin(), z);
            let inside = of_mesh(u) - of_balls(u);
            assert!(inside > -1e-6, "{u}: {inside}");
            worst = worst.max(inside);
        }
    }
    assert!((worst - reported).abs() < 2e-4, "{worst} {reported}");
}

#[test]
fn more_candidates_fit_better() {
    let spec = parse(&foot_mesh());
    let errors = [5, 8, 12, 24].map(|per_mesh| {
        let options = GeometryOptions { per_mesh, per_body: 24, rounding: 1e-3, tolerance: 1e-6, ..Default::default() };
        build_planning_spec(&spec, &options).expect("a planning model").report.worst_error()
    });
    assert!(errors.windows(2).all(|e| e[1] < e[0]), "{errors:?}");
    assert!(errors[3] < 0.006, "{errors:?}");
}

#[test]
fn what_is_inside_or_carried_along_is_dropped() {
    let spec = parse(
        r#"<mujoco><worldbody><geom type="plane" size="0 0 1"/>
             <body name="thigh" pos="0 0 2"><freejoint/>
               <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/>
               <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.05"/>
               <body name="shank" pos="0 0 -0.5"><joint axis="0 1 0"/>
                 <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/></body></body>
           </worldbody></mujoco>"#,
    );
    let planning = planning(&spec);
    assert_eq!(of_body(&planning, "thigh").len(), 3);
    assert_eq!(of_body(&planning, "shank").len(), 1);
    assert!(planning.report.worst_error() < 1e-12);
}

#[test]
fn ellipsoids_and_cylinders_say_how_well_they_fit() {
    let shape = |geom: &str| {
        let spec = parse(&format!(
            r#"<mujoco><worldbody><geom type="plane" size="0 0 1"/>
                 <body name="b" pos="0 0 1"><freejoint/><geom {geom}/></body></worldbody></mujoco>"#
        ));
        let planning = planning(&spec);
        (planning.candidates.len(), error(&planning, "b"))
    };
    let (count, fit) = shape(r#"type="ellipsoid" size="0.1 0.1 0.1""#);
    assert!(count == 1 && fit < 0.002, "a sphere: {count} {fit}");
    let (count, fit) = shape(r#"type="ellipsoid" size="0.2 0.1 0.05""#);
    assert!(count == 9 && (0.005..0.02).contains(&fit), "{count} {fit}");
    let (count, fit) = shape(r#"type="cylinder" size="0.1 0.05""#);
    let flat = 0.095 * (1.0 - (std::f64::consts::PI / 8.0).cos());
    assert!(count == 16 && fit > flat && fit < flat + 0.004, "{count} {fit} {flat}");
}

const FINGER_AND_BOX: &str = r#"<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
    <body name="finger" pos="0 0 0.5"><joint axis="0 1 0"/><geom name="finger" type="capsule" fromto="0 0 0 0 0 -0.2" size="0.01"/></body>
    <body name="cube" pos="0.1 0 0.1"><freejoint/><geom name="cube" type="box" size="0.05 0.05 0.05"/></body>
    <body name="ball" pos="0.3 0 0.1"><freejoint/><geom name="ball" size="0.05"/></body>
  </worldbody></mujoco>"#;

#[test]
fn named_bodies_touch_each_other() {
    let spec = parse(FINGER_AND_BOX);
    let between = vec![("finger".to_owned(), "cube".to_owned()), ("ball".to_owned(), "finger".to_owned())];
    let options = GeometryOptions { touch: Touch::Bodies(vec!["cube".into()]), between, ..Default::default() };
    let planning = build_planning_spec(&spec, &options).expect("a planning model");
    let count = |prefix: &str, other: &str| {
        let pairs = planning.spec.pairs.iter();
        pairs.filter(|p| p.geom1.starts_with(prefix) && p.geom2 == other).count()
    };
    // The finger's ends and balls between them on the box, the box's corners on the finger, the
    // ball on the finger once.
    assert!(count("plan:finger", "cube") >= 6, "{:?}", planning.spec.pairs);
    assert_eq!([count("plan:cube", "finger"), count("plan:ball", "finger"), count("plan:finger", "ball")], [8, 1, 0]);
    assert_eq!([count("plan:cube", "floor"), count("plan:finger", "floor"), count("plan:ball", "floor")], [8, 0, 0]);
    // Bodies that touch are not kept apart.
    assert_eq!(planning.capsule_pairs.len(), 1);
}

#[test]
fn touched_boxes_can_be_capsules() {
    let between = vec![("finger".to_owned(), "cube".to_owned())];
    let options = GeometryOptions { between, touched: Touched::Capsule, ..Default::default() };
    let planning = build_planning_spec(&parse(FINGER_AND_BOX), &options).expect("a planning model");
    assert!(planning.spec.pairs.iter().any(|p| p.geom2.starts_with("plan:capsule:")));
    // The floor keeps the box's corners.
    assert!(planning.spec.pairs.iter().any(|p| p.geom1.starts_with("plan:cube") && p.geom2 == "floor"));
    assert!(planning.report.notes.iter().any(|n| n.contains("exceeds")), "{}", planning.report);
    saltus_sim::compile(&planning.spec).expect("compiles");
}
