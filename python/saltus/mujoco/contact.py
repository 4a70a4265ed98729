"""Contacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from saltus import _saltus
from saltus.mujoco.struct import Struct

# Numbers of one contact: how many, and of which kind.
_WIDTHS = {
    "dist": 1,
    "pos": 3,
    "frame": 9,
    "includemargin": 1,
    "friction": 5,
    "solref": 2,
    "solreffriction": 2,
    "solimp": 5,
    "adhesion": 1,
    "surfacevel": 3,
    "mu": 1,
    "H": 36,
}
_WHOLE_WIDTHS = {"dim": 1, "geom": 2, "flex": 2, "elem": 2, "vert": 2, "exclude": 1, "efc_address": 1}
_PARTS = {"geom1": 0, "geom2": 1}
_NAMES = [*_WIDTHS, *_WHOLE_WIDTHS]

_Arrays = dict[str, np.ndarray]


def _zeros() -> _Arrays:
    arrays = {name: np.zeros((1, n) if n > 1 else 1) for name, n in _WIDTHS.items()}
    arrays.update({name: np.zeros((1, n) if n > 1 else 1, np.int32) for name, n in _WHOLE_WIDTHS.items()})
    return arrays


class MjContact(Struct):
    """One contact: `dist`, `pos`, `frame`, `geom`, `dim`, `friction`, … as attributes.

    An item of `MjData.contact` is the contact of the moment it was taken. What is written to its place, frame, distance, friction
    and solver parameters, `mj_makeConstraint` sees."""

    __slots__ = ("_arrays", "_index")

    def __init__(self, arrays: _Arrays | None = None, index: int = 0):
        object.__setattr__(self, "_arrays", _zeros() if arrays is None else arrays)
        object.__setattr__(self, "_index", index)

    def _names(self) -> list[str]:
        return _NAMES

    # The two that loops over contacts ask for.
    @property
    def geom1(self) -> int:
        """The first geom."""
        return int(self._arrays["geom"][self._index, 0])

    @geom1.setter
    def geom1(self, value: int) -> None:
        self._arrays["geom"][self._index, 0] = value

    @property
    def geom2(self) -> int:
        """The second geom."""
        return int(self._arrays["geom"][self._index, 1])

    @geom2.setter
    def geom2(self, value: int) -> None:
        self._arrays["geom"][self._index, 1] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._arrays:
            raise AttributeError(f"MjContact has no {name!r}")
        value = self._arrays[name][self._index]
        return value if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _PARTS:
            object.__setattr__(self, name, value)
        elif name in self._arrays:
            self._arrays[name][self._index] = value
        else:
            raise AttributeError(f"MjContact has no {name!r}")

    def __copy__(self) -> MjContact:
        return MjContact({name: array[self._index : self._index + 1].copy() for name, array in self._arrays.items()})

    def __dir__(self) -> list[str]:
        return [*_NAMES, *_PARTS]


class _MjContactList:
    """All contacts; attributes are arrays with one row per contact, items are single contacts.

    It follows the data: after a step it has the contacts of that step."""

    __slots__ = ("_core",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, core: _saltus.DataCore):
        self._core = core

    def __len__(self) -> int:
        return self._core.ncon

    def __getitem__(self, index: int) -> MjContact:
        count = self._core.ncon
        if not -count <= index < count:
            raise IndexError(f"no contact {index}: there are {count}")
        return MjContact(_saltus.contacts(self._core), index % count)

    def __iter__(self) -> Iterator[MjContact]:
        arrays = _saltus.contacts(self._core)
        return (MjContact(arrays, index) for index in range(len(self)))

    def __getattr__(self, name: str) -> np.ndarray:
        arrays = _saltus.contacts(self._core)
        if name in _PARTS:
            return arrays["geom"][:, _PARTS[name]]
        if name not in arrays:
            raise AttributeError(f"the list of contacts has no {name!r}")
        return arrays[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _MjContactList):
            return NotImplemented
        mine, others = _saltus.contacts(self._core), _saltus.contacts(other._core)
        return all(np.array_equal(mine[name], others[name]) for name in _NAMES)

    def __dir__(self) -> list[str]:
        return [*_NAMES, *_PARTS]

    def __repr__(self) -> str:
        lines = "".join(f"  {name}: {getattr(self, name)!r}\n" for name in sorted(dir(self)))
        return f"<{type(self).__name__}\n{lines}>"
