"""Rays, points in sites, distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus.mujoco.arguments import floats, put, result
from saltus.mujoco.data import MjData
from saltus.mujoco.enums import mjtGeom
from saltus.mujoco.model import MjModel

_Out = np.ndarray | None


def _triple(x: ArrayLike, what: str) -> list[float]:
    triple: list[float] = floats(x, 3, what).tolist()
    return triple


def _direction(vec: ArrayLike) -> list[float]:
    vector = _triple(vec, "vec")
    if not any(vector):
        raise ValueError("the ray's direction is zero")
    return vector


def mj_ray(
    m: MjModel,
    d: MjData,
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: ArrayLike | None,
    flg_static: int,
    bodyexclude: int,
    geomid: _Out,
    normal: _Out = None,
) -> float:
    """Distance (in units of `vec`) to the nearest visible geom on a ray, −1 if there is none."""
    d._core.check_model(m._core)
    groups = None if geomgroup is None else [bool(g) for g in floats(geomgroup, 6, "geomgroup")]
    point, vector = _triple(pnt, "pnt"), _direction(vec)
    hit = _saltus.ray(m._core, d._core, point, vector, groups, not flg_static, int(bodyexclude))
    if geomid is not None:
        geomid[...] = hit[1]
    if normal is not None:
        put(normal, hit[2])
    return hit[0]


def mj_multiRay(
    m: MjModel,
    d: MjData,
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: ArrayLike | None,
    flg_static: int,
    bodyexclude: int,
    geomid: np.ndarray,
    dist: np.ndarray,
    normal: _Out,
    nray: int,
    cutoff: float,
) -> None:
    """`mj_ray` for `nray` directions from one point; geoms beyond `cutoff` are ignored."""
    d._core.check_model(m._core)
    directions = floats(vec, 3 * nray, "vec").reshape(nray, 3)
    if geomid.size != nray or dist.size != nray:
        raise TypeError(f"geomid and dist should have {nray} numbers")
    normals = None if normal is None else result(normal, "normal", 3 * nray).reshape(nray, 3)
    found = np.zeros(1, dtype=np.int32)
    for k, direction in enumerate(directions):
        toward = None if normals is None else normals[k]
        length = mj_ray(m, d, pnt, direction, geomgroup, flg_static, bodyexclude, found, toward)
        if length * np.linalg.norm(direction) > cutoff:
            length, found[0] = -1.0, -1
        dist.reshape(-1)[k], geomid.reshape(-1)[k] = length, found[0]


def _ray_one(m: MjModel, d: MjData, geomid: int, kind: int, pnt: ArrayLike, vec: ArrayLike, normal: _Out) -> float:
    d._core.check_model(m._core)
    if not 0 <= geomid < m.ngeom or m.geom_type[geomid] != kind:
        raise ValueError(f"geom {geomid} is not a {mjtGeom(kind).name.removeprefix('mjGEOM_').lower()}")
    hit = _saltus.ray_geom(m._core, d._core, int(geomid), _triple(pnt, "pnt"), _direction(vec))
    if normal is not None:
        put(normal, hit[1])
    return hit[0]


def mj_rayMesh(m: MjModel, d: MjData, geomid: int, pnt: ArrayLike, vec: ArrayLike, normal: _Out = None) -> float:
    """Distance to a mesh geom on a ray, −1 if the ray misses it."""
    return _ray_one(m, d, int(geomid), mjtGeom.mjGEOM_MESH, pnt, vec, normal)


def mj_rayHfield(m: MjModel, d: MjData, geomid: int, pnt: ArrayLike, vec: ArrayLike, normal: _Out = None) -> float:
    """Distance to a height field on a ray, −1 if the ray misses it."""
    return _ray_one(m, d, int(geomid), mjtGeom.mjGEOM_HFIELD, pnt, vec, normal)


def mju_rayGeom(
    pos: ArrayLike,
    mat: ArrayLike,
    size: ArrayLike,
    pnt: ArrayLike,
    vec: ArrayLike,
    geomtype: int,
    normal: _Out = None,
) -> float:
    """Distance to a primitive shape at a pose on a ray, −1 if the ray misses it."""
    rotation = floats(mat, 9, "mat").reshape(3, 3)
    point = rotation.T @ (floats(pnt, 3, "pnt") - floats(pos, 3, "pos"))
    vector = rotation.T @ floats(_direction(vec))
    distance, outward = _saltus.ray_shape(int(geomtype), _triple(size, "size"), point.tolist(), vector.tolist())
    if normal is not None:
        put(normal, rotation @ outward)
    return distance


def mju_raySkin(
    nface: int, nvert: int, face: ArrayLike, vert: ArrayLike, pnt: ArrayLike, vec: ArrayLike, vertid: _Out
) -> float:
    """Distance to a surface of triangles on a ray, −1 if the ray misses it; the nearest vertex is
    written to `vertid`."""
    if nface < 0 or nvert < 0:
        raise ValueError("nface and nvert should not be negative")
    corners = floats(vert, 3 * nvert, "vert").reshape(nvert, 3)
    faces = floats(face, 3 * nface, "face").astype(int).reshape(nface, 3)
    if faces.size and not 0 <= faces.min() <= faces.max() < nvert:
        raise ValueError("a face refers to a vertex that does not exist")
    point, vector = floats(pnt, 3, "pnt"), floats(_direction(vec))
    best = -1.0
    for triangle in faces:
        distance = _ray_triangle(corners[triangle], point, vector)
        if distance >= 0 and (best < 0 or distance < best):
            best = distance
            if vertid is not None:
                away = np.linalg.norm(corners[triangle] - (point + distance * vector), axis=1)
                vertid[...] = triangle[int(np.argmin(away))]
    return best


def _ray_triangle(corners: np.ndarray, point: np.ndarray, vector: np.ndarray) -> float:
    """Solves point + t vector = a + u (b − a) + w (c − a) for t; −1 if it is behind or outside."""
    matrix = np.stack([corners[1] - corners[0], corners[2] - corners[0], -vector], axis=1)
    if abs(np.linalg.det(matrix)) < 1e-15:
        return -1.0
    u, w, t = np.linalg.solve(matrix, point - corners[0])
    return float(t) if u >= 0 and w >= 0 and u + w <= 1 and t >= 0 else -1.0


def mj_insideSite(m: MjModel, d: MjData, siteid: int, point: ArrayLike) -> int:
    """Whether a world point is inside a site. Mesh sites are not supported."""
    d._core.check_model(m._core)
    if not 0 <= siteid < m.nsite:
        raise IndexError(f"no site {siteid}: the model has {m.nsite}")
    if m.site_type[siteid] == mjtGeom.mjGEOM_MESH:
        raise NotImplementedError("saltus.mujoco.mj_insideSite does not support mesh sites")
    local = d.site_xmat[siteid].reshape(3, 3).T @ (floats(point, 3, "point") - d.site_xpos[siteid])
    return int(_saltus.is_inside(int(m.site_type[siteid]), m.site_size[siteid].tolist(), local.tolist()))


def mj_geomDistance(m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: _Out = None) -> float:
    """Signed distance between two geoms, at most `distmax`; `fromto` receives their nearest
    points."""
    found = _saltus.geom_distance(m._core, d._core, int(geom1), int(geom2), float(distmax))
    if fromto is not None:
        put(fromto, np.zeros(6) if found is None else [*found[1], *found[2]])
    return float(distmax) if found is None else found[0]


__all__ = [name for name in globals() if name.startswith(("mj_", "mju_"))]
