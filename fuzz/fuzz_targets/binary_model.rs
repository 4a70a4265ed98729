//! Payload of a binary model → validated model → a smooth forward pass, its contacts, and steps.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_io::binary;
use saltus_sim::collide::update_contacts;
use saltus_sim::{Data, Model, forward_smooth, step};

/// Steps of a model that loads.
const STEPS: usize = 5;
/// Larger models are not stepped: a step of them takes too long.
const MAX_SIZE: usize = 4096;

fn run(model: &Model) {
    let s = &model.size;
    if [s.nq, s.nv, s.nu, s.na, s.nuserdata, s.nsensordata, model.ngeom()].iter().any(|n| *n > MAX_SIZE) {
        return;
    }
    let mut data = Data::new(model);
    forward_smooth(model, &mut data);
    update_contacts(model, &mut data);
    let mut data = Data::new(model);
    for _ in 0..STEPS {
        if step(model, &mut data).is_err() {
            break;
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    // The payload alone: with its checksum made valid, an altered file is the same.
    if let Ok(mut model) = binary::decode_payload(bytes) {
        // More iterations take longer but do nothing new.
        let o = &mut model.options;
        for count in [&mut o.iterations, &mut o.ls_iterations, &mut o.noslip_iterations, &mut o.ccd_iterations] {
            *count = (*count).min(50);
        }
        run(&model);
    }
    _ = binary::load(bytes);
});
