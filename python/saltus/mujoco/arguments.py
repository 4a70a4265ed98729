"""Arguments of functions: numbers that are read, and arrays that results go into."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def floats(x: ArrayLike, size: int | None = None, what: str = "argument") -> np.ndarray:
    """The numbers of an argument; as a copy in a flat vector if its size is asked for, so that results may overlap it.

    TypeError if they are not numbers or not as many."""
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
    """The array itself, which must be one of float64 that can be written, of a size if that is given."""
    if not isinstance(res, np.ndarray) or res.dtype != np.float64 or not res.flags.writeable:
        raise TypeError(f"{what} should be a writable array of float64")
    if size is not None and res.size != size:
        raise TypeError(f"{what} should have {size} numbers, not {res.size}")
    return res


def put(res: np.ndarray, values: ArrayLike) -> None:
    """Writes values into an array of as many numbers."""
    numbers = np.asarray(values)
    target = result(res, "res", numbers.size)
    target[...] = numbers.reshape(target.shape)
