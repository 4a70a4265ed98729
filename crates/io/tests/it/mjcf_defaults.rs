//! Default classes, units and orientations. Expected numbers were taken from the reference engine.

use saltus_io::mjcf::read_str;
use saltus_sim::ModelSpec;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::model::spec::{GeomShape, ObjectKind, TendonPath, WrapSpec};
use std::collections::BTreeMap;

fn read(content: &str) -> ModelSpec {
    read_str(&format!("<mujoco>{content}</mujoco>"), &BTreeMap::new()).unwrap()
}

#[test]
fn elements_override_only_the_numbers_they_give() {
    let spec = read(
        "<default><geom type=\"box\" size=\"1 2 3\" euler=\"90 0 0\"/></default>
         <worldbody><geom size=\".5\" quat=\"1 0 0 0\"/><geom size=\".1 .2\" friction=\"3\"/></worldbody>",
    );
    let [a, b] = &spec.bodies[0].geoms[..] else { panic!() };
    assert_eq!((a.size, a.quat.w), ([0.5, 2.0, 3.0], 1.0));
    assert_eq!((b.size, b.friction), ([0.1, 0.2, 3.0], [3.0, 0.005, 0.0001]));
    assert!((b.quat.x - 0.5f64.sqrt()).abs() < 1e-15);
    assert_eq!(a.shape, GeomShape::Box);
}

#[test]
fn angles_follow_the_joint_type_even_when_it_comes_from_a_class() {
    let spec = read(
        "<default><joint type=\"slide\" range=\"0 90\" ref=\"3\" springref=\"5\"/></default>
         <worldbody><body><joint/><joint type=\"hinge\"/></body><body><joint type=\"ball\" range=\"0 60\"/></body>
         <body><joint type=\"hinge\" limited=\"false\" range=\"-60 60\"/></body></worldbody>",
    );
    let degree = std::f64::consts::PI / 180.0;
    let j = &spec.bodies[1].joints;
    assert_eq!((j[0].range, j[0].reference, j[0].spring_reference), ([0.0, 90.0], 3.0, 5.0));
    assert_eq!((j[1].range, j[1].reference), ([0.0, 90.0 * degree], 3.0 * degree));
    assert_eq!(spec.bodies[2].joints[0].range, [0.0, 60.0 * degree]);
    assert_eq!(spec.bodies[3].joints[0].range, [-60.0, 60.0]);
}

#[test]
fn the_last_compiler_section_counts_for_the_whole_model() {
    let spec = read(
        "<compiler angle=\"radian\"/><worldbody><body><joint range=\"0 1\"/></body></worldbody>
         <compiler angle=\"degree\"/>",
    );
    assert_eq!(spec.bodies[1].joints[0].range[1], std::f64::consts::PI / 180.0);
}

