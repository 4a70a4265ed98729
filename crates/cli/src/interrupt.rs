//! Ctrl-C. The only place that uses `ctrlc`.

use crate::output::note;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
/// Exit code that shells expect from an interrupted process.
pub const EXIT_CODE: u8 = 130;

/// Installs a handler: the first Ctrl-C requests a stop, the second one ends the process.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let heard = || {
            if ASKED.swap(true, Ordering::SeqCst) {
                std::process::exit(EXIT_CODE.into());
            }
            note!("stopping; Ctrl-C again to quit at once");
        };
        // Without a handler Ctrl-C ends the process as usual.
        _ = ctrlc::set_handler(heard);
    });
}

/// Whether a stop was requested.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
