//! How close shapes come to each other that are not planned to touch.

use saltus_opt::result::clearance;
use saltus_opt::result::plan::{Motion, Plan};
use saltus_opt::solve::optimize::OptimizeOptions;
use saltus_opt::solve::report::Status;
use saltus_opt::template::goal::{Aim, Goal, goal};
use saltus_opt::template::robot::RobotOptions;
use saltus_sim::ids::GeomId;
use saltus_sim::{Data, ModelSpec, collide::geom_distance, update_position};

/// An arm of two links in a plane, bolted down, whose way from x to y leads through what is given.
fn arm(obstacle: &str, links: &str) -> ModelSpec {
    let xml = format!(
        r#"<mujoco><option gravity="0 0 -9.81"/><worldbody>{obstacle}
             <body name="upper"><joint name="shoulder" axis="0 0 1" damping="0.1"/>
               <geom name="upper" type="capsule" fromto="0.1 0 0 0.4 0 0" size="0.03" {links}/>
               <body name="fore" pos="0.5 0 0"><joint name="elbow" axis="0 0 1" damping="0.1"/>
                 <geom name="fore" type="capsule" fromto="0.1 0 0 0.4 0 0" size="0.03" {links}/>
                 <site name="tip" pos="0.5 0 0"/></body></body></worldbody>
           <actuator><motor joint="shoulder" gear="20"/><motor joint="elbow" gear="20"/></actuator></mujoco>"#
    );
    saltus_io::read_str(&xml, &Default::default()).expect("arm")
}

const POST: &str = r#"<geom name="post" type="cylinder" pos="0.5 0.5 0" size="0.04 0.3"/>"#;

fn reach(spec: &ModelSpec) -> Plan {
    let aim = Aim::Reach { place: "tip".to_owned(), position: [0.0, 1.0, 0.0] };
    let wish = Goal { aim, time: None, steps: Some(20) };
    let options = OptimizeOptions { threads: 1, ..OptimizeOptions::default() };
    let mut planning = goal("reach", spec, &RobotOptions::default(), &wish, &options).expect("problem");
    planning.optimize(&mut |_| true).expect("threads")
}

#[test]
fn a_plan_that_passes_through_an_obstacle_is_not_converged() {
    let spec = arm(POST, "");
    let plan = reach(&spec);
    let Status::Collides { clearance, allowed } = &plan.status else { panic!("{}", plan.status) };
    assert_eq!(plan.clearance.as_ref(), Some(clearance));
    assert!(clearance.distance < -allowed && *allowed < 0.01, "{clearance:?} {allowed}");
    assert_eq!(clearance.shapes[0], "post");
    assert_eq!(clearance.bodies[0], "world");
    // The distance is that of the model's own shapes at that time.
    let own = saltus_sim::compile(&spec).expect("model");
    let state = clearance.time / plan.motion.h;
    let mut data = Data::new(&own);
    let q = |k: f64| &plan.motion.q[k as usize * 2..k as usize * 2 + 2];
    data.state.q = q(state.floor()).iter().zip(q(state.ceil())).map(|(a, b)| 0.5 * (a + b)).collect();
    update_position(&own, &mut data);
    let ids = clearance.shapes.each_ref().map(|name| own.geom(name).expect("geom").idx());
    let found = geom_distance(&own, &data, GeomId::new(ids[0]), GeomId::new(ids[1]), 0.0).expect("overlap");
    assert!((found.dist - clearance.distance).abs() < 1e-12);
}

#[test]
fn what_stays_apart_or_is_filtered_out_does_not_matter() {
    let away = POST.replace("0.5 0.5 0", "-0.5 0.5 0");
    let plan = reach(&arm(&away, ""));
    assert_eq!(plan.status, Status::Converged);
    let clearance = plan.clearance.expect("within the length of the arm");
    assert!(clearance.distance > 0.1, "{clearance:?}");
    let plan = reach(&arm(POST, r#"contype="0" conaffinity="0""#));
    assert_eq!((plan.status, plan.clearance), (Status::Converged, None));
}

#[test]
fn shapes_that_overlap_in_the_reference_pose_are_a_flaw_of_the_model() {
    // A ring around the shoulder, which the upper arm is in at all times.
    let ring = r#"<geom name="ring" type="cylinder" size="0.2 0.05"/>"#;
    let plan = reach(&arm(ring, ""));
    assert_eq!(plan.status, Status::Converged, "{}", plan.status);
    assert!(plan.clearance.as_ref().is_none_or(|c| c.distance > 0.0), "{:?}", plan.clearance);
    let note = plan.notes.iter().find(|note| note.contains("overlap in its reference pose"));
    assert!(note.is_some_and(|note| note.contains("ring (world) and upper (upper)")), "{:?}", plan.notes);
}

#[test]
fn where_a_free_body_is_in_the_reference_pose_does_not_matter() {
    // A ball with a tail that is not planned to touch; in the reference pose both are in the floor.
    let xml = r#"<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
        <body name="ball"><freejoint/><geom name="ball" size="0.1"/>
          <body name="tail" pos="0.3 0 0"><joint name="tail" axis="0 1 0"/>
            <geom name="tail" type="capsule" fromto="0 0 0 0.3 0 0" size="0.05"/></body></body></worldbody>
        <actuator><motor joint="tail"/></actuator></mujoco>"#;
    let own = saltus_sim::compile(&saltus_io::read_str(xml, &Default::default()).expect("model")).expect("model");
    let mut planning = own.clone();
    let ball = own.geom("ball").expect("ball").idx();
    // Planned contacts: those of the ball.
    for g in (0..own.ngeom()).filter(|&g| own.geoms.name[g] == "tail") {
        (planning.geoms.contype[g], planning.geoms.conaffinity[g]) = (0, 0);
    }
    assert_ne!(planning.geoms.contype[ball], 0);
    let at = |z: f64| Motion {
        steps: 1,
        nq: 8,
        nv: 7,
        time: vec![0.0],
        q: vec![0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0, 0.0],
        ..Motion::default()
    };
    let found = clearance::find(&own, &planning, &at(0.1), 0.5);
    let near = found.clearance.as_ref().expect("the tail is near the floor");
    assert!((near.distance - 0.05).abs() < 1e-12 && found.status().is_none() && found.note().is_none());
    let found = clearance::find(&own, &planning, &at(0.04), 0.5);
    assert!(matches!(found.status(), Some(Status::Collides { .. })), "{found:?}");
}
