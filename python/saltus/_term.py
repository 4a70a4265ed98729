"""Terms that are Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._data import Data
from saltus._model import Model

Slopes = Mapping[str, ArrayLike]
TermFunction = Callable[["Knot"], "tuple[ArrayLike, Slopes] | ArrayLike"]

_PARTS = ("q", "v", "a", "tau")
_END = (float("nan"), float("nan"))


class Knot:
    """One state of a trajectory, the argument of functions that are terms."""

    __slots__ = ("model", "t", "steps", "h", "has_force", "wants_jacobian", "q", "v", "a", "tau", "_data", "_sensors")

    model: Model
    """The planning model: bodies, joints, sites and sensors of the task's model, but other
    contacts."""
    t: int
    """Index of the state, from 0."""
    steps: int
    """Number of time steps of the problem."""
    h: float
    """Time step, s."""
    has_force: bool
    """Whether `a` and `tau` are defined; false at the last state of motions that are not
    periodic."""
    wants_jacobian: bool
    """Whether derivatives are needed; otherwise they may be omitted."""
    q: np.ndarray
    """Coordinates · nq."""
    v: np.ndarray
    """Velocities · nv."""
    a: np.ndarray
    """Accelerations · nv."""
    tau: np.ndarray
    """Generalized forces of all actuators · nv."""

    def __init__(
        self,
        model: Model,
        counts: tuple[int, int, float, bool, bool],
        arrays: Sequence[np.ndarray],
        sensors: dict[str, int] | None = None,
    ):
        self.model = model
        # Ids of the sensors that are known to be supported.
        self._sensors: dict[str, int] = {} if sensors is None else sensors
        self.t, self.steps, self.h, self.has_force, self.wants_jacobian = counts
        self.q, self.v, self.a, self.tau = arrays
        self._data: Data | None = None

    @property
    def time(self) -> float:
        """Time since the first state, s."""
        return self.t * self.h

    @property
    def data(self) -> Data:
        """Data at this state with updated positions and velocities, for `jacobian`, `p_WB`, `com`
        etc."""
        if self._data is None:
            data = self.model.data()
            data.q, data.v, data.time = self.q, self.v, self.time
            for stage in ("position", "velocity"):
                _saltus.stage(self.model._core, data._core, stage)
            data.a = self.a
            self._data = data
        return self._data

    def sensor(self, name: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The reading of a sensor and its exact derivatives with respect to q, v and a.

        A residual can be any function of such readings.

        >>> def slow_tip(knot):
        ...     velocity, slopes = knot.sensor("tip velocity")
        ...     return velocity - [0.3, 0.0, 0.0], slopes

        Raises ValueError for sensors without exact derivatives (rays, distances, contacts),
        actuator forces and quaternions.
        """
        index = self._sensors.get(name)
        if index is None:
            try:
                index = self.model.id("sensor", name)
            except KeyError as error:
                raise ValueError(str(error.args[0])) from None
            obstacle = _saltus.sensor_obstacle(self.model._core, index)
            if obstacle is not None:
                raise ValueError(f"sensor {name!r}: {obstacle}")
            self._sensors[name] = index
        reading, slopes = _saltus.sensor_slopes(self.model._core, self.data._core, index)
        return reading, dict(zip(_PARTS, slopes))


class Function:
    """A user's function with its role, weight, window and tolerances."""

    def __init__(self, function: TermFunction, **keys: Any):
        self.function = function
        self.name: str = keys.pop("name", None) or getattr(function, "__name__", "function")
        self.role: str = keys.pop("role", None) or "cost"
        self.weight = np.atleast_1d(np.asarray(_or(keys.pop("weight", None), 1.0), dtype=np.float64))
        self.window = _window(_or(keys.pop("window", None), "always"), self.name)
        measure = keys.pop("measure", None)
        self.measure = None if measure is None else _positive(measure, f"{self.name}: measure")
        self.slack = _positive(_or(keys.pop("slack", None), 1.0), f"{self.name}: slack")
        if keys:
            known = "name, role, weight, window, measure, slack"
            raise ValueError(f"a function has no key {next(iter(keys))!r}; there are {known}")
        if self.role not in ("cost", "equality", "inequality"):
            raise ValueError(f"{self.name}: role: expected one of cost, equality, inequality; found {self.role!r}")
        if not np.isfinite(self.weight).all():
            raise ValueError(f"{self.name}: weight: expected finite numbers")

    def args(self) -> tuple[str, _Call, str, tuple[float, float] | None, float | None, float]:
        """The arguments for the native optimizer."""
        return self.name, _Call(self), self.role, self.window, self.measure, self.slack


