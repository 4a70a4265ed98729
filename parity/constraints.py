"""Compares the constraint problem with MuJoCo's row by row: residuals, Jacobians, impedance, regularizers, reference
accelerations, on states of rollouts with random controls and on random states.

    python parity/constraints.py                 # all models, a table
    python parity/constraints.py --filter contacts --states 50 --verbose

Contact rows are compared if both engines find the same contact (to 3e-13); the others are counted.
The exit code is 1 if any field of any model differs by more than the tolerance.
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mujoco  # noqa: E402
import report  # noqa: E402
import saltus.mujoco as sm  # noqa: E402
import smooth  # noqa: E402

import models  # noqa: E402

TOLERANCE = 1e-9
SAME_CONTACT = 3e-13
ROW_FIELDS = "type id pos margin frictionloss diagA KBIP D R vel aref J".split()
# Rangefinders and distances.
RAY_SENSORS = {7, 39, 40, 41}


def error(ours: np.ndarray, theirs: np.ndarray, scale: float) -> float:
    """Largest relative difference, with a lower bound of the scale relative to the largest value of
    the field."""
    if ours.shape != theirs.shape:
        return float("inf")
    if not ours.size:
        return 0.0
    return float((np.abs(ours - theirs) / np.maximum(np.abs(theirs), max(1e-2 * scale, 3e-5))).max())


def states(m: mujoco.MjModel, count: int, rng: np.random.Generator):
    """Data at states of rollouts; half of the states are perturbed."""
    d = mujoco.MjData(m)
    for i in range(count):
        if i % 4 == 0:
            mujoco.mj_resetData(m, d)
            if m.nkey and rng.random() < 0.5:
                mujoco.mj_resetDataKeyframe(m, d, int(rng.integers(m.nkey)))
            mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * rng.choice([0.02, 0.2]), 1.0)
            d.qvel[:] = rng.normal(size=m.nv) * rng.choice([0.0, 0.3])
        low = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 0], -1.0) if m.nu else np.zeros(0)
        high = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 1], 1.0) if m.nu else np.zeros(0)
        for _ in range(50):
            d.ctrl[:] = rng.uniform(low, high)
            mujoco.mj_step(m, d)
        yield d
        if i % 2:
            mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * 0.01, 1.0)
            d.qvel[:] += rng.normal(size=m.nv)
            yield d


def dense_jacobian(lib, m, d) -> np.ndarray:
    """J as an nefc × nv array."""
    if not lib.mj_isSparse(m):
        return np.array(d.efc_J)[: d.nefc * m.nv].reshape(d.nefc, m.nv)
    dense = np.zeros((d.nefc, m.nv))
    for row in range(d.nefc):
        span = slice(d.efc_J_rowadr[row], d.efc_J_rowadr[row] + d.efc_J_rownnz[row])
        dense[row, d.efc_J_colind[span]] = d.efc_J[span]
    return dense


def same_contacts(d: mujoco.MjData, e: sm.MjData) -> list[tuple[int, int]]:
    """Pairs (theirs, ours) of equal contacts."""
    if not d.ncon or not e.ncon:
        return []
    theirs, ours = d.contact, e.contact
    pairs, free = [], set(range(e.ncon))
    for i in range(d.ncon):
        if abs(theirs.dist[i] - theirs.includemargin[i]) < SAME_CONTACT:
            continue  # on the very edge: round-off decides whether it makes force
        for j in sorted(free, key=lambda j: abs(j - i)):
            close = (
                np.array_equal(theirs.geom[i], ours.geom[j])
                and max(
                    np.abs(theirs.pos[i] - ours.pos[j]).max(),
                    abs(theirs.dist[i] - ours.dist[j]),
                    np.abs(theirs.frame[i] - ours.frame[j]).max(),
                )
                < SAME_CONTACT
            )
            if close:
                pairs.append((i, j))
                free.remove(j)
                break
    return pairs


def rows_of(contact, index: int, types: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Rows of a contact."""
    return np.flatnonzero((types >= 5) & (ids == index))


