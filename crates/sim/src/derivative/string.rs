//! Path of a string between points of bodies, straight or around an obstacle: derivatives of the
//! row J of its length with respect to q.
//!
//! For each straight part from p₁ to p₂, of direction u and length s, J_j = u · (w₂ − w₁), w = w_j
//! the velocities of the points in their bodies due to dof j. With ∂u = (1 − u uᵀ)(∂p₂ − ∂p₁)/s and
//! S_j moved by the preceding dofs,
//!   ∂J_j/∂q_k = ∂_k u · (w₂ − w₁) + u · (∂_k w₂ − ∂_k w₁),
//!   ∂_k w = [k moves j] (S_k × S_j at p) + ω_j × ∂_k p.                                      (1)
//! Ends are fixed in their bodies; tangent points also slide over the obstacle, by `wrap`, when the
//! ends move relative to it. Dofs that move the whole string have no effect.

use super::chain::{At, By, Chain};
use super::sweep::ExtraDof;
use super::wrap::{Slides, slides};
use crate::data::Data;
use crate::kinematics::jacobian::dofs_of;
use crate::model::{Model, kinds::GeomShape};
use crate::tendon::{Obstacle, spatial::SitePath};
use core::ops::Range;
use saltus_math::{MIN_VAL, Motion, Vec3};

/// A path, its straight parts whose length varies, and the sliding of its tangent points.
pub(super) struct String<'a> {
    path: &'a SitePath,
    /// From the origin of the body's c-frame to each point.
    r: [Vec3; 4],
    /// First point of each straight part, its direction and length.
    parts: [(usize, Vec3, f64); 2],
    n_part: usize,
    /// Sliding of the tangent points, in world axes.
    slides: Option<Slides>,
    /// Whether the tangent points move smoothly.
    pub smooth: bool,
}

impl<'a> String<'a> {
    pub fn of(model: &Model, data: &Data, path: &'a SitePath) -> Self {
        let arm = |i: usize| path.p[i] - data.position.com[model.bodies.root[path.body[i]].idx()];
        let mut out = Self {
            path,
            r: [0, 1, 2, 3].map(arm),
            parts: [(0, Vec3::X, 1.0); 2],
            n_part: 0,
            slides: None,
            smooth: true,
        };
        for i in (0..path.count).step_by(2) {
            let (u, s) = saltus_math::normalize(path.p[i + 1] - path.p[i]);
            if path.body[i] != path.body[i + 1] && s > MIN_VAL {
                out.parts[out.n_part] = (i, u, s);
                out.n_part += 1;
            }
        }
        if let Some(g) = path.geom {
            let (p, R) = (data.position.p_WG[g], data.position.R_WG[g]);
            let local = |i: usize| R.tmul(path.p[i] - p);
            let shape = if model.geoms.shape[g] == GeomShape::Sphere { Obstacle::Sphere } else { Obstacle::Cylinder };
            let found = slides(shape, model.geoms.size[g][0], [local(0), local(3)], [local(1), local(2)]);
            out.smooth = found.is_some();
            out.slides = found.map(|m| m.map(|row| row.map(|x| R * x * R.transpose())));
        }
        out
    }

    /// The dofs that move part of the string, and the motions of its points.
    fn find_columns(&self, model: &Model, data: &Data, columns: &mut Vec<Column>) {
        let path = self.path;
        columns.clear();
        let ends = if path.count > 2 { &[0, 1, 3][..] } else { &[0, 1] };
        for &i in ends {
            for dof in dofs_of(model, path.body[i]) {
                match columns.iter_mut().find(|c| c.dof == dof) {
                    Some(column) => column.moves[i] = true,
                    None => {
                        let mut moves = [false; 4];
                        moves[i] = true;
                        columns.push(Column { dof, moves, w: [Vec3::ZERO; 4], dp: [Vec3::ZERO; 4] });
                    }
                }
            }
        }
        columns.retain(|c| !ends.iter().all(|&i| c.moves[i]));
        for column in columns {
            self.fill_column(data.position.S[column.dof], column);
        }
    }

    /// Motions of the points due to a dof with axis `S`, which moves the given ends.
    fn fill_column(&self, S: Motion, column: &mut Column) {
        let path = self.path;
        // Both tangent points belong to the obstacle.
        column.moves[2] = path.count > 2 && column.moves[1];
        for i in (0..path.count).filter(|&i| column.moves[i]) {
            column.w[i] = S.shifted(self.r[i]).lin;
        }
        column.dp = column.w;
        if let Some(slides) = &self.slides {
            // Motion of the ends relative to the obstacle, which carries the tangent points along.
            let carried = |i: usize| {
                let r = self.r[1] + (path.p[i] - path.p[1]);
                if column.moves[1] { S.shifted(r).lin } else { Vec3::ZERO }
            };
            let ends = [column.w[0] - carried(0), column.w[3] - carried(3)];
            for i in 0..2 {
                column.dp[1 + i] += slides[i][0] * ends[0] + slides[i][1] * ends[1];
            }
        }
    }

    /// Calls `visit(j, k, ∂J_j/∂q_k)` for all pairs of dofs of the string.
    pub fn for_each_change(
        &self,
        At { model, data, chain }: At<'_>,
        columns: &mut Vec<Column>,
        mut visit: impl FnMut(usize, usize, f64),
    ) {
        self.find_columns(model, data, columns);
        for by in &*columns {
            let carries = |j: usize| moves_axis(model, chain, by.dof, j);
            self.for_each_row(data, by, data.position.S[by.dof], carries, columns, |j, change| {
                visit(j, by.dof, change);
            });
        }
    }

