//! The engine's options with which the robot like Atlas is simulated in Figs. 3 to 5.

use saltus::atlas::Engine;
use saltus::maximal::{FixedBodies, Options};

/// Share α of inertia ratio reduction. The paper gives none. 0.1 leaves ratios of ten across the ankles; 0.5 makes inertias on both sides of a joint equal,
/// and feet then pitch until their heels come off the ground (shown in Fig. 3b).
pub const ALPHA: f64 = 0.1;
/// s.
pub const STEP: f64 = 1e-3;

/// All modifications of the paper, with pads of fingers as links of their own: forces reach the object through 0.01 kg.
pub fn published() -> Options {
    Options { inertia_reduction: ALPHA, fixed_bodies: FixedBodies::Rows, ..Options::default() }
}

/// Exact joints, of the same links.
pub fn tree() -> Options {
    Options { fixed_bodies: FixedBodies::Rows, ..Options::tree() }
}

pub fn engine(options: Options) -> Engine {
    Engine::Maximal(options)
}
