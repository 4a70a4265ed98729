"""Compares one step of Saltus with one step of MuJoCo, for every integrator, from the states of reference rollouts.

    python parity/integrators.py                      # all models and integrators, a table
    python parity/integrators.py --integrator RK4 --filter humanoid --verbose
    python parity/integrators.py --constraints        # with contacts and other constraints, solvers run to convergence

Each step starts from a state of MuJoCo's own rollout, so that chaos cannot excuse an error. Exits with 1 if q, v, act,
the time or the warm start of any model differ by more than the tolerance.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import models  # noqa: E402
import mujoco  # noqa: E402
from smooth import error, random_state, state_of  # noqa: E402

import saltus.mujoco as sm  # noqa: E402

INTEGRATORS = {"Euler": 0, "RK4": 1, "implicit": 2, "implicitfast": 3, "discrete": 4}
SMOOTH_TOLERANCE = 1e-9
CONSTRAINED_TOLERANCE = 1e-6
CONSTRAINT = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def prepare(model, integrator: int, constraints: bool) -> None:
    model.opt.integrator = integrator
    if constraints:
        model.opt.tolerance = 0
        model.opt.solver = int(mujoco.mjtSolver.mjSOL_NEWTON)
        model.opt.ls_tolerance = 1e-6
        model.opt.iterations = 200
    else:
        model.opt.disableflags |= CONSTRAINT
        model.opt.tolerance = 0  # MuJoCo solves in the metric of the discrete integrator by iteration


def compare(m, s, steps: int, restarts: int, seed: int) -> dict[str, float]:
    """Worst error of each part of the next state."""
    rng = np.random.default_rng(seed)
    d, e = mujoco.MjData(m), sm.MjData(s)
    worst: dict[str, float] = {}
    h = m.opt.timestep

    def note(name: str, ours, theirs) -> None:
        worst[name] = max(worst.get(name, 0.0), error(ours, theirs))

    for _ in range(restarts):
        mujoco.mj_resetData(m, d)
        random_state(m, d, rng)
        # Forces in proportion to what they move: small models must not be blown away.
        d.qfrc_applied[:] *= m.dof_M0
        d.xfrc_applied[1:] *= np.minimum(m.body_mass[1:], m.body_inertia[1:].max(axis=1, initial=0))[:, None]
        for _ in range(steps):
            d.ctrl[:] = rng.normal(size=m.nu)
            before = state_of(m, d)
            v = np.array(d.qvel)
            warnings = [w.number for w in d.warning]
            mujoco.mj_step(m, d)
            if [w.number for w in d.warning] != warnings or not np.abs(d.qvel).max(initial=0) < 1e4:
                break  # MuJoCo itself calls the state bad, or it is about to
            sm.mj_setState(s, e, before, STATE)
            sm.mj_step(s, e)
            note("qpos", e.qpos, d.qpos)
            note("qvel", e.qvel, d.qvel)
            note("acceleration of the step", (e.qvel - v) / h, (d.qvel - v) / h)
            note("act", e.act, d.act)
            note("time", e.time, d.time)
            note("qacc_warmstart", e.qacc_warmstart, d.qacc_warmstart)
            note("qacc", e.qacc, d.qacc)
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="model files (default: all known models)")
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--integrator", choices=INTEGRATORS, action="append", help="default: all")
    parser.add_argument("--steps", type=int, default=10, help="steps after each restart")
    parser.add_argument("--restarts", type=int, default=4, help="random states per model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--constraints", action="store_true", help="with contacts and other constraints")
    parser.add_argument("--verbose", action="store_true", help="list what differs")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = [(file, pathlib.Path(file)) for file in options.files] or list(models.everything())
    tolerance = CONSTRAINED_TOLERANCE if options.constraints else SMOOTH_TOLERANCE
    table, failed = {}, 0
    for name, path in chosen:
        if options.filter not in name:
            continue
        for integrator in options.integrator or INTEGRATORS:
            try:
                m = mujoco.MjModel.from_xml_path(str(path))
                s = sm.MjModel.from_xml_path(str(path))
                for model in (m, s):
                    prepare(model, INTEGRATORS[integrator], options.constraints)
                errors = {}
                while not errors and m.opt.timestep > 1e-6:
                    errors = compare(m, s, options.steps, options.restarts, options.seed)
                    if not errors:  # the reference diverged from every state
                        m.opt.timestep = s.opt.timestep = m.opt.timestep / 10
            except Exception as problem:  # one bad model must not hide the others
                errors = {f"{type(problem).__name__}: {problem}": float("inf")}
            bad = {k: v for k, v in errors.items() if not v <= tolerance}
            table[f"{name} {integrator}"] = errors
            failed += bool(bad)
            if not options.json:
                field, worst = max(errors.items(), key=lambda item: item[1], default=("no steps", 0.0))
                print(f"{name:45s} {integrator:13s} worst {worst:.1e} ({field})" + ("  BAD" if bad else ""), flush=True)
                if options.verbose:
                    for field, worst in sorted(bad.items(), key=lambda item: -item[1]):
                        print(f"    {field:30s} {worst:.3e}")
    if options.json:
        print(json.dumps({"steps": table, "failed": failed}))
    else:
        print(f"{len(table) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
