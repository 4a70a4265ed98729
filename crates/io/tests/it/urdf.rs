//! URDF reader. Expected numbers were checked against the reference engine reading the same text.

use saltus_io::urdf::{read_file, read_str};
use saltus_sim::ModelSpec;
use saltus_sim::model::kinds::{GeomShape, JointKind};
use saltus_sim::model::spec::EqualityKind;
use std::collections::BTreeMap;

const INERTIAL: &str = r#"<inertial><origin xyz="0.1 0 0" rpy="0.5 0.6 0.7"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="0.02" iyz="-0.01"/></inertial>"#;
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn link(name: &str, inside: &str) -> String {
    format!("<link name=\"{name}\">{INERTIAL}{inside}</link>\n")
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, inside: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <origin xyz=\"1 2 3\" rpy=\"0.1 0.2 0.3\"/>{inside}</joint>\n"
    )
}

fn robot(inside: &str) -> String {
    format!("<robot name=\"r\">\n{inside}</robot>")
}

fn read(inside: &str) -> ModelSpec {
    read_str(&robot(inside), &BTreeMap::new()).unwrap()
}

fn error(inside: &str) -> String {
    read_str(&robot(inside), &BTreeMap::new()).unwrap_err().to_string()
}

/// A robot of two links, `base` and `a`, with one joint `j`.
fn with_joint(kind: &str, inside: &str) -> ModelSpec {
    read(&(link("base", "") + &link("a", "") + &joint("j", kind, "base", "a", inside)))
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-5, "{a:?} against {b:?}");
    }
}

#[test]
fn revolute_joint_takes_limits_effort_and_dynamics() {
    let inside = r#"<axis xyz="0 1 1"/><limit lower="-1" upper="2" effort="10" velocity="3"/>
        <dynamics damping="0.5" friction="0.3"/>"#;
    let spec = with_joint("revolute", inside);
    assert_eq!(spec.name, "r");
    assert!(spec.compiler.fuse_static && spec.compiler.discard_visual);
    let body = &spec.bodies[2];
    assert_eq!((body.name.as_str(), body.parent.0, body.joints.len()), ("a", 1, 1));
    close(&body.quat.to_array(), &[0.98335, 0.03427, 0.10602, 0.14357]);
    let j = &body.joints[0];
    assert_eq!((j.kind, j.limited, j.range), (JointKind::Hinge, Some(true), [-1.0, 2.0]));
    assert_eq!((j.actuator_force_limited, j.actuator_force_range), (Some(true), [-10.0, 10.0]));
    assert_eq!((j.damping[0], j.friction_loss), (0.5, 0.3));
    assert_eq!(j.axis.to_array(), [0.0, 1.0, 1.0]);
}

#[test]
fn other_joint_types() {
    assert!(with_joint("fixed", "").bodies[2].joints.is_empty());
    let limit = r#"<limit lower="-1" upper="2" effort="10"/><dynamics damping="2"/>"#;
    let j = &with_joint("continuous", limit).bodies[2].joints[0];
    assert_eq!((j.limited, j.range, j.actuator_force_range), (Some(false), [0.0; 2], [-10.0, 10.0]));
    let j = &with_joint("prismatic", "").bodies[2].joints[0];
    assert_eq!((j.kind, j.limited, j.axis.to_array()), (JointKind::Slide, Some(false), [1.0, 0.0, 0.0]));
    let j = &with_joint("floating", limit).bodies[2].joints[0];
    assert_eq!((j.kind, j.limited, j.actuator_force_limited), (JointKind::Free, Some(false), Some(false)));
    assert_eq!(with_joint("spherical", "").bodies[2].joints[0].kind, JointKind::Ball);
}

