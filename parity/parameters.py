"""Compares the exact derivatives with respect to model parameters with those of an independent
oracle.

    python parity/parameters.py                 # a table
    python parity/parameters.py --filter hand --states 30 --verbose

The oracle is that of parity/derivatives.py, inverse dynamics with contact in complex arithmetic,
with complex model parameters. A complex step of 1e-30 in a parameter gives the derivative of the
force at constant motion to machine precision, and the implicit function theorem gives those of the
acceleration and of an Euler step (of a discrete step under laws other than soft). At each state
some parameters of every kind are compared, for geoms in contact. Errors are relative, in the
Frobenius norm of all columns of one kind at a state. The exit code is 1 if an error exceeds the
tolerance, if the engine does not report its result as exact, if too few states were compared, or if
a kind never had an effect.
"""

from __future__ import annotations

import collections
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import derivatives as states_and_models  # noqa: E402
import mujoco  # noqa: E402
import report  # noqa: E402
import saltus.derivatives  # noqa: E402
import saltus.mujoco as sm  # noqa: E402
import smooth  # noqa: E402
from complex_contact import Unknown  # noqa: E402
from complex_dynamics import ELLIPTIC, FRICTION_DOF, PYRAMIDAL, Oracle  # noqa: E402
from derivatives import (  # noqa: E402
    CHOSEN,
    LAWS,
    ORACLE_TOLERANCE,
    TINY,
    TOLERANCE,
    columns,
    error,
    law_of,
    minus,
    prepare,
    with_settings,
)

import models  # noqa: E402

# Number of parameters of each kind per state.
PER_KIND = 4
# Attribute: field of mjModel, and the kind of its first index.
FIELDS = {
    "body/mass": "body_mass",
    "body/inertia": "body_inertia",
    "body/ipos": "body_ipos",
    "body/pos": "body_pos",
    "geom/pos": "geom_pos",
    "geom/size": "geom_size",
    "geom/friction": "geom_friction",
    "joint/stiffness": "jnt_stiffness",
    "joint/range": "jnt_range",
    "joint/springref": "qpos_spring",
    "joint/damping": "dof_damping",
    "joint/armature": "dof_armature",
    "joint/frictionloss": "dof_frictionloss",
    "tendon/stiffness": "tendon_stiffness",
    "tendon/damping": "tendon_damping",
    "tendon/range": "tendon_range",
    "tendon/springlength": "tendon_lengthspring",
    "actuator/gainprm": "actuator_gainprm",
    "actuator/biasprm": "actuator_biasprm",
    "actuator/gear": "actuator_gear",
    "option/gravity": "gravity",
}
# Without these a model tells little.
EXPECTED = (
    "body/mass",
    "body/inertia",
    "body/ipos",
    "body/pos",
    "geom/friction",
    "geom/pos",
    "geom/size",
    "option/gravity",
)


class Complex:
    """An object whose arrays can be replaced."""

    def __init__(self, base, **replaced):
        self.__dict__.update(replaced)
        self._base = base

    def __getattr__(self, name):
        return getattr(self._base, name)