def compare_state(m, d, s, e, note, tally) -> None:
    pairs = same_contacts(d, e)
    matched = len(pairs) == d.ncon == e.ncon
    tally["contacts"] += d.ncon
    tally["other contacts"] += d.ncon - len(pairs)
    for name in ("ne", "nf", "nl", "nefc") if matched else ("ne", "nf", "nl"):
        note(name, 0.0 if getattr(d, name) == getattr(e, name) else float("inf"))
    before = d.ne + d.nf + d.nl
    if before != e.ne + e.nf + e.nl:
        return
    theirs, ours = [np.arange(before)], [np.arange(before)]
    types, ids = {}, {}
    for key, data in (("d", d), ("e", e)):
        types[key], ids[key] = np.array(data.efc_type), np.array(data.efc_id)
    for i, j in pairs:
        for field in ("mu", "efc_address") if matched and all(i == j for i, j in pairs) else ("mu",):
            a, b = np.array(getattr(e.contact, field)[j]), np.array(getattr(d.contact, field)[i])
            note(f"contact.{field}", error(a, b, float(np.abs(b))))
        theirs.append(rows_of(d.contact, i, types["d"], ids["d"]))
        ours.append(rows_of(e.contact, j, types["e"], ids["e"]))
        if len(theirs[-1]) != len(ours[-1]):
            note("rows of a contact", float("inf"))
            return
    theirs, ours = np.concatenate(theirs), np.concatenate(ours)
    tally["rows"] += len(theirs)
    for name in ROW_FIELDS:
        if name == "id":
            keep = types["d"][theirs] < 5
            note("efc_id", error(ids["e"][ours][keep], ids["d"][theirs][keep], 0.0))
            continue
        a, b = (
            (dense_jacobian(sm, s, e), dense_jacobian(mujoco, m, d))
            if name == "J"
            else (np.array(getattr(e, f"efc_{name}")), np.array(getattr(d, f"efc_{name}")))
        )
        a, b = a[ours], b[theirs]
        if name == "KBIP":
            for k, column in enumerate("KBIP"):
                note(f"efc_{column}", error(a[:, k], b[:, k], float(np.abs(b[:, k]).max(initial=0))))
        else:
            note(f"efc_{name}", error(a, b, float(np.abs(b).max(initial=0))))
    if matched:
        compare_forces(m, d, s, e, note, pairs, theirs, ours)
        for name in ("qfrc_adhesion", "qfrc_passive"):
            note(name, smooth.error(getattr(e, name), getattr(d, name)))


def compare_forces(m, d, s, e, note, pairs, theirs, ours) -> None:
    """Inverse dynamics of the same acceleration, and quantities derived from its constraint
    forces."""
    sm.mj_fwdActuation(s, e)
    e.qacc[:] = d.qacc
    for lib, model, data in ((mujoco, m, d), (sm, s, e)):
        lib.mj_inverse(model, data)
        lib.mj_rnePostConstraint(model, data)
    # The inverse dynamics are a difference of forces.
    scale = np.abs(d.qfrc_constraint).max(initial=0) + np.abs(d.qfrc_bias).max(initial=0)
    note("qfrc_inverse", error(e.qfrc_inverse, d.qfrc_inverse, 100 * scale))
    for name in ("qfrc_constraint", "cacc", "cfrc_ext"):
        note(name, smooth.error(getattr(e, name), getattr(d, name)))
    loads = max(np.abs(d.cfrc_int).max(initial=0), np.abs(d.cfrc_ext).max(initial=0))
    note("cfrc_int", error(e.cfrc_int, d.cfrc_int, 100 * loads))
    note("efc_force", smooth.error(e.efc_force[ours], d.efc_force[theirs]))
    note("efc_state", smooth.error(e.efc_state[ours], d.efc_state[theirs]))
    # Sensors that take the first contacts depend on their order.
    ordered = all(i == j for i, j in pairs)
    for i in range(m.nsensor) if ordered else ():
        if m.sensor_type[i] not in RAY_SENSORS:
            span = slice(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i])
            kind = str(mujoco.mjtSensor(m.sensor_type[i]).name)
            if kind in ("mjSENS_FORCE", "mjSENS_TORQUE"):
                note(kind, error(e.sensordata[span], d.sensordata[span], 100 * loads))
            else:
                slots = max(1, int(m.sensor_intprm[i, 2]))
                a, b = (np.array(x.sensordata[span]).reshape(slots, -1) for x in (e, d))
                if kind == "mjSENS_CONTACT" and m.sensor_intprm[i, 1] in (1, 2):
                    # Sorted slots: equal keys may come in any order.
                    a, b = (x[np.lexsort(np.round(x, 7).T)] for x in (a, b))
                note(f"{kind} {m.sensor(i).name}".strip(), smooth.error(a, b))
    for i, j in pairs:
        wrenches = np.zeros((2, 6))
        mujoco.mj_contactForce(m, d, i, wrenches[0])
        sm.mj_contactForce(s, e, j, wrenches[1])
        note("mj_contactForce", smooth.error(wrenches[1], wrenches[0]))


