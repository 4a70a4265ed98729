"""Other functions of MuJoCo: muscles, springs, pyramids, derivatives of rotations, sequences."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from saltus.mujoco.arguments import floats, put, result
from saltus.mujoco.arithmetic import mju_clip, mju_sigmoid
from saltus.mujoco.enums import mjMINVAL


def _muscle_length(length: float, lengthrange: ArrayLike, acc0: float, prm: np.ndarray) -> tuple[float, float, float]:
    """Length relative to the optimal length, the optimal length, and the peak force."""
    low, high, force, scale = prm[:4]
    start, end = floats(lengthrange, 2, "lengthrange")
    peak = float(force) if force >= 0 else float(scale / max(mjMINVAL, acc0))
    optimal = float((end - start) / max(mjMINVAL, high - low))
    return float(low + (length - start) / max(mjMINVAL, optimal)), optimal, peak


def mju_muscleGain(len: float, vel: float, lengthrange: ArrayLike, acc0: float, prm: ArrayLike) -> float:
    """Active muscle force at full activation: −peak · F_L(length) · F_V(velocity)."""
    p = floats(prm, 9, "prm")
    lmin, lmax, vmax, _, fvmax = (float(x) for x in p[4:])
    length, optimal, peak = _muscle_length(len, lengthrange, acc0, p)
    velocity = vel / max(mjMINVAL, optimal * vmax)
    excess = fvmax - 1
    if velocity <= -1:
        by_velocity = 0.0
    elif velocity <= 0:
        by_velocity = (velocity + 1) ** 2
    elif velocity <= excess:
        by_velocity = fvmax - (excess - velocity) ** 2 / max(mjMINVAL, excess)
    else:
        by_velocity = fvmax
    return -peak * _bump(length, lmin, lmax) * by_velocity


def _bump(length: float, low: float, high: float) -> float:
    """A smooth bump of four parabolas: 0 at `low`, 1 at 1, 0 at `high`, with continuous slope."""
    if not low <= length <= high:
        return 0.0
    end = low if length <= 1 else high
    middle = 0.5 * (end + 1)
    if abs(length - end) <= abs(middle - end):
        return 0.5 * ((length - end) / max(mjMINVAL, abs(middle - end))) ** 2
    return 1 - 0.5 * ((length - 1) / max(mjMINVAL, abs(1 - middle))) ** 2


def mju_muscleBias(len: float, lengthrange: ArrayLike, acc0: float, prm: ArrayLike) -> float:
    """Passive muscle force: a parabola beyond the optimal length, then a line."""
    p = floats(prm, 9, "prm")
    lmax, fpmax = float(p[5]), float(p[7])
    length, _, peak = _muscle_length(len, lengthrange, acc0, p)
    middle = 0.5 * (1 + lmax)
    if length <= 1:
        return 0.0
    if length <= middle:
        return -peak * fpmax * 0.5 * ((length - 1) / max(mjMINVAL, middle - 1)) ** 2
    return -peak * fpmax * (0.5 + (length - middle) / max(mjMINVAL, middle - 1))


def mju_muscleDynamics(ctrl: float, act: float, prm: ArrayLike) -> float:
    """Rate of a muscle's activation, with time constants that depend on activation."""
    activate, deactivate, width = (float(x) for x in floats(prm, 3, "prm"))
    clipped = mju_clip(act, 0, 1)
    change = mju_clip(ctrl, 0, 1) - act
    rise, fall = activate * (0.5 + 1.5 * clipped), deactivate / (0.5 + 1.5 * clipped)
    if width < mjMINVAL:
        tau = rise if change > 0 else fall
    else:
        tau = fall + (rise - fall) * mju_sigmoid(change / width + 0.5)
    return change / max(mjMINVAL, tau)


def mju_springDamper(pos0: float, vel0: float, Kp: float, Kv: float, dt: float) -> float:
    """Position of x″ = −Kp x − Kv x′ after time dt, in closed form."""
    roots = np.roots([1.0, Kv, Kp])
    if abs(roots[0] - roots[1]) < 1e-9 * max(1.0, abs(roots[0])):
        rate = float(np.real(roots[0]))
        return float((pos0 + (vel0 - rate * pos0) * dt) * math.exp(rate * dt))
    second = (vel0 - roots[0] * pos0) / (roots[1] - roots[0])
    return float(np.real((pos0 - second) * np.exp(roots[0] * dt) + second * np.exp(roots[1] * dt)))


