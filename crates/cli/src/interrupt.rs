//! Ctrl-C. The only place that uses `ctrlc`.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
/// What a shell expects of a process that was interrupted.
pub const EXIT_CODE: u8 = 130;

/// From now on the first Ctrl-C asks for a stop, and the second one ends the process.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let heard = || {
            if ASKED.swap(true, Ordering::SeqCst) {
                std::process::exit(EXIT_CODE.into());
            }
            eprintln!("stopping; Ctrl-C again to quit at once");
        };
        // Without a handler Ctrl-C ends the process as usual.
        _ = ctrlc::set_handler(heard);
    });
}

/// Whether a stop was asked for.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
