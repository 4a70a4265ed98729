//! Second derivatives of yᵀ ID(q, v, a): the contribution of the curvature of forces to Newton's
//! Hessian of a trajectory.
//!
//! In closed form for trees with contacts on fixed planes, under the invertible law without walls
//! (`tree`); by differences of yᵀ ∂ID (`product`) otherwise (`difference`). Changes of q are in the
//! tangent space: second derivatives with respect to the dofs of one ball, which depend on their
//! order, are symmetrized, which corresponds to exponential coordinates.

mod difference;
mod plain;
mod tree;

use super::equation::{Forces, linearize_unswept};
use super::point::{PointError, run_inverse};
use super::product::{Product, inverse_product};
use super::sweep::Ancestors;
use super::{Workspace, check_sizes};
use crate::data::Data;
use crate::model::Model;

/// Derivatives of yᵀ ID, nv, and second derivatives, nv × nv each, row-major: qv has rows by q and
/// columns by v.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curvature {
    pub by_q: Vec<f64>,
    pub by_v: Vec<f64>,
    pub by_a: Vec<f64>,
    pub qq: Vec<f64>,
    pub qv: Vec<f64>,
    pub qa: Vec<f64>,
    pub vv: Vec<f64>,
    pub va: Vec<f64>,
    pub aa: Vec<f64>,
}

impl Curvature {
    fn clear(&mut self, nv: usize) {
        for x in [&mut self.by_q, &mut self.by_v, &mut self.by_a] {
            x.clear();
            x.resize(nv, 0.0);
        }
        for x in [&mut self.qq, &mut self.qv, &mut self.qa, &mut self.vv, &mut self.va, &mut self.aa] {
            x.clear();
            x.resize(nv * nv, 0.0);
        }
    }

    fn gradient(&mut self) -> Product<'_> {
        Product { by_q: &mut self.by_q, by_v: &mut self.by_v, by_a: &mut self.by_a }
    }
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    ancestors: Ancestors,
    tree: tree::Tree,
    moved: Curvature,
}

/// First and second derivatives of yᵀ ID at the current q, v and a of `data`, which holds the
/// results of inverse dynamics there before and after the call.
pub fn inverse_curvature(
    model: &Model,
    data: &mut Data,
    y: &[f64],
    work: &mut Workspace,
    out: &mut Curvature,
) -> Result<(), PointError> {
    check_sizes(model, &[("y", y.len())], model.size.nv)?;
    out.clear(model.size.nv);
    let Workspace { acceleration, adjoint, curvature, report, .. } = &mut *work;
    report.clear();
    let equation = linearize_unswept(model, data, Forces::default(), &mut acceleration.equation, report)?;
    if let Some(lift) = adjoint.multiply(&equation, y, &mut out.gradient())
        && plain::is_plain(model, data)
        && curvature.tree.gather(&equation, lift)
    {
        curvature.tree.add(equation.at, curvature.ancestors.of(model), lift, out);
        return Ok(());
    }
    difference::update(model, data, y, work, out)?;
    run_inverse(model, data, false)
}
