//! Springs and servos given by time constants and damping ratios.

use super::names::{Element, Outcome};
use super::weights;
use super::work::WorkBody;
use crate::data::Data;
use crate::model::Model;
use crate::model::spec::ModelSpec;
use saltus_math::MIN_VAL;

/// Joint stiffness and damping from a time constant T and a damping ratio ζ: with the effective
/// inertia m of the joint, d = 2 m / T and k = m / (T ζ)².
pub(super) fn fill_spring_dampers(bodies: &[WorkBody], model: &mut Model) {
    for (j, joint) in bodies.iter().flat_map(|b| &b.spec.joints).enumerate() {
        let [time, ratio] = joint.spring_damper;
        if time <= 0.0 || ratio <= 0.0 {
            continue;
        }
        let start = model.joints.dof_start[j] as usize;
        let dofs = start..start + joint.kind.nv();
        let mean = model.dofs.inv_weight[dofs.clone()].iter().sum::<f64>() / joint.kind.nv() as f64;
        let inertia = 1.0 / mean.max(MIN_VAL);
        model.joints.stiffness[j] = inertia / (time * time * ratio * ratio).max(MIN_VAL);
        for d in dofs {
            model.dofs.damping[d] = 2.0 * inertia / time.max(MIN_VAL);
        }
    }
}

/// Velocity gain of servos from a damping ratio ζ: 2 ζ √(k m), with the reflected inertia
/// m = (J M⁻¹ Jᵀ)⁻¹.
pub(super) fn fill_damping_ratios(spec: &ModelSpec, model: &mut Model, data: &Data) -> Outcome {
    let mut x = vec![0.0; model.size.nv];
    for (a, actuator) in spec.actuators.iter().enumerate() {
        let Some(ratio) = actuator.damping_ratio else { continue };
        let element = Element::new("actuator", &actuator.name, a, &actuator.place);
        let stiffness = -actuator.bias_prm[1];
        element.check(ratio >= 0.0 && stiffness >= 0.0 && ratio.is_finite(), || {
            "dampratio needs a position gain and a ratio that are not negative".into()
        })?;
        let span = model.actuators.moment[a].range();
        let (cols, row) = (&model.actuators.moment_col[span.clone()], &data.position.actuator_moment[span]);
        let inverse = weights::solved(model, data, cols, row, &mut x);
        let mass = if inverse < MIN_VAL { 0.0 } else { 1.0 / inverse };
        let gain = 2.0 * ratio * (stiffness * mass).sqrt();
        model.actuators.bias_prm[a][2] = -gain;
    }
    Ok(())
}
