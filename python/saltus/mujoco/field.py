"""Fields as class attributes, so that `dir(MjModel)` and `dir(MjData)` list them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Field:
    """A field that is looked up by name on first access. If `kept`, the value is then stored in the
    object, where plain attribute lookup finds it."""

    __slots__ = ("name", "kept")

    def __init__(self, name: str, kept: bool):
        self.name, self.kept = name, kept

    def __get__(self, owner: Any, kind: type) -> Any:
        if owner is None:
            return self
        value = owner._find(self.name)
        if self.kept:
            owner.__dict__[self.name] = value
        return value


def add_fields(kind: type, names: Iterable[str], kept: bool = True) -> None:
    """Adds fields to a class, except for names that the class already defines."""
    for name in names:
        if name not in kind.__dict__:
            setattr(kind, name, Field(name, kept))
