//! Fusing static bodies and discarding visual geoms. Which ones stay was checked against the
//! reference engine.

use saltus_io::mjcf::read_str;
use saltus_sim::{Model, compile};
use std::collections::BTreeMap;

fn model(text: &str) -> Model {
    compile(&read_str(text, &BTreeMap::new()).unwrap()).unwrap()
}

fn fused(option: &str) -> Model {
    model(&format!(
        r#"<mujoco><compiler fusestatic="true"/>{option}
        <worldbody>
          <body name="p"><joint name="j"/><geom size=".1"/>
            <body name="ref" pos="0 0 1"><geom size=".1"/></body>
            <body name="site" pos="0 1 0"><geom size=".1"/><site name="s"/></body>
            <body name="gc" gravcomp="1"><geom size=".1"/></body>
            <body name="plain" pos="1 0 0" euler="10 20 30">
              <geom name="far" size=".1" pos="0 0 1"/><camera name="c" pos="0 0 1"/><light pos="1 1 1"/>
              <body name="inner" pos="0 1 1"><geom type="box" size=".1 .2 .3"/>
                <body name="mv"><joint/><geom size=".1"/></body>
              </body>
            </body>
            <body name="ell"><geom type="ellipsoid" size=".1 .1 .1" fluidshape="ellipsoid" mass="0"/></body>
            <body name="empty" gravcomp="2"/>
          </body>
          <body name="mo" mocap="true"/>
          <body name="last" pos="0 0 3"><joint/><geom size=".1"/></body>
          <camera mode="targetbody" target="inner"/>
        </worldbody>
        <contact><exclude body1="ref" body2="p"/></contact><sensor><force site="s"/></sensor></mujoco>"#
    ))
}

#[test]
fn static_bodies_are_fused_unless_something_depends_on_them() {
    let m = fused("");
    assert_eq!(m.bodies.name, ["world", "p", "ref", "site", "gc", "inner", "mv", "mo", "last"]);
    let parents: Vec<_> = m.bodies.parent.iter().map(|b| b.0).collect();
    assert_eq!(parents, [0, 0, 1, 1, 1, 1, 5, 0, 0]);
    assert!((m.bodies.mass[1] - 2.0 * m.bodies.mass[2]).abs() < 1e-12, "two spheres in one body");
    assert!((m.bodies.inertia[1].x - 5.654951152626881).abs() < 1e-12);
    assert_eq!(m.geoms.body[m.geoms.name.iter().position(|n| n == "far").unwrap()].0, 1);
    assert_eq!((m.cameras.body[1].0, m.lights.body[0].0), (1, 1));
}

#[test]
fn bodies_that_a_fluid_drags_are_not_fused() {
    let m = fused("<option density=\"1\"/>");
    assert_eq!(m.bodies.name, ["world", "p", "ref", "site", "gc", "plain", "inner", "mv", "ell", "mo", "last"]);
}

#[test]
fn visual_geoms_are_discarded_unless_something_names_them() {
    let text = |compiler: &str| {
        format!(
            r#"<mujoco><compiler {compiler}/><worldbody>
              <geom name="v0" size=".1" contype="0" conaffinity="0"/>
              <body name="p"><joint/>
                <geom name="a" size=".1"/>
                <geom name="v" size=".2" pos="0 0 1" contype="0" conaffinity="0"/>
                <geom name="vp" size=".2" contype="0" conaffinity="0"/>
                <geom name="vs" size=".2" contype="0" conaffinity="0"/>
                <geom name="ve" type="ellipsoid" size=".2 .1 .1" contype="0" conaffinity="0" fluidshape="ellipsoid"/>
                <geom name="half" size=".1" contype="0"/>
              </body></worldbody>
            <contact><pair geom1="a" geom2="vp"/></contact>
            <sensor><framepos objtype="geom" objname="vs"/></sensor></mujoco>"#
        )
    };
    let m = model(&text("discardvisual=\"true\""));
    assert_eq!(m.geoms.name, ["a", "vp", "vs", "ve", "half"]);
    assert_eq!(m.bodies.mass, model(&text("")).bodies.mass, "the inertia of what is left out stays");
    let text = text("discardvisual=\"true\" inertiafromgeom=\"true\"");
    let error = compile(&read_str(&text, &BTreeMap::new()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("geom \"v\"") && error.contains("inertiafromgeom"), "{error}");
}

#[test]
fn fusing_adds_what_the_reference_adds() {
    let fused = |setting: &str, parent: &str, child: &str| {
        let xml = format!(
            "<mujoco><compiler fusestatic=\"true\" {setting}/><worldbody><body><joint/>{parent}<geom size=\"1\" \
             density=\"1\"/><body pos=\"1 0 0\">{child}<geom size=\"1\" density=\"1\"/></body></body></worldbody></mujoco>"
        );
        let bodies = model(&xml).bodies;
        (bodies.mass[1], bodies.inertia[1].to_array(), bodies.inertial_pos[1].x)
    };
    let inertial = |mass: f64, moment: f64| {
        format!("<inertial pos=\"0 0 0\" mass=\"{mass}\" diaginertia=\"{moment} {moment} {moment}\"/>")
    };
    // Shapes do not count if inertia never comes from them.
    assert_eq!(fused("inertiafromgeom=\"false\"", &inertial(1.0, 1.0), ""), (1.0, [1.0; 3], 0.0));
    // A child without mass adds nothing; the moments of a parent without mass count.
    assert_eq!(fused("", &inertial(1.0, 1.0), &inertial(0.0, 3.0)), (1.0, [1.0; 3], 0.0));
    assert_eq!(fused("", &inertial(0.0, 1.0), &inertial(2.0, 3.0)), (2.0, [4.0; 3], 1.0));
}
