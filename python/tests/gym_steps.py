"""One step of each of gymnasium's MuJoCo environments from every state of a trajectory; run by `test_gymnasium.py`.

gym_steps.py reference FILE STEPS    rolls out on MuJoCo, keeps the states and what one step from each of them gives
gym_steps.py saltus FILE             takes the same steps on Saltus and prints the largest differences as JSON
"""

from __future__ import annotations

import json
import sys

import numpy as np

ENVIRONMENTS = (
    "Ant-v5 Humanoid-v5 HumanoidStandup-v5 HalfCheetah-v5 Walker2d-v5 Hopper-v5 Swimmer-v5 Reacher-v5 Pusher-v5 "
    "InvertedPendulum-v5 InvertedDoublePendulum-v5"
).split()


def prepare(mujoco, gymnasium, name):
    """An environment. The humanoids' 50 iterations of PGS do not converge and depend on the order of everything; they
    get a solver that does."""
    env = gymnasium.make(name).unwrapped
    if env.model.opt.solver == mujoco.mjtSolver.mjSOL_PGS:
        env.model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
        env.model.opt.tolerance = 1e-12
    return env


def step_from(mujoco, env, state, action):
    """Observation, reward and end of the step from a state."""
    env.reset(seed=0)
    mujoco.mj_setState(env.model, env.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    mujoco.mj_forward(env.model, env.data)
    observation, reward, terminated, _, _ = env.step(action)
    return np.concatenate([observation, env.data.qpos, env.data.qvel]), float(reward), terminated


def roll_out(mujoco, gymnasium, name, steps):
    """States, actions and results along a trajectory with random actions."""
    env, probe = gymnasium.make(name).unwrapped, prepare(mujoco, gymnasium, name)
    rng = np.random.default_rng(1)
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    states, actions, observations, rewards, ends = [], [], [], [], []
    env.reset(seed=3)
    for _ in range(steps):
        state = np.empty(mujoco.mj_stateSize(env.model, spec))
        mujoco.mj_getState(env.model, env.data, state, spec)
        action = rng.uniform(env.action_space.low, env.action_space.high)
        observation, reward, end = step_from(mujoco, probe, state, action)
        for values, value in zip(
            (states, actions, observations, rewards, ends), (state, action, observation, reward, end)
        ):
            values.append(value)
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return {"state": states, "action": actions, "observation": observations, "reward": rewards, "end": ends}


def reference(file, steps):
    import gymnasium
    import mujoco

    results = {}
    for name in ENVIRONMENTS:
        for key, values in roll_out(mujoco, gymnasium, name, steps).items():
            results[f"{name}/{key}"] = np.array(values)
    np.savez(file, **results)


def compare(file):
    import saltus.mujoco

    saltus.mujoco.install()
    import gymnasium
    import mujoco

    assert mujoco is saltus.mujoco
    results = np.load(file)
    report = {}
    for name in ENVIRONMENTS:
        env = prepare(mujoco, gymnasium, name)
        states, actions, observations, rewards, ends = (
            results[f"{name}/{key}"] for key in ("state", "action", "observation", "reward", "end")
        )
        errors = {"observation": 0.0, "reward": 0.0, "ends": 0, "worst": 0, "steps": len(states)}
        for k in range(len(states)):
            observation, reward, end = step_from(mujoco, env, states[k], actions[k])
            # Forces between bodies are as large as 1e3: relative where larger than 1.
            error = float(np.max(np.abs(observation - observations[k]) / np.maximum(1, np.abs(observations[k]))))
            if error > errors["observation"]:
                errors["observation"], errors["worst"] = error, k
            errors["reward"] = max(errors["reward"], abs(reward - rewards[k]) / max(1, abs(rewards[k])))
            errors["ends"] += int(end != ends[k])
        report[name] = errors
    print(json.dumps(report))


if __name__ == "__main__":
    if sys.argv[1] == "reference":
        reference(sys.argv[2], int(sys.argv[3]))
    else:
        compare(sys.argv[2])
