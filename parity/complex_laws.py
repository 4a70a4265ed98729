"""Discrete inverse dynamics under the soft, impulse, invertible and compliant laws, in complex
arithmetic.

This is an implementation of the formulas of the laws, independent of the engine's code: the impulse
law row by row with its references, the invertible law with M̂ as a matrix and all rows at once, and
impulses as minimizers in impulse space. Active contacts and state-independent values (the scale of
the regularizers) are taken from the engine's results at the real state; other branches are decided
by real parts. MuJoCo has only the soft law; under the other laws the oracle is first compared with
the engine's own inverse dynamics.
"""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
from complex_contact import Unknown, norm
from complex_dynamics import (
    ELLIPTIC,
    EQUALITY,
    FRICTION_DOF,
    FRICTION_TENDON,
    FRICTIONLESS,
    LIMIT_JOINT,
    Oracle,
    cone_force,
)
from complex_tree import HINGE, SLIDE, shifted

# Default settings of the laws.
REACH = 0.01
ERROR_TIME = 0.02
GENTLE = 1e-3
SMOOTHING, HOVER = 1e-2, 1e-3
ROW_SOFTNESS, EQUALITY_TIME = 1e-3, 0.02
DEEP_SHARE, DEEP_SHARE_ALONE, PUSH_OUT = 0.1, 0.01, 1.0


@dataclasses.dataclass
class Group:
    """Coupled rows: a single row, or the rows of a contact."""

    kind: int
    start: int
    J: np.ndarray
    # Residual less margin, and the coefficients of friction.
    w: complex
    mu: np.ndarray
    # Distance beyond which the force is zero.
    reach: float = 0.0

    @property
    def own(self) -> slice:
        return slice(self.start, self.start + len(self.J))

    @property
    def is_one_sided(self) -> bool:
        return self.kind not in (EQUALITY, FRICTION_DOF, FRICTION_TENDON)


def gentle(rate):
    """Smooth positive part of the rate of an error: zero below 0, quadratic up to GENTLE, then
    linear."""
    if rate.real <= 0:
        return 0j
    return rate * rate / (2 * GENTLE) if rate.real < GENTLE else rate - GENTLE / 2