class Parameter:
    """The name of a parameter in the engine, and its place in MuJoCo's model."""

    def __init__(self, m: mujoco.MjModel, name: str):
        kind, *element, attribute = name.split("/")
        self.name, component = name, None
        if attribute.isdigit():
            component, attribute = int(attribute), element.pop()
        self.kind = f"{kind}/{attribute}"
        self.field = FIELDS.get(self.kind)
        if self.field is None:
            return
        where = "/".join(element)
        named = mujoco.mj_name2id(m, {"option": 0}.get(kind, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}", 0)), where)
        self.element = named if named >= 0 else int(where or 0)
        index: list[int] = [] if kind == "option" else [self.element]
        if kind == "joint" and self.field.startswith("dof_"):
            index = [m.jnt_dofadr[self.element] + (component or 0)]
        elif self.field == "qpos_spring":
            index = [m.jnt_qposadr[self.element]]
        elif component is not None:
            index.append(component)
        self.index = tuple(index)

    def varied(self, m: mujoco.MjModel):
        """The model with a complex step in one parameter."""
        owner = m.opt if self.field == "gravity" else m
        array = np.array(getattr(owner, self.field)) + 0j
        array[self.index] += 1j * TINY
        changed = Complex(owner, **{self.field: array})
        return Complex(m, opt=changed) if owner is m.opt else changed


class Varied:
    """Mixin for an oracle whose model can be complex."""

    def vary(self, parameter: Parameter | None, m: mujoco.MjModel) -> None:
        """Propagates the values of the model, one of them complex, to the places that cached
        them."""
        self.m = m if parameter is None else parameter.varied(m)
        if not hasattr(self, "real"):
            self.real = [dict(c) for c in self.contact], self.loss
        contacts, loss = self.real
        self.contact, self.loss = [dict(c) for c in contacts], loss + 0j
        self.softer = np.ones(self.nefc, dtype=complex)
        if parameter is None:
            return
        if parameter.kind == "joint/frictionloss":
            own = (self.rows["type"] == FRICTION_DOF) & (self.rows["id"] == parameter.index[0])
            self.loss[own] += 1j * TINY
        if parameter.kind == "geom/friction":
            for c in self.contact:
                if parameter.element in c["geom"]:
                    self.slide(c)

    def slide(self, c: dict) -> None:
        """Friction of a contact from that of its geoms, and the quantities derived from it."""
        m, (one, two) = self.m, c["geom"]
        if any({m.pair_geom1[k], m.pair_geom2[k]} == {one, two} for k in range(m.npair)):
            return
        a, b = (m.geom_friction[g][[0, 0, 1, 2, 2]] for g in (one, two))
        if m.geom_priority[one] != m.geom_priority[two]:
            mixed = a if m.geom_priority[one] > m.geom_priority[two] else b
        else:
            # For equal values, the one that increases counts as the maximum.
            mixed = np.array([max(x, y, key=lambda z: (z.real, z.imag)) for x, y in zip(a, b)])
        before, row = c["friction"], c["efc_address"]
        if np.abs(mixed.real - before).max() > 1e-12:
            raise Unknown("friction")
        c["friction"], c["mu"] = mixed, mixed[0] / np.sqrt(m.opt.impratio)
        if row < 0 or c["dim"] == 1:
            return
        if self.rows["type"][row] == ELLIPTIC:
            for j in range(1, c["dim"]):
                self.softer[row + j] = (mixed[0] / mixed[j - 1]) ** 2 / (before[0] / before[j - 1]) ** 2
        elif self.rows["type"][row] == PYRAMIDAL:
            edge = mixed[0] ** 2 * (1 + mixed[0] ** 2) / (before[0] ** 2 * (1 + before[0] ** 2))
            self.softer[row : row + 2 * (c["dim"] - 1)] = edge

    def regularizer(self, row: int, d, first):
        return super().regularizer(row, d, first) * self.softer[row]

    def softness(self, rows: slice):
        return super().softness(rows) * self.softer[rows]


ORACLES = {law: type(f"Varied{oracle.__name__}", (Varied, oracle), {}) for law, oracle in LAWS.items()}


class Comparison:
    """One model in both engines."""

    def __init__(self, path: pathlib.Path, options: dict):
        self.m, self.s = prepare(mujoco, path, options), prepare(sm, path, options)
        self.e = sm.MjData(self.s)
        self.oracle = with_settings(ORACLES[law_of(options)], options)
        # The engine that the oracle is validated against.
        self.lib, self.model = (sm, self.s) if "law" in options else (mujoco, self.m)
        known = [Parameter(self.m, name) for name in saltus.derivatives.parameters(self.s)]
        self.parameters = [p for p in known if p.field is not None]
        self.worst: dict[str, float] = collections.defaultdict(float)
        self.seen: collections.Counter[str] = collections.Counter()
        self.skipped: collections.Counter[str] = collections.Counter()

    def note(self, name: str, value: float) -> None:
        self.worst[name] = max(self.worst[name], value)

    def choose(self, o: Oracle, rng: np.random.Generator) -> list[Parameter]:
        """Some parameters of each kind that the oracle supports, for geoms in contact."""
        touching = {int(g) for c in o.contact if c["efc_address"] >= 0 for g in c["geom"]}
        kinds = collections.defaultdict(list)
        for p in self.parameters:
            if p.kind.startswith("geom/") and p.element not in touching:
                continue
            if p.kind == "joint/stiffness" and self.m.jnt_type[p.element] < 2:
                continue
            if p.kind == "joint/frictionloss" and self.m.dof_frictionloss[p.index] == 0:
                continue
            kinds[p.kind].append(p)
        chosen = []
        for found in kinds.values():
            chosen += [found[i] for i in rng.permutation(len(found))[:PER_KIND]]
        # Offsets that stretch some tendons are not exact, and are reported as such.
        known = saltus.derivatives.inverse_by
        return [p for p in chosen if p.kind != "body/pos" or known(self.s, self.e, [p.name]).exact]

    def one(self, d: mujoco.MjData, rng: np.random.Generator, with_step: bool) -> int:
        """Compares at one state. Returns the number of contact rows with nonzero force."""
        m, s, e = self.m, self.s, self.e
        sm.mj_setState(s, e, smooth.state_of(m, d), int(sm.mjtState.mjSTATE_INTEGRATION))
        q, v, act, ctrl = (np.array(x) for x in (d.qpos, d.qvel, d.act, d.ctrl))
        d = d.__copy__() if self.lib is mujoco else e
        self.lib.mj_forward(self.model, d)
        if not (np.array(d.efc_type) >= 5).any():
            raise Unknown("no contact")
        a_forward = np.array(d.qacc)
        a = a_forward + 0.05 * np.abs(a_forward).max() * rng.normal(size=m.nv)
        d.qacc[:] = a
        self.lib.mj_inverse(self.model, d)
        o = self.oracle(m, d)
        o.vary(None, m)
        scale = sum(np.abs(x).max() for x in (d.qfrc_bias, d.qfrc_passive, d.qfrc_constraint))
        self.note("oracle", float(np.abs(o.inverse(q + 0j, v + 0j, a + 0j).real - d.qfrc_inverse).max() / scale))
        pushing = int(((np.array(d.efc_type) >= 5) & (np.array(d.efc_force) != 0)).sum())
        e.qacc[:] = a
        chosen, exact = self.choose(o, rng), []
        for p in chosen:
            o.vary(p, m)
            exact.append(o.inverse(q + 0j, v + 0j, a + 0j).imag / TINY)
        ours = saltus.derivatives.inverse_by(s, e, [p.name for p in chosen])
        if not ours.exact:
            self.skipped[f"inexact: {ours.inexact[0]}"] += 1
            return 0
        self.compare("dtau", chosen, ours.dtau, np.array(exact).T)
        if with_step:
            self.step(d, (q, v, act, ctrl), a_forward, rng)
        return pushing

    def step(self, d, state, a: np.ndarray, rng: np.random.Generator) -> None:
        m, (q, v, act, ctrl) = self.m, state
        d.qacc[:] = a
        self.lib.mj_inverse(self.model, d)
        o = self.oracle(m, d)
        o.vary(None, m)

        def gap(a):
            tau = o.inverse(q + 0j, v + 0j, a)
            force, after = o.actuation(q + 0j, v + 0j, act, ctrl)
            return tau - force, after

        for _ in range(3):
            slope = columns(m.nv, lambda da: o.inverse(q + 0j, v, a + da))
            a = a - np.linalg.solve(slope, gap(a)[0].real)
        slope = columns(m.nv, lambda da: o.inverse(q + 0j, v, a + da))
        chosen, dx, da = self.choose(o, rng), [], []
        for p in chosen:
            o.vary(p, m)
            residual, after = gap(a + 0j)
            change = -np.linalg.solve(slope, residual.imag)
            q1, v1 = o.step(q + 0j, v + 0j, a + 1j * change)
            dx.append(np.concatenate([minus(m, q1), v1.imag / TINY, after.imag / TINY]))
            da.append(-residual.imag / TINY)
        ours = saltus.derivatives.transition_by(self.s, self.e, [p.name for p in chosen])
        if not ours.exact:
            self.skipped[f"inexact step: {ours.inexact[0]}"] += 1
            return
        self.compare("dx", chosen, ours.dx, np.array(dx).T)
        # The forces that the accelerations answer: light fingers make accelerations ill-conditioned.
        self.compare("da", chosen, slope @ ours.da, np.array(da).T)

    def compare(self, what: str, chosen: list[Parameter], ours: np.ndarray, exact: np.ndarray) -> None:
        for kind in {p.kind for p in chosen}:
            own = [i for i, p in enumerate(chosen) if p.kind == kind]
            if np.abs(exact[:, own]).max() == 0:
                self.note(what, float(np.abs(ours[:, own]).max()))
                continue
            self.seen[kind] += 1
            self.note(what, error(ours[:, own], exact[:, own]))


def compare(path: pathlib.Path, options: dict, count: int, seed: int) -> tuple[dict, dict]:
    c, rng = Comparison(path, options), np.random.default_rng(seed)
    done = rows = 0
    for k, d in enumerate(states_and_models.states(c.m, rng)):
        try:
            pushing = c.one(d, rng, with_step=done % 2 == 0)
            done, rows = done + bool(pushing), rows + pushing
            c.skipped["no force"] += not pushing
        except Unknown as reason:
            c.skipped[str(reason)] += 1
        if done == count or k > 40 * count:
            break
    return dict(c.worst), {"states": done, "rows": rows, "kinds": dict(c.seen), "skipped": dict(+c.skipped)}


def main() -> int:
    options = report.parser(__doc__, files=False, states=4).parse_args()
    mujoco.set_mju_user_warning(lambda text: None)  # random controls make some rollouts diverge; they start anew
    paths, found = dict(models.everything()), report.Report(options)
    for name, settings in CHOSEN.items():
        if options.filter not in name:
            continue
        # Laws other than soft detect several times as many contacts.
        count = options.states if "law" not in settings else max(options.states // 2, 1)
        errors, tally = compare(paths[name.split()[0]], settings, count, options.seed)
        # One coefficient applies to all contacts; those of geoms have no effect.
        without = {"geom/friction"} if "compliant_friction" in settings else set()
        good = tally["states"] == count and all(kind in tally["kinds"] for kind in set(EXPECTED) - without)
        good &= all(x <= (ORACLE_TOLERANCE if k == "oracle" else TOLERANCE) for k, x in errors.items())
        kinds, skipped = tally["kinds"], tally["skipped"]
        text = f"{tally['states']} states, {tally['rows']} contact rows, {len(kinds)} kinds, {sum(skipped.values())} skipped; "
        text += ", ".join(f"{k} {x:.1e}" for k, x in errors.items())
        details = (f"{times:5d} {what}" for what, times in [*kinds.items(), *skipped.items()])
        found.add(name, text, good, details, errors=errors, **tally)
    return found.finish()


if __name__ == "__main__":
    sys.exit(main())
