//! Tendons: forces along lengths l(q) whose Jacobian changes with q.
//!
//! All forces along a tendon are summed to one force f and its derivatives with respect to l, J v
//! and J a. Then −∂(Jᵀ f) is
//!   Jᵀ (α J + β g(v) + γ g(a)) − f ∂Jᵀ,   g(y) = ∂(J y)/∂q at constant y.
//! The derivative of J for a path is in `string`.

use super::chain::At;
use super::outer::{Row, Stiffness, add_outer};
use super::response::Answers;
use super::rows::polynomial_slopes;
use super::string::{Column, String};
use super::sweep::Matrices;
use super::{Inexact, Report};
use crate::data::Data;
use crate::dynamics::passive::{tendon_damper, tendon_spring, tendon_stretch};
use crate::dynamics::{tendon_armature, tendon_passive};
use crate::model::Model;
use crate::options::Disable;
use crate::tendon::spatial::for_each_path;

/// Forces along tendons.
#[derive(Clone, Debug, Default)]
pub(super) struct Tendons {
    pub force: Vec<f64>,
    pub stiffness: Vec<Stiffness>,
    /// Blocks of rows that are equalities of tendons.
    pub equalities: Vec<usize>,
    /// Whether armature is omitted.
    pub light: bool,
    /// g(v) and g(a), in the layout of the tendons' Jacobians.
    g: [Vec<f64>; 2],
    /// The same for one tendon, dense, nv entries.
    dense: [Vec<f64>; 2],
    /// Tendons with armature, and armature times the derivatives of l̈ with respect to q and v, in
    /// the layout of the Jacobians.
    pub heavy: Vec<bool>,
    columns: Vec<Column>,
    l_dot_dot: [Vec<f64>; 2],
}

impl Tendons {
    pub fn clear(&mut self, model: &Model) {
        self.force.clear();
        self.force.resize(model.ntendon(), 0.0);
        self.stiffness.clear();
        self.stiffness.resize(model.ntendon(), Stiffness::default());
        self.heavy.clear();
        self.heavy.resize(model.ntendon(), false);
        self.equalities.clear();
    }

    /// Adds a force along tendon `t`.
    pub fn add(&mut self, t: usize, force: f64, stiffness: Stiffness) {
        self.force[t] += force;
        self.stiffness[t].add(1.0, stiffness);
    }

    /// Springs and dampers.
    pub fn add_passive(&mut self, model: &Model, data: &Data) {
        let off = model.options.disable;
        if off.has(Disable::SPRING) && off.has(Disable::DAMPER) {
            return;
        }
        for t in 0..model.ntendon() {
            let (spring, damper) = tendon_passive(model, data, t);
            let stretch = tendon_stretch(model, t, data.position.tendon_length[t]);
            let [lower, upper] = model.tendons.length_spring[t];
            let mut stiffness = Stiffness::default();
            if !off.has(Disable::SPRING) && (stretch != 0.0 || lower == upper) {
                stiffness.length = tendon_spring(model, t).spring_slope(stretch);
            }
            if !off.has(Disable::DAMPER) {
                stiffness.velocity = tendon_damper(model, t).damper_slope(data.velocity.tendon_velocity[t]);
            }
            self.add(t, spring + damper, stiffness);
        }
    }

