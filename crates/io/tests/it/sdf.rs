//! SDF reader. The twin of a URDF robot must become the same model, bit for bit.

use saltus_io::{binary, read_str};
use saltus_sim::model::kinds::{GeomShape, JointKind};
use saltus_sim::model::spec::EqualityKind;
use saltus_sim::{ModelSpec, compile};
use std::collections::BTreeMap;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

const URDF: &str = r#"<robot name="arm">
  <link name="base"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1" rpy="0.5 0.6 0.7"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="0.02" iyz="-0.01"/></inertial>
    <collision name="rod"><origin xyz="0 0 0.2" rpy="0.1 0 0"/><geometry><capsule radius="0.05" length="0.4"/></geometry></collision>
    <collision name="shell"><geometry><mesh filename="package://arm/a.obj" scale="0.1 0.1 0.2"/></geometry></collision>
  </link>
  <link name="slider"><inertial><mass value="1"/><inertia ixx="0.3" iyy="0.3" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="block"><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
  <link name="wheel"><inertial><mass value="0.5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="tyre"><geometry><cylinder radius="0.1" length="0.04"/></geometry></collision></link>
  <link name="knob"><inertial><mass value="0.1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="ball"><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="10"/><dynamics damping="0.5" friction="0.3"/></joint>
  <joint name="rail" type="prismatic"><parent link="upper"/><child link="slider"/><origin xyz="0.5 0 0" rpy="0 0 1"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="5"/></joint>
  <joint name="spin" type="continuous"><parent link="slider"/><child link="wheel"/><origin xyz="0 0.1 0"/><axis xyz="0 0 1"/>
    <mimic joint="rail" multiplier="2" offset="0.25"/></joint>
  <joint name="glue" type="fixed"><parent link="wheel"/><child link="knob"/><origin xyz="0.1 0 0" rpy="1 0 0"/></joint>
</robot>"#;

const SDF: &str = r#"<?xml version="1.0"?><sdf version="1.11"><model name="arm">
  <link name="base"><inertial><mass>3</mass></inertial></link>
  <link name="upper"><pose relative_to="base">0 0 1 0.1 0.2 0.3</pose>
    <inertial><pose>0 0 0.1 0.5 0.6 0.7</pose><mass>2</mass>
      <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy><ixz>0.02</ixz><iyz>-0.01</iyz></inertia></inertial>
    <collision name="rod"><pose>0 0 0.2 0.1 0 0</pose>
      <geometry><capsule><radius>0.05</radius><length>0.4</length></capsule></geometry></collision>
    <collision name="shell"><geometry><mesh><uri>model://arm/a.obj</uri><scale>0.1 0.1 0.2</scale></mesh></geometry></collision>
    <visual name="v"><geometry><nonsense/></geometry></visual><sensor name="s" type="imu"/></link>
  <link name="slider"><pose relative_to="upper">0.5 0 0 0 0 1</pose>
    <inertial><mass>1</mass><inertia><ixx>0.3</ixx><iyy>0.3</iyy><izz>0.3</izz></inertia></inertial>
    <collision name="block"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link>
  <frame name="hub" attached_to="slider"><pose>0 0.1 0 0 0 0</pose></frame>
  <link name="wheel"><pose relative_to="hub"/>
    <inertial><mass>0.5</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
    <collision name="tyre"><geometry><cylinder><radius>0.1</radius><length>0.04</length></cylinder></geometry></collision></link>
  <link name="knob"><pose relative_to="wheel">0.1 0 0 1 0 0</pose>
    <inertial><mass>0.1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>
    <collision name="ball"><geometry><sphere><radius>0.02</radius></sphere></geometry></collision></link>
  <joint name="anchor" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>10</effort></limit>
      <dynamics><damping>0.5</damping><friction>0.3</friction></dynamics></axis></joint>
  <joint name="rail" type="prismatic"><parent>upper</parent><child>slider</child>
    <axis><xyz>1 0 0</xyz><limit><lower>0</lower><upper>0.2</upper><effort>5</effort></limit></axis></joint>
  <joint name="spin" type="continuous"><parent>hub</parent><child>wheel</child>
    <axis><xyz>0 0 1</xyz><mimic joint="rail"><multiplier>2</multiplier><offset>0.5</offset><reference>0.125</reference></mimic></axis></joint>
  <joint name="glue" type="fixed"><parent>wheel</parent><child>knob</child></joint>
