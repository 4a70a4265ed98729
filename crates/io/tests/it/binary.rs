//! Binary models: what is saved loads again, and nothing else loads.

use saltus_io::binary::{BinaryError, FORMAT, decode_payload, load, save};
use saltus_sim::model::spec::{BodySpec, GeomSpec, JointSpec};
use saltus_sim::{Model, ModelSpec, compile};

const HEADER: usize = 44;

fn pendulum() -> Model {
    let mut spec = ModelSpec::new("pendulum");
    let geom = GeomSpec { size: [0.1, 0.0, 0.0], ..GeomSpec::default() };
    let mut parent = spec.world();
    for name in ["upper", "lower"] {
        let body = BodySpec {
            name: name.into(),
            pos: saltus_math::Vec3::new(0.0, 0.1, -0.3),
            joints: vec![JointSpec { name: format!("{name} joint"), ..JointSpec::default() }],
            geoms: vec![geom.clone()],
            ..BodySpec::default()
        };
        parent = spec.add_body(parent, body);
    }
    compile(&spec).unwrap()
}

#[test]
fn a_saved_model_loads_again() {
    let model = pendulum();
    let bytes = save(&model).unwrap();
    assert_eq!(load(&bytes).unwrap(), model);
    assert_eq!(decode_payload(&bytes[HEADER..]).unwrap(), model);
}

#[test]
fn truncated_files_say_how_much_is_missing() {
    let bytes = save(&pendulum()).unwrap();
    for end in 1..bytes.len() {
        let expected = if end < HEADER { HEADER } else { bytes.len() };
        let error = BinaryError::Truncated { expected: expected as u64, found: end };
        assert_eq!(load(&bytes[..end]), Err(error));
    }
    assert_eq!(load(&[]), Err(BinaryError::Foreign));
}

#[test]
fn foreign_and_overlong_files_are_refused() {
    assert_eq!(load(b"<mujoco/>"), Err(BinaryError::Foreign));
    assert_eq!(load(&[0; 1000]), Err(BinaryError::Foreign));
    let mut bytes = save(&pendulum()).unwrap();
    bytes.push(0);
    assert_eq!(load(&bytes), Err(BinaryError::Trailing(1)));
}

#[test]
fn other_versions_name_both_versions() {
    let mut bytes = save(&pendulum()).unwrap();
    bytes[8..12].copy_from_slice(&(FORMAT + 1).to_le_bytes());
    bytes[12..18].copy_from_slice(b"99.1.0");
    let error = load(&bytes).unwrap_err();
    assert_eq!(error, BinaryError::Version { found: FORMAT + 1, writer: "99.1.0".into() });
    assert!(error.to_string().contains("Saltus 99.1.0"));
}

#[test]
fn every_flipped_bit_is_found() {
    let bytes = save(&pendulum()).unwrap();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(load(&flipped).is_err(), "byte {at}");
    }
}

/// Without the checksum, whatever decodes must also be consistent; nothing may panic or allocate
/// beyond reason.
#[test]
fn damaged_payloads_do_not_panic() {
    let bytes = save(&pendulum()).unwrap();
    let payload = &bytes[HEADER..];
    for end in 0..payload.len() {
        assert!(matches!(decode_payload(&payload[..end]), Err(BinaryError::Payload(_))));
    }
    for at in 0..payload.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut damaged = payload.to_vec();
            damaged[at] = value;
            let _ = decode_payload(&damaged);
        }
    }
    // Lengths that claim more than there is.
    let huge = [&[0xff; 9][..], &[0x01]].concat();
    assert!(matches!(decode_payload(&huge), Err(BinaryError::Payload(_))));
}

/// Files with a single altered byte and a checksum that is valid: an error, or a model that steps.
#[test]
fn an_altered_byte_is_refused_or_harmless() {
    const ENTRIES: usize = 1 << 16;
    let hopper = saltus_io::read_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/hopper.xml")).unwrap();
    let payload = postcard::to_stdvec(&compile(&hopper).unwrap()).unwrap();
    for i in 0..payload.len() {
        for bit in [0, 1, 6] {
            let mut altered = payload.clone();
            altered[i] ^= 1 << bit;
            let Ok(mut model) = decode_payload(&altered) else { continue };
            let s = &model.size;
            if s.nuserdata > ENTRIES || s.nsensordata > ENTRIES {
                continue;
            }
            let o = &mut model.options;
            (o.iterations, o.ls_iterations, o.ccd_iterations) = (o.iterations.min(20), o.ls_iterations.min(20), 20);
            let mut data = saltus_sim::Data::new(&model);
            for _ in 0..2 {
                _ = saltus_sim::step(&model, &mut data);
            }
        }
    }
}

/// A tendon may reach its trees in any order.
#[test]
fn the_features_compile_and_are_valid() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/features");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "xml") {
            let model = compile(&saltus_io::read_file(&path).unwrap()).unwrap_or_else(|e| panic!("{path:?}: {e}"));
            assert_eq!(model.validate(), Ok(()), "{path:?}");
        }
    }
}