    /// Adds all contributions to the matrices; `a` is the acceleration in J a.
    pub fn finish(&mut self, at: At<'_>, answers: &Answers<'_>, a: &[f64], out: &mut Matrices, report: &mut Report) {
        let At { model, data, .. } = at;
        if model.ntendon() == 0 {
            return;
        }
        let equalities = core::mem::take(&mut self.equalities);
        for &k in &equalities {
            self.add_equality_force(model, data, answers, k);
        }
        self.update_paths(at, &equalities, a, out, report);
        for &k in &equalities {
            self.add_equality(model, data, answers, k, out);
        }
        self.equalities = equalities;
        let nv = model.size.nv;
        for t in 0..model.ntendon() {
            let (span, s) = (model.tendons.jac[t].range(), self.stiffness[t]);
            if self.heavy[t] {
                let cols = &model.tendons.jac_col[span.clone()];
                let J = Row::new(cols, &data.position.tendon_jac[span.clone()]);
                add_outer(&mut out.q, nv, 1.0, J, Row::new(cols, &self.l_dot_dot[0][span.clone()]));
                add_outer(&mut out.v, nv, 1.0, J, Row::new(cols, &self.l_dot_dot[1][span.clone()]));
            }
            if !s.is_zero() {
                let cols = &model.tendons.jac_col[span.clone()];
                let J = Row::new(cols, &data.position.tendon_jac[span.clone()]);
                s.add_constant_row(J, nv, out);
                if model.tendons.spatial[t] && (s.velocity != 0.0 || s.acceleration != 0.0) {
                    add_outer(&mut out.q, nv, s.velocity, J, Row::new(cols, &self.g[0][span.clone()]));
                    add_outer(&mut out.q, nv, s.acceleration, J, Row::new(cols, &self.g[1][span]));
                }
            }
        }
    }

    /// The inertial force −m l̈ of a spatial tendon with armature m, and the derivatives of l̈;
    /// false if the tendon wraps around a geom or couples branches of the tree: the inertia matrix
    /// omits such couplings.
    fn update_inertia(&mut self, at: At<'_>, t: usize, inertia: f64) -> bool {
        let At { model, data, .. } = at;
        let (span, pattern) = (model.tendons.jac[t].range(), &model.mass_pattern);
        let cols = &model.tendons.jac_col[span.clone()];
        let inside = cols.last().is_none_or(|&last| {
            let row = &pattern.col[pattern.range(last as usize)];
            cols.iter().all(|c| row.binary_search(c).is_ok())
        });
        let mut straight = true;
        for_each_path(model, data, t, |path| straight &= path.geom.is_none());
        if !inside || !straight {
            return false;
        }
        for x in &mut self.dense {
            x.clear();
            x.resize(model.size.nv, 0.0);
        }
        for l in &mut self.l_dot_dot {
            l.resize(model.tendons.jac_col.len(), 0.0);
        }
        let (dense, mut value) = (&mut self.dense, 0.0);
        for_each_path(model, data, t, |path| {
            value += String::of(model, data, path).add_acceleration(at, dense);
        });
        for (l, dense) in self.l_dot_dot.iter_mut().zip(&self.dense) {
            for (l, &c) in l[span.clone()].iter_mut().zip(cols) {
                *l = inertia * dense[c as usize];
            }
        }
        self.force[t] -= inertia * value;
        self.heavy[t] = true;
        true
    }

