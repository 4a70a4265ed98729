"""MuJoCo's functions on quaternions, rotations and poses. Results are written to the first
argument."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from saltus.mujoco.arguments import floats as _numbers
from saltus.mujoco.arguments import put as _set
from saltus.mujoco.enums import mjMINVAL
from saltus.mujoco.errors import FatalError


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    v, w = a[1:], b[1:]
    return np.concatenate([[a[0] * b[0] - v @ w], a[0] * w + b[0] * v + np.cross(v, w)])


def _conjugate(q: np.ndarray) -> np.ndarray:
    return np.concatenate([q[:1], -q[1:]])


def _matrix(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def _axis_angle(axis: np.ndarray, angle: float) -> np.ndarray:
    if not math.isfinite(angle):
        return np.full(4, np.nan)
    return np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * axis])


def _velocity(q: np.ndarray, dt: float) -> np.ndarray:
    """Angular velocity that rotates by q in time dt, the short way."""
    size = float(np.linalg.norm(q[1:]))
    if size < mjMINVAL:
        return np.zeros(3)
    angle = 2 * math.atan2(size, q[0])
    if angle > math.pi:
        angle -= 2 * math.pi
    return q[1:] / size * angle / dt


def mju_mulQuat(res: np.ndarray, quat1: ArrayLike, quat2: ArrayLike) -> None:
    """Product of quaternions."""
    _set(res, _product(_numbers(quat1, 4), _numbers(quat2, 4)))


def mju_mulQuatAxis(res: np.ndarray, quat: ArrayLike, axis: ArrayLike) -> None:
    """Product of a quaternion and a vector as a quaternion without real part."""
    _set(res, _product(_numbers(quat, 4), np.concatenate([[0.0], _numbers(axis, 3)])))


def mju_negQuat(res: np.ndarray, quat: ArrayLike) -> None:
    """Conjugate: the opposite rotation."""
    _set(res, _conjugate(_numbers(quat, 4)))


def mju_rotVecQuat(res: np.ndarray, vec: ArrayLike, quat: ArrayLike) -> None:
    """Vector rotated by a unit quaternion."""
    q, v = _numbers(quat, 4), _numbers(vec, 3)
    t = 2 * np.cross(q[1:], v)
    _set(res, v + q[0] * t + np.cross(q[1:], t))


def mju_quat2Mat(res: np.ndarray, quat: ArrayLike) -> None:
    """Rotation matrix of a quaternion."""
    _set(res, _matrix(_numbers(quat, 4)))


def mju_mat2Quat(quat: np.ndarray, mat: ArrayLike) -> None:
    """Quaternion of a rotation matrix."""
    m = _numbers(mat, 9).reshape(3, 3)
    trace = float(np.trace(m))
    # A component that is far from zero is chosen as positive and determines the others.
    k = 0 if trace > 0 else 1 + int(np.argmax(np.diag(m)))
    q = np.empty(4)
    if k == 0:
        q[0] = 1 + trace
        q[1:] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    else:
        i = k - 1
        j, n = (i + 1) % 3, (i + 2) % 3
        q[0] = m[n, j] - m[j, n]
        q[1 + i] = 1 + 2 * m[i, i] - trace
        q[1 + j] = m[j, i] + m[i, j]
        q[1 + n] = m[n, i] + m[i, n]
    _set(quat, q / np.linalg.norm(q))


def mju_axisAngle2Quat(res: np.ndarray, axis: ArrayLike, angle: float) -> None:
    """Quaternion of a rotation about a unit axis."""
    _set(res, _axis_angle(_numbers(axis, 3), angle))


def mju_euler2Quat(quat: np.ndarray, euler: ArrayLike, seq: str | bytes) -> None:
    """Quaternion of three rotations about the axes in `seq`: lower case moving, upper case fixed
    axes."""
    seq = seq.decode() if isinstance(seq, bytes) else seq
    if len(seq) != 3:
        raise FatalError("mju_euler2Quat: seq must contain exactly 3 characters")
    for k, letter in enumerate(seq):
        if letter not in "xyzXYZ":
            raise FatalError(f"mju_euler2Quat: seq[{k}] is '{letter}', should be one of x, y, z, X, Y, Z")
    q = np.array([1.0, 0, 0, 0])
    for letter, angle in zip(seq, _numbers(euler, 3)):
        turn = _axis_angle(np.eye(3)["xyz".index(letter.lower())], float(angle))
        q = _product(q, turn) if letter.islower() else _product(turn, q)
    _set(quat, q)


def mju_quat2Vel(res: np.ndarray, quat: ArrayLike, dt: float) -> None:
    """Angular velocity that makes a rotation in time `dt`."""
    _set(res, _velocity(_numbers(quat, 4), dt))


def mju_subQuat(res: np.ndarray, qa: ArrayLike, qb: ArrayLike) -> None:
    """Difference of orientations as a rotation vector: qb · quat(res) = qa."""
    _set(res, _velocity(_product(_conjugate(_numbers(qb, 4)), _numbers(qa, 4)), 1.0))


def mju_quatIntegrate(quat: np.ndarray, vel: ArrayLike, scale: float) -> None:
    """Integrates a quaternion with a local angular velocity over time `scale`, in place."""
    omega = _numbers(vel, 3)
    speed = float(np.linalg.norm(omega))
    axis = omega / speed if mjMINVAL < speed < math.inf else np.array([1.0, 0, 0])
    q = _product(_numbers(quat, 4), _axis_angle(axis, speed * scale))
    _set(quat, q / np.linalg.norm(q))


def mju_derivQuat(res: np.ndarray, quat: ArrayLike, vel: ArrayLike) -> None:
    """Rate of a quaternion at an angular velocity in its parent's axes: ½ (0, ω) q."""
    _set(res, 0.5 * _product(np.concatenate([[0.0], _numbers(vel, 3)]), _numbers(quat, 4)))