# Options that change rows, in addition to those of the file.
VARIANTS = {
    "": {},
    "cone": {"cone": 1},
    "diagexact": {"enableflags": int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)},
    "override": {"enableflags": int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)},
    "no refsafe": {"disableflags": int(mujoco.mjtDisableBit.mjDSBL_REFSAFE)},
    "sparse": {"jacobian": 1},
    "discrete": {"integrator": 4},
    "discrete exact": {"integrator": 4, "enableflags": int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)},
    "discrete no refsafe": {"integrator": 4, "disableflags": int(mujoco.mjtDisableBit.mjDSBL_REFSAFE)},
    "invdiscrete": {"integrator": 0, "enableflags": int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)},
    "invdiscrete implicit": {"integrator": 2, "enableflags": int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)},
    "invdiscrete fast": {"integrator": 3, "enableflags": int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)},
    "some": {"disableflags": 2 | 8},
    "others": {"disableflags": 4 | 16},
}


def compare(
    path: pathlib.Path, count: int, seed: int, variant: dict[str, int]
) -> tuple[dict[str, float], dict[str, int]]:
    """Maximum error of each field, and the numbers of comparisons."""
    m = mujoco.MjModel.from_xml_path(str(path))
    s = sm.MjModel.from_xml_path(str(path))
    for name, value in variant.items():
        value = 1 - m.opt.cone if name == "cone" else getattr(m.opt, name) | value if name.endswith("flags") else value
        setattr(m.opt, name, value)
        setattr(s.opt, name, value)
    e = sm.MjData(s)
    rng = np.random.default_rng(seed)
    worst: dict[str, float] = {}
    tally = {"states": 0, "rows": 0, "contacts": 0, "other contacts": 0}

    def note(name: str, value: float) -> None:
        worst[name] = max(worst.get(name, 0.0), value)

    for d in states(m, count, rng):
        if not (np.isfinite(d.qpos).all() and np.isfinite(d.qvel).all() and np.abs(d.qvel).max(initial=0) < 1e6):
            continue
        sm.mj_setState(s, e, smooth.state_of(m, d), int(sm.mjtState.mjSTATE_INTEGRATION))
        mujoco.mj_forward(m, d)
        sm.mj_forward(s, e)
        tally["states"] += 1
        compare_state(m, d, s, e, note, tally)
    return worst, tally


# Sums of large contact forces that cancel.
LOOSE = {"cfrc_int": 1e-8, "mj_contactForce": 1e-8}

# Known inaccuracies of MuJoCo: field → bound. See parity/smooth.py for the tendons.
KNOWN: dict[str, dict[str, float]] = {
    "saltus/features/tendons.xml": {"efc_J": 1e-6, "efc_vel": 1e-6, "efc_aref": 1e-6},
}


def main() -> int:
    parser = report.parser(__doc__, states=16)
    parser.add_argument("--variants", action="store_true", help="also with other options")
    parser.add_argument("--variant", help="only with these other options")
    options = parser.parse_args()
    found, rows = report.Report(options, width=50), 0
    every = VARIANTS if options.variants or options.variant else {"": {}}
    for name, path in found.chosen(models.with_weights()):
        for variant, settings in every.items():
            if options.variant not in (None, variant):
                continue
            label = f"{name} {variant}".strip()
            try:
                errors, tally = compare(path, options.states, options.seed, settings)
            except Exception as problem:
                found.add_error(label, problem)
                continue
            known = KNOWN.get(name, {})
            bad = {k: v for k, v in errors.items() if not v <= known.get(k, LOOSE.get(k, TOLERANCE))}
            field, worst = max(errors.items(), key=lambda item: item[1], default=("nothing", 0.0))
            text = f"worst {worst:.1e} ({field}), " + ", ".join(f"{v} {k}" for k, v in tally.items())
            found.add(label, text, not bad, report.worst_first(bad), errors=errors, tally=tally)
            rows += tally.get("rows", 0)
    return found.finish(f"; {rows} rows compared")


if __name__ == "__main__":
    sys.exit(main())