class LawOracle(Oracle):
    """Dynamics near the state of `d`, which holds the engine's results of inverse dynamics under one of the laws."""

    # Those that are set.
    settings: dict = {}

    def __init__(self, m: mujoco.MjModel, d):
        super().__init__(m, d)
        self.diag, self.impulse = np.array(d.efc_diagA), np.array(d.efc_force) * m.opt.timestep
        touched = {m.body_rootid[m.geom_bodyid[g]] for c in self.contact for g in c["geom"] if c["efc_address"] >= 0}
        for b in range(1, m.nbody):
            alone = m.body_dofnum[b] == 6 and (m.body_rootid == b).sum() == 1
            if alone and b not in touched:
                raise Unknown("free body without contact")
        reference = mujoco.MjData(m)
        mujoco.mj_kinematics(m, reference)
        self.reach = [reach_of(m, reference, c["geom"], self.inset) for c in self.contact]

    def implicit(self, q, v) -> tuple[np.ndarray, np.ndarray]:
        """What the step adds to the inertia, h D + h² K, and h K v."""
        m, h = self.m, self.m.opt.timestep
        added, shift = np.diag(h * m.dof_damping) + 0j, np.zeros(m.nv, dtype=complex)

        def add(J, k, b):
            nonlocal added, shift
            # What is zero counts if it is about to grow.
            k, b = (max(x, 0.0, key=lambda x: (np.real(x), np.imag(x))) for x in (k, b))
            added = added + np.outer(J, J) * (h * b + h * h * k)
            shift = shift + J * (h * k * (J @ v))

        for j in np.flatnonzero(m.jnt_stiffness):
            J = np.zeros(m.nv)
            J[m.jnt_dofadr[j]] = 1.0
            add(J, m.jnt_stiffness[j], 0.0)
        for t in range(m.ntendon):
            low, high = m.tendon_lengthspring[t]
            stretched = low.real == high.real or not low.real <= self.L[t].real <= high.real
            add(self.LJ[t], m.tendon_stiffness[t] if stretched else 0.0, m.tendon_damping[t])
        for i in range(m.nu):
            k, gear = m.actuator_trnid[i, 0], m.actuator_gear[i, 0]
            if m.actuator_gaintype[i] != mujoco.mjtGain.mjGAIN_FIXED or m.actuator_biastype[i] > 1:
                raise Unknown("gain or bias")
            if m.actuator_biastype[i] != mujoco.mjtBias.mjBIAS_AFFINE:
                continue
            if m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_JOINT and m.jnt_type[k] in (SLIDE, HINGE):
                J = np.zeros(m.nv, dtype=complex)
                J[m.jnt_dofadr[k]] = gear
            elif m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_TENDON:
                J = gear * self.LJ[k]
            else:
                raise Unknown("transmission")
            add(J, -m.actuator_biasprm[i, 1], -m.actuator_biasprm[i, 2])
        return added, shift

    def inverse(self, q, v, a) -> np.ndarray:
        tau = super().inverse(q, v, a)
        added, shift = self.implicit(q, v)
        return tau + added @ a + shift

    def step(self, q, v, a):
        h = self.m.opt.timestep
        v = v + h * a
        return shifted(self.m, q, h * v), v

    @property
    def inset(self) -> float:
        """Depth below the surfaces of the geoms at which the surfaces for contact are, m."""
        return self.settings.get("invertible_inset", 0.0)

    def groups(self, q) -> list[Group]:
        result, row = [], 0
        while row < self.nefc:
            kind, k = int(self.rows["type"][row]), int(self.rows["id"][row])
            if kind >= FRICTIONLESS:
                c = self.contact[k]
                J, pos = self.contact_rows(k)
                w, reach = pos - c["includemargin"] + self.inset, self.reach[k] + self.inset
                group = Group(kind, row, J, w, c["friction"][: len(J) - 1], reach)
            else:
                J, pos, _ = self.scalar_row(row, k, q)
                group = Group(kind, row, J[None], pos - self.margin[row], np.zeros(0), REACH)
            result.append(group)
            row += len(group.J)
        return result

    def constraint(self, q, v, a) -> np.ndarray:
        """Jᵀ f."""
        force = np.zeros(self.m.nv, dtype=complex)
        groups = self.groups(q)
        for group, f in zip(groups, self.forces(groups, q, v, a)):
            force = force + group.J.T @ f
        return force


class Discrete(LawOracle):
    """The soft law in discrete steps: springs of rows at the end of the step, softness scaled by the metric."""

    def constraint(self, q, v, a) -> np.ndarray:
        M = self.inertia(self.bodies)
        self.diagonals = np.diag(M), np.diag(M + self.implicit(q, v)[0])
        return Oracle.constraint(self, q, v, a)

    def spring(self, row: int, d):
        """k, b and s of a row; one that the step cannot resolve was replaced by k d h² = 1 with the same damping ratio."""
        h, (k, b, base, _) = self.m.opt.timestep, self.rows["KBIP"][row]
        if abs(k * base * h * h - 1) < 1e-12 and self.rows["type"][row] >= LIMIT_JOINT:
            ratio = b / (2 * np.sqrt(k))
            k = 1 / (h * h * d)
            b = 2 * ratio * np.sqrt(k)
        return k, b, 1 + h * (b + k * d * h)

    def stabilizer(self, row: int, d, r, vel):
        k, b, s = self.spring(row, d)
        return (b * vel + k * d * (r + self.m.opt.timestep * vel)) / s

    def regularizer(self, row: int, d, first):
        """As MuJoCo has it at the real state, times what changes over its real part."""
        M, M_hat = self.diagonals
        ratio = (first * first / M_hat).sum() / (first * first / M).sum()
        # All rows of a contact follow the first.
        lead = row if self.rows["type"][row] < FRICTIONLESS else self.contact[self.rows["id"][row]]["efc_address"]
        own = (1 - d) / (d * self.spring(lead, d)[2])
        # At most the maximum impedance.
        own = own if own.real > (1 - 0.9999) / 0.9999 else 1.0
        return self.rows["R"][row] * (ratio * own) / (ratio * own).real


