//! Payload of a binary model → validated model → one smooth forward pass and its contacts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_sim::collide::update_contacts;
use saltus_sim::{Data, forward_smooth};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = saltus_io::binary::decode_payload(bytes) {
        let mut data = Data::new(&model);
        forward_smooth(&model, &mut data);
        update_contacts(&model, &mut data);
    }
    _ = saltus_io::binary::load(bytes);
});
