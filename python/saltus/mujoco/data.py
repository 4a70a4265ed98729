"""`MjData`."""

from __future__ import annotations

import copy
from typing import Any

from saltus import _saltus
from saltus._data import Data
from saltus.mujoco.contact import _MjContactList
from saltus.mujoco.counters import _MjTimerStatList, _MjWarningStatList
from saltus.mujoco.enums import mjtTimer
from saltus.mujoco.field import add_fields
from saltus.mujoco.model import MjModel
from saltus.mujoco.named import DataView, add_accessors, bind
from saltus.mujoco.rows import DERIVED, ROW_FIELDS, derived, row_field


class MjData(Data):
    """State, inputs and results under MuJoCo's names. Arrays are views of the engine's memory."""

    _model: MjModel
    _warnings: _MjWarningStatList
    _timers: _MjTimerStatList
    _times: list[dict[str, Any]]

    def __init__(self, model: MjModel):
        if not isinstance(model, MjModel):
            raise TypeError(f"MjData is made for an MjModel, not for {type(model).__name__}")
        super().__init__(model)
        self._set_timers(_MjTimerStatList())

    @property
    def model(self) -> MjModel:
        return self._model

    @property
    def _address(self) -> int:
        """A number that is unique among all existing models and data."""
        return id(self._core)

    @property
    def ncon(self) -> int:
        """Number of contacts."""
        return self._core.ncon

    @property
    def ne(self) -> int:
        """Number of rows of equality constraints."""
        return self._core.ne

    @property
    def nf(self) -> int:
        """Number of rows of dry friction."""
        return self._core.nf

    @property
    def nl(self) -> int:
        """Number of rows of limits."""
        return self._core.nl

    @property
    def nefc(self) -> int:
        """Number of constraint rows."""
        return self._core.nefc

    @property
    def nisland(self) -> int:
        """Number of islands of bodies that constraints connect."""
        return _saltus.island_count(self._core)

    def bind(self, elements: Any) -> Any:
        """Views of elements of the `MjSpec` that the model was compiled from."""
        return bind(self, elements)

    def copy(self) -> MjData:
        """An independent copy, for the same model."""
        other = super().copy()
        other._copy_counters(self)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> MjData:
        other = self.copy()
        other._model = copy.deepcopy(self._model, memo)
        return other

    def __getstate__(self) -> Any:
        return super().__getstate__(), self.warning, self.timer

    def __setstate__(self, state: Any) -> None:
        inner, self._warnings, timers = state
        super().__setstate__(inner)
        self._set_timers(timers)

    @property
    def warning(self) -> _MjWarningStatList:
        """Number of resets of a diverged simulation, by cause; see `set_autoreset`."""
        if "_warnings" not in self.__dict__:
            self._warnings = _MjWarningStatList()
        return self._warnings

    @property
    def timer(self) -> _MjTimerStatList:
        """Number and duration of steps and of calls to forward and inverse dynamics."""
        return self._timers

    def _set_timers(self, timers: _MjTimerStatList) -> None:
        self._timers = timers
        # Direct access for the counters of short calls.
        self._times = [
            timers[kind].__dict__
            for kind in (mjtTimer.mjTIMER_STEP, mjtTimer.mjTIMER_FORWARD, mjtTimer.mjTIMER_INVERSE)
        ]

    @property
    def threadpool(self) -> int:
        """The number of threads requested by `mju_threadpool`."""
        return int(self.__dict__.get("_threads", 0))

    def _clear_counters(self) -> None:
        # In place, since programs keep references to the lists.
        for counters in (self.warning, self.timer):
            for item in counters:
                item._assign(type(item)())

    def _copy_counters(self, other: MjData) -> None:
        self._warnings = copy.deepcopy(other.warning)
        self._set_timers(copy.deepcopy(other.timer))

    def _find(self, name: str) -> Any:
        """A field, or a value derived from fields."""
        if name in ROW_FIELDS:
            return row_field(self, name)
        if name in DERIVED:
            return derived(self, name)
        return _MjContactList(self._core) if name == "contact" else self._field(name)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"saltus.mujoco.MjData does not support the field {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        if name in _FIELDS:
            self._field(name)[...] = value
        elif name.startswith("_") or name == "time":
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"saltus.mujoco.MjData does not support setting {name!r}")


_FIELDS = frozenset(_saltus.DataCore.field_names())


# Views, including names that have another meaning in the native data.
add_fields(MjData, (*_FIELDS, "contact"))
add_fields(MjData, (*ROW_FIELDS, *DERIVED), kept=False)
add_accessors(MjData, DataView, "body joint geom site camera light tendon actuator sensor")
