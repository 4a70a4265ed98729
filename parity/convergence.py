"""Counts the steps of robot simulations in which the constraint solver did not converge, by contact
law.

    python parity/convergence.py                        # all models, 2 s from keyframe or default state, random controls
    python parity/convergence.py --filter go2 --laws impulse --verbose
    python parity/convergence.py --time 0.1 --short     # a few models of each package

The models are those of Saltus and of PyPI packages, with the solver settings of their files; many
limit the number of iterations to the needs of the soft solver. A step is unproven if its report is
neither "converged" nor "unconstrained". A simulation that diverges ends, and its steps up to then
count. Files that select projected Gauss–Seidel use 50 sweeps under the soft law, as in MuJoCo,
which do not converge; their steps are shown but not counted under that law. The exit code is 1 if
the fraction of unproven steps of a law exceeds its limit.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import saltus  # noqa: E402
import saltus.mujoco  # noqa: E402

import models  # noqa: E402

MOST = {"soft": 1e-3, "impulse": 1e-3, "invertible": 1e-3}
"""Largest share of steps that may be without proof."""
PGS = 0
"""Projected Gauss–Seidel in `opt.solver`."""
HOLD = 0.05
"""Time for which a control is kept, s."""
SHORT = ("humanoid.xml", "quadruped.xml", "go2/", "fetch/push.xml", "ant.xml", "manipulate_block.xml")


def control_range(model: saltus.mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
    limited = np.asarray(model.actuator_ctrllimited, dtype=bool)
    bounds = np.asarray(model.actuator_ctrlrange).reshape(-1, 2)
    return np.where(limited, bounds[:, 0], -1.0), np.where(limited, bounds[:, 1], 1.0)


def run(path: pathlib.Path, law: str, seconds: float, seed: int) -> dict[str, float | int | str]:
    """Steps, unproven steps, iterations, and how the simulation ended."""
    model, face = saltus.Model.load(path).with_law(law), saltus.mujoco.MjModel.from_xml_path(str(path))
    low, high = control_range(face)
    data = model.data()
    if model.names("key"):
        data.reset(0)
    rng = np.random.default_rng(seed)
    kinds: dict[str, int] = {}
    count, iterations, worst, until, ended = 0, 0, 0, -1.0, ""
    start = time.perf_counter()
    while data.time < seconds and not ended:
        if data.time >= until:
            until = data.time + HOLD
            data.ctrl[:] = rng.uniform(low, high)
        try:
            data.step()
        except saltus.DivergenceError as error:
            ended = str(error)
            break
        report = data.solver
        count += 1
        kinds[report.status] = kinds.get(report.status, 0) + 1
        iterations += report.iterations
        worst = max(worst, report.iterations)
    unproven = sum(n for kind, n in kinds.items() if kind not in ("converged", "unconstrained"))
    kind = ", ".join(f"{n} {kind}" for kind, n in kinds.items() if kind not in ("converged", "unconstrained"))
    return {
        "sweeps": law == "soft" and int(face.opt.solver) == PGS,
        "steps": count,
        "unproven": unproven,
        "mean": iterations / max(count, 1),
        "most": worst,
        "seconds": time.perf_counter() - start,
        "ended": ended,
        "kind": kind,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--laws", default="soft,impulse,invertible", help="comma-separated names of laws")
    parser.add_argument("--time", type=float, default=2.0, help="seconds to simulate")
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--short", action="store_true", help="a few models of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="list all models, not only those with unproven steps")
    options = parser.parse_args()
    total: dict[str, list[int]] = {law: [0, 0] for law in options.laws.split(",")}
    for name, path in models.with_robots():
        if options.filter not in name or (options.short and not any(part in name for part in SHORT)):
            continue
        for law, sums in total.items():
            try:
                result = run(path, law, options.time, options.seed)
            except (ValueError, OSError) as error:
                print(f"{name}: not loaded: {str(error).splitlines()[0]}")
                break
            if not result["sweeps"]:
                sums[0] += int(result["steps"])
                sums[1] += int(result["unproven"])
            if options.verbose or result["unproven"] or result["ended"]:
                print(
                    f"{name:48} {law:10} {result['unproven']:5} of {result['steps']:5}  iterations {result['mean']:6.1f}"
                    f" most {result['most']:4}  {result['seconds']:6.1f} s  {result['kind']}  {result['ended']}",
                    flush=True,
                )
    failed = False
    for law, (steps, unproven) in total.items():
        share, most = unproven / max(steps, 1), MOST.get(law)
        failed |= most is not None and share > most
        print(f"{law:10} {unproven} of {steps} steps unproven: {100 * share:.3f} %")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
