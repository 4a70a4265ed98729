//! Bilateral rows of joints: Nᵀ V_rel = −(ERP/h) Nᵀ e (9).

use super::{At, Bound, Kind, Rows};

pub fn push_joints(at: &At<'_>, rows: &mut Rows) {
    for link in 1..at.links.len() {
        let frame = &at.frames[link];
        for N in &frame.N[..frame.rows] {
            let first = rows.jacobian.len();
            rows.push_relative(at.links, at.bodies, frame, link, *N, 1.0);
            let error = N.ang.dot(frame.error.ang) + N.lin.dot(frame.error.lin);
            let targets = at.targets(0.0, -at.correction * error);
            rows.push(first, Kind::Joint { link: link as u32 }, Bound::None, at.mixing, targets);
        }
    }
}