class Impulse(LawOracle):
    """min ½ fᵀ(A + R) f + fᵀ(v₀ − v_min): f answers x = J a − (v_ref − J v)/h."""

    def forces(self, groups, q, v, a):
        h = self.m.opt.timestep
        for g in groups:
            vel = g.J @ v
            x = g.J @ a + vel / h
            D = 1 / self.softness(g.own)
            x[0] = x[0] - self.reference(g, vel) / h
            yield self.answer(g, x, D)

    def reference(self, g: Group, vel):
        """v_ref of the first row: the target rate of the error, less the sliding speed."""
        h, omega = self.m.opt.timestep, 1 / ERROR_TIME
        if g.kind in (FRICTION_DOF, FRICTION_TENDON):
            return 0j
        if g.is_one_sided and g.w.real > 0:
            least = -g.w / h
        else:
            rate = gentle(vel[0]) if g.is_one_sided else vel[0]
            least = (rate - h * omega * rate - h * omega**2 * g.w) * np.exp(-h * omega)
        slip = g.mu * vel[1:]
        return least - np.sqrt(slip @ slip + GENTLE**2) + GENTLE if g.kind == ELLIPTIC else least

    def answer(self, g: Group, x, D):
        if g.kind == EQUALITY:
            return -D * x
        if g.kind in (FRICTION_DOF, FRICTION_TENDON):
            eta = self.loss[g.start]
            return -D * x if abs((D * x).real[0]) < eta.real else np.array([-eta * np.sign(x[0].real) + 0j])
        if g.kind != ELLIPTIC:
            return -D * x if x[0].real < 0 else 0 * x
        mu = self.contact[int(self.rows["id"][g.start])]["mu"]
        N, T = mu.real * x[0].real, abs(norm(g.mu.real * x[1:].real))
        if N >= mu.real * T:
            return 0 * x
        return -D * x if mu.real * N + T <= 0 else cone_force(D[0], mu, g.mu, x)


class Invertible(LawOracle):
    """min ½ fᵀ(A + R) f + fᵀc + d_F(f) + d_V(c + A f) [Todorov2011]: z = v + A ∇d_V(v), then f group by group."""

    def forces(self, groups, q, v, a):
        h = self.m.opt.timestep
        self.count_points(groups)
        J = np.concatenate([g.J for g in groups])
        u = J @ (v + h * a)
        p = np.zeros(len(u), dtype=complex)
        for g in groups:
            if g.is_one_sided and self.has_walls:
                kappa, slope = self.smoothing(g)
                p[g.start] = elastic_slope(u[g.start] - self.least_velocity(g.w), kappa, slope)
        M = self.inertia(self.bodies) + self.implicit(q, v)[0]
        z = u + J @ np.linalg.solve(M, J.T @ p)
        for g in groups:
            yield self.answer(g, z[g.own]) / h

    def count_points(self, groups):
        """Number of contact points between the same bodies: the contact itself, and others with
        their weights."""
        weights, bodies = {}, {}
        for g in groups:
            if g.kind >= FRICTIONLESS and self.has_walls:
                geoms = self.contact[int(self.rows["id"][g.start])]["geom"]
                bodies[g.start] = frozenset(int(self.m.body_weldid[self.m.geom_bodyid[i]]) for i in geoms)
                weights[g.start] = self.weight(g)
        self.count = {i: 1 + sum(weights[j] for j in bodies if j != i and bodies[j] == bodies[i]) for i in bodies}

    @property
    def has_walls(self) -> bool:
        """Whether barriers enforce the minimum velocities."""
        return self.settings.get("invertible_walls", "on") == "on"

    def smoothing(self, g: Group):
        """κ and q, scaled by the row's inverse mass, gravity and the time step; they fade. Points share κ, and its root."""
        A, kick = self.diag[g.start], norm(self.m.opt.gravity) * self.m.opt.timestep
        weight, count = self.weight(g), self.count.get(g.start, 1)
        return weight * SMOOTHING * kick**2 / A / count, weight * kick / A / np.sqrt(count)

    def weight(self, g: Group):
        """By which forces of what is far fade: nothing at the reach."""
        if not g.is_one_sided or g.w.real <= 0:
            return 1.0
        return fading(g.w, g.reach)

    def least_velocity(self, w):
        h = self.m.opt.timestep
        return -w / h if w.real >= 0 else PUSH_OUT * np.tanh(-w / (h * PUSH_OUT))

    def regularizer_at(self, g: Group):
        """R of the distance: bodies rest at the hover, on any number of points; it grows with the fourth power, and without
        bounds where forces fade."""
        h, gravity = self.m.opt.timestep, norm(self.m.opt.gravity)
        wall = gravity * h * h / HOVER if self.has_walls else 0
        rest = SMOOTHING * (3 + wall) * fading(HOVER, REACH) ** 2
        deep, w = DEEP_SHARE if self.has_walls else DEEP_SHARE_ALONE, g.w
        if w.real <= 0:
            share = deep if self.has_walls else deep / (1 + (w / HOVER) ** 2)
        else:
            share = deep + (1 - deep) * (w / HOVER) ** 4
        return rest * share * self.diag[g.start] / self.weight(g) * self.count.get(g.start, 1)

    def answer(self, g: Group, z):
        h, A = self.m.opt.timestep, self.diag[g.start]
        kappa, _ = self.smoothing(g)
        start = self.impulse[g.own]
        if g.kind == EQUALITY:
            target = -g.w * (1 - np.exp(-h / EQUALITY_TIME)) / h
            return (target - z) / (ROW_SOFTNESS * A)
        if g.kind in (FRICTION_DOF, FRICTION_TENDON):
            eta = h * self.loss[g.start]
            return friction_impulse(ROW_SOFTNESS * A, eta, min(kappa, 1e-2 * eta**2 * A, key=np.real), z, start)
        if g.kind == ELLIPTIC:
            return cone_impulse(self.regularizer_at(g), kappa, g.mu, z, start)
        # κ of the cone's second logarithm too where a contact has no friction.
        return limit_impulse(self.regularizer_at(g), kappa * (3 if g.kind == FRICTIONLESS else 1), z)


