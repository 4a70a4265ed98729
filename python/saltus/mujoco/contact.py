"""Contacts."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._contacts import NUMBERS, WHOLE
from saltus._saltus import contacts
from saltus.mujoco.struct import Struct

_PARTS = {"geom1": 0, "geom2": 1}
_NAMES = [*NUMBERS, *WHOLE]

# The rows of floats and the rows of integers.
_Arrays = tuple[np.ndarray, np.ndarray]


def _zeros(rows: int) -> _Arrays:
    return np.zeros((rows, NUMBERS["H"].stop)), np.zeros((rows, WHOLE["efc_address"].stop), dtype=np.int32)


def _place(name: str) -> tuple[int, slice]:
    """The array that contains a field, and the columns of the field."""
    return (0, NUMBERS[name]) if name in NUMBERS else (1, WHOLE[name])


class MjContact(Struct):
    """One contact: `dist`, `pos`, `frame`, `geom`, `dim`, `friction`, … as attributes.

    An item of `MjData.contact` is a snapshot of the contact. Changes of its position, frame,
    distance, friction and solver parameters are used by `mj_makeConstraint`."""

    __slots__ = ("_arrays", "_index")

    def __init__(self, arrays: _Arrays | None = None, index: int = 0):
        self._arrays = _zeros(1) if arrays is None else arrays
        self._index = index

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def _names(self) -> list[str]:
        return _NAMES

    def __copy__(self) -> MjContact:
        numbers, whole = (array[self._index : self._index + 1].copy() for array in self._arrays)
        return MjContact((numbers, whole))


def _part(which: int, column: int) -> property:
    """A scalar field of a contact."""

    def read(contact: MjContact) -> Any:
        return contact._arrays[which].item(contact._index, column)

    def write(contact: MjContact, value: float) -> None:
        contact._arrays[which][contact._index, column] = value

    return property(read, write)


def _row(which: int, columns: slice) -> property:
    """A vector field of a contact, as a view."""

    def read(contact: MjContact) -> Any:
        return contact._arrays[which][contact._index, columns]

    def write(contact: MjContact, values: ArrayLike) -> None:
        contact._arrays[which][contact._index, columns] = values

    return property(read, write)


for _name in _NAMES:
    _which, _columns = _place(_name)
    _is_one = _columns.stop - _columns.start == 1
    setattr(MjContact, _name, _part(_which, _columns.start) if _is_one else _row(_which, _columns))
for _name, _offset in _PARTS.items():
    setattr(MjContact, _name, _part(1, WHOLE["geom"].start + _offset))


class _MjContactList:
    """All contacts; attributes are arrays with one row per contact, items are single contacts or,
    for slices, lists.

    It is updated with the data: after a step it contains the contacts of that step. A slice keeps
    the contacts it was made of."""

    __slots__ = ("_core", "_kept")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, core: _saltus.DataCore | None = None, kept: _Arrays | None = None):
        self._core, self._kept = core, kept

    def _arrays(self) -> _Arrays:
        if self._kept is not None:
            return self._kept
        return _zeros(0) if self._core is None else contacts(self._core)

    def __len__(self) -> int:
        return self._core.ncon if self._core is not None else len(self._arrays()[0])

    @overload
    def __getitem__(self, index: int) -> MjContact: ...
    @overload
    def __getitem__(self, index: slice) -> _MjContactList: ...
    def __getitem__(self, index: int | slice) -> MjContact | _MjContactList:
        if isinstance(index, slice):
            numbers, whole = self._arrays()
            return _MjContactList(kept=(numbers[index], whole[index]))
        count, index = len(self), operator.index(index)
        if not -count <= index < count:
            raise IndexError(f"no contact {index}: there are {count}")
        return MjContact(self._arrays(), index if index >= 0 else index + count)

    def __iter__(self) -> Iterator[MjContact]:
        arrays = self._arrays()
        return (MjContact(arrays, index) for index in range(len(self)))

    def __getattr__(self, name: str) -> np.ndarray:
        if name in _PARTS:
            return self._arrays()[1][:, WHOLE["geom"].start + _PARTS[name]]
        if name not in _NAMES:
            raise AttributeError(f"the list of contacts has no {name!r}")
        which, columns = _place(name)
        values = self._arrays()[which][:, columns]
        return values[:, 0] if columns.stop - columns.start == 1 else values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _MjContactList):
            return NotImplemented
        (numbers, whole), (others, other_whole) = self._arrays(), other._arrays()
        return np.array_equal(numbers, others) and np.array_equal(whole, other_whole)

    def __dir__(self) -> list[str]:
        return [*_NAMES, *_PARTS]

    def __repr__(self) -> str:
        lines = "".join(f"  {name}: {getattr(self, name)!r}\n" for name in sorted(dir(self)))
        return f"<{type(self).__name__}\n{lines}>"
