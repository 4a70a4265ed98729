//! Robots among other things: objects, marks on the floor, walls, sides that are not quite alike.

use saltus_opt::geometry::{GeometryOptions, Planning, build_planning_spec};
use saltus_opt::planning::PlanningProblem;
use saltus_opt::problem::layout::Ends;
use saltus_opt::solve::optimize::OptimizeOptions;
use saltus_opt::task::Task;
use saltus_opt::template::gait::{Gait, gait};
use saltus_opt::template::ground::clear_way;
use saltus_opt::template::robot::RobotOptions;
use saltus_sim::{ModelSpec, compile};

fn parse(xml: &str) -> ModelSpec {
    saltus_io::read_str(xml, &Default::default()).expect("text")
}

/// A box on two legs with feet on the floor z = 0, and other things in its world; what is said of
/// the right foot.
fn biped(world: &str, right: &str) -> ModelSpec {
    let leg = |name: &str, y: f64, foot: &str| {
        format!(
            r#"<body name="{name}" pos="0 {y} -0.1"><joint name="{name}_hip" axis="0 1 0" range="-60 60"/>
               <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3" contype="0" conaffinity="0"/>
               <body name="{name}_foot" pos="0 0 -0.2"><joint name="{name}_knee" axis="0 1 0" range="-90 90"/>
               <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.2" contype="0" conaffinity="0"/>
               <geom name="{name}_toe" pos="0 0 -0.2" size="0.03" {foot}/></body></body>"#
        )
    };
    let motors: String = ["left_hip", "left_knee", "right_hip", "right_knee"]
        .map(|joint| format!(r#"<motor joint="{joint}" gear="50"/>"#))
        .concat();
    parse(&format!(
        r#"<mujoco><compiler angle="degree"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>{world}
             <body name="trunk" pos="0 0 0.53"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="3" contype="0" conaffinity="0"/>
             {}{}</body></worldbody><actuator>{motors}</actuator></mujoco>"#,
        leg("left", 0.1, ALIKE),
        leg("right", -0.1, right),
    ))
}

const ALIKE: &str = r#"friction="0.9" mass="0.05""#;

fn walk(spec: &ModelSpec) -> PlanningProblem {
    gait("walk", spec, &RobotOptions::default(), &Gait::default(), &OptimizeOptions::default()).expect("a gait")
}

/// Names of all that candidates touch.
fn touched(spec: &ModelSpec) -> Vec<String> {
    let mut names: Vec<String> = spec.pairs.iter().map(|pair| pair.geom2.clone()).collect();
    names.sort();
    names.dedup();
    names
}

fn planning(spec: &ModelSpec) -> Planning {
    build_planning_spec(spec, &GeometryOptions::default()).expect("a planning model")
}

fn ball(name: &str, place: &str) -> String {
    format!(r#"<body name="{name}" pos="{place}"><freejoint name="{name}"/><geom size="0.05" mass="0.1"/></body>"#)
}

#[test]
fn objects_in_the_air_are_put_on_the_ground_beside_the_robot() {
    let world = [ball("first", "0 0 2"), ball("second", "0.3 0 3"), ball("third", "0 5 1"), ball("fourth", "0 3 0.05")];
    let setup = walk(&biped(&world.concat(), ALIKE));
    let model = &setup.problem.model;
    let place = |name: &str| {
        let joint = model.joints.name.iter().position(|n| n == name).expect(name);
        let q = model.joints.q_start[joint] as usize;
        setup.guess[q..q + 3].to_vec()
    };
    for name in ["first", "second", "third", "fourth"] {
        assert!((place(name)[2] - 0.05).abs() < 1e-9, "{name}: {:?}", place(name));
    }
    // Feet are at y = ± 0.13, balls 0.1 wide: beside the robot, and beside each other.
    let (first, second) = (place("first")[1], place("second")[1]);
    assert!(first > 0.2 && second > first + 0.1, "{first} {second}");
    // These were not in the way.
    assert_eq!((place("third")[1], place("fourth")[1]), (5.0, 3.0));
    let told = |name: &str| setup.notes.iter().filter(|note| note.starts_with(name)).count();
    assert_eq!(["first", "second", "third", "fourth"].map(told), [1, 1, 1, 0]);
}

#[test]
fn objects_are_not_mirrored() {
    let setup = walk(&biped(&ball("ball", "0 0 2"), ALIKE));
    let Ends::Periodic(cycle) = &setup.problem.ends else { panic!("a gait is a cycle") };
    let mirror = cycle.mirror.as_ref().expect("left and right are alike");
    let model = &setup.problem.model;
    let mut image = vec![0.0; model.size.nq];
    let pose = &setup.guess[..model.size.nq];
    mirror.apply(pose, &mut image);
    let q = model.joints.q_start[model.joints.name.iter().position(|n| n == "ball").expect("a ball")] as usize;
    assert_eq!(image[q..q + 7], pose[q..q + 7]);
}

#[test]
fn gaits_are_on_the_ground_alone() {
    let world = r#"<geom name="mark" type="cylinder" size="0.1 0.004" pos="0 0.1 0"/>
                   <geom name="wall" type="plane" size="1 1 1" pos="3 0 0" zaxis="-1 0 0"/>
                   <geom name="looks" type="box" size="1 1 1" contype="0" conaffinity="0"/>"#;
    let mut spec = biped(world, ALIKE);
    assert_eq!(touched(&planning(&spec).spec), ["floor", "mark", "wall"]);
    let setup = walk(&spec);
    let model = &setup.problem.model;
    let surfaces: Vec<&str> = model.pairs.geom1.iter().map(|g| model.geoms.name[g.idx()].as_str()).collect();
    assert_eq!(surfaces, ["floor", "floor"]);
    assert!(setup.notes.iter().any(|note| note.ends_with("nothing touches mark, wall")), "{:?}", setup.notes);
    // The verdict is about the same ground.
    let mark = setup.own.geoms.name.iter().position(|name| name == "mark").expect("it is still there");
    assert_eq!((setup.own.geoms.contype[mark], setup.own.geoms.conaffinity[mark]), (0, 0));
    assert_eq!(clear_way(&mut spec), ["mark", "wall"]);
    assert!(clear_way(&mut spec).is_empty());
}

#[test]
fn pairs_with_what_is_cleared_away_are_dropped() {
    let mut spec = parse(
        r#"<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/><geom name="step" type="box" size="1 1 1"
             contype="0" conaffinity="0"/><body><freejoint/><geom name="foot" size="0.1"/></body></worldbody>
           <contact><pair geom1="foot" geom2="step"/><pair geom1="foot" geom2="floor"/></contact></mujoco>"#,
    );
    assert_eq!(clear_way(&mut spec), ["step"]);
    assert_eq!(spec.pairs.iter().map(|pair| pair.geom2.as_str()).collect::<Vec<_>>(), ["floor"]);
}

#[test]
fn partners_with_different_friction_take_turns_with_the_smaller_one() {
    let setup = walk(&biped("", r#"friction="1.9" mass="0.05""#));
    let Ends::Periodic(cycle) = &setup.problem.ends else { panic!("a gait is a cycle") };
    assert!(cycle.mirror.is_some(), "{:?}", setup.notes);
    // A floor has a friction of 1, of which the larger counts.
    let friction: Vec<f64> = setup.problem.model.pairs.friction.iter().map(|f| f[0]).collect();
    assert!(!friction.is_empty() && friction.iter().all(|&f| f == 1.0), "{friction:?}");
    assert!(setup.notes.iter().any(|note| note.contains("different friction")), "{:?}", setup.notes);
    // The model itself keeps its own.
    let toe = setup.own.geoms.name.iter().position(|name| name == "right_toe").expect("a toe");
    assert_eq!(setup.own.geoms.friction[toe][0], 1.9);
    // What differs in more than that keeps its friction in the plan too, and a whole stride is
    // optimized.
    let heavier = walk(&biped("", r#"friction="1.9" mass="0.06""#));
    let Ends::Periodic(cycle) = &heavier.problem.ends else { panic!("a gait is a cycle") };
    assert!(cycle.mirror.is_none() && heavier.problem.model.pairs.friction.iter().any(|f| f[0] == 1.9));
}

#[test]
fn shapes_behind_a_plane_are_not_touched() {
    let scene = |height: f64, hfield: f64| {
        parse(&format!(
            r#"<mujoco><asset><hfield name="hills" nrow="3" ncol="3" size="2 2 0.5 0.1" elevation="0 0 0 0 1 0 0 0 0"/></asset>
               <worldbody><geom name="floor" type="plane" size="0 0 1"/>
                 <geom name="block" type="box" size="0.5 0.5 0.2" pos="0 0 {height}" euler="0 0 30"/>
                 <geom name="hills" type="hfield" hfield="hills" pos="0 0 {hfield}"/>
                 <body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#
        ))
    };
    assert_eq!(touched(&planning(&scene(-0.21, -0.51)).spec), ["floor"]);
    assert_eq!(touched(&planning(&scene(-0.19, -0.51)).spec), ["block", "floor"]);
    assert_eq!(touched(&planning(&scene(-0.21, -0.49)).spec), ["floor", "hills"]);
    let notes = planning(&scene(-0.21, -0.51)).report.notes;
    assert!(notes.iter().any(|note| note == "block is behind a plane and is not touched"), "{notes:?}");
}

/// A hopper as URDF files make them: the trunk and the foot are fixed to other bodies, which the
/// compiler may fuse.
fn fused() -> ModelSpec {
    parse(
        r#"<mujoco><compiler fusestatic="true"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>
             <body name="base" pos="0 0 0.53"><freejoint/><geom size="0.01" mass="0.1" contype="0" conaffinity="0"/>
               <body name="trunk"><geom type="box" size="0.1 0.1 0.1" mass="3" contype="0" conaffinity="0"/></body>
               <body name="leg" pos="0 0 -0.1"><joint name="hip" axis="0 1 0"/>
                 <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3" contype="0" conaffinity="0"/>
                 <body name="shank" pos="0 0 -0.2"><joint name="knee" axis="0 1 0"/>
                   <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.2" contype="0" conaffinity="0"/>
                   <body name="foot" pos="0 0 -0.2"><geom size="0.03" mass="0.05"/></body></body></body></body></worldbody>
           <actuator><motor joint="hip" gear="50"/><motor joint="knee" gear="50"/></actuator></mujoco>"#,
    )
}

#[test]
fn bodies_that_the_compiler_fuses_keep_their_ids_in_plans() {
    assert_eq!(compile(&fused()).expect("model").nbody(), 4);
    let setup = walk(&fused());
    assert!(setup.notes.iter().any(|note| note == "feet: foot"), "{:?}", setup.notes);
    assert_eq!(setup.own.bodies.name, setup.problem.model.bodies.name);
    let named = RobotOptions { feet: vec!["foot".to_owned()], ..RobotOptions::default() };
    gait("walk", &fused(), &named, &Gait::default(), &OptimizeOptions::default()).expect("a foot by its name");
    let task = Task::parse(MOTION, "motion.toml").expect("task");
    let motion = task.problem(&fused()).expect("problem");
    assert_eq!(motion.own.bodies.name, motion.problem.model.bodies.name);
}

const MOTION: &str = r#"
name = "motion"
model = "hopper.xml"
[motion]
time = 0.1
steps = 5
"#;
