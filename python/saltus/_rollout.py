"""Many simulations in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._data import Data
from saltus._model import Model

# The part of the inputs that controls are, by its bit.
_CTRL = 1 << 6

Feedback = Callable[[Data, int, int], ArrayLike]


class Rollout(NamedTuple):
    """Results of `rollout`."""

    states: np.ndarray
    """Time, q, v and act after each step · simulations × steps × (1 + nq + nv + na)."""
    sensors: np.ndarray
    """Sensors at the beginning of each step · simulations × steps × nsensordata."""
    failures: dict[int, _saltus.DivergenceError]
    """Errors of the simulations that diverged, by index; their results are NaN from the failed step on."""


def rollout(
    model: Model | Sequence[Model],
    initial: Data | ArrayLike,
    controls: ArrayLike | None = None,
    *,
    steps: int | None = None,
    threads: int | None = None,
    warm_start: ArrayLike | None = None,
    feedback: Feedback | None = None,
    states: np.ndarray | None = None,
    sensors: np.ndarray | None = None,
    errors: str = "raise",
    coordinates: str = "generalized",
    maximal: Mapping[str, Any] | None = None,
) -> Rollout:
    """Runs many simulations on several threads. Results do not depend on the number of threads.

    `initial` is a `Data`, one state (time, q, v, act) or one per simulation. `controls` is simulations × steps × nu; a
    single simulation or step applies to all, missing dimensions are added in front, and None is zero. Alternatively,
    `feedback(data, simulation, step)` returns the controls for the state in `data`; it runs on one thread. `model` is one
    model for all simulations, or a list with one of the same sizes for each. `warm_start` is the initial warm start of the
    constraint solver.

    With `coordinates="maximal"` steps are those of `saltus.maximal.Simulation`, with the mode and options in `maximal`
    (`{"mode": "published", "sweeps": 50}`; by default joints are exact), and warm starts are not used.

    Results are written to `states` and `sensors` if given (C-contiguous float64 arrays). `threads` is by default the number of
    processors. If a simulation diverges, `DivergenceError` is raised after all simulations are done, with the attributes
    `simulation` and `step`; with `errors="nan"` it is listed in `failures` instead, and its results are NaN from the failed
    step on.
    """
    if errors not in ("raise", "nan"):
        raise ValueError(f'errors should be "raise" or "nan", not {errors!r}')
    if coordinates not in ("generalized", "maximal"):
        raise ValueError(f'coordinates should be "generalized" or "maximal", not {coordinates!r}')
    if maximal is not None and coordinates != "maximal":
        raise ValueError('maximal needs coordinates="maximal"')
    if controls is not None and feedback is not None:
        raise ValueError("give controls or feedback, not both")
    models = [model] if isinstance(model, Model) else list(model)
    if not models:
        raise ValueError("no model was given")
    first = models[0]
    width, sensor_width = _saltus.rollout_state_size(first._core), first._core.size("nsensordata")
    start = _initial_states(initial, width)
    table = None if controls is None else _expand(controls, 3, "controls")
    if table is not None and table.shape[2] != first.nu:
        raise ValueError(f"controls have {table.shape[2]} columns, but the model has {first.nu} controls")
    warm = None if warm_start is None else _expand(warm_start, 2, "warm_start")
    given = {"initial": start, "controls": table, "warm_start": warm, "states": states, "sensors": sensors}
    sims = _common("simulations", 0, {"model": np.empty(len(models)), **given}, None)
    steps = _common("steps", 1, {name: given[name] for name in ("controls", "states", "sensors")}, steps)
    states = _output(states, (sims, steps, width), "states")
    sensors = _output(sensors, (sims, steps, sensor_width), "sensors")
    changes = dict(maximal or {})
    mode = None if coordinates == "generalized" else (str(changes.pop("mode", "tree")), changes)
    if feedback is not None:
        failed = _with_feedback(models, start, warm, (feedback, mode), states, sensors)
    else:
        control = None if table is None else (table, table.shape[0], table.shape[1], _CTRL)
        cores = [m._core for m in models]
        failed = _saltus.rollout(cores, (sims, steps), start, warm, control, states, sensors, _threads(threads), mode)
    for sim, step, error in failed:
        setattr(error, "simulation", sim)
        setattr(error, "step", step)
    if failed and errors == "raise":
        raise failed[0][2]
    return Rollout(states, sensors, {sim: error for sim, _, error in failed})


def _threads(threads: int | None) -> int:
    if threads is not None and not 1 <= threads <= 4096:
        raise ValueError(f"threads should be between 1 and 4096, not {threads}")
    return threads or 0


def _initial_states(initial: Data | ArrayLike, width: int) -> np.ndarray:
    """One state per row."""
    if isinstance(initial, Data):
        initial = np.concatenate([[initial.time], initial.q, initial.v, initial.act])
    start = _expand(initial, 2, "initial")
    if start.shape[1] != width:
        raise ValueError(f"a state (time, q, v, act) of the model has {width} numbers, not {start.shape[1]}")
    return start


def _expand(values: ArrayLike, ndim: int, name: str) -> np.ndarray:
    """An array with dimensions added in front."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim > ndim:
        raise ValueError(f"{name} should have at most {ndim} dimensions, not {array.ndim}")
    return array.reshape((1,) * (ndim - array.ndim) + array.shape)


