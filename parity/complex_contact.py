"""Contacts of planes, spheres, capsules and boxes (not of two boxes) in complex numbers."""

from __future__ import annotations

import itertools

import numpy as np

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = range(7)
KINDS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
# Tolerance for matching features with the contacts of MuJoCo.
SAME = 1e-9


class Unknown(Exception):
    """The oracle has no formula for this case."""


def cross(a, b):
    (a, b, c), (x, y, z) = a.tolist(), b.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def norm(x):
    """√(x · x), an analytic function of x."""
    return np.sqrt(x @ x + 0j)


def rotation(q):
    """Rotation matrix of a quaternion, which is normalized first."""
    w, x, y, z = (q / np.sqrt(q @ q)).tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def frame_of(n, hint=None):
    """Contact frame with rows normal and two tangents, the first along the hint or a world axis."""
    if hint is None:
        hint = np.array([0, 1, 0]) if abs(n[1].real) < 0.5 else np.array([0, 0, 1])
    t = hint - n * (n @ hint)
    t = t / norm(t)
    return np.array([n, t, cross(n, t)])


def geom_pose(m, bodies, g):
    b = bodies[m.geom_bodyid[g]]
    return b.x + b.R @ m.geom_pos[g], b.R @ rotation(m.geom_quat[g])


def balls(c1, r1, c2, r2):
    """Contact of two spheres: distance, midpoint, normal."""
    gap = c2 - c1
    length = norm(gap)
    n = gap / length
    dist = length - r1 - r2
    return dist, c1 + n * (r1 + dist / 2), n


def on_segment(p, x, u, h):
    """Nearest point to p on the line through x along u."""
    return x + u * ((p - x) @ u)


def nearest(x1, u1, h1, x2, u2, h2, feature):
    """Nearest points of two segments: at an end (±1) or where the distance is stationary (0)."""
    e1, e2 = feature
    if e1 and e2:
        return x1 + e1 * h1 * u1, x2 + e2 * h2 * u2
    if e1:
        p = x1 + e1 * h1 * u1
        return p, on_segment(p, x2, u2, h2)
    if e2:
        p = x2 + e2 * h2 * u2
        return on_segment(p, x1, u1, h1), p
    c, g = u1 @ u2, x1 - x2
    det = 1 - c * c
    if abs(det) < 1e-9:
        raise Unknown("parallel capsules")
    s = (c * (u2 @ g) - u1 @ g) / det
    return x1 + s * u1, x2 + ((u2 @ g) + c * s) * u2


def on_box(x, u, h, size, feature, r):
    """Points and radii of a segment (or a sphere) and of a box at the origin, in its axes."""
    end, bound = feature
    corner = np.array(bound) * size
    free = [k for k in range(3) if not bound[k]]
    if end:
        p = x + end * h * u
        q = np.array([p[k] if k in free else corner[k] for k in range(3)])
    elif free:
        p, q = nearest(x, u, h, corner, np.eye(3)[free[0]], 0.0, (0, 0))
    else:
        p, q = on_segment(corner, x, u, h), corner + 0j
    return p, r, q, 0.0


def candidates(m, g1, g2):
    """The possible features for the types of the two geoms."""
    kinds = (m.geom_type[g1], m.geom_type[g2])
    ends = (0, 1, -1)
    table = {
        (PLANE, SPHERE): [0],
        (PLANE, CAPSULE): [(end, hint) for end in (1, -1) for hint in (True, False)],
        (PLANE, BOX): list(itertools.product((1, -1), repeat=3)),
        (SPHERE, SPHERE): [(0, 0)],
        (SPHERE, CAPSULE): [(1, e) for e in ends],
        (CAPSULE, CAPSULE): list(itertools.product(ends, repeat=2)),
        # The box side of a feature: a corner, an edge or a face, by the coordinates that are at their bounds.
        (SPHERE, BOX): [(1, box) for box in itertools.product(ends, repeat=3) if any(box)],
        (CAPSULE, BOX): [
            (e, box) for e in ends for box in itertools.product(ends, repeat=3) if sum(map(abs, box)) >= (1 if e else 2)
        ],
    }
    if kinds not in table:
        raise Unknown("contact of " + " and ".join(KINDS[k] for k in kinds))
    return table[kinds]


def shape(m, bodies, g1, g2, feature):
    """Distance, midpoint and frame of one feature."""
    x1, R1 = geom_pose(m, bodies, g1)
    x2, R2 = geom_pose(m, bodies, g2)
    s1, s2 = m.geom_size[g1], m.geom_size[g2]
    if m.geom_type[g1] == PLANE:
        n, hint = R1[:, 2], None
        if m.geom_type[g2] == BOX:
            p, r = x2 + R2 @ (np.array(feature) * s2), 0.0
        elif m.geom_type[g2] == CAPSULE:
            p, r = x2 + feature[0] * s2[1] * R2[:, 2], s2[0]
            hint = R2[:, 2] if feature[1] else None
        else:
            p, r = x2, s2[0]
        dist = (p - x1) @ n - r
        return dist, p - n * (r + dist / 2), frame_of(n, hint)
    if m.geom_type[g2] == BOX:
        h = s1[1] if m.geom_type[g1] == CAPSULE else 0.0
        dist, pos, n = balls(*on_box(R2.T @ (x1 - x2), R2.T @ R1[:, 2], h, s2, feature, s1[0]))
        return dist, x2 + R2 @ pos, frame_of(R2 @ n)
    halves = [s[1] if m.geom_type[g] == CAPSULE else 0.0 for g, s in ((g1, s1), (g2, s2))]
    p1, p2 = nearest(x1, R1[:, 2], halves[0], x2, R2[:, 2], halves[1], feature)
    dist, pos, n = balls(p1, s1[0], p2, s2[0])
    return dist, pos, frame_of(n)


def touch(m, bodies, c, feature):
    """A contact and its feature: the given one, or the one that reproduces the contact `c` of the
    real state."""
    g1, g2 = c["geom"]
    if feature is not None:
        return shape(m, bodies, g1, g2, feature), feature
    for feature in candidates(m, g1, g2):
        try:
            with np.errstate(all="ignore"):  # features far from the contact may be degenerate
                found = shape(m, bodies, g1, g2, feature)
        except Unknown:
            continue
        ours = np.concatenate([[found[0]], found[1], found[2].reshape(-1)]).real
        theirs = np.concatenate([[c["dist"]], c["pos"], c["frame"]])
        if (np.abs(ours - theirs) < SAME).all():
            return found, feature
    raise Unknown(f"contact of geoms {m.geom(g1).name or g1} and {m.geom(g2).name or g2}")
