"""Detects sets of contacts for which MuJoCo is not a valid reference. Each case is proven
individually, instead of tolerating a fraction of exceptions:

- *unsteady*: after a perturbation by 1e-12, MuJoCo's own result changes by as much as ours differs from it;
- *not the depth*: our normal separates the shapes by a shorter translation than MuJoCo's depth, according
  to support functions;
- *blunt*: MuJoCo's normal is that of a face that it merged from triangles that are not coplanar.
"""

from __future__ import annotations

import mujoco
import numpy as np

MOVE = 1e-12
MOVES = 24
SPREAD = 10.0

Rows = list[np.ndarray]


def reason(
    m: mujoco.MjModel, d: mujoco.MjData, key: tuple[int, int], ours: Rows, theirs: Rows, scale, tolerance, tools
) -> str:
    """The reason why the contacts of a pair of geoms are in doubt, or an empty text. Restores
    `d`."""
    if ours and theirs and not_minimal(m, d, key, ours, theirs, tolerance):
        return "not the depth"
    if theirs and blunt(m, d, key, theirs):
        return "blunt"
    return "unsteady" if unsteady(m, d, key, ours, theirs, scale, tolerance, tools) else ""


def unsteady(m, d, key, ours: Rows, theirs: Rows, scale, tolerance, tools) -> bool:
    grouped, match = tools
    rng = np.random.default_rng(0)
    start, spread = d.qpos.copy(), 0.0
    good = False
    for _ in range(MOVES):
        d.qpos[:] = start
        mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * MOVE, 1.0)
        mujoco.mj_kinematics(m, d)
        mujoco.mj_collision(m, d)
        moved = grouped(d.contact).get(key, [])
        # The number or choice of points differs: ours must be among MuJoCo's results.
        if len(moved) == len(ours):
            good |= match(ours, moved, scale) <= tolerance
        if len(moved) == len(theirs):
            spread = max(spread, match(theirs, moved, scale))
    d.qpos[:] = start
    mujoco.mj_kinematics(m, d)
    mujoco.mj_collision(m, d)
    return good or (len(ours) == len(theirs) and match(ours, theirs, scale) <= SPREAD * spread)


def support(m: mujoco.MjModel, d: mujoco.MjData, g: int, direction: np.ndarray) -> float | None:
    """Support function of a convex geom in a direction."""
    centre, size = float(d.geom_xpos[g] @ direction), m.geom_size[g]
    local = d.geom_xmat[g].reshape(3, 3).T @ direction
    kind = mujoco.mjtGeom(m.geom_type[g])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return centre + size[0]
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return centre + size[0] + size[1] * abs(local[2])
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return centre + float(np.linalg.norm(size * local))
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return centre + size[0] * float(np.hypot(local[0], local[1])) + size[1] * abs(local[2])
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return centre + float(size @ np.abs(local))
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = m.geom_dataid[g]
        first = m.mesh_vertadr[mesh]
        return centre + float((m.mesh_vert[first : first + m.mesh_vertnum[mesh]] @ local).max())
    return None


def not_minimal(m, d, key, ours: Rows, theirs: Rows, tolerance) -> bool:
    """Whether the overlap along our normal, which bounds the depth from above, is less than
    MuJoCo's depth."""
    normal = min(ours, key=lambda row: row[0])[4:7]
    reach = support(m, d, key[0], normal), support(m, d, key[1], -normal)
    if None in reach:
        return False
    depth = reach[0] + reach[1]
    return depth > 0 and -min(row[0] for row in theirs) > depth + tolerance


def blunt(m: mujoco.MjModel, d: mujoco.MjData, key, theirs: Rows) -> bool:
    for g in key:
        if m.geom_type[g] != mujoco.mjtGeom.mjGEOM_MESH:
            continue
        mesh = m.geom_dataid[g]
        local = d.geom_xmat[g].reshape(3, 3).T @ theirs[0][4:7]
        vertices = m.mesh_vert[m.mesh_vertadr[mesh] :]
        for face in range(m.mesh_polyadr[mesh], m.mesh_polyadr[mesh] + m.mesh_polynum[mesh]):
            normal = m.mesh_polynormal[face]
            if abs(abs(normal @ local) - 1.0) > 1e-9:
                continue
            first = m.mesh_polyvertadr[face]
            height = vertices[m.mesh_polyvert[first : first + m.mesh_polyvertnum[face]]] @ normal
            if np.ptp(height) > 1e-6:
                return True
    return False
