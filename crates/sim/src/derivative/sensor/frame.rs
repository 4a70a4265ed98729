//! Sensors of frames: positions, orientations, velocities and accelerations of frames fixed in
//! bodies, in their own axes, in those of the world or of a moving reference.
//!
//! A change of the dofs rotates a frame by φ and translates it by ∂p, and changes its velocity
//! (ω, v) and acceleration (α, v̇); quantities expressed in axes R change by Rᵀ (∂x − φ_R × x).

use super::super::chain::{At, By, Chain};
use crate::data::Data;
use crate::kinematics::ObjectFrame;
use crate::model::kinds::SensorKind;
use saltus_math::{Motion, Quat, Vec3};

/// Motion of a frame in world axes, at its own point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    pub frame: ObjectFrame,
    /// From the origin of the body's c-frame.
    pub r: Vec3,
    pub V: Motion,
    pub A: Motion,
    /// Conventional acceleration.
    pub acceleration: Vec3,
}

/// Derivative of a [`Moving`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delta {
    pub turn: Vec3,
    pub p: Vec3,
    pub omega: Vec3,
    pub v: Vec3,
    pub alpha: Vec3,
    pub acceleration: Vec3,
}

impl Moving {
    pub fn of(At { model, data, chain }: At<'_>, frame: ObjectFrame) -> Self {
        let r = frame.p - data.position.com[model.bodies.root[frame.body].idx()];
        let (V, A) = (chain.V[frame.body].shifted(r), chain.A[frame.body].shifted(r));
        Self { frame, r, V, A, acceleration: A.lin + V.ang.cross(V.lin) }
    }

    /// The derivative with respect to dof `k`, which moves the body.
    pub fn change(&self, data: &Data, chain: &Chain, k: usize, by: By) -> Delta {
        let motions = chain.change(data.position.S[k], self.frame.body, k, by);
        let [twist, dV, dA] = motions.map(|m| m.shifted(self.r));
        let v = dV.lin + self.V.ang.cross(twist.lin);
        let acceleration = dA.lin + self.A.ang.cross(twist.lin) + dV.ang.cross(self.V.lin) + self.V.ang.cross(v);
        Delta { turn: twist.ang, p: twist.lin, omega: dV.ang, v, alpha: dA.ang, acceleration }
    }
}

/// Derivative of a sensor's value from those of the object and, if there is one, of the reference.
pub(super) fn value_change(
    kind: SensorKind,
    object: &Moving,
    d: &Delta,
    reference: Option<(&Moving, &Delta)>,
    magnetic: Vec3,
) -> Option<[f64; 4]> {
    use SensorKind::*;
    let own = |x: Vec3, dx: Vec3| object.frame.R.tmul(dx - d.turn.cross(x));
    // In the axes of the reference, or of the world.
    let seen = |x: Vec3, dx: Vec3| match reference {
        Some((r, dr)) => r.frame.R.tmul(dx - dr.turn.cross(x)),
        None => dx,
    };
    let value = match kind {
        Velocimeter => own(object.V.lin, d.v),
        Gyro => own(object.V.ang, d.omega),
        Accelerometer => own(object.acceleration, d.acceleration),
        Magnetometer => own(magnetic, Vec3::ZERO),
        FrameLinAcc => d.acceleration,
        FrameAngAcc => d.alpha,
        FramePos => match reference {
            Some((r, dr)) => seen(object.frame.p - r.frame.p, d.p - dr.p),
            None => d.p,
        },
        FrameXAxis | FrameYAxis | FrameZAxis => {
            let axis = object.frame.R.col(kind as usize - FrameXAxis as usize);
            seen(axis, d.turn.cross(axis))
        }
        FrameAngVel => match reference {
            Some((r, dr)) => seen(object.V.ang - r.V.ang, d.omega - dr.omega),
            None => d.omega,
        },
        FrameLinVel => match reference {
            Some((r, dr)) => {
                let (arm, d_arm) = (object.frame.p - r.frame.p, d.p - dr.p);
                let x = object.V.lin - r.V.lin - r.V.ang.cross(arm);
                seen(x, d.v - dr.v - dr.omega.cross(arm) - r.V.ang.cross(d_arm))
            }
            None => d.v,
        },
        FrameQuat => {
            let turn = d.turn - reference.map_or(Vec3::ZERO, |(_, dr)| dr.turn);
            let change = Quat::new(0.0, turn.x, turn.y, turn.z) * object.frame.quat;
            let change = reference.map_or(change, |(r, _)| r.frame.quat.conj() * change);
            return Some(change.to_array().map(|x| 0.5 * x));
        }
        _ => return None,
    };
    Some([value.x, value.y, value.z, 0.0])
}
