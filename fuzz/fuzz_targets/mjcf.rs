//! Text → spec → model → one smooth forward pass and its contacts; and what was read must be
//! writable and readable again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_sim::collide::update_contacts;
use saltus_sim::{Data, compile, forward_smooth};
use std::collections::BTreeMap;

fuzz_target!(|text: &str| {
    let assets = BTreeMap::new();
    let Ok(spec) = saltus_io::mjcf::read_str(text, &assets) else { return };
    let Ok(model) = compile(&spec) else { return };
    if model.nbody() < 1000 && model.size.nq < 1000 {
        let mut data = Data::new(&model);
        forward_smooth(&model, &mut data);
        update_contacts(&model, &mut data);
    }
    let written = saltus_io::mjcf::write(&spec);
    let again = saltus_io::mjcf::read_str(&written, &assets);
    assert!(again.is_ok(), "{:?}\n{written}", again.err());
});
