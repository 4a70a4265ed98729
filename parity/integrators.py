"""Compares one step of Saltus with one step of MuJoCo, for every integrator, from the states of reference rollouts.

    python parity/integrators.py                      # all models and integrators, a table
    python parity/integrators.py --integrator RK4 --filter humanoid --verbose
    python parity/integrators.py --constraints        # with contacts and other constraints, solvers run to convergence

Each step starts from a state of MuJoCo's rollout, so that differences are not amplified by chaos.
The exit code is 1 if q, v, act, the time or the warm start of any model differ by more than the
tolerance.
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mujoco  # noqa: E402
import report  # noqa: E402
import saltus.mujoco as sm  # noqa: E402
from smooth import error, random_state, state_of  # noqa: E402

import models  # noqa: E402

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
    """Maximum error of each part of the next state."""
    rng = np.random.default_rng(seed)
    d, e = mujoco.MjData(m), sm.MjData(s)
    worst: dict[str, float] = {}
    h = m.opt.timestep

    def note(name: str, ours, theirs) -> None:
        worst[name] = max(worst.get(name, 0.0), error(ours, theirs))

    for _ in range(restarts):
        mujoco.mj_resetData(m, d)
        random_state(m, d, rng)
        # Forces are scaled with the mass, so that small models are not thrown away.
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


def compare_with(path: pathlib.Path, integrator: str, options) -> dict[str, float]:
    m, s = mujoco.MjModel.from_xml_path(str(path)), sm.MjModel.from_xml_path(str(path))
    for model in (m, s):
        prepare(model, INTEGRATORS[integrator], options.constraints)
    errors = {}
    while not errors and m.opt.timestep > 1e-6:
        errors = compare(m, s, options.steps, options.restarts, options.seed)
        if not errors:  # the reference diverged from every state
            m.opt.timestep = s.opt.timestep = m.opt.timestep / 10
    return errors


def main() -> int:
    parser = report.parser(__doc__)
    parser.add_argument("--integrator", choices=INTEGRATORS, action="append", help="default: all")
    parser.add_argument("--steps", type=int, default=10, help="steps after each restart")
    parser.add_argument("--restarts", type=int, default=4, help="random states per model")
    parser.add_argument("--constraints", action="store_true", help="with contacts and other constraints")
    options = parser.parse_args()
    tolerance = CONSTRAINED_TOLERANCE if options.constraints else SMOOTH_TOLERANCE
    found = report.Report(options, width=58)
    for name, path in found.chosen(models.everything()):
        for integrator in options.integrator or INTEGRATORS:
            label = f"{name:44s} {integrator}"
            try:
                errors = compare_with(path, integrator, options)
            except Exception as problem:
                found.add_error(label, problem)
                continue
            bad = {k: v for k, v in errors.items() if not v <= tolerance}
            field, worst = max(errors.items(), key=lambda item: item[1], default=("no steps", 0.0))
            found.add(label, f"worst {worst:.1e} ({field})", not bad, report.worst_first(bad), errors=errors)
    return found.finish()


if __name__ == "__main__":
    sys.exit(main())
