"""Products and solutions with the inertia matrix and its factors; momentum."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._model import _flat
from saltus.mujoco.arguments import floats, put
from saltus.mujoco.data import MjData
from saltus.mujoco.model import MjModel


def _apart(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The source, copied if it shares memory with the target."""
    source = _flat(source)
    return source.copy() if np.may_share_memory(source, target) else source


def mj_fullM(m: MjModel, d: MjData | np.ndarray, dst: np.ndarray) -> None:
    """Dense inertia matrix into `dst`, nv × nv. As in MuJoCo 3 also `mj_fullM(m, dst, d.qM)`."""
    if isinstance(d, np.ndarray):
        # The arguments of MuJoCo 3.
        _saltus.full_legacy(m._core, d, _flat(dst))
    else:
        _saltus.full_m(m._core, d._core, dst, None)


def mj_mulM(m: MjModel, d: MjData, res: np.ndarray, vec: np.ndarray) -> None:
    """res = M vec; res may be vec."""
    _saltus.mul_m(m._core, d._core, res, _apart(vec, res))


def mj_addM(
    m: MjModel,
    d: MjData,
    dst: np.ndarray,
    rownnz: np.ndarray | None = None,
    rowadr: np.ndarray | None = None,
    colind: np.ndarray | None = None,
) -> None:
    """dst += M; dst is dense, nv × nv, or has sparse rows that hold all of M."""
    if rownnz is None or rowadr is None or colind is None:
        _saltus.add_m(m._core, d._core, dst)
        return
    d._core.check_model(m._core)
    for i, (start, size) in enumerate(zip(m.M_rowadr, m.M_rownnz)):
        row = slice(int(rowadr[i]), int(rowadr[i]) + int(rownnz[i]))
        places = np.searchsorted(colind[row], m.M_colind[start : start + size])
        dst[row][places] += d.M[start : start + size]


def mj_solveM(m: MjModel, d: MjData, x: np.ndarray, y: np.ndarray) -> None:
    """x = M⁻¹ y for each row of y; x may be y."""
    _saltus.solve_m(m._core, d._core, x, _apart(y, x))


def _lower(m: MjModel, d: MjData) -> tuple[np.ndarray, np.ndarray]:
    """L (unit diagonal) and the diagonal D of M = Lᵀ D L, dense."""
    lower, diagonal = np.eye(m.nv), np.zeros(m.nv)
    for i, (start, size) in enumerate(zip(m.M_rowadr, m.M_rownnz)):
        diagonal[i] = d.qLD[start + size - 1]
        lower[i, m.M_colind[start : start + size - 1]] = d.qLD[start : start + size - 1]
    return lower, diagonal


def mj_mulM2(m: MjModel, d: MjData, res: np.ndarray, vec: ArrayLike) -> None:
    """res = √D L vec, where M = Lᵀ D L."""
    d._core.check_model(m._core)
    lower, diagonal = _lower(m, d)
    put(res, np.sqrt(diagonal) * (lower @ floats(vec, m.nv, "vec")))


def mj_solveM2(m: MjModel, d: MjData, x: np.ndarray, y: ArrayLike, sqrtInvD: ArrayLike) -> None:
    """x = √D⁻¹ L⁻ᵀ y for each row of y, where M = Lᵀ D L."""
    d._core.check_model(m._core)
    lower, _ = _lower(m, d)
    rows = floats(y).reshape(-1, m.nv)
    half = np.linalg.solve(lower.T, rows.T).T * floats(sqrtInvD, m.nv, "sqrtInvD")
    put(x, half)


def mj_angmomMat(m: MjModel, d: MjData, mat: np.ndarray, body: int) -> None:
    """The matrix, 3 × nv, that maps velocities to the angular momentum of a subtree about its
    centre of mass: Σ R I Rᵀ J_r + m (c − com) × (J_c − J_com)."""
    d._core.check_model(m._core)
    total = np.zeros((3, m.nv))
    com, jac_com = d.subtree_com[body], np.zeros((3, m.nv))
    _saltus.jac_subtree_com(m._core, d._core, jac_com, int(body))
    inside = {int(body)}
    for b in range(int(body), m.nbody):
        if b != body and int(m.body_parentid[b]) not in inside:
            continue
        inside.add(b)
        jac_p, jac_r = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        _saltus.jac(m._core, d._core, jac_p, jac_r, d.xipos[b].tolist(), b)
        axes = d.ximat[b].reshape(3, 3)
        arm = d.xipos[b] - com
        total += axes @ np.diag(m.body_inertia[b]) @ axes.T @ jac_r
        total += m.body_mass[b] * np.cross(arm, (jac_p - jac_com).T).T
    put(mat, total)


__all__ = [name for name in globals() if name.startswith("mj_")]
