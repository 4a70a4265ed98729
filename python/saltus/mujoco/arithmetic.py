"""MuJoCo's functions on vectors and matrices. Results are written to the first argument."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from saltus.mujoco.arguments import floats as _numbers
from saltus.mujoco.arguments import put as _set
from saltus.mujoco.enums import mjMAXVAL, mjMINVAL, mjtObj


def mju_zero(res: np.ndarray) -> None:
    """res = 0."""
    res[...] = 0


def mju_fill(res: np.ndarray, val: float) -> None:
    """res = val."""
    res[...] = val


def mju_copy(res: np.ndarray, vec: ArrayLike) -> None:
    """res = vec."""
    _set(res, _numbers(vec))


def mju_copy3(res: np.ndarray, data: ArrayLike) -> None:
    """res = data."""
    _set(res, _numbers(data))


mju_copy4 = mju_copy3


def mju_unit4(res: np.ndarray) -> None:
    """res = (1, 0, 0, 0)."""
    _set(res, [1, 0, 0, 0])


def mju_add(res: np.ndarray, vec1: ArrayLike, vec2: ArrayLike) -> None:
    """res = vec1 + vec2."""
    _set(res, _numbers(vec1) + _numbers(vec2))


def mju_sub(res: np.ndarray, vec1: ArrayLike, vec2: ArrayLike) -> None:
    """res = vec1 − vec2."""
    _set(res, _numbers(vec1) - _numbers(vec2))


def mju_addTo(res: np.ndarray, vec: ArrayLike) -> None:
    """res += vec."""
    res += np.reshape(_numbers(vec), res.shape)


def mju_subFrom(res: np.ndarray, vec: ArrayLike) -> None:
    """res −= vec."""
    res -= np.reshape(_numbers(vec), res.shape)


def mju_scl(res: np.ndarray, vec: ArrayLike, scl: float) -> None:
    """res = scl · vec."""
    _set(res, _numbers(vec) * scl)


def mju_addScl(res: np.ndarray, vec1: ArrayLike, vec2: ArrayLike, scl: float) -> None:
    """res = vec1 + scl · vec2."""
    _set(res, _numbers(vec1) + _numbers(vec2) * scl)


def mju_addToScl(res: np.ndarray, vec: ArrayLike, scl: float) -> None:
    """res += scl · vec."""
    res += np.reshape(_numbers(vec) * scl, res.shape)


mju_zero3 = mju_zero4 = mju_zero
mju_add3, mju_sub3, mju_addTo3, mju_subFrom3 = mju_add, mju_sub, mju_addTo, mju_subFrom
mju_scl3, mju_addScl3, mju_addToScl3 = mju_scl, mju_addScl, mju_addToScl


def mju_dot(vec1: ArrayLike, vec2: ArrayLike) -> float:
    """Scalar product."""
    return float(_numbers(vec1).reshape(-1) @ _numbers(vec2).reshape(-1))


def mju_norm(res: ArrayLike) -> float:
    """Length of a vector."""
    return math.sqrt(mju_dot(res, res))


mju_dot3 = mju_dot


def mju_norm3(vec: ArrayLike) -> float:
    """Length of a vector."""
    return mju_norm(vec)


def mju_dist3(pos1: ArrayLike, pos2: ArrayLike) -> float:
    """Distance of two points."""
    return mju_norm(_numbers(pos1) - _numbers(pos2))


def mju_sum(vec: ArrayLike) -> float:
    """Sum of all numbers."""
    return float(_numbers(vec).sum())


def mju_L1(vec: ArrayLike) -> float:
    """Sum of all magnitudes."""
    return float(np.abs(_numbers(vec)).sum())


def _normalizer(unit: Callable[[np.ndarray], None]) -> Callable[[np.ndarray], float]:
    def normalize(vec: np.ndarray) -> float:
        """Normalizes a vector in place and returns its length. A zero vector becomes a unit
        vector."""
        length = mju_norm(vec)
        if length < mjMINVAL:
            unit(vec)
        elif abs(length - 1) > mjMINVAL:
            vec /= length
        return length

    return normalize


def _first(vec: np.ndarray) -> None:
    vec[...] = 0
    vec.reshape(-1)[0] = 1


mju_normalize3 = mju_normalize4 = _normalizer(_first)


def mju_normalize(res: np.ndarray) -> float:
    """Normalizes a vector in place and returns its length. A zero vector becomes a unit vector."""
    return mju_normalize3(res)


def mju_cross(res: np.ndarray, a: ArrayLike, b: ArrayLike) -> None:
    """res = a × b."""
    _set(res, np.cross(_numbers(a).reshape(3), _numbers(b).reshape(3)))


def mju_mulMatVec(res: np.ndarray, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = mat vec."""
    _set(res, _numbers(mat) @ _numbers(vec).reshape(-1))


