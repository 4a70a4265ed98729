"""Arrays of the data whose length changes between steps, and values derived from other fields
(copies)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from saltus import _saltus
from saltus.mujoco.enums import mjMINAWAKE

if TYPE_CHECKING:
    from saltus.mujoco.data import MjData

# One entry per constraint row.
_STORED = frozenset(
    "efc_type efc_id efc_state efc_pos efc_margin efc_frictionloss efc_diagA efc_KBIP efc_R efc_D efc_vel efc_aref "
    "efc_force efc_J efc_J_rownnz efc_J_rowadr efc_J_colind".split()
)
ROW_FIELDS = _STORED | {"efc_AR", "efc_b", "efc_AR_rownnz", "efc_AR_rowadr", "efc_AR_colind"}
# Fields of deformables, plugins and delays, which are not supported: data type and columns (0: a
# vector).
_ABSENT: dict[str, tuple[str, int]] = {
    "bvh_aabb_dyn": ("float64", 6),
    "bvh_active": ("bool", 0),
    "flex_hessian_valid": ("bool", 0),
    "flexedge_J": ("float64", 0),
    "flexedge_hessian": ("float64", 9),
    "flexedge_length": ("float64", 0),
    "flexedge_velocity": ("float64", 0),
    "flexelem_aabb": ("float64", 6),
    "flexelem_krot": ("float64", 0),
    "flexvert_J": ("float64", 2),
    "flexvert_conage": ("int32", 0),
    "flexvert_hessian": ("float64", 6),
    "flexvert_lambda": ("float64", 0),
    "flexvert_length": ("float64", 2),
    "flexvert_xpos": ("float64", 3),
    "history": ("float64", 0),
    "plastic": ("float64", 0),
    "plugin": ("int32", 0),
    "plugin_data": ("uint64", 0),
    "plugin_state": ("float64", 0),
}
# Factors of implicit steps, which Saltus does not store: filled with NaN. The model size of each.
_NOT_KEPT = {"qDeriv": "nD", "qLU": "nD", "qH": "nC", "qHDiagInv": "nv"}
_AWAKE = "tree_asleep tree_awake body_awake body_awake_ind parent_awake_ind dof_awake_ind".split()
_AWAKE_COUNTS = {"ntree_awake": "ntree", "nbody_awake": "nbody", "nv_awake": "nv"}
DERIVED = frozenset({*_ABSENT, *_NOT_KEPT, *_AWAKE, *_AWAKE_COUNTS, "nparent_awake", "nplugin"}) | frozenset(
    "qM solver_niter solver_fwdinv ten_wrapadr ten_wrapnum moment_rownnz moment_rowadr moment_colind nJ nA".split()
)


def row_field(data: MjData, name: str) -> np.ndarray:
    """A field with one entry or row per constraint row. Empty arrays own their memory, as in
    MuJoCo."""
    array = _saltus.constraint_field(data._model._core, data._core, name) if name in _STORED else _dual(data, name)
    return array[:] if array.size else array.copy()


def dense_jacobian(data: MjData) -> np.ndarray:
    """The Jacobian of all rows, nefc × nv, for sparse and dense storage."""
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
    """A field that is derived from others."""
    if name == "qM":
        return _legacy_inertia(data)
    if name in _ABSENT:
        kind, columns = _ABSENT[name]
        return np.zeros((0, columns) if columns else 0, dtype=kind)
    if name in _NOT_KEPT:
        array = np.full(getattr(data.model, _NOT_KEPT[name]), np.nan)
        array.flags.writeable = False
        return array
    if name in _AWAKE:
        return _awake(data, name)
    if name in _AWAKE_COUNTS:
        return getattr(data.model, _AWAKE_COUNTS[name])
    if name == "nparent_awake":
        return data.model.nbody - 1
    if name == "nplugin":
        return 0
    if name == "solver_niter":
        # The first entry has the iterations of the slowest island.
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
    # Sparsity patterns that MuJoCo stores in the data and Saltus in the model.
    return getattr(data.model, name)


def _awake(data: MjData, name: str) -> np.ndarray:
    """Fields about sleeping: everything is awake, since sleeping is not supported."""
    model = data.model
    values = {
        "tree_asleep": np.full(model.ntree, -1 - mjMINAWAKE),
        "tree_awake": np.ones(model.ntree),
        "body_awake": np.where((model.body_treeid < 0) & (model.body_mocapid[model.body_rootid] < 0), -1, 1),
        "body_awake_ind": np.arange(model.nbody),
        "parent_awake_ind": np.roll(np.arange(model.nbody), -1),
        "dof_awake_ind": np.arange(model.nv),
    }
    return values[name].astype(np.int32)


def _legacy_inertia(data: MjData) -> np.ndarray:
    """M in the order of MuJoCo 3: of each dof its diagonal entry, then those with its ancestors, nearest first."""
    legacy: np.ndarray = data.M[data._model.mapM2M]
    return legacy
