"""Trajectory optimization."""

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
    """Plans a motion through contact. The contact sequence is found by the optimizer, not given.

    `task` is the name of a built-in task ("walk", "hop", …), a task file (.toml), or a `Task`.
    Overrides are keys of the task, as for `Task.set`: `threads=1`, `iterations=500`, `seed=3`,
    `speed=1.0`, `steps=40`, `contact={"law": "soft"}`.

    >>> plan = optimize("spin", iterations=30, threads=1)
    >>> plan.q.shape, plan.gains.shape, plan.converged
    ((41, 3), (41, 3, 6), False)

    Check `status` before using the motion: an optimization that fails raises no exception.
    `progress(iteration)` is called after each iteration and stops the run by returning False; an
    exception that it raises is passed on. Ctrl-C stops the run as well. A run that is stopped
    returns the best motion so far, with the status "stopped".

    `guess` is the initial guess: a `Plan` or states q₀ … q_T of the same task (rows of nq numbers),
    or a dictionary with keys of the task's `guess` table. Errors in the task, the model or the
    guess raise ValueError.
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
