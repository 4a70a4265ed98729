//! Effect of parameters on the softness of rows under discrete steps: (2) of
//! `derivative::softness`, with M and M̂ that change dof by dof, and rows that change with
//! positions, sizes and friction.

use super::offset::extra_dof;
use super::product::{Implicit, Vector, add_implicit, add_inertia};
use super::tendon::rate;
use super::{Parameter, Point, Quantity, contact};
use crate::data::{Block, RowKind};
use crate::derivative::chain::{At, Chain};
use crate::derivative::contact::softness::row_change_by;
use crate::derivative::implicit::{Implicit as Metric, Scheme};
use crate::derivative::rows::{polynomial_slopes, tendon_sign};
use crate::derivative::softness::{Place, Row, rows_of};
use crate::derivative::string::String;
use crate::derivative::sweep::{ExtraDof, subtree};
use crate::derivative::{Report, equality};
use crate::model::kinds::EqualityType;
use crate::tendon::spatial::for_each_path;

/// Adds to the columns of all parameters, nv entries each.
pub(super) fn add(point: &Point<'_>, parameters: &[Parameter], columns: &mut [f64], report: &mut Report) {
    let (model, data, nv) = (point.at.model, point.at.data, point.at.model.size.nv);
    let diagonals = diagonal_changes(point, parameters, report);
    let (mut row, mut chain) = (Row::default(), Chain::default());
    for block in &data.constraints.blocks {
        for r in rows_of(block) {
            if !row.update(point.at, &point.answers, Place { block, row: r }) {
                continue;
            }
            chain.update(model, &data.position.S, &row.by_J, &row.by_J, false);
            let at = At { chain: &chain, ..point.at };
            let moved = Moved { point: Point { at, ..*point }, block, row: r, weights: &row.by_J };
            for ((column, diagonals), &parameter) in
                columns.chunks_exact_mut(nv).zip(diagonals.chunks_exact(nv)).zip(parameters)
            {
                let mut change = moved.row_change(parameter, report);
                for ([M, M_hat], (by_M, by_hat)) in diagonals.iter().zip(row.by_M.iter().zip(&row.by_hat)) {
                    change += by_M * M + by_hat * M_hat;
                }
                column.iter_mut().zip(&row.force).for_each(|(c, f)| *c -= f * change);
            }
        }
    }
}

/// ∂M_cc and ∂M̂_cc for each parameter and dof.
fn diagonal_changes(point: &Point<'_>, parameters: &[Parameter], report: &mut Report) -> Vec<[f64; 2]> {
    let (model, data, nv) = (point.at.model, point.at.data, point.at.model.size.nv);
    let mut changes = vec![[0.0; 2]; parameters.len() * nv];
    let (mut unit, mut column) = (vec![0.0; nv], vec![0.0; nv]);
    let mut metric = Metric::default();
    let stretched = parameters.iter().any(|p| p.quantity == Quantity::BodyPos) && model.tendons.spatial.contains(&true);
    let scheme = Scheme::Discrete { s: false };
    metric.tendons.clear(model);
    for c in 0..nv {
        unit.fill(0.0);
        unit[c] = 1.0;
        if stretched {
            metric.update(model, data, &unit, scheme, report);
        }
        let vector = Vector::new(model, data, &unit);
        let implicit = Implicit::new(model, data, scheme, &unit, &metric.tendons);
        for (p, &parameter) in parameters.iter().enumerate() {
            column.fill(0.0);
            add_inertia(point, &vector, parameter, &mut column);
            let M = column[c];
            add_implicit(point, &implicit, parameter, &mut column, report);
            changes[p * nv + c] = [M, column[c]];
        }
    }
    changes
}

/// A row and the weights w of its ∂J, which generate the motions of the chain.
struct Moved<'a> {
    point: Point<'a>,
    block: &'a Block,
    row: usize,
    weights: &'a [f64],
}

impl Moved<'_> {
    /// Σ w ∂J.
    fn row_change(&self, parameter: Parameter, report: &mut Report) -> f64 {
        let contact = self.block.kind as i32 >= RowKind::ContactFrictionless as i32;
        match parameter.quantity {
            Quantity::BodyPos => self.by_dof(&extra_dof(&self.point, self.point.at.chain, parameter)),
            Quantity::GeomPos | Quantity::GeomSize | Quantity::GeomFriction | Quantity::PairFriction if contact => {
                contact::row_change(&self.point, self.block, parameter, report)
            }
            _ => 0.0,
        }
    }

    fn by_dof(&self, dof: &ExtraDof) -> f64 {
        let (at, id) = (self.point.at, self.block.id as usize);
        let At { model, data, .. } = at;
        match self.block.kind {
            RowKind::FrictionDof | RowKind::LimitJoint => 0.0,
            RowKind::FrictionTendon => self.tendon(id, dof).0,
            RowKind::LimitTendon => tendon_sign(model, data, self.block) * self.tendon(id, dof).0,
            RowKind::Equality => match model.equalities.kind[id] {
                EqualityType::Joint => 0.0,
                EqualityType::Connect | EqualityType::Weld => {
                    equality::row_change_by(at, self.block, dof)[self.row / 3][self.row % 3]
                }
                EqualityType::Tendon => self.tendons(id, dof),
            },
            _ => row_change_by(at, self.block, dof),
        }
    }

    /// Σ w ∂J of a tendon, and ∂l.
    fn tendon(&self, t: usize, dof: &ExtraDof) -> (f64, f64) {
        let (model, data) = (self.point.at.model, self.point.at.data);
        let (mut sum, mut length, mut scratch) = (0.0, 0.0, vec![]);
        if model.tendons.spatial[t] {
            let behind = subtree(model, dof.body);
            for_each_path(model, data, t, |path| {
                let string = String::of(model, data, path);
                let add = |j: usize, dJ: f64| sum += self.weights[j] * dJ;
                length += string.for_each_change_by(model, data, dof, &behind, &mut scratch, add);
            });
        }
        (sum, length)
    }

    /// The same for an equality: ∂J = ∂J_y − p' ∂J_x − p'' J_x ∂l_x.
    fn tendons(&self, e: usize, dof: &ExtraDof) -> f64 {
        let (model, data) = (self.point.at.model, self.point.at.data);
        let (sum, _) = self.tendon(model.equalities.object1[e] as usize, dof);
        let Some(x) = model.equalities.object2[e].map(|t| t as usize) else { return sum };
        let stretch = data.position.tendon_length[x] - model.tendons.length0[x];
        let (slope, curvature) = polynomial_slopes(&model.equalities.data[e], stretch);
        let (own, length) = self.tendon(x, dof);
        sum - slope * own - curvature * length * rate(&self.point, x, self.weights)
    }
}
