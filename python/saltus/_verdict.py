"""What the results of exact derivatives have beside their matrices, for one state or for many."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._data import Data
from saltus._model import Model
from saltus._rollout import _common, _expand, _initial_states


class _Verdict:
    """What one state adds to the matrices."""

    inexact: list[str]
    """What counts as simpler than it is, in words; empty if the derivatives are exact."""

    @property
    def exact(self) -> bool:
        """Whether the derivatives are exact."""
        return not self.inexact


class _BatchVerdict:
    """What many states add to the matrices."""

    inexact: list[list[str]]
    """Of each state, what counts as simpler than it is, in words."""
    failures: dict[int, Exception]
    """States without derivatives, and why; their matrices are NaN."""

    @property
    def exact(self) -> np.ndarray:
        """Of each state, whether its derivatives are exact (false where there are none)."""
        return np.array([not words and k not in self.failures for k, words in enumerate(self.inexact)], dtype=bool)


def _rows(
    model: Model, states: Data | ArrayLike, ctrl: ArrayLike | None, **more: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None, int]:
    """States and controls as matrices, and the number of states."""
    rows = _initial_states(states, _saltus.rollout_state_size(model._core))
    table = None if ctrl is None else _expand(ctrl, 2, "ctrl")
    if table is not None and table.shape[1] != model.nu:
        raise ValueError(f"ctrl has {table.shape[1]} columns, but the model has {model.nu} controls")
    return rows, table, _common("rows", 0, {"the states": rows, "ctrl": table, **more}, None)


def _judge(result: _BatchVerdict, found: list[tuple[list[str], Exception | None]], errors: str) -> None:
    """Fills in what each state gave."""
    if errors not in ("raise", "nan"):
        raise ValueError(f'errors should be "raise" or "nan", not {errors!r}')
    result.inexact = [words for words, _ in found]
    result.failures = {k: error for k, (_, error) in enumerate(found) if error is not None}
    for k, error in result.failures.items():
        setattr(error, "state", k)
        if errors == "raise":
            raise error
