//! Text of a URDF or SDF → spec → model.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

fuzz_target!(|text: &str| {
    let tetrahedron = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let assets = BTreeMap::from([("a.obj".to_owned(), tetrahedron.to_vec())]);
    if let Ok(spec) = saltus_io::read_str(text, &assets) {
        _ = saltus_sim::compile(&spec);
        _ = saltus_io::mjcf::write(&spec);
    }
});
