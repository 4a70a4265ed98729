"""Times steps in contact against MuJoCo, in one run and one thread.

    python bench/step.py                    # a table
    python bench/step.py --filter pile --rounds 3
    python bench/step.py --json

MuJoCo simulates each model for a while under smooth random controls, and its states (with the solver's warm start) are
kept. From each of them both engines take the same number of steps, in turns, so that both see the same contacts; the
best time of all rounds counts for each state, and the sum over states is compared. Needs `mujoco`; models of
`gymnasium` and `dm_control` are timed where these are installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import pathlib
import time
from dataclasses import dataclass

import mujoco
import numpy as np

import saltus.mujoco

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINES = {"saltus": saltus.mujoco, "mujoco": mujoco}
STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True)
class Subject:
    """A model and how it is driven."""

    name: str
    path: pathlib.Path
    seconds: float
    keyframe: int | None = None
    amplitude: float = 0.5
    """Of random controls, relative to the control range (or to 1)."""
    bias: dict[str, float] | None = None
    """Constant controls of actuators whose names contain the key."""


def installed(package: str, folder: str, name: str) -> pathlib.Path | None:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = pathlib.Path(spec.submodule_search_locations[0]) / folder / f"{name}.xml"
    return path if path.exists() else None


def subjects() -> list[Subject]:
    models = ROOT / "models"
    result = [Subject("humanoid", models / "humanoid.xml", 4.0, keyframe=3)]
    for name, package, folder, file in (
        ("ant", "gymnasium", "envs/mujoco/assets", "ant"),
        ("quadruped", "dm_control", "suite", "quadruped"),
    ):
        path = installed(package, folder, file)
        if path is not None:
            result.append(Subject(name, path, 4.0))
    return result + [
        Subject("22 humanoids", models / "crowd.xml", 3.0),
        Subject("100 bodies in a pile", models / "pile.xml", 2.0),
        Subject("hand grasping", models / "grasp.xml", 1.5, amplitude=0.0, bias={"pull": -4.0}),
        Subject("3x3x3 boxes", models / "cubes.xml", 1.5),
    ]


def controls(subject: Subject, m: mujoco.MjModel, rng: np.random.Generator) -> np.ndarray:
    low, high = -np.ones(m.nu), np.ones(m.nu)
    limited = m.actuator_ctrllimited.astype(bool)
    low[limited], high[limited] = m.actuator_ctrlrange[limited].T
    ctrl = 0.5 * (low + high) + 0.5 * subject.amplitude * (high - low) * rng.uniform(-1, 1, m.nu)
    for text, value in (subject.bias or {}).items():
        for i in range(m.nu):
            if text in m.actuator(i).name:
                ctrl[i] = value
            elif subject.amplitude == 0.0:
                ctrl[i] = 0.0
    return ctrl


def reference_states(subject: Subject, m: mujoco.MjModel, count: int) -> list[np.ndarray]:
    """States of a simulation by MuJoCo at equal intervals."""
    rng = np.random.default_rng(0)
    d = mujoco.MjData(m)
    if subject.keyframe is not None:
        mujoco.mj_resetDataKeyframe(m, d, subject.keyframe)
    steps = max(1, int(subject.seconds / m.opt.timestep / count))
    states = []
    for _ in range(count):
        d.ctrl[:] = controls(subject, m, rng)
        mujoco.mj_step(m, d, steps)
        state = np.zeros(mujoco.mj_stateSize(m, STATE))
        mujoco.mj_getState(m, d, state, STATE)
        states.append(state)
    return states


def measure(subject: Subject, count: int, burst: int, rounds: int) -> dict:
    models = {name: p.MjModel.from_xml_path(str(subject.path)) for name, p in ENGINES.items()}
    data = {name: p.MjData(models[name]) for name, p in ENGINES.items()}
    states = reference_states(subject, models["mujoco"], count)
    best = {name: np.full(count, math.inf) for name in ENGINES}
    contacts, gap = [], 0.0
    for r in range(rounds):
        for k, state in enumerate(states):
            for name, p in ENGINES.items():
                m, d = models[name], data[name]
                p.mj_setState(m, d, state, STATE)
                start = time.perf_counter()
                p.mj_step(m, d, burst)
                best[name][k] = min(best[name][k], time.perf_counter() - start)
            if r == 0:
                contacts.append(data["mujoco"].ncon)
                ours, theirs = data["saltus"].qpos, data["mujoco"].qpos
                gap = max(gap, float(np.abs(ours - theirs).max()))
    seconds = {name: float(best[name].sum() / (count * burst)) for name in ENGINES}
    return {
        "model": subject.name,
        "nv": int(models["mujoco"].nv),
        "contacts": float(np.mean(contacts)),
        "seconds": seconds,
        "ratio": seconds["mujoco"] / seconds["saltus"],
        "largest_difference_of_qpos": gap,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds; the best counts")
    parser.add_argument("--states", type=int, default=40, help="reference states per model")
    parser.add_argument("--burst", type=int, default=20, help="steps from each state")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    args = parser.parse_args()
    results = [
        measure(s, args.states, args.burst, args.rounds) for s in subjects() if args.filter in s.name
    ]
    mean = math.exp(sum(math.log(r["ratio"]) for r in results) / max(len(results), 1))
    if args.json:
        print(json.dumps({"models": results, "geometric_mean": mean}, indent=2))
        return
    print("Microseconds per step; ratio: MuJoCo's time over Saltus' (above 1: Saltus is faster)\n")
    print(f"{'model':<24}{'nv':>5}{'contacts':>10}{'Saltus':>10}{'MuJoCo':>10}{'ratio':>8}   difference of qpos")
    for r in results:
        s = r["seconds"]
        print(
            f"{r['model']:<24}{r['nv']:>5}{r['contacts']:>10.1f}{s['saltus'] * 1e6:>10.1f}{s['mujoco'] * 1e6:>10.1f}"
            f"{r['ratio']:>8.2f}   {r['largest_difference_of_qpos']:.1e}"
        )
    print(f"{'geometric mean':<59}{mean:>8.2f}")


if __name__ == "__main__":
    main()
