"""Compares the time of environment steps with MuJoCo: gymnasium, dm_control, and robosuite.

    python bench/environments.py                # a table
    python bench/environments.py --filter dog --rounds 20
    python bench/environments.py --json

Each environment runs in two processes, one on MuJoCo and one on `saltus.mujoco.install()`, which
take turns: a round is the same steps with the same actions from the same start. The fastest and the
median round of each are compared. A step is one call of the environment's `step`: several steps of
the simulation, observations, reward, and end.

Environments whose package is missing are skipped; the packages are

    pip install gymnasium dm_control robosuite mujoco==4.0.0

(robosuite asks for numpy 1, so a virtual environment of its own is best).
"""

from __future__ import annotations

import argparse
import enum
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINES = ("saltus", "mujoco")
# Package, name, and steps of a round.
ENVIRONMENTS = {
    "dog": ("dm_control", "dog run", 40),
    "quadruped": ("dm_control", "quadruped run", 100),
    "PickPlace": ("robosuite", "PickPlace", 20),
    "Lift": ("robosuite", "Lift", 40),
    "Ant-v5": ("gymnasium", "Ant-v5", 200),
    "Humanoid-v5": ("gymnasium", "Humanoid-v5", 200),
}

# A fresh start, and a step with an action of numbers between 0 and 1.
Environment = tuple[Callable[[], Any], Callable[[np.ndarray], Any], int]


def make(package: str, name: str) -> Environment:
    """An environment, as functions that do not depend on its package."""
    if package == "gymnasium":
        import gymnasium

        env = gymnasium.make(name).unwrapped
        low, high = env.action_space.low, env.action_space.high
        return lambda: env.reset(seed=0), lambda x: env.step(low + x * (high - low)), low.size
    if package == "dm_control":
        from dm_control import suite

        domain, task = name.split()
        env = suite.load(domain, task, task_kwargs={"random": 0})
        spec = env.action_spec()

        def start() -> None:
            env.task.random.seed(0)
            env.reset()

        return start, lambda x: env.step(spec.minimum + x * (spec.maximum - spec.minimum)), spec.shape[0]
    import robosuite

    env = robosuite.make(
        name,
        robots="Panda",
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
        hard_reset=False,
        ignore_done=True,
        seed=0,
    )
    low, high = env.action_spec
    return env.reset, lambda x: env.step(low + x * (high - low)), low.size


def restore_older_names(package: str) -> None:
    """Gives MuJoCo 4 what these versions of dm_control and robosuite expect from MuJoCo 3."""
    if package == "dm_control":
        sys.path.insert(0, str(ROOT / "python" / "tests"))
        from suite_steps import add_older_fields

        add_older_fields()
    if package == "robosuite":
        import mujoco

        # It looks for a number in a tuple of these.
        joints = {name: int(number) for name, number in mujoco.mjtJoint.__members__.items()}
        mujoco.mjtJoint = enum.IntEnum("mjtJoint", joints)
        full_inertia = mujoco.mj_fullM
        mujoco.MjData.qM = property(lambda data: data)
        mujoco.mj_fullM = lambda model, target, data: full_inertia(model, data, target)


def serve(engine: str, package: str, name: str, steps: int) -> None:
    """Runs one round for each line of the input and prints its time per step, µs."""
    os.environ["MUJOCO_GL"] = "disabled"
    if engine == "saltus":
        import saltus.mujoco

        saltus.mujoco.install()
    else:
        restore_older_names(package)
    start, step, size = make(package, name)
    actions = np.random.default_rng(0).uniform(size=(steps, size))
    print("ready", flush=True)
    for _ in sys.stdin:
        start()
        begin = time.perf_counter()
        for action in actions:
            step(action)
        print("time", 1e6 * (time.perf_counter() - begin) / steps, flush=True)


class Runner:
    """A process with an environment on one engine."""

    def __init__(self, engine: str, environment: str):
        package, name, steps = ENVIRONMENTS[environment]
        command = [sys.executable, __file__, "--serve", engine, package, name, str(steps)]
        # Environments report to the error output what they do not find.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._wait("ready")

    def _wait(self, word: str) -> list[str]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(word):
                return line.split()
        command = " ".join(str(part) for part in self.process.args)  # type: ignore[union-attr]
        raise SystemExit(f"an environment failed; to see why, run: {command}")

    def round(self) -> float:
        """Runs a round; its time per step, µs."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self._wait("time")[1])

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def compare(environment: str, rounds: int) -> dict[str, dict[str, float]]:
    """Fastest and median time of a step on each engine, µs."""
    runners = {engine: Runner(engine, environment) for engine in ENGINES}
    times: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    for runner in runners.values():
        runner.round()
    for _ in range(rounds):
        for engine, runner in runners.items():
            times[engine].append(runner.round())
    for runner in runners.values():
        runner.close()
    return {engine: {"best": min(t), "median": statistics.median(t)} for engine, t in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each environment and engine")
    parser.add_argument("--filter", default="", help="only environments whose name contains this")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--serve", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        engine, package, name, steps = args.serve
        serve(engine, package, name, int(steps))
        return
    results = {}
    if not args.json:
        print(f"{'environment':12} {'saltus':>9} {'mujoco':>9} {'ratio':>6}   {'medians':>9} {'':>9} {'ratio':>6}")
    for environment, (package, _, _) in ENVIRONMENTS.items():
        if args.filter not in environment:
            continue
        if importlib.util.find_spec(package) is None:
            print(f"{environment}: skipped; pip install {package}", file=sys.stderr)
            continue
        result = results[environment] = compare(environment, args.rounds)
        if not args.json:
            pairs = [[result[engine][key] for engine in ENGINES] for key in ("best", "median")]
            texts = [f"{ours:9.1f} {theirs:9.1f} {theirs / ours:6.2f}" for ours, theirs in pairs]
            print(f"{environment:12} {texts[0]}   {texts[1]}", flush=True)
    if args.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