</model></sdf>"#;

fn read(text: &str) -> ModelSpec {
    read_str(text, &[("arm/a.obj".to_owned(), TETRAHEDRON.into())].into()).unwrap()
}

fn model(inside: &str) -> Result<ModelSpec, String> {
    let text = format!("<sdf version=\"1.9\">\n<model name=\"m\">{inside}</model></sdf>");
    read_str(&text, &BTreeMap::new()).map_err(|e| e.to_string())
}

#[test]
fn the_twin_of_a_urdf_robot_is_the_same_model() {
    let [urdf, sdf] = [URDF, SDF].map(|text| compile(&read(text)).unwrap());
    assert_eq!((sdf.nbody(), sdf.size.nv, sdf.nequality()), (4, 3, 1));
    assert!(binary::save(&urdf).unwrap() == binary::save(&sdf).unwrap());
    assert_eq!(read(SDF).warnings, Vec::<String>::new());
}

#[test]
fn a_model_that_no_joint_holds_floats_like_a_urdf_with_a_floating_base() {
    let anchor = "<joint name=\"anchor\" type=\"fixed\"><parent>world</parent><child>base</child></joint>";
    let sdf = compile(&read(&SDF.replace(anchor, ""))).unwrap();
    let mut urdf = read(URDF);
    urdf.float_base().unwrap();
    assert!(binary::save(&compile(&urdf).unwrap()).unwrap() == binary::save(&sdf).unwrap());
    let fixed = read(&SDF.replace("<model name=\"arm\">", "<model name=\"arm\"><static>true</static>"));
    assert_eq!(compile(&fixed).unwrap().size.nv, 0);
}

#[test]
fn poses_are_resolved_through_frames() {
    let text = r#"<pose degrees="true">0 0 10 0 0 90</pose>
        <link name="a"><pose>1 0 0 0 0 0</pose></link>
        <frame name="f"><pose relative_to="a">0 2 0 0 0 0</pose></frame>
        <link name="b"><pose relative_to="f" rotation_format="quat_xyzw">0 0 3 0 0 1 1</pose></link>
        <joint name="j" type="revolute"><pose>0.5 0 0 0 0 0</pose><parent>a</parent><child>b</child>
          <axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>"#;
    let spec = model(text).unwrap();
    let (a, b) = (&spec.bodies[1], &spec.bodies[2]);
    let close = |x: [f64; 3], y: [f64; 3]| assert!((0..3).all(|k| (x[k] - y[k]).abs() < 1e-12), "{x:?} {y:?}");
    close(a.pos.to_array(), [0.0, 1.0, 10.0]);
    assert_eq!((a.joints[0].kind, a.joints[0].name.as_str()), (JointKind::Free, "floating_base"));
    close(b.pos.to_array(), [0.0, 2.0, 3.0]);
    close(b.joints[0].pos.to_array(), [0.5, 0.0, 0.0]);
    close(b.joints[0].axis.to_array(), [1.0, 0.0, 0.0]);
    // Before version 1.5 axes were in the frame of the model unless they said otherwise.
    let plain = text.replace(" expressed_in=\"__model__\"", "");
    close(model(&plain).unwrap().bodies[2].joints[0].axis.to_array(), [0.0, 1.0, 0.0]);
    let old = format!("<sdf version=\"1.4\"><model name=\"m\">{plain}</model></sdf>");
    close(read(&old).bodies[2].joints[0].axis.to_array(), [1.0, 0.0, 0.0]);
    // What is not said: 1 kg, 1 kg m².
    assert_eq!(b.inertial.as_ref().map(|i| (i.mass, i.diag.to_array())), Some((1.0, [1.0; 3])));
}