def mju_quatZ2Vec(quat: np.ndarray, vec: ArrayLike) -> None:
    """Rotation from the z axis to the direction of a vector."""
    v = _numbers(vec, 3)
    length = float(np.linalg.norm(v))
    if length < mjMINVAL:
        _set(quat, [1, 0, 0, 0])
        return
    v = v / length
    axis = np.array([-v[1], v[0], 0.0])
    sine = float(np.linalg.norm(axis))
    if sine < 1e-10:
        _set(quat, [0, 1, 0, 0] if v[2] < 0 else [1, 0, 0, 0])
    else:
        _set(quat, _axis_angle(axis / sine, math.atan2(sine, v[2])))


def mju_mulPose(
    posres: np.ndarray, quatres: np.ndarray, pos1: ArrayLike, quat1: ArrayLike, pos2: ArrayLike, quat2: ArrayLike
) -> None:
    """Product of two poses."""
    p1, q1, p2, q2 = _numbers(pos1, 3), _numbers(quat1, 4), _numbers(pos2, 3), _numbers(quat2, 4)
    q = _product(q1, q2)
    _set(quatres, q / np.linalg.norm(q))
    _set(posres, p1 + _matrix(q1) @ p2)


def mju_negPose(posres: np.ndarray, quatres: np.ndarray, pos: ArrayLike, quat: ArrayLike) -> None:
    """The inverse of a pose."""
    p, q = _numbers(pos, 3), _conjugate(_numbers(quat, 4))
    _set(quatres, q)
    _set(posres, -_matrix(q) @ p)


def mju_trnVecPose(res: np.ndarray, pos: ArrayLike, quat: ArrayLike, vec: ArrayLike) -> None:
    """A point transformed by a pose."""
    _set(res, _numbers(pos, 3) + _matrix(_numbers(quat, 4)) @ _numbers(vec, 3))


def mju_transformSpatial(
    res: np.ndarray,
    vec: ArrayLike,
    flg_force: int,
    newpos: ArrayLike,
    oldpos: ArrayLike,
    rotnew2old: ArrayLike | None,
) -> None:
    """A spatial motion or force (rotation first), expressed about another point and in another
    frame."""
    v = _numbers(vec, 6)
    ang, lin = v[:3], v[3:]
    arm = _numbers(newpos, 3) - _numbers(oldpos, 3)
    if flg_force:
        ang = ang - np.cross(arm, lin)
    else:
        lin = lin - np.cross(arm, ang)
    turn = np.eye(3) if rotnew2old is None else _numbers(rotnew2old, 9).reshape(3, 3).T
    _set(res, np.concatenate([turn @ ang, turn @ lin]))


__all__ = [name for name in globals() if name.startswith("mju_")]
