"""Inverse dynamics with contact in complex arithmetic: an independent oracle for derivatives.

This is an independent implementation of the formulas in the manual, in the world frame and without
spatial algebra (Newton-Euler equations for each body, then Jᵀ). It is analytic in q, v, a,
activations and controls, so a complex step of 1e-30 gives the derivative to machine precision.
Discrete decisions (which features touch, the active set, on which side a tendon wraps) are taken
from MuJoCo's results at the real state, as are values of the model that do not depend on the state
(stiffness and damping of reference accelerations, scale of the regularizers).
"""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
from complex_contact import Unknown, cross, norm, rotation, touch
from complex_tendon import spatial
from complex_tree import HINGE, SLIDE, ZERO, Body, shifted, tree

EQUALITY, FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT, LIMIT_TENDON, FRICTIONLESS, PYRAMIDAL, ELLIPTIC = range(8)
SATISFIED, QUADRATIC, LINEAR_NEGATIVE, LINEAR_POSITIVE, CONE = range(5)


class Oracle:
    """Dynamics near the state of `d`, which holds MuJoCo's results of inverse dynamics."""

    def __init__(self, m: mujoco.MjModel, d: mujoco.MjData):
        if m.opt.disableflags or m.opt.enableflags or m.opt.density or m.opt.viscosity or m.body_gravcomp.any():
            raise Unknown("options")
        self.m, self.nefc = m, d.nefc
        self.rows = {name: np.array(getattr(d, f"efc_{name}")) for name in ("type", "id", "state", "R", "KBIP")}
        self.margin, self.loss = np.array(d.efc_margin), np.array(d.efc_frictionloss)
        self.pos = np.array(d.efc_pos)
        self.contact = [
            {
                name: np.copy(getattr(d.contact, name)[i])
                for name in (
                    "geom",
                    "dist",
                    "pos",
                    "frame",
                    "friction",
                    "solimp",
                    "includemargin",
                    "mu",
                    "dim",
                    "efc_address",
                )
            }
            for i in range(d.ncon)
        ]
        self.features: list = [None] * d.ncon
        self.sides: dict = {}
        # The features of the real state.
        self.bodies = tree(m, d.qpos + 0j, d.qvel + 0j, d.qacc + 0j)
        for i, c in enumerate(self.contact):
            if c["efc_address"] >= 0:
                self.features[i] = touch(m, self.bodies, c, None)[1]
        for t in range(m.ntendon):
            self.find_sides(t, d.ten_length[t])

    def find_sides(self, t: int, length: float) -> None:
        """The sides on which a tendon wraps cylinders, from its length at the real state."""
        m = self.m
        path = range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])
        rollers = [k for k in path if m.wrap_type[k] == mujoco.mjtWrap.mjWRAP_CYLINDER]
        for sides in itertools.product((0, 1, -1), repeat=len(rollers)) if rollers else ():
            self.sides.update(zip(rollers, sides))
            try:
                if abs(spatial(m, self.bodies, path, self.sides)[0].real - length) < 1e-9:
                    return
            except Unknown:
                pass
        if rollers:
            raise Unknown("side of a tendon")

    def inertia(self, bodies) -> np.ndarray:
        m = self.m
        M = np.diag(m.dof_armature).astype(complex)
        for i in range(1, m.nbody):
            I, c = self.mass_point(bodies[i], i)
            P, W = bodies[i].jacobian(m.nv, c)
            M += m.body_mass[i] * P.T @ P + W.T @ I @ W
        return M

    def mass_point(self, b: Body, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Inertia in world axes about the centre of mass, and the centre."""
        m = self.m
        c = b.x + b.R @ m.body_ipos[i]
        R = b.R @ rotation(m.body_iquat[i])
        return (R * m.body_inertia[i]) @ R.T, c

    def inverse(self, q, v, a) -> np.ndarray:
        """τ(q, v, a)."""
        m = self.m
        bodies = self.bodies = tree(m, q, v, a)
        tau = m.dof_armature * a + 0j
        for i in range(1, m.nbody):
            b = bodies[i]
            I, c = self.mass_point(b, i)
            force = m.body_mass[i] * (b.moved(c).dv - m.opt.gravity)
            torque = I @ b.dw + cross(b.w, I @ b.w)
            about = torque + cross(c, force)
            for k, axis, anchor, slide in b.dofs:
                tau[k] += slide @ force if axis is ZERO else axis @ (about - cross(anchor, force))
        self.L, self.LJ = self.tendons(bodies, q)
        return tau - self.passive(q, v) - self.constraint(q, v, a)

    def tendons(self, bodies, q):
        m = self.m
        L, LJ = np.zeros(m.ntendon, dtype=complex), np.zeros((m.ntendon, m.nv), dtype=complex)
        for t in range(m.ntendon):
            path = range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])
            if m.wrap_type[path[0]] == mujoco.mjtWrap.mjWRAP_JOINT:
                for k in path:
                    j = m.wrap_objid[k]
                    L[t] += m.wrap_prm[k] * q[m.jnt_qposadr[j]]
                    LJ[t, m.jnt_dofadr[j]] += m.wrap_prm[k]
            else:
                L[t], LJ[t] = spatial(m, bodies, path, self.sides)
        return L, LJ

    def passive(self, q, v) -> np.ndarray:
        m = self.m
        force = -m.dof_damping * v + 0j
        for j in np.flatnonzero(m.jnt_stiffness):
            if m.jnt_type[j] not in (SLIDE, HINGE):
                raise Unknown("spring of a ball or free joint")
            s = m.jnt_qposadr[j]
            force[m.jnt_dofadr[j]] -= m.jnt_stiffness[j] * (q[s] - m.qpos_spring[s])
        for t in range(m.ntendon):
            low, high = m.tendon_lengthspring[t]
            stretch = min(self.L[t] - low, 0.0, key=np.real) + max(self.L[t] - high, 0.0, key=np.real)
            pull = m.tendon_stiffness[t] * stretch + m.tendon_damping[t] * (self.LJ[t] @ v)
            force = force - self.LJ[t] * pull
        return force

    def constraint(self, q, v, a) -> np.ndarray:
        """Jᵀ f."""
        m, kind, ids = self.m, self.rows["type"], self.rows["id"]
        force = np.zeros(m.nv, dtype=complex)
        row = 0
        while row < self.nefc:
            k = int(ids[row])
            if kind[row] >= FRICTIONLESS:
                count, part = self.contact_force(row, k, v, a)
                row, force = row + count, force + part
                continue
            J, pos, imp = self.scalar_row(row, k, q)
            r = pos - self.margin[row]
            d = impedance(imp, r)
            D = 1 / self.regularizer(row, d, J)
            f = self.row_force(row, D, J @ a + self.stabilizer(row, d, r, J @ v))
            force, row = force + J * f, row + 1
        return force

    def scalar_row(self, row: int, k: int, q):
        """Jacobian, residual and impedance parameters of a row that does not belong to a
        contact."""
        m, kind = self.m, self.rows["type"]
        J = np.zeros(m.nv, dtype=complex)
        if kind[row] == EQUALITY:
            if m.eq_type[k] != mujoco.mjtEq.mjEQ_TENDON or m.eq_obj2id[k] >= 0:
                raise Unknown("equality")
            t = m.eq_obj1id[k]
            return self.LJ[t], self.L[t] - m.tendon_length0[t] - m.eq_data[k, 0], m.eq_solimp[k]
        if kind[row] == FRICTION_DOF:
            J[k] = 1
            return J, 0j, m.dof_solimp[k]
        if kind[row] == LIMIT_JOINT and m.jnt_type[k] in (SLIDE, HINGE):
            x, (low, high) = q[m.jnt_qposadr[k]], m.jnt_range[k]
            # Two rows of one joint: the lower limit comes first; the residual of the real state tells which.
            lower = abs(self.pos[row] - (x.real - low)) <= abs(self.pos[row] - (high - x.real))
            J[m.jnt_dofadr[k]] = 1 if lower else -1
            return J, x - low if lower else high - x, m.jnt_solimp[k]
        raise Unknown("row")

    def contact_rows(self, k: int):
        """Jacobian (normal, tangents, spin, rolls) and distance of a contact."""
        m, c = self.m, self.contact[k]
        (dist, pos, frame), _ = touch(m, self.bodies, c, self.features[k])
        b1, b2 = m.geom_bodyid[c["geom"]]
        P1, W1 = self.bodies[b1].jacobian(m.nv, pos)
        P2, W2 = self.bodies[b2].jacobian(m.nv, pos)
        return np.concatenate([frame @ (P2 - P1), frame @ (W2 - W1)])[: int(c["dim"])], dist

    def stabilizer(self, row: int, d, r, vel):
        """−a_ref of a row with residual r and rate vel."""
        K, B, _, _ = self.rows["KBIP"][row]
        return B * vel + K * d * r

    def regularizer(self, row: int, d, first):
        """R of a row: (1 − d)/d times a constant; `first` is J of the first row of its contact."""
        base = self.rows["KBIP"][row, 2]
        return self.rows["R"][row] * ((1 - d) / d) / ((1 - base) / base)

    def softness(self, rows: slice):
        """R of rows for which it does not depend on the state."""
        return self.rows["R"][rows]

    def row_force(self, row: int, D, x):
        state = self.rows["state"][row]
        if state == SATISFIED:
            return 0j
        if state == QUADRATIC:
            return -D * x
        return self.loss[row] * (1 if state == LINEAR_NEGATIVE else -1) + 0j

    def contact_force(self, row: int, k: int, v, a):
        """Rows of a contact and their generalized force."""
        c = self.contact[k]
        J, dist = self.contact_rows(k)
        mu, dim = c["friction"], int(c["dim"])
        r = dist - c["includemargin"]
        d = impedance(c["solimp"], r)
        if self.rows["type"][row] == PYRAMIDAL:
            sides = [J[0] + sign * mu[j] * J[j + 1] for j in range(dim - 1) for sign in (1, -1)]
            J = np.array(sides)
        n = len(J)
        residual = np.full(n, r)
        if self.rows["type"][row] == ELLIPTIC:
            residual[1:] = 0
        x = J @ a + np.array([self.stabilizer(row + i, d, residual[i], J[i] @ v) for i in range(n)])
        D = np.array([1 / self.regularizer(i, d, J[0]) for i in range(row, row + n)])
        if self.rows["state"][row] == CONE:
            f = cone_force(D[0], c["mu"], mu[: dim - 1], x)
        else:
            f = np.array([self.row_force(row + i, D[i], x[i]) for i in range(n)])
        return n, J.T @ f

    def actuation(self, q, v, act, ctrl) -> tuple[np.ndarray, np.ndarray]:
        """Generalized force of the actuators, and activations after a step; after `inverse` at the same state."""
        m, h = self.m, self.m.opt.timestep
        force, after = np.zeros(m.nv, dtype=complex), act + 0j
        if m.jnt_actfrclimited.any() or m.actuator_forcelimited.any() or m.actuator_actlimited.any():
            raise Unknown("clamped actuators")
        for i in range(m.nu):
            u, gear, k = ctrl[i], m.actuator_gear[i, 0], m.actuator_trnid[i, 0]
            J = np.zeros(m.nv, dtype=complex)
            if m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_JOINT and m.jnt_type[k] in (SLIDE, HINGE):
                J[m.jnt_dofadr[k]], length = gear, gear * q[m.jnt_qposadr[k]]
            elif m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_TENDON:
                J, length = gear * self.LJ[k], gear * self.L[k]
            else:
                raise Unknown("transmission")
            if m.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_FILTER:
                s = m.actuator_actadr[i]
                after[s], u = act[s] + h * (u - act[s]) / m.actuator_dynprm[i, 0], act[s]
            elif m.actuator_dyntype[i] != mujoco.mjtDyn.mjDYN_NONE:
                raise Unknown("activation")
            if m.actuator_gaintype[i] != mujoco.mjtGain.mjGAIN_FIXED or m.actuator_biastype[i] > 1:
                raise Unknown("gain or bias")
            f = m.actuator_gainprm[i, 0] * u
            if m.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE:
                b = m.actuator_biasprm[i]
                f = f + b[0] + b[1] * length + b[2] * (J @ v)
            force = force + J * f
        return force, after

    def step(self, q, v, a):
        """State after a step of Euler's method with implicit joint damping, from the acceleration."""
        h = self.m.opt.timestep
        M = self.inertia(tree(self.m, q, v, a))
        a = np.linalg.solve(M + h * np.diag(self.m.dof_damping), M @ a)
        v = v + h * a
        return shifted(self.m, q, h * v), v


def impedance(solimp, r):
    d0, d1, width, mid, power = solimp
    d0, d1 = np.clip([d0, d1], 1e-4, 0.9999)
    mid, power = np.clip(mid, 1e-4, 0.9999), max(power, 1.0)
    x = (r if r.real >= 0 else -r) / width
    if x.real >= 1 or d0 == d1:
        return d1 + 0j
    if power == 1:
        y = x
    elif x.real <= mid:
        y = x**power / mid ** (power - 1)
    else:
        y = 1 - (1 - x) ** power / (1 - mid) ** (power - 1)
    return d0 + y * (d1 - d0)


def cone_force(D, mu, friction, x):
    """Force in the middle zone of the elliptic friction cone."""
    U = friction * x[1:]
    T = norm(U)
    f = D / (mu**2 * (1 + mu**2)) * -(mu * x[0] - mu * T)
    return np.concatenate([[f * mu], -f * mu / T * U * friction])
