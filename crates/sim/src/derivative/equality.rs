//! Connects and welds as wrenches that depend on the motion of two bodies.
//!
//! The residual is r = (p_a − p_b, s vec(q_b* q_a)); the law gives forces as functions of r, ṙ and
//! z, which is r̈ or J a (`response`). With E(ω) = ½ vec(q_b* ω q_a), ω = ω_a − ω_b, α likewise,
//! and products of quaternions,
//!   ṙ = (v_a − v_b, s E(ω)),   r̈ = (v̇_a − v̇_b, s E(Z)),   Z = α + ½ (ω ω_a − ω_b ω),
//! J a is r̈ without velocity terms, that is ṙ with accelerations Y in the place of velocities, and
//! a rotation φ of the bodies changes E(Z) by ½ vec(q_b* ½(Z φ_a − φ_b Z) q_a). The torque is
//! s Eᵀ f: ½ s vec(q_b f q_a*).

use super::chain::At;
use super::response::{Answers, Frames};
use super::sweep::{ExtraDof, subtree};
use super::terms::{Slope, Terms, after_cross};
use crate::constraint::equality::{Anchor, anchors, between, pure, torque_scale};
use crate::data::{Block, RowKind};
use crate::kinematics::jacobian::dofs_of;
use crate::model::kinds::EqualityType;
use saltus_math::{Force, MIN_VAL, Mat6, Motion, Quat, Vec3};

/// Adds all connects and welds.
pub(super) fn add(at: At<'_>, answers: &Answers<'_>, terms: &mut Terms) {
    let At { model, data, .. } = at;
    let rows = &data.constraints;
    for block in rows.blocks.iter().take_while(|b| b.kind == RowKind::Equality) {
        let weld = match model.equalities.kind[block.id as usize] {
            EqualityType::Connect => false,
            EqualityType::Weld => true,
            EqualityType::Joint | EqualityType::Tendon => continue,
        };
        let (main, rest) = answers.frames(block);
        for response in [Some(main), rest].into_iter().flatten() {
            Joined::new(at, block, weld, response).add_to(terms);
        }
    }
}

/// Calls `f(k, ∂(J y)/∂q_k)` for the linear and angular rows of a connect or weld, y that of the
/// chain as velocity; the dofs of the two ends are visited one after the other.
pub(super) fn for_each_row_change(at: At<'_>, block: &Block, mut f: impl FnMut(usize, [Vec3; 2])) {
    let At { model, data, chain } = at;
    let weld = model.equalities.kind[block.id as usize] == EqualityType::Weld;
    let joined = Joined::new(at, block, weld, Frames::at_velocities());
    for (i, end) in joined.ends.iter().enumerate().filter(|(_, e)| e.moves) {
        for k in dofs_of(model, end.anchor.body) {
            let S = data.position.S[k];
            let [_, by_twist, _] = joined.row_change(i, Input::Twist(S));
            let [_, by_velocity, _] = joined.row_change(i, Input::Velocity(S.cross_motion(end.V) + chain.S_dot[k]));
            f(k, core::array::from_fn(|i| by_twist[i] + by_velocity[i]));
        }
    }
}

/// The same with respect to a dof that is not part of the model; bodies that cannot move are
/// skipped.
pub(super) fn row_change_by(at: At<'_>, block: &Block, dof: &ExtraDof) -> [Vec3; 2] {
    let weld = at.model.equalities.kind[block.id as usize] == EqualityType::Weld;
    let joined = Joined::new(at, block, weld, Frames::at_velocities());
    let (behind, mut sum) = (subtree(at.model, dof.body), [Vec3::ZERO; 2]);
    for (i, end) in joined.ends.iter().enumerate().filter(|(_, e)| e.moves && behind.contains(&e.anchor.body)) {
        let [_, by_twist, _] = joined.row_change(i, Input::Twist(dof.S));
        let [_, by_velocity, _] = joined.row_change(i, Input::Velocity(dof.S.cross_motion(end.V) + dof.S_dot));
        (0..2).for_each(|i| sum[i] += by_twist[i] + by_velocity[i]);
    }
    sum
}

