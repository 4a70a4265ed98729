//! Saltus: a physics engine for planning robot motion through contact.
//!
//! ```no_run
//! let model = saltus::load("humanoid.xml")?;
//! let mut data = saltus::Data::new(&model);
//! data.state.q[2] += 0.5;
//! for _ in 0..100 {
//!     saltus::step(&model, &mut data)?;
//! }
//! println!("{:?}, {} contacts", data.state.q, data.contacts.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod atlas;
mod cpu;
mod load;
mod published;
pub mod shipped;
pub mod task;

pub use cpu::check_cpu;
pub use load::{BINARY_EXTENSION, Error, LoadOptions, Loaded, load, load_spec, load_spec_with, load_with};
pub use saltus_io as io;
pub use saltus_math as math;
pub use saltus_maximal as maximal;
pub use saltus_opt as opt;
pub use saltus_sim as sim;
pub use saltus_sim::{
    Data, Model, ModelSpec, Options, Stage, StepError, compile, forward, forward_from, forward_smooth,
    forward_smooth_from, rollout, step, step_or_reset, step_with,
};
