//! Errors name the file, the line, the element, the attribute, and what was expected.

use saltus_io::mjcf::read_str;
use std::collections::BTreeMap;

fn error(xml: &str) -> String {
    match read_str(xml, &BTreeMap::new()) {
        Ok(_) => panic!("read without an error: {xml}"),
        Err(error) => error.to_string(),
    }
}

/// The error of a world body with this content.
fn world(content: &str) -> String {
    error(&format!("<mujoco>\n<worldbody>\n{content}\n</worldbody>\n</mujoco>"))
}

#[test]
fn misspelt_names_are_shown_with_the_nearest_one() {
    assert_eq!(
        world("<geom name=\"foot\" frictio=\"1\"/>"),
        "line 3: geom \"foot\", attribute \"frictio\": unknown attribute; did you mean \"friction\"?"
    );
    assert_eq!(world("<gem size=\"1\"/>"), "line 3: gem: unknown element; did you mean <geom>?");
    assert!(world("<spring/>").starts_with("line 3: spring: unknown element; <worldbody> may hold: body, inertial"));
    assert_eq!(world("<geom><site/></geom>"), "line 3: site: unknown element; <geom> has no child elements");
}

#[test]
fn numbers_are_counted_and_checked() {
    assert_eq!(world("<geom pos=\"1 2\"/>"), "line 3: geom, attribute \"pos\": expected 3 numbers, found 2");
    assert_eq!(world("<geom size=\"1 2 3 4\"/>"), "line 3: geom, attribute \"size\": expected 1 to 3 numbers, found 4");
    assert_eq!(world("<geom pos=\"1 2 x\"/>"), "line 3: geom, attribute \"pos\": expected a number, found \"x\"");
    assert_eq!(
        world("<geom condim=\"1.5\"/>"),
        "line 3: geom, attribute \"condim\": expected a 32-bit integer, found \"1.5\""
    );
    assert!(world("<geom pos=\"1 2 1e999\"/>").contains("larger than a double-precision number"));
    assert!(world("<geom pos=\"1 2 nan\"/>").contains("NaN"));
    assert!(world("<geom group=\"99999999999\"/>").contains("32-bit integer"));
}

#[test]
fn keywords_are_listed() {
    assert_eq!(
        world("<geom type=\"ball\"/>"),
        "line 3: geom, attribute \"type\": expected one of: plane, hfield, sphere, capsule, ellipsoid, cylinder, box, \
         mesh; found \"ball\""
    );
    assert!(world("<geom shellinertia=\"True\"/>").contains("expected one of: false, true"));
    assert!(error("<mujoco><option integrator=\"euler\"/></mujoco>").contains("Euler, RK4"));
    assert!(error("<mujoco><compiler coordinate=\"global\"/></mujoco>").contains("global coordinates were removed"));
}

#[test]
fn names_and_classes_must_be_right() {
    assert_eq!(
        world("<geom name=\"a\" size=\"1\"/>\n<geom name=\"a\" size=\"1\"/>"),
        "line 4: geom \"a\", attribute \"name\": there is already a geom of this name"
    );
    assert!(world("<body name=\"world\"/>").contains("there is already a body of this name"));
    assert_eq!(
        world("<geom class=\"heavy\"/>"),
        "line 3: geom, attribute \"class\": there is no default class \"heavy\""
    );
    assert!(world("<body childclass=\"q\"/>").contains("there is no default class \"q\""));
    assert!(world("<frame name=\"f\"/><frame name=\"f\"/>").contains("already a frame of this name"));
    let materials = "<mujoco>\n<asset><material name=\"m\"/>\n<material name=\"m\"/></asset></mujoco>";
    assert_eq!(
        error(materials),
        "line 3: material \"m\", attribute \"name\": there is already a material of this name"
    );
    let twice = "<mujoco><default><default class=\"x\"/><default class=\"x\"/></default></mujoco>";
    assert!(error(twice).contains("already a default class \"x\""));
}