class Compliant(LawOracle):
    """Springs with dissipation and regularized friction; steps are those of Euler's method, as under the soft law."""

    SETTINGS = {"stiffness": 5000.0, "smoothing": 1e-3, "dissipation": 1.0, "stiction": 0.05, "friction": 0.0}

    def inverse(self, q, v, a) -> np.ndarray:
        return Oracle.inverse(self, q, v, a)

    def step(self, q, v, a):
        return Oracle.step(self, q, v, a)

    def own(self, name: str) -> float:
        return self.settings.get(f"compliant_{name}", self.SETTINGS[name])

    def forces(self, groups, q, v, a):
        for g in groups:
            yield self.answer(g, g.J @ v)

    def answer(self, g: Group, vel):
        time = max(0.02, 8 * self.m.opt.timestep)
        stiffness = 1 / (self.diag[g.start] * time**2)
        if g.kind == EQUALITY:
            return -stiffness * (g.w + 2 * time * vel)
        if g.kind in (FRICTION_DOF, FRICTION_TENDON):
            return -self.loss[g.start] * vel / np.sqrt(self.own("stiction") ** 2 + vel**2)
        if g.kind < FRICTIONLESS:
            return np.array([self.normal(stiffness, g.w, vel[0])])
        f, mu = self.normal(self.own("stiffness"), g.w, vel[0]), g.mu + 0j
        if self.own("friction"):
            mu[:2] = self.own("friction")
        slip = mu * vel[1:]
        largest = max(mu, key=lambda x: (x.real, x.imag), default=0j)
        size = np.sqrt((largest * self.own("stiction")) ** 2 + slip @ slip)
        return np.concatenate([[f], -f * mu * slip / size])

    def normal(self, stiffness, gap, speed):
        x, s = -gap / self.own("smoothing"), speed / self.own("dissipation")
        spring = stiffness * self.own("smoothing") * (np.log(1 + np.exp(x)) if x.real < 30 else x)
        return spring * (1 - s if s.real < 0 else (s - 2) ** 2 / 4 if s.real < 2 else 0)


