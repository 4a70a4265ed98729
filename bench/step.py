"""Compares the time of steps and inverse dynamics in contact with MuJoCo,
in one process and thread.

    python bench/step.py                    # a table
    python bench/step.py --filter pile --rounds 3
    python bench/step.py --json

Reference states (with the solver's warm start) come from a MuJoCo simulation of each model under
smooth random controls. From each of them both engines take the same number of steps, in
alternation, so that both have the same contacts, and compute the inverse dynamics of MuJoCo's
acceleration. For each state the fastest round counts, and the sum over states is compared. Requires
`mujoco`; models of `gymnasium`, `dm_control` and `robosuite_models` are included if these are
installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import pathlib
import tempfile
import time
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import mujoco
import numpy as np
import saltus.mujoco

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINES = {"saltus": saltus.mujoco, "mujoco": mujoco}
WORKS = ("step", "inverse")
STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True)
class Subject:
    """A model and its controls."""

    name: str
    path: pathlib.Path
    seconds: float
    keyframe: int | None = None
    amplitude: float = 0.5
    """Of random controls, relative to the control range (or to 1)."""
    bias: dict[str, float] | None = None
    """Constant controls of actuators whose names contain the key."""
    states: int = 40
    """Reference states: fewer where a step takes milliseconds."""
    burst: int = 20
    """Steps from each state."""
    floor: bool = False
    """Whether the model is a robot without ground to stand on."""

    def load(self, engine: ModuleType) -> Any:
        """The model, compiled by one of the engines."""
        if not self.floor:
            return engine.MjModel.from_xml_path(str(self.path))
        floor = '<worldbody><geom type="plane" size="5 5 0.1"/></worldbody>'
        folder = f'<compiler meshdir="{self.path.parent}"/>'
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(f'<mujoco>{folder}<include file="{self.path}"/>{floor}</mujoco>')
            file.flush()
            return engine.MjModel.from_xml_path(file.name)


def installed(package: str, folder: str, name: str) -> pathlib.Path | None:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = pathlib.Path(spec.submodule_search_locations[0]) / folder / f"{name}.xml"
    return path if path.exists() else None


def subjects() -> list[Subject]:
    models, scenes = ROOT / "models", ROOT / "bench" / "scenes"
    result = [Subject("humanoid", models / "humanoid.xml", 4.0, keyframe=3)]
    robots = "assets/robots"
    for name, package, folder, file, floor in (
        ("ant", "gymnasium", "envs/mujoco/assets", "ant", False),
        ("quadruped", "dm_control", "suite", "quadruped", False),
        ("dog", "dm_control", "suite", "dog", False),
        ("g1, mesh feet", "robosuite_models", f"{robots}/g1", "robot", True),
        ("h1, mesh feet", "robosuite_models", f"{robots}/h1", "robot", True),
    ):
        path = installed(package, folder, file)
        if path is not None:
            result.append(Subject(name, path, 4.0, amplitude=0.02 if floor else 0.5, floor=floor))
    return result + [
        Subject("22 humanoids", models / "crowd.xml", 3.0, states=20),
        Subject("100 bodies in a pile", models / "pile.xml", 2.0, states=20),
        Subject("hand grasping", models / "grasp.xml", 1.5, amplitude=0.0, bias={"pull": -4.0}),
        Subject("3x3x3 boxes", models / "cubes.xml", 1.5),
        Subject("cube of 26 meshes", scenes / "puzzle.xml", 2.0, amplitude=1.0),
        Subject("125 meshes in a heap", scenes / "heap.xml", 1.6, states=8, burst=5),
        Subject("6 bipeds of meshes", scenes / "striders.xml", 3.0),
        Subject("balloons on strings", scenes / "balloons.xml", 3.0),
        Subject("insect", scenes / "insect.xml", 2.0),
        Subject("300 thin ellipsoids", scenes / "leaves.xml", 1.6, states=8, burst=5),
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


def reference_states(subject: Subject, m: mujoco.MjModel) -> list[tuple[np.ndarray, np.ndarray]]:
    """States of a MuJoCo simulation at equal intervals, with their accelerations."""
    rng = np.random.default_rng(0)
    d = mujoco.MjData(m)
    if subject.keyframe is not None:
        mujoco.mj_resetDataKeyframe(m, d, subject.keyframe)
    steps = max(1, int(subject.seconds / m.opt.timestep / subject.states))
    states = []
    for _ in range(subject.states):
        d.ctrl[:] = controls(subject, m, rng)
        mujoco.mj_step(m, d, steps)
        state = np.zeros(mujoco.mj_stateSize(m, STATE))
        mujoco.mj_getState(m, d, state, STATE)
        mujoco.mj_forward(m, d)
        states.append((state, d.qacc.copy()))
        mujoco.mj_setState(m, d, state, STATE)
    return states


def measure(subject: Subject, rounds: int) -> dict:
    models = {name: subject.load(engine) for name, engine in ENGINES.items()}
    data = {name: p.MjData(models[name]) for name, p in ENGINES.items()}
    states = reference_states(subject, models["mujoco"])
    best = {(work, name): np.full(len(states), math.inf) for work in WORKS for name in ENGINES}
    contacts, gap = [], 0.0
    for r in range(rounds):
        for k, (state, acceleration) in enumerate(states):
            for work in WORKS:
                for name, engine in ENGINES.items():
                    seconds = take(work, engine, models[name], data[name], state, acceleration, subject.burst)
                    best[work, name][k] = min(best[work, name][k], seconds)
                if r == 0 and work == "step":
                    contacts.append(data["mujoco"].ncon)
                    ours, theirs = data["saltus"].qpos, data["mujoco"].qpos
                    gap = max(gap, float(np.abs(ours - theirs).max()))
    result = {"model": subject.name, "nv": int(models["mujoco"].nv), "contacts": float(np.mean(contacts))}
    for work in WORKS:
        seconds = {name: float(best[work, name].mean() / subject.burst) for name in ENGINES}
        result[work] = {"seconds": seconds, "ratio": seconds["mujoco"] / seconds["saltus"]}
    return result | {"largest_difference_of_qpos": gap}


def take(work: str, engine: ModuleType, m: Any, d: Any, state: np.ndarray, a: np.ndarray, burst: int) -> float:
    """Duration of steps from a state, or of inverse dynamics at the state, s."""
    engine.mj_setState(m, d, state, STATE)
    if work == "step":
        start = time.perf_counter()
        engine.mj_step(m, d, burst)
        return time.perf_counter() - start
    d.qacc[:] = a
    start = time.perf_counter()
    for _ in range(burst):
        engine.mj_inverse(m, d)
    return time.perf_counter() - start


def geometric_mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / max(len(ratios), 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds, of which the fastest counts")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    args = parser.parse_args()
    if not args.json:
        print("Microseconds; ratio: time of MuJoCo / time of Saltus (above 1: Saltus is faster)\n")
        print(f"{'':<39}{'step':<28}{'inverse dynamics':<28}difference of qpos")
        columns = f"{'Saltus':>10}{'MuJoCo':>10}{'ratio':>8}"
        print(f"{'model':<22}{'nv':>6}{'contacts':>10}{columns}{columns}")
    results = []
    for subject in subjects():
        if args.filter not in subject.name:
            continue
        r = measure(subject, args.rounds)
        results.append(r)
        if not args.json:
            cells = "".join(
                f"{r[w]['seconds']['saltus'] * 1e6:>10.1f}{r[w]['seconds']['mujoco'] * 1e6:>10.1f}{r[w]['ratio']:>8.2f}"
                for w in WORKS
            )
            gap = r["largest_difference_of_qpos"]
            print(f"{r['model']:<22}{r['nv']:>6}{r['contacts']:>10.1f}{cells}   {gap:.1e}", flush=True)
    means = {work: geometric_mean([r[work]["ratio"] for r in results]) for work in WORKS}
    if args.json:
        print(json.dumps({"models": results, "geometric_mean": means}, indent=2))
        return
    print(f"{'geometric mean':<38}{means['step']:>28.2f}{means['inverse']:>28.2f}")


if __name__ == "__main__":
    main()
