//! Frames, replicas and attachments. Expected numbers were taken from the reference engine.

use saltus_io::mjcf::read_str;
use saltus_math::{Quat, Vec3};
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{Affix, Pose, SpecBody};
use std::collections::BTreeMap;

const CHILD: &str = "<mujoco model='child'><compiler angle='radian'/>
    <default><geom size='.3'/><default class='cc'><geom size='.4'/></default></default>
    <asset><material name='mat'/></asset>
    <worldbody><frame name='f' pos='1 0 0' euler='0 0 1.5707963267948966' childclass='cc'>
      <body name='b' pos='1 0 0'><joint name='j' range='0 1'/><joint/><geom name='g' material='mat'/></body></frame>
    <body name='other'><freejoint name='oj'/><geom/></body></worldbody>
    <actuator><motor name='m' joint='j'/><motor joint='oj'/><motor joint='j'/></actuator>
    <sensor><jointpos name='jp' joint='j'/><clock name='cl'/>
      <framepos objtype='body' objname='b' reftype='body' refname='other'/></sensor>
    <custom><numeric name='n' data='1'/></custom>
    <keyframe><key name='k' qpos='.5 .75 1 2 3 1 0 0 0' ctrl='3 4 5'/></keyframe></mujoco>";

fn read(content: &str) -> ModelSpec {
    let assets = [("child.xml".to_owned(), CHILD.as_bytes().to_vec())].into();
    read_str(&format!("<mujoco>{content}</mujoco>"), &assets).unwrap()
}

fn attach(world: &str) -> ModelSpec {
    read(&format!("<asset><model name='child' file='child.xml'/></asset><worldbody>{world}</worldbody>"))
}

fn near(a: Vec3, b: [f64; 3]) {
    assert!((a - Vec3::from_array(b)).length() < 1e-12, "{a} is not {b:?}");
}

fn names<'s, T>(list: &'s [T], name: impl Fn(&'s T) -> &'s String) -> Vec<&'s str> {
    list.iter().map(|x| name(x).as_str()).collect()
}

#[test]
fn frames_move_everything_inside_them() {
    let spec = read(
        "<worldbody><body><frame pos='1 0 0' euler='0 0 90'><joint axis='1 0 0' pos='1 0 0'/>
         <geom type='capsule' size='.1' fromto='0 0 0 1 0 0'/><light pos='1 0 0' dir='1 0 0'/>
         <frame pos='1 0 0'><camera pos='1 0 0' euler='0 0 90'/><body pos='0 0 1'/></frame></frame></body></worldbody>",
    );
    let b = &spec.bodies[1];
    near(b.joints[0].axis, [0.0, 1.0, 0.0]);
    near(b.joints[0].pos, [1.0, 1.0, 0.0]);
    // An axis given by its ends is resolved in the frame in which it was given.
    let g = &b.geoms[0];
    assert_eq!(g.from_to, None);
    near(g.pos, [1.0, 0.5, 0.0]);
    near(g.quat.rotate(Vec3::Z), [0.0, -1.0, 0.0]);
    assert!((g.size[1] - 0.5).abs() < 1e-12);
    near(b.lights[0].dir, [0.0, 1.0, 0.0]);
    near(b.cameras[0].pos, [1.0, 2.0, 0.0]);
    assert!((b.cameras[0].quat.z - 1.0).abs() < 1e-12);
    near(spec.bodies[2].pos, [1.0, 1.0, 1.0]);
}

#[test]
fn frames_turn_full_inertias() {
    let spec = read(
        "<worldbody><body><frame euler='0 0 90' pos='1 2 3'><inertial mass='1' pos='1 0 0'
         fullinertia='1 2 3 .1 .2 .3'/></frame></body></worldbody>",
    );
    let i = spec.bodies[1].inertial.clone().unwrap();
    near(i.pos, [1.0, 3.0, 3.0]);
    let full = i.full.unwrap();
    for (ours, expected) in full.into_iter().zip([2.0, 1.0, 3.0, -0.1, -0.3, 0.2]) {
        assert!((ours - expected).abs() < 1e-12, "{full:?}");
    }
}

