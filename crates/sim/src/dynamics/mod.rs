//! Inertia, bias forces, passive forces, energy, momentum.

mod crb;
pub mod derivatives;
mod energy;
pub(crate) mod fluid;
mod gyroscopic;
mod momentum;
pub(crate) mod passive;
mod post_constraint;
mod rne;
mod step_inertia;

pub(crate) use crb::tendon_armature;
pub use crb::{update_factor, update_inertia};
pub use energy::{update_kinetic_energy, update_potential_energy};
pub(crate) use fluid::semi_axes;
pub(crate) use gyroscopic::{add_gyroscopic, add_gyroscopic_force, find_gyroscopic, solve6};
pub use momentum::update_momentum;
pub(crate) use passive::tendon_passive;
pub use passive::{calc_dof_stiffness, update_passive};
pub use post_constraint::update_post_constraint;
pub(crate) use rne::world_acceleration;
pub use rne::{calc_rne, update_bias};
pub(crate) use step_inertia::update_step_inertia;
