"""Twenty steps of each kind of environment of gymnasium-robotics; run by `test_robotics.py`.

robotics_steps.py reference|saltus FILE       states after each step go into FILE, names of what failed are printed
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np

ENVIRONMENTS = (
    "FetchReach-v4 FetchPush-v4 FetchSlide-v4 FetchPickAndPlace-v4 HandReach-v3 HandManipulateBlock-v1 "
    "HandManipulateBlock_ContinuousTouchSensors-v1 HandManipulateEgg-v1 HandManipulatePen-v1 AntMaze_UMaze-v5 "
    "PointMaze_UMaze-v3 AdroitHandDoor-v1 AdroitHandHammer-v1 AdroitHandPen-v1 AdroitHandRelocate-v1 FrankaKitchen-v1"
).split()
PEN = "AdroitHandPen-v1"
STEPS = 20


def converge(options) -> None:
    """Collision detection and solver run until nothing changes."""
    options.ccd_tolerance, options.ccd_iterations = 1e-14, 500
    options.tolerance, options.iterations = 1e-12, 200
    if options.noslip_iterations:
        options.noslip_tolerance, options.noslip_iterations = 1e-14, 2000


def states(gymnasium, name: str, exact: bool) -> np.ndarray:
    env = gymnasium.make(name).unwrapped
    env.reset(seed=0)
    if exact:
        converge(env.model.opt)
    rng = np.random.default_rng(0)
    result = [np.concatenate([env.data.qpos, env.data.qvel])]
    for _ in range(STEPS):
        env.step(rng.uniform(env.action_space.low, env.action_space.high).astype(np.float32))
        result.append(np.concatenate([env.data.qpos, env.data.qvel]))
    return np.array(result)


def with_exact_contacts(gymnasium) -> dict[str, np.ndarray]:
    """The pen on the reference, whose collision detection is replaced."""
    import mujoco
    import robotics_contacts

    original, mujoco.mj_step = mujoco.mj_step, robotics_contacts.step
    try:
        return {f"{PEN}{kind} contacts": states(gymnasium, PEN, kind != "") for kind in ("", " exact")}
    finally:
        mujoco.mj_step = original


def main(engine: str, file: str) -> None:
    if engine == "saltus":
        import saltus.mujoco

        saltus.mujoco.install()
    warnings.filterwarnings("ignore")
    import gymnasium
    import gymnasium_robotics

    gymnasium.register_envs(gymnasium_robotics)
    results, failed = {}, {}
    for name in ENVIRONMENTS:
        try:
            results[name] = states(gymnasium, name, False)
            if name.startswith("Adroit"):
                results[f"{name} exact"] = states(gymnasium, name, True)
            if name == PEN and engine == "reference":
                results |= with_exact_contacts(gymnasium)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
    np.savez(file, **results)
    print(json.dumps(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])