#[test]
fn replicas_are_numbered_and_displaced() {
    let spec = read(
        "<worldbody><replicate count='2' offset='0 1 0' euler='90 0 0'>
         <replicate count='2' sep='-' offset='1 0 0' euler='0 90 0'><geom name='A' size='.1'/><site name='A'/></replicate>
         </replicate></worldbody><sensor><accelerometer name='Bob' site='A'/></sensor>",
    );
    let world = &spec.bodies[0];
    assert_eq!(names(&world.geoms, |g| &g.name), ["A-00", "A-10", "A-01", "A-11"]);
    assert_eq!(names(&spec.sensors, |s| &s.name), ["Bob-00", "Bob-10", "Bob-01", "Bob-11"]);
    assert_eq!(spec.sensors[1].object.1, "A-10");
    near(world.geoms[3].pos, [1.0, 1.0, 0.0]);
    let q = world.geoms[3].quat;
    assert!(q.to_array().iter().all(|x| (x - 0.5).abs() < 1e-12));
}

#[test]
fn replica_angles_add_up_and_numbers_have_equal_width() {
    let spec = read(
        "<worldbody><replicate count='11' sep='_' offset='1 0 0' euler='0 10 90'><site name='s' pos='1 0 0'/>\
                     </replicate></worldbody>",
    );
    let sites = &spec.bodies[0].sites;
    assert_eq!((sites[0].name.as_str(), sites[10].name.as_str()), ("s_00", "s_10"));
    near(sites[2].pos, [0.060307379214091905, 1.0, 0.34202014332566866]);
}

#[test]
fn what_refers_to_replicas_is_copied_and_the_rest_stays() {
    let spec = read(
        "<worldbody><replicate count='2'><body name='b'><joint name='j'/><geom size='1'/></body></replicate>
         <body name='z'><joint name='k'/></body></worldbody>
         <tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>
         <actuator><motor name='m' tendon='t'/><motor name='n' joint='k'/></actuator>
         <sensor><actuatorfrc name='f' actuator='m'/><clock name='c'/></sensor>
         <contact><exclude name='e' body1='b' body2='world'/></contact>",
    );
    assert_eq!(names(&spec.tendons, |t| &t.name), ["t0", "t1"]);
    assert_eq!(names(&spec.actuators, |a| &a.name), ["n", "m0", "m1"]);
    assert_eq!(names(&spec.sensors, |s| &s.name), ["c", "f0", "f1"]);
    assert_eq!(spec.excludes[1].body1, "b1");
    assert_eq!(names(&spec.bodies, |b| &b.name), ["world", "b0", "b1", "z"]);
}

#[test]
fn what_refers_to_replicas_and_to_the_rest_is_copied_where_the_reference_copies_it() {
    let spec = read(
        "<worldbody><body name='w'><joint name='k'/><geom name='h' size='1'/><site name='o'/></body>
         <replicate count='2'><body name='b'><joint name='j'/><geom name='g' size='1'/><site name='s'/></body></replicate>
         </worldbody>
         <tendon><spatial name='t'><site site='o'/><site site='s'/></spatial></tendon>
         <actuator><motor name='m' tendon='t'/><general name='n' site='s' refsite='o'/></actuator>
         <equality><joint name='q' joint1='j' joint2='k'/></equality>
         <sensor><framepos name='f' objtype='site' objname='o' reftype='site' refname='s'/></sensor>
         <contact><exclude name='e' body1='b' body2='w'/><pair name='p' geom1='g' geom2='h'/></contact>",
    );
    assert_eq!(names(&spec.tendons, |t| &t.name), ["t0", "t1"]);
    assert_eq!(names(&spec.actuators, |a| &a.name), ["m0", "m1"]);
    assert_eq!(names(&spec.sensors, |s| &s.name), ["f0", "f1"]);
    assert_eq!(names(&spec.excludes, |e| &e.name), ["e0", "e1"]);
    assert_eq!(names(&spec.pairs, |p| &p.name), ["p0", "p1"]);
    assert!(spec.equalities.is_empty());
    assert_eq!(spec.warnings.len(), 2);
    assert!(spec.warnings[0].contains("actuator \"n\"") && spec.warnings[1].contains("equality \"q\""));
    saltus_sim::compile(&spec).unwrap();
}

