"""Contacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class MjContact:
    """One contact: `dist`, `pos`, `frame`, `geom`, `dim`, `friction`, … as attributes."""

    __slots__ = ("_fields", "_index")

    def __init__(self, fields: dict[str, np.ndarray], index: int):
        self._fields, self._index = fields, index

    def __getattr__(self, name: str) -> Any:
        if name in ("geom1", "geom2"):
            return int(self._fields["geom"][self._index][name == "geom2"])
        if name not in self._fields:
            raise AttributeError(f"MjContact has no {name!r}")
        return self._fields[name][self._index]

    def __dir__(self) -> list[str]:
        return [*self._fields, "geom1", "geom2"]


class MjContactList:
    """All contacts; attributes are arrays with one row per contact, items are single contacts."""

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[str, np.ndarray]):
        self._fields = fields

    def __len__(self) -> int:
        return len(self._fields["dist"])

    def __getitem__(self, index: int) -> MjContact:
        if not -len(self) <= index < len(self):
            raise IndexError(f"no contact {index}: there are {len(self)}")
        return MjContact(self._fields, index % len(self))

    def __iter__(self) -> Iterator[MjContact]:
        return (MjContact(self._fields, index) for index in range(len(self)))

    def __getattr__(self, name: str) -> np.ndarray:
        if name in ("geom1", "geom2"):
            return self._fields["geom"][:, int(name == "geom2")]
        if name not in self._fields:
            raise AttributeError(f"MjContactList has no {name!r}")
        return self._fields[name]

    def __dir__(self) -> list[str]:
        return [*self._fields, "geom1", "geom2"]
