//! A string between points of bodies, straight or around an obstacle, under a force along its length.
//!
//! For each straight part from p₁ to p₂, of direction u and length s: J y = u · (w₂ − w₁), w the velocities that y gives to
//! points of the bodies, ∂u = (1 − u uᵀ)(∂p₂ − ∂p₁)/s, and the pulls ±f u act at the points. Ends are fixed in their bodies;
//! touching points also slide over the obstacle, by `wrap`, when the ends move relative to it.

use super::chain::Chain;
use super::terms::Terms;
use super::wrap::{Slides, slides};
use crate::data::Data;
use crate::kinematics::jacobian::dofs_of;
use crate::model::{Model, kinds::GeomShape};
use crate::tendon::{Obstacle, spatial::Path};
use saltus_math::{Force, MIN_VAL, Mat6, Motion, Vec3};

/// A path, the straight parts of it that change its length, and how its touching points slide.
pub(super) struct String<'a> {
    path: &'a Path,
    /// From the origin of the body's c-frame to each point.
    r: [Vec3; 4],
    /// First point of each straight part, its direction and length.
    parts: [(usize, Vec3, f64); 2],
    n_part: usize,
    /// World axes.
    slides: Option<Slides>,
    /// Bodies that move, each once.
    bodies: [usize; 3],
    n_body: usize,
    /// Whether the touching points move smoothly.
    pub smooth: bool,
}

impl<'a> String<'a> {
    pub fn of(model: &Model, data: &Data, path: &'a Path) -> Self {
        let arm = |i: usize| path.p[i] - data.position.com[model.bodies.root[path.body[i]].idx()];
        let mut out = Self {
            path,
            r: [0, 1, 2, 3].map(arm),
            parts: [(0, Vec3::X, 1.0); 2],
            n_part: 0,
            slides: None,
            bodies: [0; 3],
            n_body: 0,
            smooth: true,
        };
        for i in (0..path.count).step_by(2) {
            let (u, s) = saltus_math::normalize(path.p[i + 1] - path.p[i]);
            if path.body[i] != path.body[i + 1] && s > MIN_VAL {
                out.parts[out.n_part] = (i, u, s);
                out.n_part += 1;
            }
        }
        for i in [0, 1, 3] {
            let b = path.body[i];
            if model.bodies.tree[b].is_some() && !out.bodies[..out.n_body].contains(&b) {
                out.bodies[out.n_body] = b;
                out.n_body += 1;
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

    /// How the points move with a twist of body `b`.
    fn change(&self, b: usize, twist: Motion) -> [Vec3; 4] {
        let path = self.path;
        let mut dp: [Vec3; 4] =
            core::array::from_fn(|i| if path.body[i] == b { twist.shifted(self.r[i]).lin } else { Vec3::ZERO });
        if let Some(slides) = &self.slides {
            // Ends relative to the obstacle, which carries points along.
            let carried = |i: usize| {
                let by_geom = path.body[1] == b;
                let r = self.r[1] + (path.p[i] - path.p[1]);
                if by_geom { twist.shifted(r).lin } else { Vec3::ZERO }
            };
            let ends = [dp[0] - carried(0), dp[3] - carried(3)];
            for i in 0..2 {
                dp[1 + i] += slides[i][0] * ends[0] + slides[i][1] * ends[1];
            }
        }
        dp
    }

    /// Change of a part's direction.
    fn turn(&self, (i, u, s): (usize, Vec3, f64), dp: &[Vec3; 4]) -> Vec3 {
        let d = dp[i + 1] - dp[i];
        (d - u * u.dot(d)) / s
    }

    /// Adds this string's part of ∂(J v)/∂q and ∂(J a)/∂q · nv each.
    pub fn add_rates(&self, model: &Model, data: &Data, chain: &Chain, dense: &mut [Vec<f64>; 2]) {
        let path = self.path;
        for &b in &self.bodies[..self.n_body] {
            for k in dofs_of(model, b) {
                let S = data.position.S[k];
                let dp = self.change(b, S);
                for (out, own, rate) in [(0, &chain.V, &chain.S_dot), (1, &chain.Y, &chain.sigma)] {
                    let carried = S.cross_motion(own[b]) + rate[k];
                    let w = |i: usize| own[path.body[i]].shifted(self.r[i]).lin;
                    let dw = |i: usize| {
                        let moved = own[path.body[i]].ang.cross(dp[i]);
                        if path.body[i] == b { moved + carried.shifted(self.r[i]).lin } else { moved }
                    };
                    for &part in &self.parts[..self.n_part] {
                        let i = part.0;
                        let rate = self.turn(part, &dp).dot(w(i + 1) - w(i)) + part.1.dot(dw(i + 1) - dw(i));
                        dense[out][k] += rate / path.divisor;
                    }
                }
            }
        }
    }

    /// The wrenches of a force along the string, and how they change with the bodies.
    pub fn add_tension(&self, force: f64, terms: &mut Terms) {
        let (path, f) = (self.path, force / self.path.divisor);
        let bodies = &self.bodies[..self.n_body];
        for &on in bodies {
            // The wrench on a body of pulls at its points.
            let mut wrench = Force::ZERO;
            self.for_each_pull(|i, pull, _| {
                if path.body[i] == on {
                    wrench += Force::new(self.r[i].cross(pull), pull) * f;
                }
            });
            terms.add_wrench(on, wrench);
        }
        for &by in bodies {
            // Changes of the wrenches on all bodies with each twist of one.
            let mut K = [Mat6::ZERO; 3];
            for axis in 0..6 {
                let mut twist = Motion::ZERO;
                if axis < 3 {
                    twist.ang[axis] = 1.0
                } else {
                    twist.lin[axis - 3] = 1.0
                }
                let dp = self.change(by, twist);
                let mut change = [Force::ZERO; 3];
                for &part in &self.parts[..self.n_part] {
                    let (i, u, _) = part;
                    let turn = self.turn(part, &dp) * f;
                    for (point, sign) in [(i, -1.0), (i + 1, 1.0)] {
                        let body = path.body[point];
                        if let Some(on) = bodies.iter().position(|&b| b == body) {
                            let turn = turn * sign;
                            change[on] += Force::new(self.r[point].cross(turn) + dp[point].cross(u * (sign * f)), turn);
                        }
                    }
                }
                for (K, change) in K.iter_mut().zip(&change) {
                    for (row, x) in K.0.iter_mut().zip(change.to_array()) {
                        row[axis] = x;
                    }
                }
            }
            for (&on, K) in bodies.iter().zip(&K) {
                terms.add_stiffness(on, by, K);
            }
        }
    }

    /// Calls `visit(point, unit pull, part)` for both ends of each straight part.
    fn for_each_pull(&self, mut visit: impl FnMut(usize, Vec3, (usize, Vec3, f64))) {
        for &part in &self.parts[..self.n_part] {
            visit(part.0, -part.1, part);
            visit(part.0 + 1, part.1, part);
        }
    }
}
