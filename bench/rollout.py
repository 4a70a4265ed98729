"""Compares the time of batch rollouts for several numbers of threads with MuJoCo's rollouts.

    python bench/rollout.py
    python bench/rollout.py --model models/hand.xml --simulations 64 --steps 200 --threads 1 2 4

Results must be bitwise identical for all numbers of threads.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import time

import mujoco
import mujoco.rollout
import numpy as np
import saltus

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default=str(ROOT / "models" / "humanoid.xml"))
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds, of which the fastest counts")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()

    model = saltus.Model.load(args.model)
    data = model.data()
    controls = 0.3 * np.random.default_rng(0).normal(size=(args.simulations, args.steps, model.nu))
    m = mujoco.MjModel.from_xml_path(args.model)
    d = mujoco.MjData(m)
    start = np.zeros(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(m, d, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial = np.tile(start, (args.simulations, 1))
    workers = {n: [mujoco.MjData(m) for _ in range(n)] for n in args.threads}

    best = {(engine, n): float("inf") for engine in ("saltus", "mujoco") for n in args.threads}
    states: dict[int, np.ndarray] = {}
    for _ in range(args.rounds):
        for n in args.threads:
            clock = time.perf_counter()
            states[n] = saltus.rollout(model, data, controls, threads=n).states
            best["saltus", n] = min(best["saltus", n], time.perf_counter() - clock)
            with mujoco.rollout.Rollout(nthread=n if n > 1 else 0) as pool:
                clock = time.perf_counter()
                pool.rollout(m, workers[n], initial, controls)
                best["mujoco", n] = min(best["mujoco", n], time.perf_counter() - clock)
    first = args.threads[0]
    if not all(np.array_equal(states[n], states[first]) for n in args.threads):
        raise AssertionError("results depend on the number of threads")

    total = args.simulations * args.steps
    rows = [
        {
            "engine": engine,
            "threads": n,
            "steps_per_second": total / seconds,
            "scaling": best[engine, first] / seconds,
        }
        for (engine, n), seconds in best.items()
    ]
    if args.json:
        print(json.dumps(rows, indent=2))
        return
    print(
        f"{args.model}: {args.simulations} simulations of {args.steps} steps; bitwise identical for all numbers of threads"
    )
    for r in rows:
        print(
            f"  {r['engine']:<7} {r['threads']:>2} threads {r['steps_per_second']:>10.0f} steps per second"
            f"   {r['scaling']:.2f} x {first} thread"
        )


if __name__ == "__main__":
    main()
