"""`mujoco.rollout`: open-loop simulations on several threads."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import numpy as np
from numpy.typing import ArrayLike

import saltus
from saltus.mujoco.data import MjData
from saltus.mujoco.enums import mjtState
from saltus.mujoco.model import MjModel


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
        """No rollouts after this."""
        self._open = False

    def rollout(
        self,
        model: MjModel | Sequence[MjModel],
        data: MjData | Sequence[MjData],
        initial_state: ArrayLike,
        control: ArrayLike | None = None,
        *,
        control_spec: int = int(mjtState.mjSTATE_CTRL),
        skip_checks: bool = False,
        nstep: int | None = None,
        initial_warmstart: ArrayLike | None = None,
        state: np.ndarray | None = None,
        sensordata: np.ndarray | None = None,
        chunk_size: int | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """States (`mjSTATE_FULLPHYSICS`) and sensors of simulations from `initial_state` under `control`.

        Each simulation starts from the model's reference state but for `initial_state`; `data` is not used or changed.
        `saltus.DivergenceError` if one diverges. `control_spec` can only be `mjSTATE_CTRL`.
        """
        if not self._open:
            raise RuntimeError("rollout requested after thread pool shutdown")
        if int(control_spec) != int(mjtState.mjSTATE_CTRL):
            raise NotImplementedError("saltus.mujoco.rollout supports control_spec = mjSTATE_CTRL only")
        if nstep is None and control is None and state is None and sensordata is None:
            nstep = 1
        result = saltus.rollout(
            model,
            initial_state,
            control,
            steps=nstep,
            threads=self.nthread or 1,
            warm_start=initial_warmstart,
            states=state,
            sensors=sensordata,
        )
        return result.states, result.sensors


def rollout(
    model: MjModel | Sequence[MjModel],
    data: MjData | Sequence[MjData],
    initial_state: ArrayLike,
    control: ArrayLike | None = None,
    *,
    control_spec: int = int(mjtState.mjSTATE_CTRL),
    skip_checks: bool = False,
    nstep: int | None = None,
    initial_warmstart: ArrayLike | None = None,
    state: np.ndarray | None = None,
    sensordata: np.ndarray | None = None,
    chunk_size: int | None = None,
    persistent_pool: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """`Rollout.rollout` on as many threads as there are data. Threads are always kept for the next call."""
    threads = 1 if isinstance(data, MjData) else len(data)
    return Rollout(nthread=threads).rollout(
        model,
        data,
        initial_state,
        control,
        control_spec=control_spec,
        nstep=nstep,
        initial_warmstart=initial_warmstart,
        state=state,
        sensordata=sensordata,
    )


def shutdown_persistent_pool() -> None:
    """Does nothing: idle threads cost nothing and end with the program."""