#[test]
fn assets_of_an_included_file_are_found_from_its_own_folder() {
    const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let root = std::env::temp_dir().join(format!("saltus-included-{}", std::process::id()));
    std::fs::create_dir_all(root.join("parts")).unwrap();
    std::fs::create_dir_all(root.join("shapes")).unwrap();
    std::fs::write(root.join("shapes/a.obj"), TETRAHEDRON).unwrap();
    std::fs::write(root.join("parts/b.obj"), TETRAHEDRON).unwrap();
    let part = "<mujoco><asset><mesh file='../shapes/a.obj'/><mesh file='b.obj'/></asset></mujoco>";
    std::fs::write(root.join("parts/part.xml"), part).unwrap();
    // The folder of assets comes first; it does not count from the included file.
    for dir in ["", "nowhere", "shapes"] {
        let main = format!("<mujoco><compiler meshdir='{dir}'/><include file='parts/part.xml'/></mujoco>");
        std::fs::write(root.join("main.xml"), main).unwrap();
        let spec = saltus_io::mjcf::read_file(root.join("main.xml")).unwrap();
        assert_eq!(names(&spec.meshes, |m| &m.name), ["a", "b"], "{dir}");
    }
    let main = "<mujoco><compiler strippath='true'/><include file='parts/part.xml'/></mujoco>";
    std::fs::write(root.join("main.xml"), main).unwrap();
    assert!(saltus_io::mjcf::read_file(root.join("main.xml")).is_err());
    std::fs::remove_dir_all(&root).unwrap();
}

#[test]
fn attaching_a_body_leaves_its_frames_and_takes_what_belongs_to_it() {
    let spec = attach("<frame pos='0 0 5'><attach model='child' body='b' prefix='p_'/></frame>");
    assert_eq!(names(&spec.bodies, |b| &b.name), ["world", "p_b"]);
    near(spec.bodies[1].pos, [1.0, 0.0, 5.0]);
    let b = &spec.bodies[1];
    assert_eq!((b.joints[0].range, b.geoms[0].size[0]), ([0.0, 1.0], 0.4));
    assert_eq!(b.geoms[0].material.as_deref(), Some("p_mat"));
    assert_eq!(spec.materials[0].name, "p_mat");
    assert_eq!(names(&spec.actuators, |a| &a.name), ["p_m", ""]);
    assert_eq!(names(&spec.sensors, |s| &s.name), ["p_jp", "p_cl"]);
    assert_eq!(spec.numerics[0].name, "p_n");
    assert!(spec.defaults.find("p_cc").is_some());
}

#[test]
fn attaching_a_frame_takes_its_pose() {
    let spec = attach("<attach model='child' frame='f' prefix='p_'/>");
    near(spec.bodies[1].pos, [1.0, 1.0, 0.0]);
    assert_eq!(spec.bodies[1].geoms[0].size[0], 0.4);
}