def _common(what: str, axis: int, arrays: dict[str, np.ndarray | None], wanted: int | None) -> int:
    """The size along an axis on which all agree; 1 agrees with everything unless nothing else is known."""
    sizes: dict[str, int] = {
        name: array.shape[axis] for name, array in arrays.items() if array is not None and array.ndim > axis
    }
    if wanted is not None:
        sizes[what] = int(wanted)
    known = {size for name, size in sizes.items() if size != 1 or name in ("states", "sensors", what)}
    if len(known) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise ValueError(f"different numbers of {what} were given ({listed})")
    if known:
        return known.pop()
    if not sizes:
        raise ValueError(f"the number of {what} is not known: give controls or {what}=")
    return 1


def _output(array: np.ndarray | None, shape: tuple[int, ...], name: str) -> np.ndarray:
    if array is None:
        return np.empty(shape)
    if array.shape != shape:
        raise ValueError(f"{name} should have the shape {shape}, not {array.shape}")
    return array


def _with_feedback(
    models: list[Model],
    start: np.ndarray,
    warm: np.ndarray | None,
    how: tuple[Feedback, tuple[str, dict[str, float]] | None],
    states: np.ndarray,
    sensors: np.ndarray,
) -> list[tuple[int, int, _saltus.DivergenceError]]:
    """All simulations one after the other, with controls from Python."""
    failed = []
    feedback, mode = how
    for sim in range(states.shape[0]):
        model = models[sim % len(models)]
        data = model.data()
        row = start[sim % len(start)]
        data.time = float(row[0])
        data.q[:], data.v[:], data.act[:] = np.split(row[1:], [model.nq, model.nq + model.nv])
        if warm is not None:
            data._field("qacc_warmstart")[:] = warm[sim % len(warm)]
        states[sim], sensors[sim] = np.nan, np.nan
        simulation = None if mode is None else _saltus.MaximalCore(model._core, *mode)
        for step in range(states.shape[1]):
            control = _control(feedback, sim, step)
            try:
                if simulation is not None:
                    _saltus.forward(model._core, data._core)
                    control(model, data)
                    simulation.step(model._core, data._core, 1)
                else:
                    user = (model, data, (control, None, None, None, None, None))
                    _saltus.step(model._core, data._core, 1, False, user)
            except _saltus.DivergenceError as error:
                failed.append((sim, step, error))
                break
            states[sim, step] = np.concatenate([[data.time], data.q, data.v, data.act])
            sensors[sim, step] = data.sensors
    return failed


def _control(feedback: Feedback, sim: int, step: int) -> Callable[[Any, Data], None]:
    def control(model: Any, data: Data) -> None:
        data.ctrl[:] = np.reshape(feedback(data, sim, step), data.ctrl.shape)

    return control
