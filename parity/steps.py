"""Compares one step, the constraint forces and the inverse dynamics with MuJoCo's from every state of its rollouts.

    python parity/steps.py                       # all models, 1,000 steps each, a table
    python parity/steps.py --filter hand --steps 200 --verbose
    python parity/steps.py --solver CG --cone 1  # other options than those of the file

The solvers of both engines run to convergence (tolerance 0). Each step starts from a state of
MuJoCo's rollout under random controls, so that differences are not amplified by chaos. States in
which the engines find different contacts (see parity/contacts.py) are counted but not compared. The
exit code is 1 if a quantity differs by more than its tolerance, or if too many states were
excluded.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mujoco  # noqa: E402
import report  # noqa: E402
import saltus.mujoco as sm  # noqa: E402
from smooth import state_of  # noqa: E402

import models  # noqa: E402

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
SOLVERS = {"PGS": 0, "CG": 1, "Newton": 2}
TOLERANCE = {
    "qpos": 1e-6,
    "qvel": 1e-6,
    "act": 1e-6,
    "qacc": 1e-6,
    "efc_force": 1e-6,
    "qfrc_constraint": 1e-6,
    "qfrc_inverse": 1e-8,
    "sensordata": 1e-6,
}
CONTACT_ROWS = int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
SAME_CONTACT = 1e-11
"""Contacts that differ by more than this are different contacts: constraints are so stiff that they make 1e3 of it."""

# Allowed fraction of states that are excluded because contacts differ, if it is not 0. Sample states were
# checked against an independent minimum over all directions of the overlap of the two shapes (support functions):
#  - ellipsoid with sphere, capsule, ellipsoid, box: normals differ by up to 3e-4, depths by 1e-9. Between ellipsoids our
#    depths are the minimum to 1e-12 and MuJoCo's are off by 1e-12 to 1e-9; outside a capsule our points fulfil the
#    condition of the nearest point to 5e-15, MuJoCo's to 2e-7. Ellipsoid–box was not checked by itself;
#  - capsules whose axes cross: the normal is a difference of almost equal points, and round-off shows in it;
#  - cylinder and box: points agree to 1e-15; MuJoCo takes normals from differences of points, so that they are off by
#    1e-16 over the depth. Of more than four points (the rim is a polygon of 16 corners) the two engines may keep other
#    ones where the areas that they span are equal but for round-off.
LEFT_OUT = {
    "saltus/features/contacts.xml": 0.1,  # cylinder–box: 1e-11 in the normal
    "saltus/features/contacts_elliptic.xml": 0.02,  # cylinder–box: 1e-11 in the normal
    "saltus/grasp.xml": 0.002,  # capsule–capsule: 1e-11 in the normal
    "saltus/pile.xml": 0.95,  # ellipsoids
    "dm_control/quadruped.xml": 0.003,  # sphere–ellipsoid: the reference's is good to 1e-9 only
    "dm_control/dog.xml": 0.4,  # capsule–ellipsoid, ellipsoid–box, capsule–cylinder; most in the first 60 steps
}

# Models in which a geom touches another exactly (distance 0 up to the last bit, at margin 0), so that round-off decides
# whether there is a contact at all: the geom, and by how much it is moved so that there is one.
MOVED = {"gymnasium/point.xml": ("pointbody", (0.0, 0.0, -1e-6))}


def pile_of_capsules(folder: str) -> tuple[str, pathlib.Path]:
    """The pile with capsules instead of ellipsoids, so that all of its states can be compared."""
    path = pathlib.Path(folder) / "pile.xml"
    path.write_text((models.ROOT / "models/pile.xml").read_text().replace('type="ellipsoid"', 'type="capsule"'))
    return "saltus/pile.xml without ellipsoids", path


def relative(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference relative to the largest entry."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        return float("inf")
    return float(np.abs(ours - theirs).max(initial=0) / (1 + np.abs(theirs).max(initial=0)))


DIRECTION = np.array([0.6123, 0.7011, 0.3655])


def order(data) -> np.ndarray:
    """Contacts sorted by geoms and position, since the engines list the points of a pair in
    different orders."""
    geom, place = np.asarray(data.contact.geom), np.asarray(data.contact.pos) @ DIRECTION
    return np.lexsort((place, geom[:, 1], geom[:, 0]))


def same_contacts(d: mujoco.MjData, e: sm.MjData) -> bool:
    if d.ncon != e.ncon:
        return False
    if not d.ncon:
        return True
    theirs, ours = order(d), order(e)
    return np.array_equal(d.contact.geom[theirs], e.contact.geom[ours]) and all(
        np.abs(np.asarray(getattr(d.contact, f))[theirs] - np.asarray(getattr(e.contact, f))[ours]).max() < SAME_CONTACT
        for f in ("dist", "pos", "frame")
    )


def forces(data) -> np.ndarray:
    """Forces of all rows, those of contacts in `order`."""
    force = np.array(data.efc_force)
    if not data.ncon:
        return force
    first = np.asarray(data.contact.efc_address)
    kind, owner = np.array(data.efc_type), np.array(data.efc_id)
    parts = [force[kind < CONTACT_ROWS]]
    for i in order(data):
        if first[i] >= 0:
            parts.append(force[(kind >= CONTACT_ROWS) & (owner == i)])
    return np.concatenate(parts)


def prepare(model, options: argparse.Namespace) -> None:
    model.opt.tolerance = 0
    model.opt.ls_tolerance = 1e-6
    model.opt.iterations = 200 if options.solver == "Newton" else 5000
    model.opt.ccd_tolerance = 1e-12
    model.opt.ccd_iterations = 200
    model.opt.noslip_iterations = 0
    model.opt.solver = SOLVERS[options.solver]
    if options.cone is not None:
        model.opt.cone = options.cone
    if options.integrator is not None:
        model.opt.integrator = options.integrator


def controls(m: mujoco.MjModel, rng: np.random.Generator) -> np.ndarray:
    low = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 0], -1.0) if m.nu else np.zeros(0)
    high = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 1], 1.0) if m.nu else np.zeros(0)
    return rng.uniform(low, high)


def start(m: mujoco.MjModel, d: mujoco.MjData, rng: np.random.Generator) -> None:
    mujoco.mj_resetData(m, d)
    if m.nkey and rng.random() < 0.5:
        mujoco.mj_resetDataKeyframe(m, d, int(rng.integers(m.nkey)))
    mujoco.mj_integratePos(m, d.qpos, 0.02 * rng.normal(size=m.nv), 1.0)
    d.qvel[:] += 0.1 * rng.normal(size=m.nv)


def compare(name: str, path: pathlib.Path, options: argparse.Namespace) -> tuple[dict[str, float], dict[str, int]]:
    """Maximum error of each quantity, and the numbers of comparisons."""
    m = mujoco.MjModel.from_xml_path(str(path))
    s = sm.MjModel.from_xml_path(str(path))
    for model in (m, s):
        prepare(model, options)
        if name in MOVED:
            geom, shift = MOVED[name]
            model.geom_pos[mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_GEOM, geom)] += shift
    d, e, f = mujoco.MjData(m), sm.MjData(s), mujoco.MjData(m)
    rng = np.random.default_rng(options.seed)
    start(m, d, rng)
    worst: dict[str, float] = dict.fromkeys(TOLERANCE, 0.0)
    tally = {"states": 0, "rows": 0, "other contacts": 0}

    def note(name: str, ours, theirs) -> None:
        worst[name] = max(worst[name], relative(ours, theirs))

    for k in range(options.steps):
        if k % 10 == 0:
            d.ctrl[:] = controls(m, rng)
        before = state_of(m, d)
        warnings = [w.number for w in d.warning]
        mujoco.mj_step(m, d)
        if [w.number for w in d.warning] != warnings or not np.abs(d.qvel).max(initial=0) < 1e6:
            start(m, d, rng)  # MuJoCo itself calls the state bad, or is about to
            continue
        tally["states"] += 1
        sm.mj_setState(s, e, before, STATE)
        mujoco.mj_setState(m, f, before, STATE)
        mujoco.mj_forward(m, f)
        sm.mj_forward(s, e)
        if not same_contacts(f, e):
            tally["other contacts"] += 1
            continue
        tally["rows"] += f.nefc
        for name in ("qacc", "qfrc_constraint", "sensordata"):
            note(name, getattr(e, name), getattr(f, name))
        note("efc_force", forces(e), forces(f))
        if k % 5 == 0:
            acceleration = f.qacc + rng.normal(size=m.nv)
            for lib, model, data in ((mujoco, m, f), (sm, s, e)):
                data.qacc[:] = acceleration
                lib.mj_inverse(model, data)
            note("qfrc_inverse", e.qfrc_inverse, f.qfrc_inverse)
        sm.mj_setState(s, e, before, STATE)
        sm.mj_step(s, e)
        for name in ("qpos", "qvel", "act"):
            note(name, getattr(e, name), getattr(d, name))
    return worst, tally


def main() -> int:
    parser = report.parser(__doc__)
    parser.add_argument("--steps", type=int, default=1000, help="steps of the reference rollout")
    parser.add_argument("--solver", choices=SOLVERS, default="Newton")
    parser.add_argument("--cone", type=int, choices=(0, 1), help="0 pyramidal, 1 elliptic (default: the file's)")
    parser.add_argument("--integrator", type=int, choices=range(5), help="MuJoCo's number (default: the file's)")
    options = parser.parse_args()
    found, rows, states = report.Report(options), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in found.chosen([*models.with_weights(), pile_of_capsules(folder)]):
            try:
                worst, tally = compare(name, path, options)
            except Exception as problem:
                found.add_error(name, problem)
                continue
            bad = {k: v for k, v in worst.items() if not v <= TOLERANCE.get(k, 0.0)}
            left_out = tally["other contacts"] > LEFT_OUT.get(name, 0.0) * tally["states"]
            rows, states = rows + tally["rows"], states + tally["states"] - tally["other contacts"]
            field, value = max(worst.items(), key=lambda item: item[1] / TOLERANCE.get(item[0], 1.0))
            text = f"worst {value:.1e} ({field}), {tally['states']} states, {tally['rows']} rows, "
            text += f"{tally['other contacts']} with other contacts"
            found.add(name, text, not (bad or left_out), report.worst_first(worst), worst=worst, **tally)
    return found.finish(f"; {states} states and {rows} rows compared")


if __name__ == "__main__":
    sys.exit(main())
