//! Payload of a binary model → validated model → one smooth forward pass.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_sim::{Data, forward_smooth};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = saltus_io::binary::decode_payload(bytes) {
        forward_smooth(&model, &mut Data::new(&model));
    }
    _ = saltus_io::binary::load(bytes);
});