#[test]
fn joints_of_all_kinds_and_shapes() {
    let text = r#"<link name="a"><gravity>false</gravity>
          <collision name="c"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>
            <surface><friction><ode><mu>0.7</mu></ode></friction></surface></collision></link>
        <link name="b"/><link name="c"/>
        <joint name="u" type="universal"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>
          <axis2><xyz>0 1 0</xyz><mimic joint="u"/></axis2></joint>
        <joint name="s" type="ball"><parent>b</parent><child>c</child></joint>"#;
    let spec = model(text).unwrap();
    let geom = &spec.bodies[1].geoms[0];
    assert_eq!((geom.shape, geom.size, geom.friction[0]), (GeomShape::Ellipsoid, [1.0, 2.0, 3.0], 0.7));
    assert_eq!(spec.bodies[1].gravcomp, 1.0);
    let names: Vec<_> = spec.bodies[2].joints.iter().map(|j| (j.name.as_str(), j.kind, j.axis.to_array())).collect();
    assert_eq!(names, [("u_1", JointKind::Hinge, [1.0, 0.0, 0.0]), ("u_2", JointKind::Hinge, [0.0, 1.0, 0.0])]);
    assert_eq!(spec.bodies[3].joints[0].kind, JointKind::Ball);
    let EqualityKind::Joint { first, second, .. } = &spec.equalities[0].kind else { panic!("not a joint equality") };
    assert_eq!((first.as_str(), second.as_deref()), ("u_2", Some("u_1")));
    compile(&spec).unwrap();
}

#[test]
fn worlds_give_gravity_step_and_several_models() {
    let thing = |name: &str| format!("<model name=\"{name}\"><link name=\"l\"/></model>");
    let ground = "<model name=\"ground\"><static>1</static><link name=\"l\"><collision name=\"c\"><geometry>\
        <plane><normal>0 0 1</normal><size>9 9</size></plane></geometry></collision></link></model>";
    let text = format!(
        "<sdf version=\"1.6\"><world name=\"w\"><gravity>0 0 -5</gravity><physics type=\"ode\">\
         <max_step_size>0.004</max_step_size></physics>{ground}{}{}</world></sdf>",
        thing("x"),
        thing("y")
    );
    let model = compile(&read(&text)).unwrap();
    assert_eq!((model.options.gravity.z, model.options.timestep, model.size.nv), (-5.0, 0.004, 12));
    assert_eq!(model.bodies.name, ["world", "x::l", "y::l"]);
    assert_eq!((model.geoms.shape[0], model.geoms.body[0].0), (GeomShape::Plane, 0));
}

#[test]
fn errors_name_line_and_what_was_expected() {
    let two = "<link name=\"a\"/><link name=\"b\"/>\n";
    let joint = |kind: &str, parent: &str, child: &str| {
        format!("<joint name=\"j\" type=\"{kind}\"><parent>{parent}</parent><child>{child}</child></joint>")
    };
    let error = |inside: &str| model(inside).unwrap_err();
    assert!(error(&(two.to_owned() + &joint("screw", "a", "b"))).contains("line 3: joint \"j\", attribute \"type\""));
    assert!(error(&(two.to_owned() + &joint("hinge", "a", "b"))).contains("found \"hinge\""));
    assert!(error(&(two.to_owned() + &joint("revolute", "a", "b"))).contains("expected an element axis"));
    assert!(error(&(two.to_owned() + &joint("fixed", "x", "b"))).contains("there is no link, joint or frame \"x\""));
    assert!(error(&(two.to_owned() + &joint("fixed", "a", "world"))).contains("exchange parent and child"));
    let twice = joint("fixed", "a", "b") + &joint("fixed", "world", "b").replace("\"j\"", "\"k\"");
    assert!(error(&(two.to_owned() + &twice)).contains("already has a parent"));
    let loops = joint("fixed", "a", "b") + &joint("fixed", "b", "a").replace("\"j\"", "\"k\"");
    assert!(error(&(two.to_owned() + &loops)).contains("form a loop"));
    let itself = "<frame name=\"f\"><pose relative_to=\"g\"/></frame><frame name=\"g\"><pose relative_to=\"f\"/></frame>\
        <link name=\"a\"><pose relative_to=\"f\"/></link>";
    assert!(error(itself).contains("relative to itself"));
    assert!(error("<include><uri>model://x</uri></include>").contains("include is not supported"));
    assert!(error("<model name=\"inner\"/>").contains("models inside models"));
    assert!(error("<link name=\"a\"><pose>1 2 3</pose></link>").contains("expected 6 number(s), found 3"));
    assert!(error("<link name=\"a\"/><link name=\"a\"/>").contains("same name"));
}
