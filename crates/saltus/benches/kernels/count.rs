//! Counts the instructions that a function runs.
//!
//! The trap flag of the processor raises a signal after every instruction, and the handler of the
//! signal counts. This needs Linux on x86-64 and nothing else. Callgrind, and gungraun which is
//! built on it, cannot be used: valgrind 3.19 stops at an instruction that LLVM writes for AVX
//! (`vmovq` between registers, encoded as C5 79 D6). On a virtual machine a million instructions
//! take about ten seconds.
//!
//! Only instructions of the program itself count, not those of the C library, which chooses its
//! `memcpy` by the processor. An instruction with a repeat prefix counts once.

use libc::{REG_RIP, SA_RESTART, SA_SIGINFO, SIGTRAP, c_int, c_void, sigaction, siginfo_t, ucontext_t};
use std::arch::asm;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

static COUNT: AtomicU64 = AtomicU64::new(0);
static LAST: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    /// Start of the program's code, from the linker; the other is its end.
    static __executable_start: u8;
    static etext: u8;
}

/// The number of instructions of this program while `run` runs, on this thread.
pub fn instructions(run: &mut dyn FnMut()) -> Result<u64, std::io::Error> {
    COUNT.store(0, Relaxed);
    // SAFETY: the handler only uses atomics, and it is in place while the trap flag is set.
    unsafe {
        let mut action: sigaction = std::mem::zeroed();
        action.sa_sigaction = on_instruction as *const () as usize;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        if sigaction(SIGTRAP, &action, std::ptr::null_mut()) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq");
        run();
        asm!("pushfq", "and qword ptr [rsp], ~0x100", "popfq");
    }
    Ok(COUNT.load(Relaxed))
}

extern "C" fn on_instruction(_: c_int, _: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the context is that of the interrupted code. Of the symbols only the
    // addresses are used.
    let (at, start, end) = unsafe {
        let registers = &(*context.cast::<ucontext_t>()).uc_mcontext.gregs;
        (registers[REG_RIP as usize] as usize, &raw const __executable_start as usize, &raw const etext as usize)
    };
    if (start..end).contains(&at) && LAST.swap(at, Relaxed) != at {
        COUNT.fetch_add(1, Relaxed);
    }
}