#[test]
fn childclass_reaches_down_until_another_is_given() {
    let spec = read(
        "<default><geom size=\".1\"/><default class=\"a\"><geom size=\".2\" rgba=\"1 0 0 1\"/>
           <default class=\"b\"><geom size=\".3\"/></default></default></default>
         <worldbody><body childclass=\"a\"><geom/><geom class=\"main\"/>
           <frame childclass=\"b\"><geom/><body><geom/></body></frame><geom class=\"b\"/></body></worldbody>",
    );
    let sizes = |b: usize| spec.bodies[b].geoms.iter().map(|g| g.size[0]).collect::<Vec<_>>();
    assert_eq!(sizes(1), [0.2, 0.1, 0.3, 0.3]);
    assert_eq!(sizes(2), [0.3]);
    assert_eq!(spec.bodies[2].geoms[0].rgba, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(spec.defaults.classes.len(), 3);
}

#[test]
fn a_free_joint_takes_defaults_only_as_a_joint_element() {
    let spec = read(
        "<default><joint damping=\"3\" group=\"2\"/></default><worldbody><body><joint type=\"free\"/></body>
         <body><freejoint/></body></worldbody>",
    );
    assert_eq!(spec.bodies[1].joints[0].damping[0], 3.0);
    let free = &spec.bodies[2].joints[0];
    assert_eq!((free.kind, free.damping[0], free.group), (JointKind::Free, 0.0, 0));
}

#[test]
fn euler_sequences_mix_fixed_and_moving_axes() {
    let spec = read("<compiler eulerseq=\"XYz\"/><worldbody><body euler=\"30 40 50\"/></worldbody>");
    let q = spec.bodies[1].quat;
    for (ours, reference) in q.to_array().into_iter().zip([0.860042, 0.360042, 0.196628, 0.303372]) {
        assert!((ours - reference).abs() < 1e-6);
    }
}

#[test]
fn sections_may_repeat_and_order_does_not_matter() {
    let spec = read(
        "<worldbody><geom class=\"c\"/></worldbody><default><default class=\"c\"><geom size=\"2\"/></default></default>
         <worldbody><geom size=\"1\"/></worldbody><default><geom condim=\"4\"/></default>",
    );
    let geoms = &spec.bodies[0].geoms;
    assert_eq!((geoms[0].size[0], geoms[1].size[0], geoms[1].condim), (2.0, 1.0, 4));
}

#[test]
fn tendons_pairs_and_springs() {
    let spec = read(
        "<default><tendon width=\"1\" stiffness=\"3 4\"/></default>
         <tendon><fixed springlength=\"2\"><joint joint=\"j\" coef=\"2\"/></fixed>
         <spatial><site site=\"s\"/><geom geom=\"g\" sidesite=\"t\"/><pulley divisor=\"2\"/></spatial></tendon>
         <contact><pair geom1=\"a\" geom2=\"b\" friction=\"2\"/></contact>",
    );
    let [fixed, spatial] = &spec.tendons[..] else { panic!() };
    assert_eq!((fixed.spring_length, fixed.stiffness, fixed.width), ([2.0, 2.0], [3.0, 4.0, 0.0], 1.0));
    assert!(matches!(&fixed.path, TendonPath::Fixed(terms) if terms[0] == ("j".to_owned(), 2.0)));
    assert!(matches!(&spatial.path, TendonPath::Spatial(w) if matches!(w[2], WrapSpec::Pulley(d) if d == 2.0)));
    assert_eq!(spec.pairs[0].friction, Some([2.0, 1.0, 0.005, 0.0001, 0.0001]));
    assert_eq!(spec.pairs[0].solref, None);
}

#[test]
fn sensors_encode_their_data_as_the_reference_does() {
    let spec = read(
        "<sensor><contact body1=\"b\" subtree2=\"c\" data=\"found force torque dist pos normal tangent\"
           reduce=\"netforce\" num=\"3\"/><rangefinder site=\"s\" data=\"dist dir origin point normal depth\"/>
         <insidesite site=\"s\" objtype=\"geom\" objname=\"g\" enclosed=\"true\"/><user dim=\"2\"/></sensor>",
    );
    let s = &spec.sensors;
    assert_eq!(s[0].int_prm, [127, 3, 3]);
    assert_eq!(s[0].object, (ObjectKind::Body, "b".to_owned()));
    assert_eq!(s[0].reference, Some((ObjectKind::XBody, "c".to_owned())));
    assert_eq!(s[1].int_prm, [63, 0, 0]);
    assert_eq!((s[2].int_prm, s[2].reference.clone()), ([1, 0, 0], Some((ObjectKind::Site, "s".to_owned()))));
    assert_eq!((s[3].user_dim, s[3].user_stage), (2, 3));
}

#[test]
fn height_fields_are_written_from_the_far_row() {
    let spec =
        read("<asset><hfield name=\"h\" size=\"1 1 1 1\" nrow=\"2\" ncol=\"3\" elevation=\"1 2 3 4 5 6\"/></asset>");
    assert_eq!(spec.hfields[0].elevation, [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
}

#[test]
fn every_element_knows_its_place() {
    let spec = read("\n<worldbody>\n<body>\n<joint/><geom/></body></worldbody>");
    assert_eq!(spec.bodies[1].place, "line 3");
    assert_eq!(spec.bodies[1].geoms[0].place, "line 4");
}

#[test]
fn generated_meshes_have_the_documented_sizes() {
    let spec = read(
        "<asset><mesh name=\"s\" builtin=\"sphere\" params=\"2\"/><mesh name=\"c\" builtin=\"cone\" params=\"4 .5\"/>
         <mesh name=\"p\" builtin=\"cone\" params=\"3 0\"/></asset>",
    );
    let counts: Vec<_> = spec.meshes.iter().map(|m| (m.data.vertices.len(), m.data.faces.len())).collect();
    assert_eq!(counts, [(2 + 10 * 16, 20 * 16), (8, 0), (4, 0)]);
    let sphere = &spec.meshes[0].data;
    let corner = |i: u32| saltus_math::Vec3::from_array(sphere.vertices[i as usize].map(f64::from));
    // Six times the volume of the solid, positive if all faces look outwards.
    let volume: f64 = sphere.faces.iter().map(|f| corner(f[0]).dot(corner(f[1]).cross(corner(f[2])))).sum();
    assert!((volume / 6.0 - 4.0 / 3.0 * std::f64::consts::PI).abs() < 0.15);
}

/// The mesh that `builtin` and `params` describe.
fn generated(builtin: &str, params: &str) -> saltus_sim::model::spec::TriMesh {
    let text = format!("<asset><mesh name=\"m\" builtin=\"{builtin}\" params=\"{params}\"/></asset>");
    read(&text).meshes.remove(0).data
}

#[test]
fn generated_meshes_are_those_of_the_reference() {
    let vertex = |mesh: &saltus_sim::model::spec::TriMesh, i: usize, expected: [f32; 3]| {
        let found = mesh.vertices[i];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{i}: {found:?} {expected:?}");
    };
    let sphere = generated("sphere", "1");
    assert_eq!(sphere.faces[..5], [[0, 12, 14], [11, 13, 12], [5, 14, 13], [12, 13, 14], [0, 14, 16]]);
    let half = generated("hemisphere", "1");
    assert_eq!((half.vertices.len(), half.faces.len()), (14, 24));
    assert_eq!(half.faces[4..8], [[1, 5, 6], [1, 6, 2], [2, 6, 7], [2, 7, 8]]);
    assert_eq!(half.faces[23], [12, 13, 5]);
    let side = std::f32::consts::FRAC_1_SQRT_2;
    vertex(&half, 6, [side, side, 0.0]);
    let round = generated("supersphere", "4 .5 .7");
    assert_eq!((round.vertices.len(), round.faces.len()), (14, 24));
    assert_eq!((round.faces[0], round.faces[5], round.faces[23]), ([0, 2, 1], [2, 6, 5], [12, 9, 13]));
    vertex(&round, 2, [0.0, -0.78458, -0.78458]);
    let torus = generated("supertorus", "3 .3 .5 .7");
    assert_eq!((torus.faces.len(), torus.faces[1], torus.faces[17]), (18, [3, 4, 1], [2, 0, 6]));
    vertex(&torus, 8, [-0.48499, -0.7124, -0.27918]);
    let wedge = generated("wedge", "2 3 60 40 0.5");
    assert!(wedge.vertices.len() == 6 && wedge.faces.is_empty());
    vertex(&wedge, 3, [0.45897, -0.39674, -0.79495]);
    let plate = generated("plate", "2 3");
    assert_eq!(plate.faces, [[0, 3, 1], [4, 1, 3], [1, 4, 2], [5, 2, 4]]);
    vertex(&plate, 5, [0.5, 0.66667, -1.0]);
}

#[test]
fn a_flat_mesh_has_the_inertia_of_a_shell() {
    let spec = read(
        "<asset><mesh name='m' builtin='plate' params='2 3' inertia='shell' scale='1 1.3 .7'/></asset><worldbody><body>
         <joint/><geom type='mesh' mesh='m' contype='0' conaffinity='0'/></body></worldbody>",
    );
    let moments = saltus_sim::compile(&spec).unwrap().bodies.inertia[1];
    assert!((moments.x / (moments.y + moments.z) - 1.0).abs() < 1e-12, "{moments}");
}
