"""Records of named numbers, compared, printed and copied by value."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

_Self = TypeVar("_Self", bound="Struct")


class Struct:
    """Named numbers. Two are equal if all their values are equal; being mutable, they are not
    hashable."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def _names(self) -> list[str]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self._names())

    def __repr__(self) -> str:
        lines = "".join(f"  {name}: {_shown(getattr(self, name))}\n" for name in sorted(self._names()))
        return f"<{type(self).__name__}\n{lines}>"

    def _assign(self, other: Struct) -> None:
        """Copies all values of another struct."""
        for name in self._names():
            setattr(self, name, getattr(other, name))

    def __copy__(self: _Self) -> _Self:
        raise NotImplementedError

    def __deepcopy__(self: _Self, memo: dict[int, object]) -> _Self:
        return self.__copy__()

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names()}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (), self.__getstate__()

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


def _shown(value: object) -> str:
    return repr(value).replace("\n", "\n  ") if isinstance(value, Struct) else repr(value)


class Record(Struct):
    """A struct with numbers of its own. Each has the type of its default: integer, float, array or
    struct. Subclasses of the package's records may have more attributes and replace fields."""

    _DEFAULTS: ClassVar[dict[str, Any]] = {}

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls) -> None:
        for name in vars(cls).get("_DEFAULTS", ()):
            setattr(cls, name, _field(name))

    def __init__(self) -> None:
        for name, default in self._DEFAULTS.items():
            is_shared = isinstance(default, np.ndarray)
            self.__dict__[name] = default.copy() if is_shared else default() if isinstance(default, type) else default

    def _names(self) -> list[str]:
        return list(self._DEFAULTS)

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)
        if "_DEFAULTS" in vars(kind) and not hasattr(kind, name):
            raise AttributeError(f"{kind.__name__} has no {name!r}; it has {', '.join(self._names())}")
        object.__setattr__(self, name, value)

    def __copy__(self: _Self) -> _Self:
        other = type(self)()
        other._assign(self)
        return other


def _field(name: str) -> property:
    """A field of a record, whose value is in the object's dictionary."""

    def read(record: Record) -> Any:
        return record.__dict__[name]

    def write(record: Record, value: Any) -> None:
        own, old = record.__dict__, record.__dict__[name]
        if isinstance(old, np.ndarray):
            old[...] = value
        elif isinstance(old, Struct):
            old._assign(value)
        elif isinstance(old, int):
            own[name] = operator.index(value)
        elif isinstance(old, float):
            own[name] = float(value)
        else:
            own[name] = value

    return property(read, write)