/// One of the two frames.
struct End {
    anchor: Anchor,
    moves: bool,
    sign: f64,
    /// From the origin of the c-frame to the anchor.
    r: Vec3,
    /// Velocity and acceleration (of z) of the body in the c-frame, and velocity of the anchor.
    V: Motion,
    A: Motion,
    v: Vec3,
}

/// Which motion of an end is varied.
#[derive(Clone, Copy)]
enum Input {
    Twist(Motion),
    Velocity(Motion),
    Acceleration(Motion),
}

/// Linear and angular rows.
type Rows = [Vec3; 2];

struct Joined {
    ends: [End; 2],
    weld: bool,
    scale: f64,
    response: Frames,
    /// r/|r|.
    direction: Rows,
}

impl Joined {
    fn new(At { model, data, chain }: At<'_>, block: &Block, weld: bool, response: Frames) -> Self {
        let e = block.id as usize;
        let [a, b] = anchors(model, data, e);
        let acceleration = if response.is_true_acceleration { &chain.A } else { &chain.Y };
        let end = |anchor: Anchor, sign: f64| {
            let r = anchor.p - data.position.com[model.bodies.root[anchor.body].idx()];
            let (V, A) = (chain.V[anchor.body], acceleration[anchor.body]);
            let moves = model.bodies.tree[anchor.body].is_some();
            End { anchor, moves, sign, r, V, A, v: V.shifted(r).lin }
        };
        let pos = &data.constraints.pos[block.rows.range()];
        let pos = [Vec3::from_slice(pos), if weld { Vec3::from_slice(&pos[3..]) } else { Vec3::ZERO }];
        let norm = (pos[0].length_squared() + pos[1].length_squared()).sqrt();
        let direction = if norm > MIN_VAL { pos.map(|r| r / norm) } else { [Vec3::ZERO; 2] };
        Self { ends: [end(a, 1.0), end(b, -1.0)], weld, scale: torque_scale(model, e), response, direction }
    }

    fn add_to(&self, terms: &mut Terms) {
        for (i, on) in self.ends.iter().enumerate().filter(|(_, e)| e.moves) {
            let force = &self.response.force;
            let f = force[0] * on.sign;
            let torque = self.torque(force[1]) * on.sign;
            terms.add_wrench(on.anchor.body, Force::new(on.r.cross(f) + torque, f));
            for (k, by) in self.ends.iter().enumerate().filter(|(_, e)| e.moves) {
                let X = Mat6::from_fn(|m| self.wrench_change(i, k, Input::Twist(m)));
                let V = Mat6::from_fn(|m| self.wrench_change(i, k, Input::Velocity(m)));
                let A = Mat6::from_fn(|m| self.wrench_change(i, k, Input::Acceleration(m)));
                let mut slope = Slope { K: X, B: V, Y: Mat6::ZERO };
                slope.K += after_cross(&V, by.V);
                slope.K += after_cross(&A, by.A);
                if self.response.is_true_acceleration {
                    slope.B += after_cross(&A, by.V);
                    terms.add_slope_with_A(on.anchor.body, by.anchor.body, &slope, &A);
                } else {
                    slope.Y = A;
                    terms.add_slope(on.anchor.body, by.anchor.body, &slope);
                }
            }
        }
    }

    fn quats(&self) -> (Quat, Quat) {
        (self.ends[0].anchor.quat, self.ends[1].anchor.quat)
    }

    /// s E(z).
    fn between(&self, z: Quat) -> Vec3 {
        let (a, b) = self.quats();
        between(a, b, z) * self.scale
    }

    /// s Eᵀ f.
    fn torque(&self, f: Vec3) -> Vec3 {
        let (a, b) = self.quats();
        (b * pure(f) * a.conj()).vec() * (0.5 * self.scale)
    }

