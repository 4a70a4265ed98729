"""Compares the exact derivatives of inverse dynamics and of steps with those of an independent oracle.

    python parity/derivatives.py                 # a table
    python parity/derivatives.py --filter hand --states 50 --verbose

The oracle (parity/complex_dynamics.py, complex_laws.py) is inverse dynamics with contact in complex
arithmetic. At each state it is first compared with MuJoCo's inverse dynamics and step (with those
of Saltus under laws that MuJoCo does not have). Then a complex step of 1e-30 gives ∂τ/∂q, ∂τ/∂v and
∂τ/∂a to machine precision, and the implicit function theorem gives A and B of an Euler step or a
discrete step. States are perturbed states of rollouts in contact; states for which the oracle has
no formula are skipped and counted. Errors are relative, in the Frobenius norm of each matrix. The
exit code is 1 if an error exceeds the tolerance, if the engine does not report its result as exact,
or if too few states were compared.
"""

from __future__ import annotations

import collections
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mujoco  # noqa: E402
import report  # noqa: E402
import saltus.derivatives  # noqa: E402
import saltus.mujoco as sm  # noqa: E402
import smooth  # noqa: E402
from complex_contact import Unknown  # noqa: E402
from complex_dynamics import Oracle  # noqa: E402
from complex_laws import Compliant, Discrete, Impulse, Invertible  # noqa: E402
from complex_tree import quat_mul, shifted  # noqa: E402

import models  # noqa: E402

TOLERANCE = 1e-8
ORACLE_TOLERANCE = 1e-9
TINY = 1e-30
DISCRETE = int(mujoco.mjtIntegrator.mjINT_DISCRETE)
# Models with overrides of the file: type of friction cones, law, integrator.
CHOSEN: dict[str, dict] = {
    "saltus/humanoid.xml": {},
    "saltus/humanoid.xml elliptic": {"cone": 1},
    "gymnasium/humanoid.xml": {},
    "gymnasium/ant.xml": {},
    "gymnasium/ant.xml elliptic": {"cone": 1},
    "dm_control/quadruped.xml": {},
    "dm_control/quadruped.xml elliptic": {"cone": 1},
    "saltus/hand.xml": {},
    "saltus/hand.xml elliptic": {"cone": 1},
    "saltus/grasp.xml": {},
    "saltus/grasp.xml pyramidal": {"cone": 0},
    "saltus/humanoid.xml discrete": {"integrator": DISCRETE},
    "saltus/humanoid.xml discrete elliptic": {"integrator": DISCRETE, "cone": 1},
    "gymnasium/ant.xml discrete": {"integrator": DISCRETE},
    "dm_control/quadruped.xml discrete": {"integrator": DISCRETE},
    "saltus/hand.xml discrete": {"integrator": DISCRETE},
    "saltus/hand.xml discrete elliptic": {"integrator": DISCRETE, "cone": 1},
    "saltus/grasp.xml discrete": {"integrator": DISCRETE},
    "saltus/humanoid.xml impulse": {"law": "impulse"},
    "saltus/humanoid.xml invertible": {"law": "invertible"},
    "gymnasium/ant.xml impulse": {"law": "impulse"},
    "gymnasium/ant.xml invertible": {"law": "invertible"},
    "dm_control/quadruped.xml impulse": {"law": "impulse"},
    "dm_control/quadruped.xml invertible": {"law": "invertible"},
    "saltus/hand.xml impulse": {"law": "impulse"},
    "saltus/hand.xml invertible": {"law": "invertible"},
    "saltus/grasp.xml impulse": {"law": "impulse"},
    "saltus/grasp.xml invertible": {"law": "invertible"},
    "saltus/humanoid.xml invertible without walls": {"law": "invertible", "invertible_walls": "off"},
    "saltus/humanoid.xml invertible inset": {"law": "invertible", "invertible_inset": 0.002},
    "saltus/humanoid.xml compliant": {"law": "compliant"},
    "gymnasium/ant.xml compliant": {"law": "compliant"},
    "dm_control/quadruped.xml compliant": {"law": "compliant"},
    "saltus/hand.xml compliant": {"law": "compliant"},
    "saltus/grasp.xml compliant": {"law": "compliant"},
    "saltus/humanoid.xml compliant smooth": {
        "law": "compliant",
        "compliant_stiffness": 2000.0,
        "compliant_smoothing": 5e-3,
        "compliant_dissipation": 0.1,
        "compliant_friction": 0.7,
    },
}
LAWS = {"soft": Oracle, "discrete": Discrete, "impulse": Impulse, "invertible": Invertible, "compliant": Compliant}


def law_of(options: dict) -> str:
    """The oracle for a model."""
    return options.get("law", "discrete" if options.get("integrator") == DISCRETE else "soft")


def with_settings(oracle: type, options: dict) -> type:
    """The oracle for a law, with its settings."""
    return type(oracle.__name__, (oracle,), {"settings": options})


