"""Lengths of spatial tendons over sites and cylinders, in complex arithmetic."""

from __future__ import annotations

import mujoco
import numpy as np
from complex_contact import Unknown, geom_pose, norm

WRAP = mujoco.mjtWrap


def angle(c, s):
    """The angle with the given cosine and sine, in [0, 2π)."""
    return np.arctan2(s.real, c.real) % (2 * np.pi) + 1j * (c.real * s.imag - s.real * c.imag)


def around(m, bodies, g, p, q, side):
    """Where a tendon from p to q touches and leaves a cylinder, counterclockwise (1) or clockwise (−1), and the length
    between: a helix."""
    x, R = geom_pose(m, bodies, g)
    r, a, b = m.geom_size[g, 0], R.T @ (p - x), R.T @ (q - x)
    touches, straight = [], []
    for point, turn in ((a, side), (b, -side)):
        d = point[:2]
        rho2 = d @ d
        if rho2.real <= r * r:
            raise Unknown("tendon inside a cylinder")
        free = np.sqrt(rho2 - r * r)
        touches.append((r * r * d + turn * r * free * np.array([-d[1], d[0]])) / rho2)
        straight.append(free)
    t0, t1 = touches
    arc = r * angle(t0 @ t1 / r**2, side * (t0[0] * t1[1] - t0[1] * t1[0]) / r**2)
    slope = (b[2] - a[2]) / (straight[0] + arc + straight[1])
    first = np.array([*t0, a[2] + slope * straight[0]])
    last = np.array([*t1, b[2] - slope * straight[1]])
    return x + R @ first, x + R @ last, np.sqrt(arc**2 + (last[2] - first[2]) ** 2)


def spatial(m, bodies, path, sides):
    """Length and its Jacobian; `sides` is the wrapping direction for each geom of the path (0: no
    wrapping)."""
    J, length = np.zeros(m.nv, dtype=complex), 0j

    def straight(body0, p, body1, q):
        nonlocal J, length
        u = q - p
        size = norm(u)
        J = J + (u / size) @ (bodies[body1].jacobian(m.nv, q)[0] - bodies[body0].jacobian(m.nv, p)[0])
        length = length + size

    place, over = None, None
    for k in path:
        i = m.wrap_objid[k]
        if m.wrap_type[k] == WRAP.mjWRAP_CYLINDER:
            over = (k, i)
            continue
        if m.wrap_type[k] != WRAP.mjWRAP_SITE:
            raise Unknown("tendon path")
        body = m.site_bodyid[i]
        here = body, bodies[body].x + bodies[body].R @ m.site_pos[i]
        if place is not None:
            if over is not None and sides.get(over[0], 0):
                first, last, curve = around(m, bodies, over[1], place[1], here[1], sides[over[0]])
                roller = m.geom_bodyid[over[1]]
                straight(*place, roller, first)
                straight(roller, last, *here)
                length = length + curve
            else:
                straight(*place, *here)
        place, over = here, None
    return length, J