    /// Calls `visit(j, ∂J_j)` for a dof that is not part of the model, which moves the bodies
    /// `behind` it; returns ∂l.
    pub fn for_each_change_by(
        &self,
        model: &Model,
        data: &Data,
        dof: &ExtraDof,
        behind: &Range<usize>,
        columns: &mut Vec<Column>,
        visit: impl FnMut(usize, f64),
    ) -> f64 {
        let path = self.path;
        let moves: [bool; 4] = core::array::from_fn(|i| i < path.count && behind.contains(&path.body[i]));
        if moves[..path.count].iter().all(|x| *x == moves[0]) {
            return 0.0;
        }
        let mut by = Column { dof: usize::MAX, moves, w: [Vec3::ZERO; 4], dp: [Vec3::ZERO; 4] };
        self.fill_column(dof.S, &mut by);
        self.find_columns(model, data, columns);
        let carries = |j: usize| behind.contains(&model.dofs.body[j].idx());
        self.for_each_row(data, &by, dof.S, carries, columns, visit);
        let length = |&(i, u, _): &(usize, Vec3, f64)| u.dot(by.w[i + 1] - by.w[i]) / path.divisor;
        self.parts[..self.n_part].iter().map(length).sum()
    }

    /// ∂J_j with respect to a dof with axis `S_k` that moves the axes of some other dofs.
    fn for_each_row(
        &self,
        data: &Data,
        by: &Column,
        S_k: Motion,
        carries: impl Fn(usize) -> bool,
        columns: &[Column],
        mut visit: impl FnMut(usize, f64),
    ) {
        let scale = 1.0 / self.path.divisor;
        let turns: [Vec3; 2] = core::array::from_fn(|k| {
            let (i, u, s) = self.parts[k];
            let d = by.dp[i + 1] - by.dp[i];
            (d - u * u.dot(d)) / s
        });
        for of in columns {
            let S_j = data.position.S[of.dof];
            let carried = carries(of.dof).then(|| S_k.cross_motion(S_j));
            let dw = |i: usize| {
                if !of.moves[i] {
                    return Vec3::ZERO;
                }
                let slid = S_j.ang.cross(by.dp[i]);
                carried.map_or(slid, |m| slid + m.shifted(self.r[i]).lin)
            };
            let mut change = 0.0;
            for (&(i, u, _), turn) in self.parts[..self.n_part].iter().zip(turns) {
                change += turn.dot(of.w[i + 1] - of.w[i]) + u.dot(dw(i + 1) - dw(i));
            }
            visit(of.dof, change * scale);
        }
    }

    /// Adds to `by`, nv entries each, the derivatives with respect to q and v of the second
    /// derivative of the length, u · (v̇₂ − v̇₁) + |w|²/s with w the part of v₂ − v₁ perpendicular
    /// to the string. For strings whose points are fixed in their bodies.
    pub fn add_acceleration(&self, At { model, data, chain }: At<'_>, by: &mut [Vec<f64>; 2]) -> f64 {
        let (path, mut value) = (self.path, 0.0);
        let motion = |i: usize| {
            let (V, A) = (chain.V[path.body[i]].shifted(self.r[i]), chain.A[path.body[i]].shifted(self.r[i]));
            (V.lin, A.lin + V.ang.cross(V.lin))
        };
        for &part in &self.parts[..self.n_part] {
            let (i, u, s) = part;
            let (first, second) = (motion(i), motion(i + 1));
            let (v, a) = (second.0 - first.0, second.1 - first.1);
            let along = u.dot(v);
            let across = v.length_squared() - along * along;
            value += (u.dot(a) + across / s) / path.divisor;
            for (point, sign) in [(i, -1.0), (i + 1, 1.0)] {
                let b = path.body[point];
                let (V, A) = (chain.V[b].shifted(self.r[point]), chain.A[b].shifted(self.r[point]));
                for k in dofs_of(model, b) {
                    for (out, kind) in [(0, By::Q), (1, By::V)] {
                        let motions = chain.change(data.position.S[k], b, k, kind);
                        let [twist, dV, dA] = motions.map(|m| m.shifted(self.r[point]));
                        let dp = twist.lin * sign;
                        let d_velocity = dV.lin + V.ang.cross(twist.lin);
                        let da = dA.lin + A.ang.cross(twist.lin) + dV.ang.cross(V.lin) + V.ang.cross(d_velocity);
                        let (dv, da) = (d_velocity * sign, da * sign);
                        let (ds, du) = (u.dot(dp), (dp - u * u.dot(dp)) / s);
                        let d_across = 2.0 * (v.dot(dv) - along * (du.dot(v) + u.dot(dv)));
                        let change = du.dot(a) + u.dot(da) + d_across / s - across * ds / (s * s);
                        by[out][k] += change / path.divisor;
                    }
                }
            }
        }
        value
    }
}

/// A dof: which points it moves with their bodies, with which velocities, and the resulting motion
/// of the points themselves.
#[derive(Clone, Debug)]
pub(super) struct Column {
    dof: usize,
    moves: [bool; 4],
    w: [Vec3; 4],
    dp: [Vec3; 4],
}

/// Whether dof `k` moves the axis of dof `j`.
fn moves_axis(model: &Model, chain: &Chain, k: usize, j: usize) -> bool {
    let mut above = core::iter::successors(Some(j), |&i| model.dofs.parent[i].map(|d| d.idx()));
    chain.block[k] == chain.block[j] || (k < j && above.any(|i| i == k))
}
