//! Velocity feedback of actuators: D −= ∂f/∂l̇ · momentᵀ moment.

use crate::actuation::calc_slope;
use crate::data::Data;
use crate::model::Model;
use saltus_math::{TreeMatrix, ldl::TreePattern};

/// Adds the contributions of actuators to D. Needs the results of actuation.
pub(super) fn add_actuator_damping(model: &Model, data: &Data, pattern: &TreePattern, D: &mut TreeMatrix) {
    for a in 0..model.nactuator() {
        let slope = calc_slope(model, data, a).velocity;
        if slope != 0.0 {
            let span = model.actuators.moment[a].range();
            let (cols, moment) = (&model.actuators.moment_col[span.clone()], &data.position.actuator_moment[span]);
            D.add_outer(pattern, -slope, cols, moment);
        }
    }
}
