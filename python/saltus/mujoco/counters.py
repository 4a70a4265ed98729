"""Counters of warnings, timers and solver iterations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

import numpy as np

from saltus.mujoco.enums import mjtTimer, mjtWarning
from saltus.mujoco.struct import Record, _shown


class MjWarningStat(Record):
    """Number of occurrences of a warning, and the index in the most recent one."""

    _DEFAULTS = {"lastinfo": 0, "number": 0}
    number: int
    lastinfo: int

    def _count(self, info: int) -> None:
        self.number, self.lastinfo = self.number + 1, info


class MjTimerStat(Record):
    """Number of calls, and their total duration, s."""

    _DEFAULTS = {"duration": 0.0, "number": 0}
    number: int
    duration: float


class MjSolverStat(Record):
    """One iteration of a solver. Saltus does not fill it; see `saltus.Data.solver` for the
    outcome."""

    _DEFAULTS = {
        "improvement": 0.0,
        "gradient": 0.0,
        "lineslope": 0.0,
        "nactive": 0,
        "nchange": 0,
        "neval": 0,
        "nupdate": 0,
    }


_Item = TypeVar("_Item", bound=Record)


class _StatList(Generic[_Item]):
    """Records in a list; attributes are arrays over all of them (copies)."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, items: list[_Item]):
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> _Item:
        return self._items[int(index)]

    def __iter__(self) -> Iterator[_Item]:
        return iter(self._items)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._items[0]._DEFAULTS:
            raise AttributeError(f"{type(self).__name__} has no {name!r}")
        values = [getattr(item, name) for item in self._items]
        return np.array(values, dtype=np.int32 if isinstance(values[0], int) else np.float64)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._items == other._items

    def __repr__(self) -> str:
        lines = "".join(f"  {name}: {_shown(getattr(self, name))}\n" for name in sorted(self._items[0]._DEFAULTS))
        return f"<{type(self).__name__}\n{lines}>"


class _MjWarningStatList(_StatList[MjWarningStat]):
    """One counter per `mjtWarning`."""

    def __init__(self) -> None:
        super().__init__([MjWarningStat() for _ in range(mjtWarning.mjNWARNING)])


class _MjTimerStatList(_StatList[MjTimerStat]):
    """One timer per `mjtTimer`. Steps, forward and inverse dynamics are timed as a whole."""

    def __init__(self) -> None:
        super().__init__([MjTimerStat() for _ in range(mjtTimer.mjNTIMER)])