    /// Derivatives of r, ṙ and z with respect to the motion of end `k`.
    fn row_change(&self, k: usize, input: Input) -> [Rows; 3] {
        let End { sign, r, V, A, v, .. } = self.ends[k];
        // Velocity terms of z.
        let spin = if self.response.is_true_acceleration { V.ang } else { Vec3::ZERO };
        let mut out = [[Vec3::ZERO; 2]; 3];
        match input {
            Input::Twist(m) => {
                let dp = m.shifted(r).lin;
                let dv = V.ang.cross(dp);
                out[0][0] = dp * sign;
                out[1][0] = dv * sign;
                out[2][0] = (A.ang.cross(dp) + spin.cross(dv)) * sign;
            }
            Input::Velocity(dV) => {
                let dv = dV.shifted(r).lin;
                out[1][0] = dv * sign;
                if self.response.is_true_acceleration {
                    out[2][0] = (dV.ang.cross(v) + V.ang.cross(dv)) * sign;
                }
            }
            Input::Acceleration(dA) => out[2][0] = dA.shifted(r).lin * sign,
        }
        if self.weld {
            self.turn_change(k, input, &mut out);
        }
        out
    }

    fn turn_change(&self, k: usize, input: Input, out: &mut [Rows; 3]) {
        let [a, b] = &self.ends;
        let sign = self.ends[k].sign;
        let (omega_a, omega_b) = (pure(a.V.ang), pure(b.V.ang));
        let omega = pure(a.V.ang - b.V.ang);
        match input {
            Input::Twist(m) => {
                let mut Z = pure(a.A.ang - b.A.ang);
                if self.response.is_true_acceleration {
                    Z = sum(&[(1.0, Z), (0.5, omega * omega_a), (-0.5, omega_b * omega)]);
                }
                let phi = pure(m.ang);
                let turned = |z: Quat| if k == 0 { sum(&[(0.5, z * phi)]) } else { sum(&[(-0.5, phi * z)]) };
                out[0][1] = self.between(pure(m.ang * sign));
                out[1][1] = self.between(turned(omega));
                out[2][1] = self.between(turned(Z));
            }
            Input::Velocity(dV) => {
                let (own, change) = (pure(dV.ang), pure(dV.ang * sign));
                out[1][1] = self.between(change);
                if !self.response.is_true_acceleration {
                    return;
                }
                let mut z = sum(&[(0.5, change * omega_a), (-0.5, omega_b * change)]);
                z = if k == 0 { sum(&[(1.0, z), (0.5, omega * own)]) } else { sum(&[(1.0, z), (-0.5, own * omega)]) };
                out[2][1] = self.between(z);
            }
            Input::Acceleration(dA) => out[2][1] = self.between(pure(dA.ang * sign)),
        }
    }

    /// Derivative of the wrench on end `on` with respect to the motion of end `by`.
    fn wrench_change(&self, on: usize, by: usize, input: Input) -> Force {
        let [dr, dv, da] = self.row_change(by, input);
        let law = &self.response;
        let d_norm = self.direction[0].dot(dr[0]) + self.direction[1].dot(dr[1]);
        let df: [Vec3; 2] = core::array::from_fn(|i| {
            -(da[i] * law.acceleration[i] + dv[i] * law.velocity[i] + dr[i] * law.length[i] + law.norm[i] * d_norm)
        });
        let End { sign, r, .. } = self.ends[on];
        let mut torque = self.torque(df[1]);
        let mut arm = Vec3::ZERO;
        if let Input::Twist(m) = input {
            if on == by {
                arm = m.shifted(r).lin.cross(law.force[0]);
            }
            if self.weld {
                let (qa, qb) = self.quats();
                let inner = qb * pure(law.force[1]) * qa.conj();
                let phi = pure(m.ang);
                let turned = if by == 0 { sum(&[(-0.5, inner * phi)]) } else { sum(&[(0.5, phi * inner)]) };
                torque += turned.vec() * (0.5 * self.scale);
            }
        }
        Force::new(r.cross(df[0]) + arm + torque, df[0]) * sign
    }
}

/// Weighted sum of quaternions.
fn sum(terms: &[(f64, Quat)]) -> Quat {
    let mut s = [0.0; 4];
    for (weight, q) in terms {
        for (s, x) in s.iter_mut().zip(q.to_array()) {
            *s += weight * x;
        }
    }
    Quat::from_slice(&s)
}