#[test]
fn keyframes_are_spread_over_the_whole_model() {
    let spec = attach(
        "<body name='par'><joint ref='9'/><attach model='child' body='b' prefix='x'/></body>
         <attach model='child' prefix='y'/>",
    );
    let nine = 9.0 * std::f64::consts::PI / 180.0;
    let [x, y] = &spec.keys[..] else { panic!() };
    assert_eq!((x.name.as_str(), y.name.as_str()), ("xk", "yk"));
    assert_eq!(x.qpos, [nine, 0.5, 0.75, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(x.ctrl, [3.0, 5.0, 0.0, 0.0, 0.0]);
    assert_eq!(y.qpos, [nine, 0.0, 0.0, 0.5, 0.75, 1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(y.ctrl, [0.0, 0.0, 3.0, 4.0, 5.0]);
    assert!(spec.actuators.iter().all(|a| a.place.starts_with("child.xml:") && !a.place.contains('\u{1}')));
}

#[test]
fn a_keyframe_of_a_replicated_attachment_sets_the_first_replica() {
    let spec =
        attach("<body><joint/></body><replicate count='2'><attach model='child' body='b' prefix='x'/></replicate>");
    assert_eq!(spec.keys.len(), 1);
    assert_eq!(spec.keys[0].qpos, [0.0, 0.5, 0.75, 0.0, 0.0]);
    assert_eq!(spec.keys[0].ctrl, [3.0, 5.0, 0.0, 0.0]);
    assert_eq!(names(&spec.actuators, |a| &a.name), ["xm0", "", "xm1", ""]);
}

#[test]
fn a_model_can_copy_its_own_bodies() {
    let spec = read(
        "<worldbody><body name='a' pos='1 0 0'><joint name='j'/></body>
         <frame pos='0 0 1'><attach body='a' prefix='q_'/></frame></worldbody>
         <actuator><motor name='m' joint='j'/></actuator>",
    );
    assert_eq!(names(&spec.bodies, |b| &b.name), ["world", "a", "q_a"]);
    near(spec.bodies[2].pos, [1.0, 0.0, 1.0]);
    assert_eq!(names(&spec.actuators, |a| &a.name), ["m", "q_m"]);
}

#[test]
fn errors_of_attach_say_what_there_is() {
    let assets: BTreeMap<String, Vec<u8>> = [("child.xml".to_owned(), CHILD.as_bytes().to_vec())].into();
    let error = |attach: &str| {
        let xml = format!("<mujoco><asset><model file='child.xml'/></asset><worldbody>{attach}</worldbody></mujoco>");
        read_str(&xml, &assets).map(|_| ()).unwrap_err().to_string()
    };
    assert!(error("<attach model='child' body='b'/>").contains("\"prefix\": required"));
    assert!(error("<attach model='no' prefix='a'/>").contains("there is no model asset \"no\"; there are: child"));
    assert!(error("<attach model='child' body='q' prefix='a'/>").contains("has no body \"q\""));
    assert!(error("<attach body='q' prefix='a'/>").contains("there is no body \"q\" above"));
    let twice = "<attach model='child' body='b' prefix='a'/><attach model='child' body='b' prefix='a'/>";
    assert!(error(twice).contains("there is already a body of this name"));
}

#[test]
fn specs_are_joined_by_program_too() {
    let child = read_str(CHILD, &BTreeMap::new()).unwrap();
    let mut spec = ModelSpec::new("two");
    let half_turn = Pose::new(Vec3::X, Quat::from_axis_angle(Vec3::Z, std::f64::consts::PI));
    spec.attach(SpecBody(0), half_turn, &child, Some("b"), &Affix::prefix("l_")).unwrap();
    spec.attach(SpecBody(0), Pose::default(), &child, Some("b"), &Affix::prefix("r_")).unwrap();
    assert!(spec.attach(SpecBody(0), Pose::default(), &child, Some("zz"), &Affix::default()).is_err());
    assert_eq!(names(&spec.bodies, |b| &b.name), ["world", "l_b", "r_b"]);
    assert_eq!(spec.actuators.len(), 4);
    spec.replicate(SpecBody(1), 3, "#", Pose::new(Vec3::Y, Quat::IDENTITY)).unwrap();
    assert_eq!(names(&spec.bodies, |b| &b.name), ["world", "r_b", "l_b#0", "l_b#1", "l_b#2"]);
    assert_eq!(spec.bodies[4].pos.y - spec.bodies[2].pos.y, 2.0);
    assert_eq!(spec.actuators.len(), 2 + 6);
    assert!(spec.replicate(SpecBody(1), 0, "", Pose::default()).is_err());
    assert!(spec.replicate(SpecBody(1), usize::MAX, "", Pose::default()).is_err());
}

/// A trunk with two arms; one muscle of each kind that reaches out of the arm.
const TRUNK: &str = "<mujoco model='trunk'><compiler balanceinertia='true'/><worldbody>
    <body name='trunk'><joint name='tj'/><geom name='tg' size='.1'/><site name='ts'/>
      <body name='arm'><joint name='aj'/><geom name='ag' size='.1'/><site name='as'/></body>
      <body name='leg'><joint name='lj'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 5'/><site name='ls'/></body>
    </body></worldbody>
    <tendon><spatial name='out'><site site='ts'/><site site='as'/></spatial>
      <spatial name='across'><site site='ls'/><site site='as'/></spatial></tendon>
    <actuator><motor name='m' joint='aj'/><motor name='out' tendon='out'/><motor name='across' tendon='across'/>
      <general name='site' site='as' refsite='ts'/></actuator>
    <sensor><clock name='clock'/><framepos name='f' objtype='site' objname='as' reftype='site' refname='ts'/></sensor>
    <equality><joint name='q' joint1='aj' joint2='tj'/></equality>
    <keyframe><key name='k' qpos='1 2 3' ctrl='4 5 6 7'/></keyframe></mujoco>";

fn host(extra: &str) -> ModelSpec {
    read(&format!(
        "<worldbody><body name='base'><joint name='bj' ref='90'/><geom size='.1'/>{extra}</body></worldbody>
         <actuator><motor name='b' joint='bj'/></actuator><keyframe><key name='k0' qpos='9' ctrl='8'/></keyframe>"
    ))
}

#[test]
fn what_reaches_out_of_an_attached_body_is_kept_if_it_can_be_and_named_if_not() {
    let mut trunk = read_str(TRUNK, &BTreeMap::new()).unwrap();
    trunk.keys.clear();
    let attached = |mut spec: ModelSpec, parts: &[&str]| {
        for part in parts {
            spec.attach(SpecBody(1), Pose::default(), &trunk, Some(part), &Affix::prefix("p_")).unwrap();
        }
        saltus_sim::compile(&spec).unwrap();
        spec
    };
    let alone = attached(host(""), &["arm"]);
    assert_eq!(names(&alone.actuators, |a| &a.name), ["b", "p_m"]);
    assert_eq!(alone.warnings.len(), 7, "{:?}", alone.warnings);
    assert!(alone.warnings[0].contains("tendon \"out\" is not attached: it refers to \"ts\""), "{:?}", alone.warnings);
    // A site of the host under its own name serves tendons and sensors, as in the reference engine.
    let named = attached(host("<site name='ts'/>"), &["arm"]);
    assert_eq!(names(&named.tendons, |t| &t.name), ["p_out"]);
    assert_eq!(names(&named.actuators, |a| &a.name), ["b", "p_m", "p_out"]);
    assert_eq!(names(&named.sensors, |s| &s.name), ["p_clock", "p_f"]);
    assert_eq!(named.warnings.len(), 4, "{:?}", named.warnings);
    // One with the prefix serves everything.
    let prefixed = attached(host("<site name='p_ts'/>"), &["arm"]);
    assert_eq!(names(&prefixed.actuators, |a| &a.name), ["b", "p_m", "p_out", "p_site"]);
    // What couples two bodies comes along with the second of them, and nothing comes twice.
    let both = attached(host("<site name='ts'/>"), &["arm", "leg"]);
    assert_eq!(names(&both.tendons, |t| &t.name), ["p_out", "p_across"]);
    assert_eq!(names(&both.actuators, |a| &a.name), ["b", "p_m", "p_out", "p_across"]);
    assert_eq!(names(&both.sensors, |s| &s.name), ["p_clock", "p_f"]);
}

#[test]
fn keyframes_and_settings_come_along_with_an_attached_body() {
    let trunk = read_str(TRUNK, &BTreeMap::new()).unwrap();
    let mut spec = host("<site name='p_ts'/>");
    spec.attach(SpecBody(1), Pose::default(), &trunk, Some("arm"), &Affix::prefix("p_")).unwrap();
    let [own, attached] = &spec.keys[..] else { panic!("{:?}", spec.keys) };
    assert_eq!((own.name.as_str(), attached.name.as_str()), ("k0", "p_k"));
    let degrees = std::f64::consts::PI / 180.0;
    assert_eq!((&own.qpos[..], &own.ctrl[..]), (&[9.0, 0.0][..], &[8.0, 0.0, 0.0, 0.0][..]));
    assert_eq!((&attached.qpos[..], &attached.ctrl[..]), (&[90.0 * degrees, 2.0][..], &[0.0, 4.0, 5.0, 7.0][..]));

    let mut spec = host("");
    spec.attach(SpecBody(1), Pose::default(), &trunk, Some("leg"), &Affix::prefix("p_")).unwrap();
    assert!(!spec.compiler.balance_inertia);
    let inertia = |spec: &ModelSpec| saltus_sim::compile(spec).unwrap().bodies.inertia[2];
    near(inertia(&spec), [7.0 / 3.0; 3]);
    // An MJCF document has one set of settings, so the inertia is written as it was compiled.
    near(inertia(&read_str(&saltus_io::mjcf::write(&spec), &BTreeMap::new()).unwrap()), [7.0 / 3.0; 3]);
    let attach = "<attach model='trunk' body='leg' prefix='p_'/>";
    let assets = [("trunk.xml".to_owned(), TRUNK.as_bytes().to_vec())].into();
    let xml = format!(
        "<mujoco><asset><model name='trunk' file='trunk.xml'/></asset><worldbody><body><joint/><geom size='.1'/>
         {attach}</body></worldbody></mujoco>"
    );
    near(inertia(&read_str(&xml, &assets).unwrap()), [7.0 / 3.0; 3]);
}

#[test]
fn deleting_a_body_takes_what_depends_on_it() {
    let mut spec = read_str(TRUNK, &BTreeMap::new()).unwrap();
    let left = spec.delete_body(spec.find_body("arm").unwrap());
    assert_eq!(names(&spec.bodies, |b| &b.name), ["world", "trunk", "leg"]);
    assert!(spec.tendons.is_empty() && spec.actuators.is_empty() && spec.equalities.is_empty());
    assert_eq!(names(&spec.sensors, |s| &s.name), ["clock"]);
    assert_eq!((&spec.keys[0].qpos[..], spec.keys[0].ctrl.len()), (&[1.0, 3.0][..], 0));
    assert_eq!((left.bodies, left.sensors), (vec![0, 1, 3], vec![0]));
    saltus_sim::compile(&spec).unwrap();
}