#[test]
fn the_world_has_no_joints_and_no_inertia() {
    assert!(world("<joint/>").contains("the world cannot have joints"));
    assert!(world("<inertial pos=\"0 0 0\" mass=\"1\"/>").contains("only a body"));
    assert!(error("<mujoco><worldbody name=\"w\"/></mujoco>").contains("takes no attributes"));
    assert!(world("<body><inertial mass=\"1\"/></body>").contains("attribute \"pos\": required"));
}

#[test]
fn one_orientation_only() {
    assert!(world("<geom quat=\"1 0 0 0\" euler=\"0 0 0\"/>").contains("quat already gives the orientation"));
    assert!(world("<body quat=\"0 0 0 0\"/>").contains("too short"));
    assert!(world("<body zaxis=\"0 0 0\"/>").contains("too short"));
    assert!(world("<body xyaxes=\"1 0 0 2 0 0\"/>").contains("too short"));
}

#[test]
fn what_is_out_of_scope_is_refused_by_name() {
    for (content, words) in [
        ("<flexcomp name=\"f\"/>", "flexcomp \"f\": deformable bodies"),
        ("<composite/>", "composite was removed"),
        ("<geom type=\"sdf\"/>", "signed-distance geoms"),
        ("<body><plugin/></body>", "plugin: body plugins"),
        ("<body><joint springyield=\"1\"/></body>", "plastic"),
        ("<frame scale=\"2\"/>", "scaled frames"),
    ] {
        assert!(world(content).contains(words), "{}", world(content));
    }
    for (section, words) in [
        ("<deformable><flex/></deformable>", "deformable bodies"),
        ("<equality><flex/></equality>", "deformable bodies"),
        ("<actuator><dcmotor/></actuator>", "DC motor"),
        ("<actuator><orientation/></actuator>", "orientation servos"),
        ("<actuator><plugin/></actuator>", "actuator plugins"),
        ("<actuator><motor joint=\"j\" delay=\"1\"/></actuator>", "delays"),
        ("<sensor><tactile/></sensor>", "tactile"),
        ("<sensor><clock nsample=\"2\"/></sensor>", "histories"),
        ("<option><flag ipc=\"enable\"/></option>", "potential contact"),
        ("<keyframe><key plastic=\"1\"/></keyframe>", "plasticity"),
    ] {
        let text = error(&format!("<mujoco>{section}</mujoco>"));
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn what_only_viewers_need_is_accepted() {
    let xml = "<mujoco><visual><global offwidth=\"640\"/><rgba haze=\"0 0 0 1\"/></visual><extension><plugin \
               plugin=\"a.b\"/></extension><asset><texture type=\"skybox\" builtin=\"gradient\"/><skin \
               file=\"x.skn\"/></asset><deformable><skin/></deformable><worldbody><body sleep=\"never\"/></worldbody>\
               <sensor><clock delay=\"0\" interp=\"linear\"/></sensor></mujoco>";
    let spec = read_str(xml, &BTreeMap::new()).unwrap();
    assert_eq!(spec.visual["global"]["offwidth"], "640");
    assert_eq!(spec.textures.len(), 1);
    assert_eq!(spec.warnings, ["line 1: plugin \"a.b\" is ignored"]);
}

#[test]
fn sleep_is_accepted_and_all_bodies_stay_awake() {
    let xml = "<mujoco><option><flag sleep=\"enable\"/></option><worldbody><body sleep=\"init\"><freejoint/><geom \
               size=\"1\"/></body></worldbody></mujoco>";
    let spec = read_str(xml, &BTreeMap::new()).unwrap();
    assert!(spec.warnings[0].contains("all bodies stay awake"), "{:?}", spec.warnings);
    saltus_sim::compile(&spec).unwrap().validate().unwrap();
}

#[test]
fn cameras_and_lights_that_want_a_target_and_have_none_are_fixed() {
    for mode in ["targetbody", "targetbodycom"] {
        let views = format!("<camera mode=\"{mode}\" pos=\"1 2 3\"/><light mode=\"{mode}\"/>");
        let xml = format!("<mujoco><worldbody><body><joint/><geom size=\"1\"/>{views}</body></worldbody></mujoco>");
        let model = saltus_sim::compile(&read_str(&xml, &BTreeMap::new()).unwrap()).unwrap();
        model.validate().unwrap();
        let mut data = saltus_sim::Data::new(&model);
        data.state.q[0] = std::f64::consts::FRAC_PI_2;
        saltus_sim::forward(&model, &mut data);
        let place = data.position.p_WC[0].to_array();
        assert!(place.iter().zip([-2.0, 1.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{place:?}");
    }
}

#[test]
fn files_must_be_given_in_assets() {
    let mesh = "<mujoco>\n<asset><mesh name=\"m\" file=\"m.stl\"/></asset></mujoco>";
    assert_eq!(
        error(mesh),
        "line 2: mesh \"m\", attribute \"file\": file \"m.stl\" is not given: pass its bytes in `assets`, or load the \
         model from a path to read it from disk"
    );
    assert!(error("<mujoco><include file=\"/etc/passwd\"/></mujoco>").contains("is not given"));
}

#[test]
fn errors_in_included_files_name_that_file() {
    let assets: BTreeMap<String, Vec<u8>> = [
        ("parts/leg.xml".into(), b"<mujoco>\n<worldbody>\n<geom sise=\"1\"/></worldbody></mujoco>".to_vec()),
        ("a.xml".into(), b"<mujoco><include file=\"b.xml\"/></mujoco>".to_vec()),
        ("b.xml".into(), b"<mujoco><include file=\"a.xml\"/></mujoco>".to_vec()),
        ("empty.xml".into(), b"<mujoco/>".to_vec()),
        ("broken.xml".into(), b"<mujoco>\n<a></mujoco>".to_vec()),
    ]
    .into();
    let error = |xml: &str| read_str(xml, &assets).map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        error("<mujoco><include file=\"parts/leg.xml\"/></mujoco>"),
        "parts/leg.xml:3: geom, attribute \"sise\": unknown attribute; did you mean \"size\"?"
    );
    assert!(error("<mujoco><include file=\"a.xml\"/></mujoco>").contains("b.xml:1: include"));
    assert!(error("<mujoco><include file=\"a.xml\"/></mujoco>").contains("already included"));
    assert!(error("<mujoco><include file=\"empty.xml\"/></mujoco>").contains("at least one element"));
    assert!(error("<mujoco><include file=\"broken.xml\"/></mujoco>").starts_with("broken.xml:2: not well-formed XML"));
}

#[test]
fn actuators_and_sensors_need_a_target() {
    let motor = error("<mujoco><actuator><motor name=\"m\"/></actuator></mujoco>");
    assert!(motor.contains("motor \"m\": has no transmission target: give one of joint, jointinparent, tendon"));
    assert!(error("<mujoco><sensor><jointpos/></sensor></mujoco>").contains("needs a joint"));
    let frame = "<mujoco><sensor><framepos objtype=\"joint\" objname=\"j\"/></sensor></mujoco>";
    assert!(error(frame).contains("expected one of: body, xbody, geom, site, camera"));
    let order = "<mujoco><sensor><contact data=\"force found\"/></sensor></mujoco>";
    assert!(error(order).contains("in the order: found, force"));
    assert!(
        error("<mujoco><tendon><fixed><joint joint=\"j\"/></fixed></tendon></mujoco>").contains("\"coef\": required")
    );
    let both = "<mujoco><equality><weld site1=\"s\" body1=\"b\"/></equality></mujoco>";
    assert!(error(both).contains("cannot be given together with site1"));
}

#[test]
fn a_long_value_is_not_echoed_whole() {
    let long = "x".repeat(1_000_000);
    let xml = format!("<mujoco><option timestep=\"{long}\"/></mujoco>");
    let error = read_str(&xml, &Default::default()).unwrap_err().to_string();
    assert!(error.len() < 300 && error.contains("… (1000002 characters)"), "{error}");
}
