"""Counters of warnings."""

from __future__ import annotations

import numpy as np

from saltus.mujoco.enums import mjtWarning


class MjWarningStat:
    """How often a warning came, and the index that it was about last."""

    __slots__ = ("number", "lastinfo")

    def __init__(self, number: int = 0, lastinfo: int = 0):
        self.number, self.lastinfo = number, lastinfo

    def _count(self, info: int) -> None:
        self.number, self.lastinfo = self.number + 1, info

    def __repr__(self) -> str:
        return f"<MjWarningStat number: {self.number}, lastinfo: {self.lastinfo}>"


class MjWarningStatList:
    """One counter per `mjtWarning`; `number` and `lastinfo` are arrays over all (copies)."""

    __slots__ = ("_items",)

    def __init__(self) -> None:
        self._items = [MjWarningStat() for _ in range(mjtWarning.mjNWARNING)]

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> MjWarningStat:
        return self._items[int(index)]

    @property
    def number(self) -> np.ndarray:
        return np.array([item.number for item in self._items], dtype=np.int32)

    @property
    def lastinfo(self) -> np.ndarray:
        return np.array([item.lastinfo for item in self._items], dtype=np.int32)

    def copy(self) -> MjWarningStatList:
        """Independent counters with the same numbers."""
        other = MjWarningStatList()
        other._items = [MjWarningStat(item.number, item.lastinfo) for item in self._items]
        return other
