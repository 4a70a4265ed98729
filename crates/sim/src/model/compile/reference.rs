//! Constants that follow from the reference pose.

use super::names::Outcome;
use super::work::WorkBody;
use crate::model::Model;
use crate::model::spec::ModelSpec;

/// Recomputes everything that follows from the masses, frames and coordinates of the reference pose.
pub fn update_reference(model: &mut Model) {
    update_subtree_mass(model);
}

/// Constants and statistics of a newly compiled model.
pub(super) fn fill_reference(_spec: &ModelSpec, _bodies: &[WorkBody], model: &mut Model) -> Outcome {
    update_reference(model);
    Ok(())
}

fn update_subtree_mass(model: &mut Model) {
    let bodies = &mut model.bodies;
    bodies.subtree_mass.copy_from_slice(&bodies.mass);
    for b in (1..bodies.parent.len()).rev() {
        let mass = bodies.subtree_mass[b];
        bodies.subtree_mass[bodies.parent[b].idx()] += mass;
    }
}