def fading(w, reach):
    """The weight of a row at distance w."""
    return (1 - (w / reach) ** 4) ** 4


def reach_of(m: mujoco.MjModel, d: mujoco.MjData, geoms, inset: float) -> float:
    """Distance within which a contact is detected. For geoms of the same robot that are near each
    other in the reference pose, which `d` is in, it is half of their distance."""
    g1, g2 = (int(g) for g in geoms)
    whole, root = REACH - inset, m.body_rootid[m.geom_bodyid[g1]]
    explicit = any({g1, g2} == {int(a), int(b)} for a, b in zip(m.pair_geom1, m.pair_geom2))
    if root == 0 or root != m.body_rootid[m.geom_bodyid[g2]] or explicit:
        return whole
    distance = mujoco.mj_geomDistance(m, d, g1, g2, 0.1, None)
    return min(whole, max(0.5 * distance, 0.02 * whole))


def elastic_slope(s, kappa, slope):
    """Derivative of −κ log s up to the slope −q, and of a parabola beyond."""
    s0 = kappa / slope
    return -kappa / s if s.real >= s0.real else slope**2 / kappa * (s - s0) - slope


def limit_impulse(R, kappa, z):
    """R f + z = κ/f."""
    root = np.sqrt(z * z + 4 * R * kappa)
    return 2 * kappa / (z + root) if z[0].real > 0 else (root - z) / (2 * R)


def newton(x, equations, is_inside):
    """A root near the real x, by Newton's method: first the real part, then the imaginary part follows."""
    x = x + 0j
    quiet = 0
    for _ in range(100):
        residual, slope = equations(x)
        step = -np.linalg.solve(slope, residual)
        scale = 1.0
        while not is_inside((x + scale * step).real) and scale > 1e-12:
            scale *= 0.5
        x = x + scale * step
        quiet = quiet + 1 if np.abs(step.real).max() <= 1e-11 * np.abs(x.real).max() else 0
        if quiet == 3:
            return x
    raise Unknown("impulse that does not converge")


def friction_impulse(R, eta, kappa, z, start):
    """R f + z + 2κ f/(η² − f²) = 0."""

    def equations(f):
        s = eta**2 - f * f
        return R * f + z + 2 * kappa * f / s, np.diag(R + 2 * kappa / s + 4 * kappa * f * f / s**2)

    return newton(start, equations, lambda f: abs(f[0]) < eta.real)


def cone_impulse(R, kappa, mu, z, start):
    """The minimizer of ½ R f² + z f − κ log f_n − κ log s, s = f_n² − Σ g², f_t = μ g. With s = y² and λ = 2κ/y² the
    tangents follow, f_t = −z/(R + λ/μ²), then f_n² = y² + Σ g²: what is left is one equation for y, where s, which may
    be far smaller than f_n², is not a difference."""
    some = np.where(mu == 0, 1, mu)
    stiff = R * mu**2

    def tangent(y):
        return np.where(mu == 0, 0, -z[1:] / (R + 2 * kappa / (y * some) ** 2))

    def normal(y):
        g = tangent(y) / some
        return np.sqrt(y**2 + g @ g), g

    def equations(y):
        shrink = 2 * kappa / y[0] ** 2
        f, g = normal(y[0])
        d_shrink = -2 * shrink / y[0]
        d_f = (y[0] - (g * g / (stiff + shrink)).sum() * d_shrink) / f
        residual = R * f + z[0] - shrink * f - kappa / f
        return np.array([residual]), np.array([[(R - shrink + kappa / f**2) * d_f - f * d_shrink]])

    tangents = start[1:] / some.real
    y = np.sqrt(max(start[0] ** 2 - tangents @ tangents, 1e-14 * start[0] ** 2))
    y = newton(np.array([y]), equations, lambda y: y[0] > 0)[0]
    f, shrink = normal(y)[0], 2 * kappa / y**2
    if R.real > 2 * shrink.real and z[0].real < 0:
        # Where friction hardly matters, what it does to y and to g cancels in f; not so in the equation itself.
        f = (kappa / f - z[0]) / (R - shrink)
    return np.concatenate([[f], tangent(y)])