def prepare(lib, path: pathlib.Path, options: dict):
    """The model with Euler's method, a solver that converges, and without terrain."""
    m = lib.MjModel.from_xml_path(str(path))
    m.opt.integrator, m.opt.solver, m.opt.iterations, m.opt.tolerance = 0, 2, 200, 0.0
    for name, value in options.items():
        if name in ("cone", "integrator"):
            setattr(m.opt, name, value)
        elif lib is sm:
            m._core.set_setting(name, value)
    terrain = np.array(m.geom_type) == int(mujoco.mjtGeom.mjGEOM_HFIELD)
    m.geom_contype[terrain] = 0
    m.geom_conaffinity[terrain] = 0
    return m


def states(m: mujoco.MjModel, rng: np.random.Generator):
    """An infinite generator of data at perturbed states of rollouts."""
    d = mujoco.MjData(m)
    while True:
        mujoco.mj_resetData(m, d)
        if m.nkey and rng.random() < 0.5:
            mujoco.mj_resetDataKeyframe(m, d, int(rng.integers(m.nkey)))
        mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * 0.3, 1.0)
        low = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 0], -1.0)
        high = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 1], 1.0)
        bias = rng.uniform(low, high)
        for _ in range(3):
            for _ in range(int(rng.integers(20, 200))):
                d.ctrl[:] = np.clip(bias + 0.1 * rng.normal(size=m.nu) * (high - low), low, high)
                mujoco.mj_step(m, d)
            mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * 0.002, 1.0)
            d.qvel[:] += 0.1 * rng.normal(size=m.nv)
            d.ctrl[:] = rng.uniform(low, high) * 0.99
            if np.isfinite(d.qvel).all() and np.abs(d.qvel).max() < 1e3:
                yield d


def error(ours: np.ndarray, exact: np.ndarray) -> float:
    return float(np.linalg.norm(ours - exact) / max(np.linalg.norm(exact), 1e-12))


def unit(n: int, k: int) -> np.ndarray:
    x = np.zeros(n, dtype=complex)
    x[k] = 1j * TINY
    return x


def columns(n: int, f) -> np.ndarray:
    """The derivative of f(dx) at 0."""
    return np.array([np.imag(f(unit(n, k))) / TINY for k in range(n)]).T


def inverse_of(o: Oracle, q, v, a):
    """∂τ/∂q, ∂τ/∂v, ∂τ/∂a."""
    nv = o.m.nv
    return (
        columns(nv, lambda dx: o.inverse(shifted(o.m, q, dx), v, a)),
        columns(nv, lambda dx: o.inverse(q + 0j, v + dx, a)),
        columns(nv, lambda dx: o.inverse(q + 0j, v, a + dx)),
    )


def minus(m: mujoco.MjModel, q: np.ndarray) -> np.ndarray:
    """The imaginary part of q in the tangent space, over the step."""
    result = np.zeros(m.nv)
    for j in range(m.njnt):
        s, d, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
        if kind in (2, 3):
            result[d] = q[s].imag
            continue
        if kind == 0:
            result[d : d + 3] = q[s : s + 3].imag
            s, d = s + 3, d + 3
        x = q[s : s + 4]
        back = x.real * [1, -1, -1, -1]
        result[d : d + 3] = 2 * quat_mul(back, x.imag)[1:] / (x.real @ x.real)
    return result / TINY


def transition_of(o: Oracle, q, v, act, ctrl):
    """A and B at the acceleration that solves the oracle's equation, and the state after the step."""
    m, nv, na, nu = o.m, o.m.nv, o.m.na, o.m.nu
    n = 2 * nv + na
    zero = np.zeros(n + nu)

    def gap(dx, a):
        x = shifted(m, q, dx[:nv])
        w = v + dx[nv : 2 * nv]
        tau = o.inverse(x, w, a)
        force, after = o.actuation(x, w, act + dx[2 * nv : n], ctrl + dx[n:])
        return tau - force, after

    a = o.a_start
    for _ in range(3):
        slope = columns(nv, lambda da: o.inverse(q + 0j, v, a + da))
        a = a - np.linalg.solve(slope, gap(zero, a)[0].real)
    slope = columns(nv, lambda da: o.inverse(q + 0j, v, a + da))
    result = np.zeros((n, n + nu))
    for k in range(n + nu):
        dx = unit(n + nu, k)
        residual, after = gap(dx, a)
        da = -np.linalg.solve(slope, residual.imag)
        q1, v1 = o.step(shifted(m, q, dx[:nv]), v + dx[nv : 2 * nv], a + 1j * da)
        result[:, k] = np.concatenate([minus(m, q1), v1.imag / TINY, after.imag / TINY])
    q1, v1 = o.step(q + 0j, v + 0j, a + 0j)
    return result[:, :n], result[:, n:], np.concatenate([q1.real, v1.real, gap(zero, a)[1].real])


