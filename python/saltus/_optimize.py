"""The planner."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._plan import Iteration, Plan
from saltus._task import Task

Progress = Callable[[Iteration], object]


def optimize(
    task: Task | str | os.PathLike[str],
    *,
    progress: Progress | None = None,
    guess: Plan | Mapping[str, Any] | ArrayLike | None = None,
    **overrides: Any,
) -> Plan:
    """Plans a motion through contact: when and where the robot touches something is found, not given.

    `task` is the name of a task that comes with Saltus ("walk", "hop", …), a task file (.toml), or a `Task`. Overrides are keys
    of the task, as for `Task.set`: `threads=1`, `iterations=500`, `seed=3`, `speed=1.0`, `steps=40`, `contact={"law": "soft"}`.

    >>> plan = optimize("spin", iterations=30, threads=1)
    >>> plan.q.shape, plan.gains.shape, plan.converged
    ((41, 3), (41, 3, 6), False)

    Look at `status` before you use a motion: optimization that fails is no exception. `progress(iteration)` is called after each
    iteration and stops the run by returning False; what it raises is raised here. Ctrl-C stops the run as well. What is given
    then is the best motion so far, with the status "stopped".

    `guess` is where optimization starts: a `Plan` or states q₀ … q_T of the same task (rows of nq numbers), or a dictionary,
    which is the table of that name. Mistakes in the task, the model or the guess are ValueErrors.
    """
    task = task.copy() if isinstance(task, Task) else Task(task)
    states = None
    if isinstance(guess, Mapping):
        overrides["guess"] = guess
    elif guess is not None:
        states = np.ascontiguousarray(guess.q if isinstance(guess, Plan) else guess, dtype=np.float64)
    task.set(**overrides)
    functions = [function.args() for function in task._functions]
    text, file = task._source()
    # In a result folder the model is a file beside the task.
    core = _saltus.optimize(text, file, functions, states, None if progress is None else _watch(progress))
    return Plan(core, task)


def _watch(progress: Progress) -> Callable[..., bool]:
    def watch(fields: tuple[Any, ...]) -> bool:
        answer = progress(Iteration(*fields))
        return answer is None or bool(answer)

    return watch
