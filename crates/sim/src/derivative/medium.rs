//! Derivatives of fluid forces: a wrench f(v) in the axes of a shape that moves with its body.
//!
//! With v the velocity relative to the fluid in the shape's axes, φ a rotation and ∂p a
//! displacement of the shape in the same axes, and w the wind there: ∂v = F ∂V-part + (φ × w, 0),
//! ∂(force) = φ × f + f' ∂v, ∂(moment) = φ × m + ∂p × f + m' ∂v. The velocity field of the body
//! rotates with it and is constant in its own axes: only Ṡ_k of `chain` enters.

use super::terms::{Slope, Terms, product, transposed_product};
use crate::data::Data;
use crate::dynamics::fluid::{Ellipsoid, FluidShape, InertiaBox, for_each_shape, relative_velocity};
use crate::model::Model;
use crate::options::Disable;
use saltus_math::{Force, Mat3, Mat6, Vec3};

pub(super) fn add(model: &Model, data: &Data, terms: &mut Terms) {
    let off = model.options.disable;
    if off.has(Disable::SPRING) && off.has(Disable::DAMPER) {
        return;
    }
    for_each_shape(model, |shape| {
        let Some((object, v)) = relative_velocity(model, data, shape) else { return };
        if model.bodies.tree[object.body].is_none() {
            return;
        }
        let (force, slope) = match shape {
            FluidShape::Box(b) => {
                let shape = InertiaBox::of(model, b);
                let d = shape.damping(v);
                (shape.force(v), Mat6::from_fn(|x| Force::new(-d.ang * x.ang, -d.lin * x.lin)))
            }
            FluidShape::Ellipsoid(g) => {
                let shape = Ellipsoid::of(model, g);
                (shape.force(v), Mat6::from_fn(|x| shape.force_change(v, x)))
            }
        };
        let r = object.p - data.position.com[model.bodies.root[object.body].idx()];
        let wind = object.R.tmul(model.options.wind);
        let carried = Carried { body: object.body, axes: object.R.transpose(), r, force, slope };
        carried.add_to(wind, terms);
    });
}

/// A wrench in axes fixed in a body, as a function of the velocity in these axes.
pub(super) struct Carried {
    pub body: usize,
    /// Rows are the axes.
    pub axes: Mat3,
    /// From the origin of the c-frame to the point of the wrench.
    pub r: Vec3,
    pub force: Force,
    /// Derivative of the force with respect to velocity.
    pub slope: Mat6,
}

impl Carried {
    /// Adds the wrench in a fluid that moves with `wind` (in the axes of the wrench).
    pub fn add_to(&self, wind: Vec3, terms: &mut Terms) {
        let f = self.force;
        let K = Mat6::from_fn(|m| {
            let turned = Force::new(m.ang.cross(f.ang) + m.lin.cross(f.lin), m.ang.cross(f.lin));
            turned + self.slope.mul(saltus_math::Motion::new(Vec3::ZERO, m.ang.cross(wind)))
        });
        let to_axes = to_axes(&self.axes, self.r);
        // The force moves with the body: in the body's own axes V changes by Ṡ only.
        let [K, B] = [&K, &self.slope].map(|m| Mat6(transposed_product(&to_axes, &product(&m.0, &to_axes))));
        let mut wrench = [0.0; 6];
        for (row, f) in to_axes.iter().zip(f.to_array()) {
            wrench.iter_mut().zip(row).for_each(|(w, t)| *w += t * f);
        }
        terms.add_wrench(self.body, Force::new(Vec3::from_slice(&wrench), Vec3::from_slice(&wrench[3..])));
        terms.add_slope(self.body, self.body, &Slope { K, B, ..Slope::ZERO });
    }
}

/// The map from motions in the c-frame to motions in other axes at the point `r`, angular first.
pub(super) fn to_axes(axes: &Mat3, r: Vec3) -> [[f64; 6]; 6] {
    let turn = |n: Vec3| [n.x, n.y, n.z, 0.0, 0.0, 0.0];
    let line = |n: Vec3| {
        let arm = r.cross(n);
        [arm.x, arm.y, arm.z, n.x, n.y, n.z]
    };
    [turn(axes.r0), turn(axes.r1), turn(axes.r2), line(axes.r0), line(axes.r1), line(axes.r2)]
}