def mju_encodePyramid(pyramid: np.ndarray, force: ArrayLike, mu: ArrayLike) -> None:
    """Forces along the edges of a friction pyramid from the force in its axes; none is negative."""
    friction = floats(mu).reshape(-1)
    f = floats(force, friction.size + 1, "force")
    normal = f[0] / friction.size
    sides = np.minimum(normal, f[1:] / friction)
    put(pyramid, 0.5 * np.stack([normal + sides, normal - sides], axis=1).reshape(-1))


def mju_decodePyramid(force: np.ndarray, pyramid: ArrayLike, mu: ArrayLike) -> None:
    """Force in the axes of a friction pyramid from the forces along its edges."""
    friction = floats(mu).reshape(-1)
    edges = floats(pyramid, 2 * friction.size, "pyramid").reshape(-1, 2)
    put(force, np.concatenate([[edges.sum()], (edges[:, 0] - edges[:, 1]) * friction]))


def _half_turn_series(angle: float) -> float:
    """(1 − ½θ cot ½θ) / θ², by series expansion for small θ."""
    if angle < 1e-3:
        return 1 / 12 + angle**2 / 720
    half = 0.5 * angle
    return (1 - half / math.tan(half)) / angle**2


def _skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def mjd_subQuat(qa: ArrayLike, qb: ArrayLike, Da: np.ndarray | None, Db: np.ndarray | None) -> None:
    """Derivatives of `mju_subQuat` with respect to rotations of qa and of qb, 3 × 3 each."""
    from saltus.mujoco.rotations import mju_subQuat

    axis = np.zeros(3)
    mju_subQuat(axis, qa, qb)
    angle = float(np.linalg.norm(axis))
    cross = _skew(axis)
    by_a = np.eye(3) + 0.5 * cross + _half_turn_series(angle) * cross @ cross
    for target, matrix in ((Da, by_a), (Db, -by_a.T)):
        if target is not None:
            put(target, matrix.reshape(-1))


def mjd_quatIntegrate(
    vel: ArrayLike, scale: float, Dquat: np.ndarray | None, Dvel: np.ndarray | None, Dscale: np.ndarray | None
) -> None:
    """Derivatives of `mju_quatIntegrate` with respect to a rotation of the quaternion, the velocity
    times the time, and the time."""
    omega = floats(vel, 3, "vel")
    turn = omega * scale
    angle = float(np.linalg.norm(turn))
    cross = _skew(turn)
    first, second, third = 1.0, 0.5, 1 / 6
    if math.isinf(angle):
        first = second = third = math.nan
    elif angle > 1e-4:
        first = math.sin(angle) / angle
        second = (1 - math.cos(angle)) / angle**2
        third = (angle - math.sin(angle)) / angle**3
    # Rodrigues' rotation by −turn, and the right Jacobian of the exponential.
    back = np.eye(3) - first * cross + second * cross @ cross
    right = np.eye(3) - second * cross + third * cross @ cross
    for target, values in ((Dquat, back), (Dvel, right), (Dscale, omega)):
        if target is not None:
            put(target, values.reshape(-1))


def mju_Halton(index: int, base: int) -> float:
    """An element of the Halton sequence: the digits of the index mirrored at the radix point."""
    if base < 2:
        raise ValueError(f"the base of digits should be 2 or more, not {base}")
    total, weight = 0.0, 1.0 / base
    while index > 0:
        index, digit = divmod(index, base)
        total += digit * weight
        weight /= base
    return total


def mju_standardNormal(num2: np.ndarray | float | None = None) -> float:
    """A normally distributed random number; a second one is written to `num2` if that is an
    array."""
    if isinstance(num2, np.ndarray):
        num2[...] = np.random.standard_normal()
    return float(np.random.standard_normal())


def mju_insertionSort(list: np.ndarray) -> None:
    """Sorts an array in place."""
    result(list, "list").sort()


def mju_insertionSortInt(list: np.ndarray) -> None:
    """Sorts an array of integers in place."""
    list.sort()


def _convert(res: np.ndarray, vec: ArrayLike) -> None:
    """Copies numbers from one precision to another."""
    res[...] = np.reshape(vec, res.shape)


mju_n2d = mju_d2n = mju_f2n = mju_n2f = _convert


def mju_printMat(mat: ArrayLike) -> None:
    """Prints a matrix."""
    for row in np.atleast_2d(floats(mat)):
        print(" ".join(f"{x:8.3f}" for x in row))


def mju_writeNumBytes(nbytes: int) -> str:
    """A number of bytes as text, such as 2K or 5M."""
    for letter in ("", "K", "M", "G", "T", "P"):
        if nbytes < 1024:
            break
        nbytes //= 1024
    return f"{nbytes}{letter}"


__all__ = [name for name in globals() if name.startswith(("mju_", "mjd_")) and name not in ("mju_clip", "mju_sigmoid")]
