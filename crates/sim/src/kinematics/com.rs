//! Centres of mass, and quantities expressed in the c-frame: motion axes and body inertias. O(n).

use crate::data::Data;
use crate::joint::{ball, free, hinge, slide};
use crate::model::{Model, kinds::JointKind};
use saltus_math::{MIN_VAL, SpatialInertia, Vec3};

/// Fills `com`, `S` and `I` of `data.position`. Needs kinematics.
pub fn update_com(model: &Model, data: &mut Data) {
    let (bodies, position) = (&model.bodies, &mut data.position);
    let nbody = model.nbody();

    // Σ m p over subtrees, then the mean.
    for b in 0..nbody {
        position.com[b] = position.p_WI[b] * bodies.mass[b];
    }
    for b in (1..nbody).rev() {
        let moment = position.com[b];
        position.com[bodies.parent[b].idx()] += moment;
    }
    for b in 0..nbody {
        let mass = bodies.subtree_mass[b];
        position.com[b] = if mass < MIN_VAL { position.p_WI[b] } else { position.com[b] / mass };
    }

    position.I[0] = SpatialInertia::ZERO;
    for b in 1..nbody {
        let r = position.p_WI[b] - position.com[bodies.root[b].idx()];
        position.I[b] = SpatialInertia::from_principal(bodies.inertia[b], &position.R_WI[b], r, bodies.mass[b]);
    }

    for j in 0..model.njoint() {
        let b = model.joints.body[j].idx();
        let r: Vec3 = position.com[bodies.root[b].idx()] - position.p_WJ[j];
        let S = &mut position.S[model.joints.dof_start[j] as usize..];
        match model.joints.kind[j] {
            JointKind::Free => free::axes(&position.R_WB[b], r, S),
            JointKind::Ball => ball::axes(&position.R_WB[b], r, S),
            JointKind::Slide => S[0] = slide::axis(position.axis_W[j]),
            JointKind::Hinge => S[0] = hinge::axis(position.axis_W[j], r),
        }
    }
}