#[test]
fn planar_joint_moves_in_the_plane_normal_to_its_axis() {
    let inside = r#"<axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="10"/><dynamics damping="2" friction="3"/>"#;
    let spec = with_joint("planar", inside);
    let joints = &spec.bodies[2].joints;
    let names: Vec<_> = joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["j_TX", "j_TY", "j_RZ"]);
    close(&joints[0].axis.to_array(), &[1.0, 0.0, 0.0]);
    close(&joints[1].axis.to_array(), &[0.0, 0.0, -1.0]);
    close(&joints[2].axis.to_array(), &[0.0, 1.0, 0.0]);
    assert_eq!(joints[0].range, [-1.0, 2.0]);
    assert_eq!(joints[1].range, [0.0; 2]);
    assert!(joints.iter().all(|j| j.damping[0] == 2.0 && j.friction_loss == 3.0));
}

#[test]
fn incomplete_or_empty_limits_do_not_limit() {
    for limit in [r#"lower="-1""#, r#"lower="1" upper="1""#, r#"lower="1" upper="-1""#] {
        let spec = with_joint("revolute", &format!("<limit {limit}/>"));
        assert_eq!(spec.bodies[2].joints[0].limited, Some(false), "{limit}");
        assert_eq!(spec.warnings.len(), usize::from(limit.contains("upper")));
    }
}

#[test]
fn inertia_is_turned_into_the_body_frame() {
    let spec = with_joint("revolute", "");
    let inertial = spec.bodies[2].inertial.as_ref().unwrap();
    assert_eq!((inertial.mass, inertial.pos.to_array()), (2.0, [0.1, 0.0, 0.0]));
    // R(0.5, 0.6, 0.7) I Rᵀ, which the reference engine's principal axes reproduce.
    close(&inertial.full.unwrap(), &[0.201583, 0.180628, 0.167789, -0.031034, 0.066325, 0.027933]);
}

#[test]
fn fixed_links_are_fused_with_their_parents() {
    let sphere = "<collision><geometry><sphere radius=\".1\"/></geometry></collision>";
    let text = link("base", "") + &link("a", "") + &link("b", sphere);
    let text = text + &joint("k", "revolute", "base", "a", "") + &joint("f", "fixed", "a", "b", "");
    let model = saltus_sim::compile(&read(&text)).unwrap();
    assert_eq!((model.nbody(), model.bodies.mass[1], model.geoms.body[0].0), (2, 4.0, 1));
    close(&model.bodies.inertia[1].to_array(), &[14.442873, 14.194611, 0.432881]);
    close(&model.bodies.inertial_pos[1].to_array(), &[0.596815, 1.014481, 1.490067]);
    close(&model.geoms.pos[0].to_array(), &[1.0, 2.0, 3.0]);
}

