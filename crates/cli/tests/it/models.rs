//! `saltus check`, `info` and `convert`.

use crate::common::{failure, folder, json, pendulum, saltus, stdout};

#[test]
fn check_and_info_describe_a_model() {
    let dir = pendulum("describe");
    let check = json(&dir, &["check", "pendulum.xml", "--json"]);
    assert_eq!((check["ok"].as_bool(), check["sizes"]["nv"].as_u64()), (Some(true), Some(1)));
    assert!(stdout(&dir, &["check", "pendulum.xml"]).contains("joints hinge"));
    let info = json(&dir, &["info", "pendulum.xml", "--json"]);
    assert_eq!(info["keyframes"], serde_json::json!(["raised", "hanging"]));
    assert!(stdout(&dir, &["info", "pendulum.xml"]).contains("hinge hinge"));
    assert!(failure(&dir, &["check", "none.xml"]).contains("none.xml"));
}

#[test]
fn a_converted_model_moves_the_same() {
    let dir = pendulum("convert");
    for output in ["b.xml", "c.smb"] {
        stdout(&dir, &["convert", "pendulum.xml", output]);
    }
    for (model, record) in [("pendulum.xml", "a.csv"), ("b.xml", "b.csv"), ("c.smb", "c.csv")] {
        stdout(&dir, &["sim", model, "--keyframe", "raised", "--time", "0.2", "--record", record]);
    }
    let recording = |name: &str| std::fs::read(dir.join(name)).unwrap();
    assert_eq!(recording("a.csv"), recording("b.csv"));
    assert_eq!(recording("a.csv"), recording("c.csv"));
    assert!(failure(&dir, &["convert", "pendulum.xml", "d.urdf"]).contains("not supported"));
}

#[test]
fn robots_of_urdf_files_float_on_demand_and_odd_inertias_are_told() {
    let dir = pendulum("floating");
    let inertial = "<inertial><mass value=\"1\"/>\
        <inertia ixx=\"1\" iyy=\"1\" izz=\"3\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let robot = format!("<robot name=\"r\"><link name=\"base\">{inertial}</link></robot>");
    std::fs::write(dir.join("robot.urdf"), robot).unwrap();
    let check = json(&dir, &["check", "robot.urdf", "--floating-base", "--json"]);
    assert_eq!(check["sizes"]["nv"].as_u64(), Some(6));
    assert!(check["warnings"][0].as_str().unwrap().contains("link \"base\""));
    assert!(stdout(&dir, &["check", "robot.urdf"]).contains("warning      robot.urdf:1: link \"base\""));
    stdout(&dir, &["convert", "robot.urdf", "robot.xml", "--floating-base"]);
    assert_eq!(json(&dir, &["check", "robot.xml", "--json"])["sizes"]["nv"].as_u64(), Some(6));
    stdout(&dir, &["convert", "robot.urdf", "robot.smb", "--floating-base"]);
    stdout(&dir, &["sim", "robot.smb", "--time", "0.1"]);
    assert!(failure(&dir, &["sim", "robot.smb", "--floating-base"]).contains("already compiled"));
    assert!(failure(&dir, &["info", "pendulum.xml", "--floating-base"]).contains("no base to make floating"));
}

/// A leg with a mesh that its package has, and a joint with limits of effort and velocity.
const LEG: &str = r#"<robot name="leg">
    <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><mesh filename="package://leg_description/meshes/foot.obj"/></geometry></collision></link>
    <link name="foot"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><mesh filename="package://leg_description/meshes/foot.obj"/></geometry></collision></link>
    <joint name="ankle" type="revolute"><parent link="base"/><child link="foot"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" effort="12" velocity="3"/></joint></robot>"#;

#[test]
fn a_robot_file_gets_motors_and_its_meshes_are_found_from_anywhere() {
    let dir = folder("robot-file");
    for sub in ["leg_description/meshes", "leg_description/urdf", "out/deep", "elsewhere"] {
        std::fs::create_dir_all(dir.join(sub)).unwrap();
    }
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(dir.join("leg_description/meshes/foot.obj"), mesh).unwrap();
    std::fs::write(dir.join("leg_description/urdf/leg.urdf"), LEG).unwrap();
    let urdf = "leg_description/urdf/leg.urdf";
    for output in ["leg.xml", "out/deep/leg.xml", "out/new/leg.xml", "leg_description/urdf/leg.xml"] {
        let run = saltus(&dir, &["convert", urdf, output, "--floating-base", "--motors"]);
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(said.contains("added 1 motor with the effort limits of the file"), "{said}");
        assert!(said.contains("added a free joint to the body \"base\""), "{said}");
        let there = dir.join(output);
        let check = json(&dir.join("elsewhere"), &["check", there.to_str().unwrap(), "--json"]);
        assert_eq!((check["sizes"]["nu"].as_u64(), check["sizes"]["nv"].as_u64()), (Some(1), Some(7)), "{output}");
    }
    let text = std::fs::read_to_string(dir.join("out/deep/leg.xml")).unwrap();
    assert!(text.contains("file=\"../../leg_description/meshes/foot.obj\"") && text.contains("-12 12"), "{text}");
    assert_eq!(json(&dir, &["check", urdf, "--motors", "--json"])["sizes"]["nu"].as_u64(), Some(1));
    stdout(&dir, &["sim", urdf, "--floating-base", "--motors", "--time", "0.01"]);
}

#[test]
fn the_humanoid_jumps_lands_and_obeys_the_laws_of_flight() {
    let dir = folder("demo");
    let report = json(&dir, &["demo", "--json"]);
    let number = |name: &str| report[name].as_f64().unwrap();
    assert!(number("momentum_drift") < 1e-5 && number("parabola_error") < 1e-4);
    assert!((1.0..1.3).contains(&number("flight_time")) && number("peak_force") > 3.0 * number("weight"));
    assert!((number("rest_force") / number("weight") - 1.0).abs() < 0.05, "the floor carries the weight");
    assert!(std::fs::read_to_string(dir.join("out/somersault.svg")).unwrap().contains("</svg>"));
}

#[test]
fn a_model_is_drawn_and_bad_requests_are_errors() {
    let dir = pendulum("render");
    let said = stdout(&dir, &["render", "pendulum.xml", "--keyframe", "raised", "--size", "120x90", "--out", "p.png"]);
    assert!(said.contains("120 × 90 pixels"), "{said}");
    let picture = std::fs::read(dir.join("p.png")).unwrap();
    assert_eq!(picture[1..4], *b"PNG");
    assert_eq!(picture[16..24], [0, 0, 0, 120, 0, 0, 0, 90], "width and height");
    for (words, expected) in [
        (&["--size", "0x10", "--out", "q.png"][..], "0 × 10 pixels"),
        (&["--size", "100000x10", "--out", "q.png"], "100000 × 10 pixels"),
        (&["--size", "large", "--out", "q.png"], "640x480"),
        (&["--camera", "head", "--out", "q.png"], "head"),
        (&["--keyframe", "jump", "--out", "q.png"], "jump"),
        (&["--azimuth", "nan", "--out", "q.png"], "not finite"),
        (&["--out", "q.jpg"], ".png"),
        (&["--out", "pendulum.xml/q.png"], "pendulum.xml"),
    ] {
        let args: Vec<&str> = ["render", "pendulum.xml"].into_iter().chain(words.iter().copied()).collect();
        let wrong = failure(&dir, &args);
        assert!(wrong.contains(expected), "{words:?}: {wrong}");
    }
    assert!(!dir.join("q.png").exists(), "nothing is left behind");
}
