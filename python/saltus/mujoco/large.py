"""Arrays of large tables of a model, from 4 KB: corners of meshes, heights of height fields, and fields
of hundreds of geoms.

Smaller arrays are compared with the model at each call, which would take too long for these. They
are read-only to numpy, and assignments and in-place arithmetic, which come through here, tell the
model that they were written. Other ways to write (`np.sort`, buffers of other packages) raise
ValueError, so that no change gets lost.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from saltus import _saltus


class LargeTable(np.ndarray[Any, Any]):
    """A view of a large table, or of a part of one. Results of arithmetic and copies are ordinary
    arrays."""

    # Tells the model, and the memory of the whole table; none in an array that is not of a model.
    _written: Callable[[], None] | None = None
    _memory: np.ndarray | None = None

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, LargeTable):
            self._written, self._memory = source._written, source._memory

    def _write(self, put: Callable[[np.ndarray], object]) -> None:
        """Calls `put` with an array of the same numbers that can be written."""
        plain, memory = self.view(np.ndarray), self._memory
        if self._written is None or memory is None or plain.flags.writeable:
            put(plain)
            return
        memory.flags.writeable = True
        try:
            start = plain.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
            put(np.ndarray(plain.shape, plain.dtype, memory, start, plain.strides))
        finally:
            memory.flags.writeable = False
            self._written()

    def __setitem__(self, index: Any, value: Any) -> None:
        def put(array: np.ndarray) -> None:
            array[_plain(index)] = _plain(value)

        self._write(put)

    def fill(self, value: Any) -> None:
        self._write(lambda array: array.fill(value))

    def copy(self, order: Any = "C") -> np.ndarray:  # type: ignore[override]
        return np.array(self.view(np.ndarray), order=order)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: tuple[Any, ...] = (), **options: Any) -> Any:
        apply = functools.partial(getattr(ufunc, method), *map(_plain, inputs), **options)
        if not any(isinstance(target, LargeTable) for target in out):
            return apply(out=out) if out else apply()
        if len(out) > 1:
            raise ValueError(f"{ufunc.__name__} cannot write several results to tables of a model")
        out[0]._write(lambda array: apply(out=array))
        return out[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.copyto and isinstance(args[0], LargeTable):
            args[0]._write(lambda array: np.copyto(array, *map(_plain, args[1:]), **kwargs))
            return None
        return super().__array_function__(function, types, args, kwargs)


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, LargeTable) else value


def large_table(core: _saltus.ModelCore, name: str) -> LargeTable:
    """The array of a large table of a model."""
    array = core.field(name)
    table = array.view(LargeTable)
    table._memory = array.base
    table._written = lambda: core.mark_written(name)
    return table
