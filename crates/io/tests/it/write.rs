//! The MJCF writer: what is written reads back to the same compiled model.

use saltus_io::mjcf::{read_str, write};
use saltus_sim::{Model, ModelSpec, compile};
use std::collections::BTreeMap;

type Assets = BTreeMap<String, Vec<u8>>;

/// Reads, writes, reads again, and compares the compiled models.
fn round_trip(text: &str, assets: &Assets) -> (Model, String) {
    let first = read_str(text, assets).unwrap();
    let written = write(&first);
    let second = read_str(&written, assets).unwrap_or_else(|e| panic!("{e}\n{written}"));
    let model = compile(&first).unwrap();
    let again = compile(&second).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(model, again, "{written}");
    assert_eq!(write(&second), written, "writing is stable");
    (model, written)
}

#[test]
fn a_model_with_something_of_everything() {
    let text = include_str!("everything.xml");
    let (model, written) = round_trip(text, &BTreeMap::new());
    assert!(model.nbody() > 5 && model.nactuator() > 5 && model.nsensor() > 5);
    for shortcut in ["<motor", "<position", "<muscle", "<default class", "euler=", "childclass"] {
        assert!(!written.contains(shortcut), "{shortcut} is left in\n{written}");
    }
}

#[test]
fn files_stay_references_and_other_data_is_written_out() {
    let text = r#"<mujoco><compiler meshdir="meshes" texturedir="pictures"/>
        <asset>
          <mesh file="tet.obj" scale="1 2 3"/>
          <mesh name="hull" vertex="0 0 0 1 0 0 0 1 0 0 0 0.1"/>
          <hfield name="h" nrow="2" ncol="3" elevation="0 1 2 3 4 5.5" size="1 1 1 1"/>
          <hfield name="b" file="field.bin" size="1 1 1 1"/>
          <texture name="t" type="2d" file="t.png"/>
        </asset>
        <worldbody>
          <geom type="mesh" mesh="tet"/><geom type="mesh" mesh="hull"/>
          <geom type="hfield" hfield="h"/><geom type="hfield" hfield="b"/>
        </worldbody></mujoco>"#;
    let tet = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n".to_vec();
    let mut field = [2i32.to_le_bytes(), 2i32.to_le_bytes()].concat();
    field.extend([0.0f32, 1.0, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()));
    let assets = Assets::from([("meshes/tet.obj".into(), tet), ("meshes/field.bin".into(), field)]);
    let (model, written) = round_trip(text, &assets);
    assert_eq!(model.meshes.name, ["tet", "hull"]);
    assert!(written.contains("file=\"meshes/tet.obj\""), "{written}");
    assert!(written.contains("file=\"meshes/field.bin\""));
    assert!(written.contains("file=\"pictures/t.png\""));
    assert!(written.contains("elevation=\"0 1 2 3 4 5.5\""), "{written}");
}

#[test]
fn files_whose_name_does_not_tell_their_kind_are_written_out() {
    let text = r#"<mujoco><asset><mesh name="m" file="tet.dat" content_type="model/obj"/></asset></mujoco>"#;
    let tet = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n".to_vec();
    let spec = read_str(text, &Assets::from([("tet.dat".into(), tet)])).unwrap();
    let again = read_str(&write(&spec), &BTreeMap::new()).unwrap();
    assert_eq!(spec.meshes[0].data, again.meshes[0].data);
}

#[test]
fn numbers_keep_their_bits() {
    let values = [0.1, 1.0 / 3.0, 1e-300, 123456789.12345679, -0.0, 5e-324, 1e22];
    let data: Vec<_> = values.iter().map(|v: &f64| format!("{v:?}")).collect();
    let text = format!("<mujoco><custom><numeric name=\"n\" data=\"{}\"/></custom></mujoco>", data.join(" "));
    let (model, _) = round_trip(&text, &BTreeMap::new());
    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&model.numerics.data), bits(&values));
}

#[test]
fn names_with_special_characters_survive() {
    let text = r#"<mujoco model="a &amp; b"><worldbody><body name="&lt;&quot;x&gt;&#10;'é">
        <joint/><geom size="1"/></body></worldbody></mujoco>"#;
    let (model, _) = round_trip(text, &BTreeMap::new());
    assert_eq!((model.name.as_str(), model.bodies.name[1].as_str()), ("a & b", "<\"x>\n'é"));
}

#[test]
fn deep_trees_are_written_without_recursion_and_in_linear_size() {
    let mut spec = ModelSpec::new("deep");
    let mut parent = spec.world();
    for _ in 0..20_000 {
        parent = spec.add_body(parent, Default::default());
    }
    let text = write(&spec);
    assert!(text.len() < 20_000 * 120);
    assert_eq!(text.matches("</body>").count(), 20_000);
}

#[test]
fn looks_of_fixed_tendons_survive() {
    let text = r#"<mujoco><default><tendon width="0.01" rgba="1 0 0 1"/></default>
        <worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
        <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon></mujoco>"#;
    let (model, _) = round_trip(text, &BTreeMap::new());
    assert_eq!(model.tendons.width, [0.01]);
}

#[test]
fn integrators_that_mjcf_does_not_know_travel_in_a_custom_text() {
    use saltus_sim::options::Integrator;
    let xml = "<mujoco><custom><text name='saltus_integrator' data='midpoint'/></custom></mujoco>";
    let spec = read_str(xml, &Default::default()).unwrap();
    assert_eq!(compile(&spec).unwrap().options.integrator, Integrator::Midpoint);
    // Chosen by program, written and read again.
    for (_, integrator) in Integrator::OWN {
        let mut spec = ModelSpec::new("own");
        spec.options.integrator = *integrator;
        let text = write(&spec);
        let again = read_str(&text, &Default::default()).unwrap();
        assert_eq!(compile(&again).unwrap().options.integrator, *integrator, "{text}");
    }
    let wrong = xml.replace("midpoint", "magic");
    let spec = read_str(&wrong, &Default::default()).unwrap();
    let error = compile(&spec).unwrap_err().to_string();
    assert!(error.contains("magic") && error.contains("interleaved"), "{error}");
}

#[test]
fn settings_of_contact_laws_are_written_once() {
    let xml = "<mujoco><custom><text name='saltus_law' data='impulse'/></custom></mujoco>";
    let mut spec = read_str(xml, &Default::default()).unwrap();
    spec.options.laws.reach = 0.25;
    let text = write(&spec);
    assert_eq!(text.matches("saltus_law").count(), 1, "{text}");
    let again = compile(&read_str(&text, &Default::default()).unwrap()).unwrap();
    assert_eq!(again.options.laws.reach, 0.25);
    assert_eq!(again.options.laws.word("law"), Some("impulse"));
}
