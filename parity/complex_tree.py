"""Forward kinematics of all bodies in complex arithmetic, joint by joint in the world frame."""

from __future__ import annotations

import mujoco
import numpy as np
from complex_contact import cross, norm, rotation

FREE, BALL, SLIDE, HINGE = range(4)
ZERO, ONE = np.zeros(3), np.eye(3)


def quat_mul(p, q):
    w, u, x, y = p[0], p[1:], q[0], q[1:]
    return np.concatenate([[w * x - u @ y], w * y + x * u + cross(u, y)])


def exp(x):
    """The unit quaternion of a rotation vector."""
    angle = norm(x)
    if abs(angle) < 1e-12:
        return np.concatenate([[1.0 + 0 * angle], x / 2])
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) / angle * x])


def shifted(m: mujoco.MjModel, q: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """q ⊕ dx."""
    q = q + 0j
    for j in range(m.njnt):
        a, d, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
        if kind in (SLIDE, HINGE):
            q[a] += dx[d]
            continue
        if kind == FREE:
            q[a : a + 3] += dx[d : d + 3]
            a, d = a + 3, d + 3
        q[a : a + 4] = quat_mul(q[a : a + 4], exp(dx[d : d + 3]))
    return q


class Body:
    """Pose and motion of a body's frame, and the dofs that move it: axis of rotation, point on it, translation."""

    def __init__(self):
        self.x, self.R = ZERO, ONE
        self.w = self.v = self.dw = self.dv = ZERO
        self.dofs: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]] = []

    def moved(self, x: np.ndarray) -> Body:
        """The motion of the same rigid body with another point as its origin."""
        b, r = Body(), x - self.x
        b.x, b.R, b.w, b.dw, b.dofs = x, self.R, self.w, self.dw, list(self.dofs)
        b.v = self.v + cross(self.w, r)
        b.dv = self.dv + cross(self.dw, r) + cross(self.w, cross(self.w, r))
        return b

    def jacobian(self, nv: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of a point fixed in the body and of its rotation · 3 × nv each."""
        P, W = np.zeros((3, nv), dtype=complex), np.zeros((3, nv), dtype=complex)
        for k, axis, anchor, slide in self.dofs:
            if axis is ZERO:
                P[:, k] = slide
            else:
                P[:, k], W[:, k] = cross(axis, point - anchor), axis
        return P, W


def tree(m: mujoco.MjModel, q, v, a) -> list[Body]:
    """All bodies, from the root."""
    bodies = [Body()]
    for i in range(1, m.nbody):
        parent = bodies[m.body_parentid[i]]
        b = parent.moved(parent.x + parent.R @ m.body_pos[i])
        b.R = parent.R @ rotation(m.body_quat[i])
        for j in range(m.body_jntadr[i], m.body_jntadr[i] + m.body_jntnum[i]):
            s, d, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
            if kind == FREE:
                b.x, b.R = q[s : s + 3], rotation(q[s + 3 : s + 7])
                b.v, b.dv = v[d : d + 3], a[d : d + 3]
                b.w, b.dw = b.R @ v[d + 3 : d + 6], b.R @ a[d + 3 : d + 6]
                b.dofs = [(d + k, ZERO, ZERO, ONE[k]) for k in range(3)]
                b.dofs += [(d + 3 + k, b.R[:, k], b.x, ZERO) for k in range(3)]
                continue
            axis = b.R @ m.jnt_axis[j]
            if kind == SLIDE:
                b = b.moved(b.x + axis * (q[s] - m.qpos0[s]))
                b.v = b.v + axis * v[d]
                b.dv = b.dv + axis * a[d] + 2 * cross(b.w, axis) * v[d]
                b.dofs.append((d, ZERO, ZERO, axis))
                continue
            anchor = b.x + b.R @ m.jnt_pos[j]
            b = b.moved(anchor)
            if kind == HINGE:
                turn = rotation(exp(m.jnt_axis[j] * (q[s] - m.qpos0[s])))
                b.R = b.R @ turn
                spin, rate = axis * v[d], axis * a[d]
                b.dofs.append((d, axis, anchor, ZERO))
            else:
                b.R = b.R @ rotation(q[s : s + 4])
                spin, rate = b.R @ v[d : d + 3], b.R @ a[d : d + 3]
                b.dofs += [(d + k, b.R[:, k], anchor, ZERO) for k in range(3)]
            b.dw = b.dw + rate + cross(b.w, spin)
            b.w = b.w + spin
            b = b.moved(anchor - b.R @ m.jnt_pos[j])
        bodies.append(b)
    return bodies
