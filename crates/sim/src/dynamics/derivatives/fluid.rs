//! Fluid forces: D −= Jᵀ (∂f/∂v) J for each shape, f and v in the shape's own axes.

use crate::data::Data;
use crate::dynamics::fluid::{Ellipsoid, FluidShape, InertiaBox, for_each_shape, relative_velocity};
use crate::kinematics::jacobian::{dofs_of, for_each_column};
use crate::model::Model;
use crate::options::Disable;
use saltus_math::{Force, Mat6, Motion, TreeMatrix, ldl::TreePattern};

/// Adds the contributions of fluid forces to D. `columns` is working memory.
pub(super) fn add_fluid_damping(
    model: &Model,
    data: &Data,
    pattern: &TreePattern,
    columns: &mut Vec<Motion>,
    D: &mut TreeMatrix,
) {
    add(model, data, pattern, columns, D, Ellipsoid::force_change);
}

/// [`add_fluid_damping`] for drag and viscous resistance only.
pub(super) fn add_fluid_drag(
    model: &Model,
    data: &Data,
    pattern: &TreePattern,
    columns: &mut Vec<Motion>,
    D: &mut TreeMatrix,
) {
    add(model, data, pattern, columns, D, Ellipsoid::drag_change);
}

fn add(
    model: &Model,
    data: &Data,
    pattern: &TreePattern,
    columns: &mut Vec<Motion>,
    D: &mut TreeMatrix,
    change: impl Fn(&Ellipsoid, Motion, Motion) -> Force,
) {
    let off = model.options.disable;
    if off.has(Disable::SPRING) && off.has(Disable::DAMPER) {
        return;
    }
    for_each_shape(model, |shape| {
        let Some((object, v)) = relative_velocity(model, data, shape) else { return };
        let damping = match shape {
            FluidShape::Box(b) => {
                let d = InertiaBox::of(model, b).damping(v);
                Mat6::from_fn(|x| Force::new(d.ang * x.ang, d.lin * x.lin))
            }
            FluidShape::Ellipsoid(g) => {
                let ellipsoid = Ellipsoid::of(model, g);
                Mat6::from_fn(|x| -change(&ellipsoid, v, x))
            }
        };
        columns.resize(model.size.nv, Motion::ZERO);
        for_each_column(model, data, object.body, object.p, |i, ang, lin| {
            columns[i] = Motion::new(object.R.tmul(ang), object.R.tmul(lin));
        });
        for i in dofs_of(model, object.body) {
            let (right, left) = (damping.mul(columns[i]), damping.tmul(columns[i]));
            for k in pattern.range(i) {
                let j = columns[pattern.col[k] as usize];
                D.lower[k] += j.dot(left);
                D.upper[k] += j.dot(right);
            }
        }
    });
}
