"""Sparsity patterns of the kinematic tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from saltus.mujoco.model import MjModel

PATTERNS = (
    "B_colind B_rowadr B_rownnz nB D_colind D_diag D_rowadr D_rownnz nD mapM2M mapM2D mapD2M tree_sleep_policy mat_texid "
    "paths npaths"
).split()


def _rows(rows: list[np.ndarray], letter: str) -> dict[str, np.ndarray | int]:
    """A pattern by its columns and the start and length of each row."""
    sizes = np.array([len(row) for row in rows], dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])[: len(rows)].astype(np.int32)
    columns = np.concatenate(rows).astype(np.int32) if rows else np.zeros(0, np.int32)
    names = f"{letter}_colind", f"{letter}_rowadr", f"{letter}_rownnz", f"n{letter}"
    return dict(zip(names, (columns, starts, sizes, len(columns))))


def patterns(model: MjModel) -> dict[str, np.ndarray | int | bytes]:
    """B: dofs that move a part of the subtree of each body. D: dofs that belong to the same branch as each dof, with maps to the entries of M.
    And the few fields that follow as simply."""
    nv = model.nv
    lower = [model.M_colind[start : start + size] for start, size in zip(model.M_rowadr, model.M_rownnz)]
    related = np.zeros((nv, nv), dtype=bool)
    for i, columns in enumerate(lower):
        related[i, columns] = related[columns, i] = True
    moving = [np.zeros(0, np.int32) for _ in range(model.nbody)]
    for b in range(1, model.nbody):
        start, size = int(model.body_dofadr[b]), int(model.body_dofnum[b])
        moving[b] = np.concatenate([moving[int(model.body_parentid[b])], np.arange(start, start + size)])
    for b in range(model.nbody - 1, 0, -1):
        parent = int(model.body_parentid[b])
        moving[parent] = np.union1d(moving[parent], moving[b])
    whole = [np.flatnonzero(row) for row in related]
    entry = np.zeros((nv, nv), dtype=np.int32)
    for i, columns in enumerate(lower):
        entry[i, columns] = entry[columns, i] = model.M_rowadr[i] + np.arange(len(columns))
    below = np.concatenate([columns <= i for i, columns in enumerate(whole)]) if nv else np.zeros(0, bool)
    older = [start + np.arange(size)[::-1] for start, size in zip(model.M_rowadr, model.M_rownnz)]
    return {
        **_rows(moving, "B"),
        **_rows(whole, "D"),
        "D_diag": np.array([int(np.searchsorted(row, i)) for i, row in enumerate(whole)], dtype=np.int32),
        "mapM2D": np.concatenate([entry[i, row] for i, row in enumerate(whole)]) if nv else np.zeros(0, np.int32),
        "mapD2M": np.flatnonzero(below).astype(np.int32),
        "mapM2M": np.concatenate(older).astype(np.int32) if nv else np.zeros(0, np.int32),
        # Sleeping is not supported, and no paths are stored.
        "tree_sleep_policy": np.ones(model.ntree, dtype=np.int32),
        "mat_texid": _textures(model),
        "paths": b"\0",
        "npaths": 1,
    }


def _textures(model: MjModel) -> np.ndarray:
    """The textures of each material by role; Saltus stores only the second of ten roles."""
    roles = np.full((model.nmat, 10), -1, dtype=np.int32)
    roles[:, 1] = model._core.field("mat_texture")
    return roles
