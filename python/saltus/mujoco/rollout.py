"""`mujoco.rollout`: open-loop simulations on several threads."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus.mujoco.data import MjData
from saltus.mujoco.enums import mjtState
from saltus.mujoco.model import MjModel
from saltus.mujoco.simulate import get_autoreset
from saltus.mujoco.state import mj_stateSize

_CTRL = int(mjtState.mjSTATE_CTRL)
_FULL = int(mjtState.mjSTATE_FULLPHYSICS)

_Models = MjModel | Sequence[MjModel]
_Datas = MjData | Sequence[MjData]


class Rollout:
    """Rollouts on a fixed number of threads (0: the calling thread alone)."""

    def __init__(self, *, nthread: int | None = None):
        self.nthread = 0 if nthread is None else nthread
        self._open = True

    def __enter__(self) -> Rollout:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the pool; no rollouts are possible afterwards."""
        self._open = False

    def rollout(
        self,
        model: _Models,
        data: _Datas,
        initial_state: ArrayLike,
        control: ArrayLike | None = None,
        *,
        control_spec: int = _CTRL,
        skip_checks: bool = False,
        nstep: int | None = None,
        initial_warmstart: ArrayLike | None = None,
        state: np.ndarray | None = None,
        sensordata: np.ndarray | None = None,
        chunk_size: int | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """States (`mjSTATE_FULLPHYSICS`) and sensors of simulations from `initial_state` under `control`.

        Each simulation starts from the model's reference state, overridden by `initial_state`;
        `data` is neither used nor changed. `control` are the inputs that `control_spec` names, in
        the order of its bits. `saltus.DivergenceError` if a simulation diverges; after
        `set_autoreset(True)` it stays where it was instead, as in MuJoCo.
        """
        if not self._open:
            raise RuntimeError("rollout requested after thread pool shutdown")
        models = [model] if isinstance(model, MjModel) else list(model)
        self._check_data([data] if isinstance(data, MjData) else list(data))
        spec = int(control_spec)
        if spec & ~int(mjtState.mjSTATE_USER):
            raise ValueError("control_spec can only contain bits in mjSTATE_USER")
        _check_count(nstep, "nstep", 0, "nstep must be non-negative")
        _check_count(chunk_size, "chunk_size", 1, "chunk_size must be a positive integer")
        start = _table(initial_state, 2, "initial_state")
        warm = None if initial_warmstart is None else _table(initial_warmstart, 2, "initial_warmstart")
        inputs = None if control is None else _table(control, 3, "control")
        states = None if state is None else _table(state, 3, "state")
        outputs = None if sensordata is None else _table(sensordata, 3, "sensordata")
        given = {"initial_state": start, "initial_warmstart": warm, "control": inputs}
        given.update(state=states, sensordata=outputs)
        sims = _infer(0, 1, given)
        if sims == 1:
            sims = len(models)
        if skip_checks:
            # Only as many models as needed; MuJoCo ignores the others.
            models = models[:sims] if len(models) > sims else models
        if len(models) not in (1, sims):
            raise ValueError(f"nbatch inferred as {sims} but model is length {len(models)}")
        steps = _infer(
            1, 1 if nstep is None else nstep, {name: given[name] for name in ("control", "state", "sensordata")}
        )
        width, sensors = _widths(models, spec, given)
        states = np.empty((sims, steps, width)) if states is None else states
        outputs = np.empty((sims, steps, sensors)) if outputs is None else outputs
        table = None if inputs is None else (inputs, inputs.shape[0], inputs.shape[1], spec)
        cores = [m._core for m in models]
        failed = _saltus.rollout(cores, (sims, steps), start, warm, table, states, outputs, self.nthread or 1)
        if failed and not get_autoreset():
            raise failed[0][2]
        for sim, step, _ in failed:
            states[sim, step:] = states[sim, step - 1] if step else start[sim if len(start) > 1 else 0]
            outputs[sim, step:] = outputs[sim, step - 1] if step else 0.0
        return states, outputs

    def _check_data(self, datas: list[MjData]) -> None:
        if not datas:
            raise ValueError("The list of data instances is empty")
        if self.nthread == 0 and len(datas) > 1:
            raise ValueError("More than one data instance passed but rollout is configured to run on main thread")
        if self.nthread > 0 and len(datas) != self.nthread:
            raise ValueError(f"Length of data: {len(datas)} not equal to nthread: {self.nthread}")
        for k, one in enumerate(datas):
            if one.threadpool:
                raise ValueError(f"data[{k}] has a thread pool")


def _check_count(value: int | None, name: str, least: int, message: str) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name} must be an integer")
    if value < least:
        raise ValueError(message)


def _table(values: ArrayLike, dims: int, name: str) -> np.ndarray:
    """An array with the given number of dimensions; missing ones are prepended."""
    if not isinstance(values, (np.ndarray, float)):
        raise ValueError(f"{name} must be a numpy array or float")
    array = np.asarray(values)
    if array.ndim > dims:
        raise ValueError(f"{name} can have at most {dims} dimensions")
    return np.ascontiguousarray(array.reshape((1,) * (dims - array.ndim) + array.shape), dtype=np.float64)


def _infer(axis: int, value: int, given: dict[str, np.ndarray | None]) -> int:
    """The common size of the arrays along an axis, apart from 1."""
    for name, array in given.items():
        if array is not None and array.shape[axis] != value:
            if value == 1:
                value = array.shape[axis]
            elif array.shape[axis] != 1:
                raise ValueError(f"dimension {axis} inferred as {value} but {name} has {array.shape[axis]}")
    return value


def _widths(models: list[MjModel], spec: int, given: dict[str, np.ndarray | None]) -> tuple[int, int]:
    """Sizes of the state and of the sensor data, which must agree for all models and arrays."""

    def sizes(m: MjModel) -> tuple[int, int, int, int]:
        return mj_stateSize(m, _FULL), mj_stateSize(m, spec), m.nv, m.nsensordata

    width, inputs, nv, sensors = sizes(models[0])
    if any(sizes(m) != sizes(models[0]) for m in models[1:]):
        raise ValueError("models are not compatible")
    expected = {
        "initial_state": width,
        "state": width,
        "control": inputs,
        "initial_warmstart": nv,
        "sensordata": sensors,
    }
    for name, array in given.items():
        if array is not None and array.shape[-1] != expected[name]:
            raise ValueError(f"trailing dimension of {name} must be {expected[name]}, got {array.shape[-1]}")
    return width, sensors


def rollout(
    model: _Models,
    data: _Datas,
    initial_state: ArrayLike,
    control: ArrayLike | None = None,
    *,
    control_spec: int = _CTRL,
    skip_checks: bool = False,
    nstep: int | None = None,
    initial_warmstart: ArrayLike | None = None,
    state: np.ndarray | None = None,
    sensordata: np.ndarray | None = None,
    chunk_size: int | None = None,
    persistent_pool: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """`Rollout.rollout` with one thread per data. The threads are always kept for the next call."""
    threads = 1 if isinstance(data, MjData) else len(data)
    return Rollout(nthread=threads if threads > 1 else 0).rollout(
        model,
        data,
        initial_state,
        control,
        control_spec=control_spec,
        skip_checks=skip_checks,
        nstep=nstep,
        initial_warmstart=initial_warmstart,
        state=state,
        sensordata=sensordata,
        chunk_size=chunk_size,
    )


def shutdown_persistent_pool() -> None:
    """Does nothing: idle threads cost nothing and exit with the program."""