class Comparison:
    """One model in both engines."""

    def __init__(self, path: pathlib.Path, options: dict):
        self.m, self.s = prepare(mujoco, path, options), prepare(sm, path, options)
        self.e = sm.MjData(self.s)
        self.oracle = with_settings(LAWS[law_of(options)], options)
        # The engine that the oracle is validated against.
        self.lib, self.model = (sm, self.s) if "law" in options else (mujoco, self.m)
        self.worst: dict[str, float] = collections.defaultdict(float)
        self.skipped: collections.Counter[str] = collections.Counter()

    def note(self, name: str, value: float) -> None:
        self.worst[name] = max(self.worst[name], value)

    def one(self, d: mujoco.MjData, rng: np.random.Generator, with_step: bool) -> int:
        """Compares at one state. Returns the number of contact rows with nonzero force."""
        m, e = self.m, self.e
        sm.mj_setState(self.s, e, smooth.state_of(m, d), int(sm.mjtState.mjSTATE_INTEGRATION))
        q, v, act, ctrl = (np.array(x) for x in (d.qpos, d.qvel, d.act, d.ctrl))
        d = d.__copy__() if self.lib is mujoco else e
        self.lib.mj_forward(self.model, d)
        if not (np.array(d.efc_type) >= 5).any():
            raise Unknown("no contact")
        a_forward = np.array(d.qacc)
        # An acceleration near the true one, for realistic forces.
        a = a_forward + 0.05 * np.abs(a_forward).max() * rng.normal(size=m.nv)
        d.qacc[:] = a
        self.lib.mj_inverse(self.model, d)
        o = self.oracle(m, d)
        scale = sum(np.abs(x).max() for x in (d.qfrc_bias, d.qfrc_passive, d.qfrc_constraint))
        self.note("oracle", float(np.abs(o.inverse(q + 0j, v + 0j, a + 0j).real - d.qfrc_inverse).max() / scale))
        pushing = int(((np.array(d.efc_type) >= 5) & (np.array(d.efc_force) != 0)).sum())
        exact = inverse_of(o, q, v, a)
        e.qacc[:] = a
        ours = saltus.derivatives.inverse(self.s, e)
        if not ours.exact:
            self.skipped[f"inexact: {ours.inexact[0]}"] += 1
            return 0
        for name, x, y in zip(("dtau/dq", "dtau/dv", "dtau/da"), ours, exact):
            self.note(name, error(x, y))
        if with_step:
            self.step(d, (q, v, act, ctrl), a_forward)
        return pushing

    def step(self, d, state, a: np.ndarray) -> None:
        m, (q, v, act, ctrl) = self.m, state
        d.qacc[:] = a
        self.lib.mj_inverse(self.model, d)
        o = self.oracle(m, d)
        o.a_start = a
        A, B, after = transition_of(o, q, v, act, ctrl)
        ours = saltus.derivatives.transition(self.s, self.e)
        self.lib.mj_step(self.model, d)
        theirs = np.concatenate([d.qpos, d.qvel, d.act])
        self.note("step", float(np.abs(after - theirs).max() / np.abs(theirs).max()))
        self.note("A", error(ours.A, A))
        if m.nu:
            self.note("B", error(ours.B, B))


def compare(path: pathlib.Path, options: dict, count: int, seed: int) -> tuple[dict, dict]:
    c, rng = Comparison(path, options), np.random.default_rng(seed)
    done = rows = 0
    for k, d in enumerate(states(c.m, rng)):
        try:
            pushing = c.one(d, rng, with_step=done % 2 == 0)
            done, rows = done + bool(pushing), rows + pushing
            c.skipped["no force"] += not pushing
        except Unknown as reason:
            c.skipped[str(reason)] += 1
        if done == count or k > 40 * count:
            break
    return dict(c.worst), {"states": done, "rows": rows, "skipped": dict(+c.skipped)}


def main() -> int:
    options = report.parser(__doc__, files=False, states=20).parse_args()
    mujoco.set_mju_user_warning(lambda text: None)  # random controls make some rollouts diverge; they start anew
    paths, found = dict(models.everything()), report.Report(options)
    for name, settings in CHOSEN.items():
        if options.filter not in name:
            continue
        # Laws other than soft detect several times as many contacts.
        count = options.states if "law" not in settings else max(options.states // 4, 1)
        errors, tally = compare(paths[name.split()[0]], settings, count, options.seed)
        bounds = {"oracle": ORACLE_TOLERANCE, "step": ORACLE_TOLERANCE}
        good = tally["states"] == count and all(x <= bounds.get(k, TOLERANCE) for k, x in errors.items())
        skipped = tally["skipped"]
        text = f"{tally['states']} states, {tally['rows']} contact rows, {sum(skipped.values())} skipped; "
        text += ", ".join(f"{k} {x:.1e}" for k, x in errors.items())
        found.add(
            name, text, good, (f"{times:5d} {reason}" for reason, times in skipped.items()), errors=errors, **tally
        )
    return found.finish()


if __name__ == "__main__":
    sys.exit(main())
