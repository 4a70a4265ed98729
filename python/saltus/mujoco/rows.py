"""Arrays of the data whose length changes from step to step, and what follows from other fields: copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from saltus import _saltus

if TYPE_CHECKING:
    from saltus.mujoco.data import MjData

# One entry per constraint row.
_STORED = frozenset(
    "efc_type efc_id efc_state efc_pos efc_margin efc_frictionloss efc_diagA efc_KBIP efc_R efc_D efc_vel efc_aref "
    "efc_force efc_J efc_J_rownnz efc_J_rowadr efc_J_colind".split()
)
ROW_FIELDS = _STORED | {"efc_AR", "efc_b", "efc_AR_rownnz", "efc_AR_rowadr", "efc_AR_colind"}
DERIVED = frozenset(
    "qM solver_niter solver_fwdinv ten_wrapadr ten_wrapnum moment_rownnz moment_rowadr moment_colind nJ nA".split()
)


def row_field(data: MjData, name: str) -> np.ndarray:
    """A field with one entry or row per constraint row. Empty ones own their memory, as the reference's do."""
    array = _saltus.constraint_field(data._model._core, data._core, name) if name in _STORED else _dual(data, name)
    return array[:] if array.size else array.copy()


def dense_jacobian(data: MjData) -> np.ndarray:
    """The Jacobian of all rows, nefc × nv, however it is stored."""
    values = row_field(data, "efc_J")
    if not _saltus.is_sparse(data._model._core):
        return values.reshape(data.nefc, data._model.nv)
    dense = np.zeros((data.nefc, data._model.nv))
    starts, sizes, columns = (row_field(data, f"efc_J_{part}") for part in ("rowadr", "rownnz", "colind"))
    for row, (start, size) in enumerate(zip(starts, sizes)):
        dense[row, columns[start : start + size]] = values[start : start + size]
    return dense


def _dual(data: MjData, name: str) -> np.ndarray:
    """The inverse inertia of the rows with their regularizer, J M⁻¹ Jᵀ + R, in full; or J a₀ − aref."""
    rows, nv = data.nefc, data._model.nv
    if name.startswith("efc_AR_"):
        if not _saltus.is_sparse(data._model._core):
            return np.zeros(rows, dtype=np.int32)
        part = name.removeprefix("efc_AR_")
        every = {
            "rownnz": np.full(rows, rows),
            "rowadr": rows * np.arange(rows),
            "colind": np.tile(np.arange(rows), rows),
        }
        return np.asarray(every[part], dtype=np.int32)
    jacobian = dense_jacobian(data)
    if name == "efc_b":
        return np.asarray(jacobian @ data.qacc_smooth - data.efc_aref)
    response = np.zeros((rows, nv))
    if rows and nv:
        _saltus.solve_m(data._model._core, data._core, response, jacobian)
    return (jacobian @ response.T + np.diag(data.efc_R)).reshape(-1)


def derived(data: MjData, name: str) -> Any:
    """A field that follows from others."""
    if name == "qM":
        return _legacy_inertia(data)
    if name == "solver_niter":
        # Iterations of the slowest island in the first entry.
        niter = np.zeros(20, dtype=np.int32)
        niter[0] = _saltus.solver_report(data._core)[1]
        return niter
    if name == "solver_fwdinv":
        return np.array(_saltus.inverse_gap(data._core))
    if name in ("ten_wrapadr", "ten_wrapnum"):
        return np.array([pair[name == "ten_wrapnum"] for pair in data._core.tendon_points()], dtype=np.int32)
    if name == "nJ":
        return row_field(data, "efc_J").size
    if name == "nA":
        return data.nefc**2
    # Sparse patterns that MuJoCo keeps in the data and Saltus in the model.
    return getattr(data.model, name)


def _legacy_inertia(data: MjData) -> np.ndarray:
    """M in the order of MuJoCo 3: of each dof its diagonal entry, then those with its ancestors, nearest first."""
    model = data.model
    rows = [data.M[start : start + size][::-1] for start, size in zip(model.M_rowadr, model.M_rownnz)]
    return np.concatenate(rows) if rows else np.zeros(0)