def mju_mulMatTVec(res: np.ndarray, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = matᵀ vec."""
    _set(res, _numbers(mat).T @ _numbers(vec).reshape(-1))


def mju_mulMatVec3(res: np.ndarray, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = mat vec for a 3 × 3 matrix."""
    mju_mulMatVec(res, _numbers(mat).reshape(3, 3), vec)


def mju_mulMatTVec3(res: np.ndarray, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = matᵀ vec for a 3 × 3 matrix."""
    mju_mulMatTVec(res, _numbers(mat).reshape(3, 3), vec)


def mju_mulMatMat(res: np.ndarray, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1 mat2."""
    _set(res, _numbers(mat1) @ _numbers(mat2))


def mju_mulMatMatT(res: np.ndarray, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1 mat2ᵀ."""
    _set(res, _numbers(mat1) @ _numbers(mat2).T)


def mju_mulMatTMat(res: np.ndarray, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1ᵀ mat2."""
    _set(res, _numbers(mat1).T @ _numbers(mat2))


def mju_mulVecMatVec(vec1: ArrayLike, mat: ArrayLike, vec2: ArrayLike) -> float:
    """vec1ᵀ mat vec2."""
    return float(_numbers(vec1).reshape(-1) @ _numbers(mat) @ _numbers(vec2).reshape(-1))


def mju_sqrMatTD(res: np.ndarray, mat: ArrayLike, diag: ArrayLike | None) -> None:
    """res = matᵀ diag mat; None is the identity."""
    m = _numbers(mat)
    _set(res, m.T @ (m if diag is None else _numbers(diag).reshape(-1, 1) * m))


def mju_transpose(res: np.ndarray, mat: ArrayLike) -> None:
    """res = matᵀ."""
    _set(res, _numbers(mat).T.copy())


def mju_symmetrize(res: np.ndarray, mat: ArrayLike) -> None:
    """res = (mat + matᵀ) / 2."""
    _set(res, (_numbers(mat) + _numbers(mat).T) / 2)


def mju_eye(mat: np.ndarray) -> None:
    """The identity matrix."""
    mat[...] = np.eye(mat.shape[0], mat.shape[1])


def mju_isZero(vec: ArrayLike) -> int:
    """Whether all numbers are zero."""
    return int(not np.any(_numbers(vec)))


def mju_isBad(x: float) -> int:
    """Whether a number is not finite or exceeds mjMAXVAL in magnitude."""
    return int(not -mjMAXVAL <= x <= mjMAXVAL)


def mju_sign(x: float) -> float:
    """−1, 0 or 1."""
    return float((x > 0) - (x < 0))


def mju_min(a: float, b: float) -> float:
    """The smaller number."""
    return float(min(a, b))


def mju_max(a: float, b: float) -> float:
    """The larger number."""
    return float(max(a, b))


def mju_clip(x: float, min: float, max: float) -> float:
    """The number within [min, max] nearest to x."""
    return float(min if x < min else max if x > max else x)


def mju_round(x: float) -> int:
    """The nearest integer, halves away from zero."""
    return int(math.floor(abs(x) + 0.5) * mju_sign(x))


def mju_sigmoid(x: float) -> float:
    """Quintic step from 0 at x ≤ 0 to 1 at x ≥ 1 with two continuous derivatives."""
    x = mju_clip(x, 0.0, 1.0)
    return x * x * x * (3 * x * (2 * x - 5) + 10)


def mju_type2Str(type: int) -> str:
    """Name of a kind of object in model files."""
    return _TYPE_NAMES.get(int(type), "")


def mju_str2Type(str: str | bytes) -> int:
    """Number of a kind of object."""
    str = str.decode() if isinstance(str, bytes) else str
    return next((number for number, name in _TYPE_NAMES.items() if name == str), int(mjtObj.mjOBJ_UNKNOWN))


_TYPE_NAMES = {
    int(kind): kind.name.removeprefix("mjOBJ_").lower() for kind in mjtObj if kind.name not in ("mjOBJ_UNKNOWN",)
}

__all__ = [name for name in globals() if name.startswith("mju_")]