#[test]
fn mimic_becomes_an_equality() {
    let limit = r#"<limit lower="-1" upper="2" effort="10"/>"#;
    let chain = |mimic: &str| {
        link("base", "")
            + &link("a", "")
            + &link("b", "")
            + &joint("j", "revolute", "base", "a", limit)
            + &joint("k", "revolute", "a", "b", mimic)
    };
    let spec = read(&chain(r#"<mimic joint="j" multiplier="2" offset="0.1"/>"#));
    let EqualityKind::Joint { first, second, poly } = &spec.equalities[0].kind else { panic!("not a joint equality") };
    assert_eq!((first.as_str(), second.as_deref(), *poly), ("k", Some("j"), [0.1, 2.0, 0.0, 0.0, 0.0]));
    let spec = read(&chain(r#"<mimic joint="nobody"/>"#));
    assert!(spec.equalities.is_empty());
    assert!(spec.warnings[0].contains("mimic of joint \"k\""));
}

#[test]
fn bodies_are_ordered_by_joints_and_roots_hang_on_the_world() {
    let links: String = ["a", "b", "c", "d", "free"].iter().map(|n| link(n, "")).collect();
    let spec = read(
        &(links
            + &joint("j1", "revolute", "a", "d", "")
            + &joint("j2", "revolute", "a", "b", "")
            + &joint("j3", "revolute", "d", "c", "")),
    );
    let order: Vec<_> = spec.preorder().iter().map(|b| spec.bodies[b.0].name.as_str()).collect();
    assert_eq!(order, ["world", "a", "d", "c", "b", "free"]);
    assert!(spec.bodies.iter().skip(1).filter(|b| b.parent.0 == 0).all(|b| b.joints.is_empty()));
}

#[test]
fn a_root_named_world_is_the_world() {
    let sphere = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    let spec = read(&(link("world", sphere) + &link("a", "") + &joint("j", "floating", "world", "a", "")));
    assert_eq!((spec.bodies.len(), spec.bodies[0].geoms.len(), spec.bodies[1].parent.0), (2, 1, 0));
}

#[test]
fn geoms_and_colors() {
    let inside = r#"<visual name="v"><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
        <collision name="c"><origin xyz="0 0 1" rpy="1 0 0"/><geometry><cylinder radius=".1" length="2"/></geometry></collision>
        <collision name="c"><geometry><capsule radius=".2" length="1"/></geometry></collision>"#;
    let material = r#"<material name="red"><color rgba="1 0 0 1"/></material>"#;
    let text = material.to_owned() + &link("base", inside);
    let spec = read(&text);
    let geoms = &spec.bodies[1].geoms;
    assert_eq!(geoms.len(), 2, "visuals are discarded by default");
    assert_eq!((geoms[0].shape, geoms[0].size), (GeomShape::Cylinder, [0.1, 1.0, 0.0]));
    close(&geoms[0].quat.to_array(), &[0.87758, 0.47943, 0.0, 0.0]);
    assert_eq!((geoms[1].shape, geoms[1].name.as_str()), (GeomShape::Capsule, ""));
    assert_eq!(geoms[0].rgba, [1.0, 0.0, 0.0, 1.0]);
    let spec = read(&format!("<mujoco><compiler discardvisual=\"false\" angle=\"degree\"/></mujoco>{text}"));
    let visual = &spec.bodies[1].geoms[0];
    assert_eq!((visual.shape, visual.size, visual.name.as_str()), (GeomShape::Box, [0.5, 1.0, 1.5], "v"));
    assert_eq!((visual.contype, visual.conaffinity, visual.group, visual.density), (0, 0, 1, 0.0));
}

#[test]
fn settings_of_the_mujoco_block_are_read() {
    let block = r#"<mujoco><compiler fusestatic="false" balanceinertia="true" boundmass="3"/>
        <option timestep="0.01" gravity="0 0 0"/><size nuserdata="3"/></mujoco>"#;
    let spec = read(&(block.to_owned() + &link("base", "")));
    assert!(!spec.compiler.fuse_static && spec.compiler.balance_inertia);
    assert_eq!((spec.compiler.bound_mass, spec.options.timestep, spec.size.user_data), (3.0, 0.01, 3));
}

#[test]
fn meshes_are_found_under_every_kind_of_name() {
    for (filename, key, block) in [
        ("a.obj", "a.obj", ""),
        ("meshes/a.obj", "meshes/a.obj", ""),
        ("package://pkg/meshes/a.obj", "pkg/meshes/a.obj", ""),
        ("package://pkg/meshes/a.obj", "meshes/a.obj", ""),
        ("file:///x/a.obj", "/x/a.obj", ""),
        ("../meshes/a.obj", "a.obj", r#"<mujoco><compiler strippath="true"/></mujoco>"#),
        ("a.obj", "dir/a.obj", r#"<mujoco><compiler meshdir="dir"/></mujoco>"#),
    ] {
        let mesh = |scale: &str| {
            format!("<collision><geometry><mesh filename=\"{filename}\" {scale}/></geometry></collision>")
        };
        let text = robot(&format!("{block}{}", link("base", &(mesh("") + &mesh("scale=\"1 2 3\"") + &mesh("")))));
        let spec = read_str(&text, &[(key.to_owned(), TETRAHEDRON.into())].into()).unwrap();
        assert_eq!(spec.meshes.len(), 2, "{filename}");
        assert_eq!(spec.meshes[1].scale.to_array(), [1.0, 2.0, 3.0]);
        let used: Vec<_> = spec.bodies[1].geoms.iter().map(|g| g.mesh.as_deref().unwrap()).collect();
        assert_eq!(used, ["a", "a1", "a"]);
    }
}

#[test]
fn packages_are_sought_above_the_file() {
    let root = std::env::temp_dir().join(format!("saltus-urdf-{}", std::process::id()));
    let package = root.join("ws/src/robot_description");
    std::fs::create_dir_all(package.join("urdf/variants")).unwrap();
    std::fs::create_dir_all(package.join("meshes")).unwrap();
    std::fs::write(package.join("meshes/base.obj"), TETRAHEDRON).unwrap();
    let mesh =
        "<collision><geometry><mesh filename=\"package://robot_description/meshes/base.obj\"/></geometry></collision>";
    let file = package.join("urdf/variants/r.urdf");
    std::fs::write(&file, robot(&link("base", mesh))).unwrap();
    let spec = read_file(&file);
    std::fs::remove_dir_all(&root).unwrap();
    assert_eq!(spec.unwrap().meshes[0].data.faces.len(), 4);
}

#[test]
fn visual_meshes_that_cannot_be_read_are_left_out_with_a_warning() {
    let visual = "<visual><geometry><mesh filename=\"a.dae\"/></geometry></visual>";
    let block = "<mujoco><compiler discardvisual=\"false\"/></mujoco>";
    let spec = read(&(block.to_owned() + &link("base", visual)));
    assert!(spec.bodies[1].geoms.is_empty());
    assert!(spec.warnings[0].contains("a.dae"), "{:?}", spec.warnings);
    assert!(error(&link("base", &visual.replace("visual", "collision"))).contains("a.dae"));
}

#[test]
fn errors_name_line_element_and_attribute() {
    let base = link("base", "");
    let two = base.clone() + &link("a", "");
    assert_eq!(
        error(&(two.clone() + &joint("j", "hinge", "base", "a", ""))),
        "line 6: joint \"j\", attribute \"type\": expected one of: revolute, continuous, prismatic, fixed, floating, \
         planar, spherical; found \"hinge\""
    );
    assert!(error(&(base.clone() + &base)).contains("line 4: link \"base\", attribute \"name\": another link"));
    assert!(error(&(base.clone() + &joint("j", "fixed", "base", "x", ""))).contains("there is no link \"x\""));
    let loops = two.clone() + &joint("j", "fixed", "base", "a", "") + &joint("k", "fixed", "a", "base", "");
    assert!(error(&loops).contains("form a loop"));
    let twice = two.clone() + &joint("j", "fixed", "base", "a", "") + &joint("k", "fixed", "base", "a", "");
    assert!(error(&twice).contains("already has a parent"));
    let axis =
        |xyz: &str| error(&(two.clone() + &joint("j", "revolute", "base", "a", &format!("<axis xyz=\"{xyz}\"/>"))));
    assert!(axis("0 0").contains("axis, attribute \"xyz\": expected 3 numbers, found 2"));
    assert!(axis("0 0 q").contains("\"q\""));
    assert!(axis("0 0 0").contains("must not be zero"));
    assert!(
        error("<link name=\"a\"><inertial><mass value=\"1\"/></inertial></link>")
            .contains("expected an element inertia")
    );
    assert!(error(&link("a", INERTIAL)).contains("only one such element"));
    assert!(error(&link("a", "<collision/>")).contains("expected an element geometry"));
    assert!(error(&link("a", "<collision><geometry><cone/></geometry></collision>")).contains("\"cone\""));
    assert!(read_str("<mujoco/>", &BTreeMap::new()).unwrap_err().message.contains("robot"));
    assert!(read_str("<robot", &BTreeMap::new()).is_err());
}

fn mass_only(name: &str, mass: f64, moments: [f64; 3]) -> String {
    let [x, y, z] = moments;
    format!(
        "<link name=\"{name}\"><inertial><mass value=\"{mass}\"/><inertia ixx=\"{x}\" iyy=\"{y}\" izz=\"{z}\" \
         ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"
    )
}

#[test]
fn frames_without_mass_or_inertia_are_fine_on_fixed_joints() {
    let text = link("base", "") + &link("a", "") + &mass_only("tip", 0.0, [0.0; 3]) + "<link name=\"frame\"/>";
    let text = text
        + &joint("j", "revolute", "base", "a", "")
        + &joint("t", "fixed", "a", "tip", "")
        + &joint("f", "fixed", "tip", "frame", "");
    let spec = read(&text);
    assert!(spec.warnings.is_empty(), "{:?}", spec.warnings);
    let model = saltus_sim::compile(&spec).unwrap();
    assert_eq!((model.nbody(), model.bodies.mass[1]), (2, 2.0));
    // A rotor: no mass of its own, but an inertia.
    let rotor = saltus_sim::compile(&read(&text.replace("<link name=\"frame\"/>", &mass_only("frame", 0.0, [0.5; 3]))))
        .unwrap();
    let trace = |m: &saltus_sim::Model| m.bodies.inertia[1].to_array().iter().sum::<f64>();
    assert!((trace(&rotor) - trace(&model) - 1.5).abs() < 1e-12);
}

#[test]
fn inertias_that_no_body_has_are_taken_as_given_with_a_warning() {
    for (moments, reason) in [([3.0, 1.0, 1.0], "triangle inequality"), ([1.0, 1.0, -1e-3], "not positive definite")] {
        let joint = joint("j", "continuous", "base", "odd", "");
        let spec = read(&(link("base", "") + &mass_only("odd", 1.0, moments) + &joint));
        assert_eq!(spec.warnings.len(), 1);
        assert!(spec.warnings[0].contains("link \"odd\"") && spec.warnings[0].contains(reason), "{:?}", spec.warnings);
        let model = saltus_sim::compile(&spec).unwrap();
        assert_eq!(model.bodies.inertia[1].to_array(), moments);
        model.validate().unwrap();
    }
    // What is positive definite and flat up to the digits of the file is no reason to warn.
    assert!(read(&mass_only("flat", 1.0, [1.0, 1.0, 2.0000001])).warnings.is_empty());
}

#[test]
fn a_moving_tree_without_inertia_is_refused_by_name() {
    let base = link("base", "");
    let compile = |text: String| saltus_sim::compile(&read(&text)).map(|m| m.size.nv).map_err(|e| e.to_string());
    let shape = "<link name=\"a\"><collision><geometry><sphere radius=\"1\"/></geometry></collision></link>";
    let massless = base.clone() + shape + &joint("j", "revolute", "base", "a", "");
    let error = compile(massless.clone()).unwrap_err();
    assert!(error.contains("body \"a\": it moves by joint \"j\"") && error.contains("no mass"), "{error}");
    // With a link that has mass further out the tree can move, unless that link turns about the
    // same axis.
    let chain = |axis: &str| massless.clone() + &link("b", "") + &joint("k", "revolute", "a", "b", axis);
    assert_eq!(compile(chain("<axis xyz=\"0 0 1\"/>")), Ok(2));
    let negative = base + &mass_only("n", 1.0, [-1.0; 3]) + &joint("j", "revolute", "base", "n", "");
    assert!(compile(negative).unwrap_err().contains("without a positive inertia: its mass is 1"));
}

#[test]
fn a_floating_base_is_added_on_demand() {
    let text = link("base", "") + &link("a", "") + &joint("j", "revolute", "base", "a", "");
    let mut spec = read(&text);
    spec.float_base().unwrap();
    let model = saltus_sim::compile(&spec).unwrap();
    assert_eq!((model.size.nv, model.joints.name[0].as_str(), model.nbody()), (7, "floating_base", 3));
    spec.float_base().unwrap();
    assert_eq!(spec.bodies[1].joints.len(), 1, "a base that floats stays as it is");
    let mut two = read(&(text + &link("other", "")));
    assert!(two.float_base().unwrap_err().contains("\"base\", \"other\""));
    let anchored = link("world", "") + &link("a", "") + &joint("j", "revolute", "world", "a", "");
    assert!(read(&anchored).float_base().unwrap_err().contains("no base"));
}

#[test]
fn what_a_urdf_says_of_inertia_survives_as_mjcf() {
    let odd = mass_only("odd", 1.0, [1.0, 1.0, 3.0]) + "<link name=\"tip\"/>";
    let joints = joint("j", "continuous", "base", "odd", "") + &joint("t", "fixed", "odd", "tip", "");
    let spec = read(&(link("base", "") + &odd + &joints));
    let again = saltus_io::mjcf::read_str(&saltus_io::mjcf::write(&spec), &BTreeMap::new()).unwrap();
    assert!(again.texts.is_empty() && again.compiler.inertia_as_given);
    let [first, second] = [&spec, &again].map(|s| saltus_sim::compile(s).unwrap().bodies.inertia);
    assert_eq!(first, second);
}

#[test]
fn collada_meshes_collide() {
    let dae = r##"<COLLADA><library_geometries><geometry id="g"><mesh>
        <source id="p"><float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3</p></triangles>
        </mesh></geometry></library_geometries></COLLADA>"##;
    let mesh = "<collision><geometry><mesh filename=\"package://p/a.DAE\"/></geometry></collision>";
    let spec = read_str(&robot(&link("base", mesh)), &[("p/a.DAE".to_owned(), dae.into())].into()).unwrap();
    // The surface is open; the hull is what collides.
    let model = saltus_sim::compile(&spec).unwrap();
    assert_eq!((model.meshes.face.len(), model.meshes.hull_face.len()), (2, 4));
}

#[test]
fn motors_have_the_limits_of_the_file() {
    let limit = |numbers: &str| format!("<limit {numbers}/>");
    let mut spec = read(
        &(link("base", "")
            + &link("a", "")
            + &link("b", "")
            + &link("c", "")
            + &link("d", "")
            + &joint("hip", "continuous", "base", "a", &limit("effort=\"-40\" velocity=\"30\""))
            + &joint("knee", "prismatic", "a", "b", &limit("lower=\"0\" upper=\"1\" effort=\"0\" velocity=\"0\""))
            + &joint("finger", "revolute", "b", "c", "<mimic joint=\"hip\"/>")
            + &joint("ball", "spherical", "c", "d", "")),
    );
    assert_eq!(spec.add_motors(), 2);
    let [hip, knee] = &spec.actuators[..] else { panic!("{:?}", spec.actuators) };
    assert_eq!((hip.name.as_str(), hip.force_range, &hip.user[..]), ("hip", [-40.0, 40.0], &[30.0][..]));
    assert_eq!((knee.name.as_str(), knee.force_limited, knee.user.len()), ("knee", None, 0));
    let note = "added 2 motors, 1 of them with the effort limits of the file: the file has no effort limit for knee";
    assert_eq!(spec.notes, [note]);
    let model = saltus_sim::compile(&spec).unwrap();
    assert_eq!((model.size.nu, &model.actuators.user[..]), (2, &[30.0, 0.0][..]));
    // Written as MJCF, the model keeps both limits, and needs no more motors.
    let mut again = saltus_io::mjcf::read_str(&saltus_io::mjcf::write(&spec), &BTreeMap::new()).unwrap();
    assert_eq!((again.actuators[0].force_range, &again.actuators[0].user[..]), ([-40.0, 40.0], &[30.0][..]));
    assert_eq!(again.add_motors(), 0);
    assert_eq!(again.notes, ["no motors were added: actuators drive all hinge and slide joints already"]);
}