    /// g(v) and g(a) of all spatial tendons for which they are needed, and −f ∂Jᵀ.
    fn update_paths(&mut self, at: At<'_>, equalities: &[usize], a: &[f64], out: &mut Matrices, report: &mut Report) {
        let At { model, data, .. } = at;
        let nv = model.size.nv;
        for g in &mut self.g {
            g.resize(model.tendons.jac_col.len(), 0.0);
        }
        for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t]) {
            let inertia = tendon_armature(model, t);
            if inertia != 0.0 && !self.light && !self.update_inertia(at, t, inertia) {
                report.add(Inexact::Tendon(t));
            }
            let (force, s) = (self.force[t], self.stiffness[t]);
            let coupled = equalities.iter().any(|&k| involves(model, data, k, t));
            let rated = s.velocity != 0.0 || s.acceleration != 0.0 || coupled;
            if force == 0.0 && !rated {
                continue;
            }
            for x in &mut self.dense {
                x.clear();
                x.resize(nv, 0.0);
            }
            let ([by_v, by_a], columns) = (&mut self.dense, &mut self.columns);
            let v = &data.state.v;
            for_each_path(model, data, t, |path| {
                let string = String::of(model, data, path);
                if !string.smooth {
                    report.add(Inexact::Tendon(t));
                }
                string.for_each_change(at, columns, |j, k, change| {
                    out.q[j * nv + k] -= force * change;
                    by_v[k] += v[j] * change;
                    by_a[k] += a[j] * change;
                });
            });
            if !rated {
                continue;
            }
            let span = model.tendons.jac[t].range();
            for (g, dense) in self.g.iter_mut().zip(&self.dense) {
                for (g, &c) in g[span.clone()].iter_mut().zip(&model.tendons.jac_col[span.clone()]) {
                    *g = dense[c as usize];
                }
            }
        }
    }

    /// Adds the forces of a tendon equality to its tendons.
    fn add_equality_force(&mut self, model: &Model, data: &Data, answers: &Answers<'_>, k: usize) {
        let block = &data.constraints.blocks[k];
        let e = block.id as usize;
        let (f, _) = answers.row(block);
        self.force[model.equalities.object1[e] as usize] += f;
        if let Some(x) = model.equalities.object2[e].map(|t| t as usize) {
            let stretch = data.position.tendon_length[x] - model.tendons.length0[x];
            self.force[x] -= polynomial_slopes(&model.equalities.data[e], stretch).0 * f;
        }
    }

    /// r = y − p(x) of two tendons: J = J_y − p' J_x, ∂J = ∂J_y − p' ∂J_x − p'' J_xᵀ J_x.
    fn add_equality(&self, model: &Model, data: &Data, answers: &Answers<'_>, k: usize, out: &mut Matrices) {
        let (nv, rows) = (model.size.nv, &data.constraints);
        let block = &rows.blocks[k];
        let e = block.id as usize;
        let (f, stiffness) = answers.row(block);
        let (y, x) = (model.equalities.object1[e] as usize, model.equalities.object2[e].map(|t| t as usize));
        let cols = &rows.col[block.cols.range()];
        let J = Row::new(cols, &rows.J[block.row_values(0)]);
        stiffness.add_constant_row(J, nv, out);
        let stretch = |t: usize| data.position.tendon_length[t] - model.tendons.length0[t];
        let (slope, curvature) = x.map_or((0.0, 0.0), |x| polynomial_slopes(&model.equalities.data[e], stretch(x)));
        let weights = [stiffness.velocity, stiffness.acceleration];
        let jac = |t: usize| {
            let span = model.tendons.jac[t].range();
            (Row::new(&model.tendons.jac_col[span.clone()], &data.position.tendon_jac[span.clone()]), span)
        };
        for (t, scale) in [Some((y, 1.0)), x.map(|x| (x, -slope))].into_iter().flatten() {
            if model.tendons.spatial[t] {
                let (row, span) = jac(t);
                for (g, weight) in self.g.iter().zip(weights) {
                    add_outer(&mut out.q, nv, weight * scale, J, Row::new(row.cols, &g[span.clone()]));
                }
            }
        }
        if let Some(x) = x {
            let (row, _) = jac(x);
            add_outer(&mut out.q, nv, f * curvature, row, row);
            let drift = weights[0] * row.dot(&data.state.v) + weights[1] * row.dot(answers.a);
            add_outer(&mut out.q, nv, -curvature * drift, J, row);
        }
    }
}

/// Calls `f(j, k, ∂J_j/∂q_k)` for a spatial tendon; an entry may occur several times.
pub(super) fn for_each_jacobian_change(at: At<'_>, t: usize, mut f: impl FnMut(usize, usize, f64)) {
    let At { model, data, .. } = at;
    let mut columns = vec![];
    for_each_path(model, data, t, |path| {
        String::of(model, data, path).for_each_change(at, &mut columns, &mut f);
    });
}

/// Whether the equality of block `k` involves tendon `t`.
fn involves(model: &Model, data: &Data, k: usize, t: usize) -> bool {
    let e = data.constraints.blocks[k].id as usize;
    model.equalities.object1[e] as usize == t || model.equalities.object2[e] == Some(t as u32)
}
