"""Checks of function arguments: numbers to read, and arrays to write results into."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def floats(x: ArrayLike, size: int | None = None, what: str = "argument") -> np.ndarray:
    """Converts an argument to float64.

    If `size` is given, the result is a flat copy, so that the output may overlap the argument.
    Raises TypeError if the argument is not numeric or has another size.
    """
    try:
        numbers = np.asarray(x, dtype=np.float64)
    except ValueError as error:
        raise TypeError(f"{what} should be numbers: {error}") from None
    if size is None:
        return numbers
    if numbers.size != size:
        raise TypeError(f"{what} should have {size} numbers, not {numbers.size}")
    return numbers.reshape(size).copy()


def result(res: np.ndarray, what: str, size: int | None = None) -> np.ndarray:
    """Checks that an output is a writable array of float64, of the given size if any, and returns
    it."""
    if not isinstance(res, np.ndarray) or res.dtype != np.float64 or not res.flags.writeable:
        raise TypeError(f"{what} should be a writable array of float64")
    if size is not None and res.size != size:
        raise TypeError(f"{what} should have {size} numbers, not {res.size}")
    return res


def put(res: np.ndarray, values: ArrayLike) -> None:
    """Writes values into an array of the same size."""
    numbers = np.asarray(values)
    target = result(res, "res", numbers.size)
    target[...] = numbers.reshape(target.shape)
