"""Steps of all tasks of dm_control's suite; run by `test_suite.py`.

    suite_steps.py reference|saltus FILE      states along random actions go into FILE, what failed is printed

This version of dm_control asks for fields that MuJoCo 4 does not have any more: the reference gets them here, empty.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np

STEPS = 20


def add_older_fields() -> None:
    import mujoco

    for name in "vertedgeadr vertedgenum vertedge vertmetric".split():
        setattr(mujoco.MjModel, f"flex_{name}", property(lambda self: np.zeros((0, 2))))
    for name in "colind rowadr rownnz".split():
        setattr(mujoco.MjModel, f"flexvert_J_{name}", property(lambda self: np.zeros((0, 2))))
    for name in ("flexvert_J", "flexvert_length"):
        setattr(mujoco.MjData, name, property(lambda self: np.zeros((0, 2))))
    mujoco.MjModel.nJfv = property(lambda self: 0)


def states(suite, domain: str, task: str) -> np.ndarray:
    env = suite.load(domain, task, task_kwargs={"random": 0})
    env.reset()
    # MuJoCo's solver stops at 1e-8 of the model's scale: seen in the swimmer of 15 links.
    options = env.physics.model.opt
    options.tolerance, options.iterations = 1e-14, 500
    action, rng = env.action_spec(), np.random.default_rng(0)
    result = [env.physics.get_state().copy()]
    for _ in range(STEPS):
        env.step(rng.uniform(action.minimum, action.maximum))
        result.append(env.physics.get_state().copy())
    return np.array(result)


def main(engine: str, file: str) -> None:
    os.environ["MUJOCO_GL"] = "disabled"
    if engine == "saltus":
        import saltus.mujoco

        saltus.mujoco.install()
    else:
        add_older_fields()
    from dm_control import suite

    results, failed = {}, {}
    for domain, task in suite.ALL_TASKS:
        try:
            results[f"{domain} {task}"] = states(suite, domain, task)
        except Exception as error:
            failed[f"{domain} {task}"] = f"{type(error).__name__}: {error}"
    np.savez(file, **results)
    print(json.dumps(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])