class _Call:
    """The use of a function in one problem. It calls the function and checks what it returns."""

    def __init__(self, function: Function):
        self.function = function
        self.model: Model | None = None
        self.rows: dict[int, int] = {}
        self.sensors: dict[str, int] = {}

    def __call__(
        self, core: _saltus.ModelCore, counts: tuple[int, int, float, bool, bool], arrays: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, list[np.ndarray | None]]:
        if self.model is None:
            self.model = Model(core)
        knot = Knot(self.model, counts, arrays, self.sensors)
        name = self.function.name
        residual, slopes = _split(self.function.function(knot), knot, name)
        values = np.atleast_1d(_real(residual, f"{name}: residual"))
        if values.ndim != 1:
            raise ValueError(f"{name}: expected a vector of residuals, found an array of shape {values.shape}")
        n = self.rows.setdefault(knot.t, values.size)
        if values.size != n:
            raise ValueError(f"{name}: state {knot.t} had {n} residuals before and now has {values.size}")
        weight = self.function.weight
        if weight.shape not in ((1,), (n,)):
            raise ValueError(f"{name}: expected one weight, or one for each of {n} residuals; found {weight.size}")
        parts = [self._part(slopes.get(part), part, n, knot) for part in _PARTS]
        return np.ascontiguousarray(weight * values), parts

    def _part(self, given: ArrayLike | None, part: str, n: int, knot: Knot) -> np.ndarray | None:
        # Without forces, a and tau are undefined and their derivatives are ignored.
        if given is None or not knot.wants_jacobian or (part in ("a", "tau") and not knot.has_force):
            return None
        matrix = _real(given, f"{self.function.name}: the derivative with respect to {part}")
        if n == 1 and matrix.shape == (knot.model.nv,):
            matrix = matrix.reshape(1, -1)
        if matrix.shape != (n, knot.model.nv):
            expected = f"{n} residuals × {knot.model.nv} dofs"
            raise ValueError(
                f"{self.function.name}: the derivative with respect to {part}: expected {expected}, found {matrix.shape}"
            )
        return np.ascontiguousarray(self.function.weight[:, None] * matrix)


def _split(answer: Any, knot: Knot, name: str) -> tuple[ArrayLike, Slopes]:
    """Splits the function's return value into residual and derivatives."""
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], Mapping):
        unknown = [part for part in answer[1] if part not in _PARTS]
        if unknown:
            raise ValueError(f"{name}: derivatives are with respect to {', '.join(_PARTS)}; found {unknown[0]!r}")
        return answer
    if not knot.wants_jacobian and answer is not None:
        return answer, {}
    raise ValueError(
        f'{name}: expected (residual, {{"q": …, "v": …, "a": …, "tau": …}}), found {type(answer).__name__}'
    )


def _real(given: ArrayLike, what: str) -> np.ndarray:
    array = np.asarray(given)
    if np.iscomplexobj(array):
        raise ValueError(f"{what}: expected real numbers, found complex ones")
    return np.asarray(array, dtype=np.float64)


def _or(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value


def _positive(value: Any, what: str) -> float:
    number = float(value)
    if not 0.0 < number < float("inf"):
        raise ValueError(f"{what}: expected a positive number, found {value}")
    return number


def _window(window: Any, name: str) -> tuple[float, float] | None:
    """Start and end time; NaN stands for the end of the motion, None for always."""
    if isinstance(window, str):
        if window in ("always", "end"):
            return _END if window == "end" else None
    else:
        times = np.asarray(window, dtype=np.float64)
        if times.shape == (2,) and times[0] <= times[1]:
            return float(times[0]), float(times[1])
    raise ValueError(f'{name}: window: expected [from, to] in s, "always" or "end"; found {window!r}')


def check_term(model: Model, function: TermFunction, *, seed: int = 0) -> None:
    """Compares all derivatives of a function for `Task.add_term` with central differences.

    They are evaluated at random states of the model.

    Raises ValueError that names the wrong row and derivative and the value by differences.

    >>> model = Model.load("models/finger.xml")
    >>> check_term(model, lambda knot: (knot.v**2, {"v": 2 * np.diag(knot.v)}))
    >>> check_term(model, lambda knot: (knot.v**2, {"v": np.diag(knot.v)}))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: state 0, row 0: the derivative with respect to V of dof 0 is ..., finite differences give ...
    """
    wrong = _saltus.check_function(model._core, _Call(Function(function)), seed)
    if wrong is not None:
        raise ValueError(wrong)
