"""Planned motions and their replays."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from saltus import _saltus
from saltus._model import Model
from saltus._task import Task

_Self = TypeVar("_Self", bound="Plan")
_MAX_STRIDES = 10_000


@dataclass(frozen=True)
class Iteration:
    """One iteration of the optimizer, as passed to `progress` and kept in `Plan.history`."""

    number: int
    """Number of the iteration, from 1."""
    path: float
    """Continuation parameter, from 0 (soft contact) to 1 (hard contact)."""
    smoothing: float
    """Contact smoothing at this continuation parameter."""
    cost: float
    """Cost without penalties."""
    cost_by_term: list[float]
    """Cost of each term, in the order of `Plan.costs`."""
    merit: float
    """Cost and penalties after the step."""
    unactuated: float
    """Largest generalized force on an unactuated degree of freedom, in its scaled unit."""
    violation: float
    """Largest violation of the other constraints, each in its own unit."""
    step: float
    """Largest component of the step, relative to its scale."""
    damping: float
    accepted: bool
    """Whether the step was accepted."""
    seconds: float
    """Elapsed time since the start of the optimization, s."""


@dataclass(frozen=True)
class PathPoint:
    """One solved problem on the path of continuation from soft to hard contact."""

    path: float
    smoothing: float
    hover: float
    """Distance between surfaces at which bodies rest, m."""
    reach: float
    """Distance beyond which contact forces vanish, m."""
    cost: float
    violation: float
    force_at_distance: float
    """Largest contact force at a distance of more than 1 mm, relative to the weight."""
    penetration: float
    """Maximum penetration, m."""
    iterations: int
    seconds: float


class ContactForce(NamedTuple):
    """A contact force at a state."""

    body: int
    """Id of the body on which the force acts."""
    other: int
    """Id of the body that exerts the force; 0 is the world."""
    point: np.ndarray
    """Contact point in the world frame, m."""
    normal: np.ndarray
    """Unit normal pointing out of `other`, in the world frame."""
    force: np.ndarray
    """Force on `body` in the world frame, N."""
    gap: float
    """Distance between the surfaces, m."""


class Clearance(NamedTuple):
    """How close two shapes come that are not planned to touch."""

    distance: float
    """Signed distance, m; negative: the depth by which they overlap."""
    time: float
    """When they are that close, s."""
    shapes: tuple[str, str]
    """Names of the shapes (geoms); "geom N" with the id for a shape without a name."""
    bodies: tuple[str, str]
    """Names of their bodies."""


class Residual(NamedTuple):
    """Residual of the equations of motion relative to the weight, independent of the contact law.

    Contact forces may act only where the model's original geometry is closer than 1 mm, and only
    inside the friction cone.
    """

    median: float
    max: float
    by_step: np.ndarray
    """Residual of each optimized step; empty if steps are implicit (evaluate = "end")."""


@dataclass(frozen=True, eq=False)
class Replay:
    """The forward simulation of a plan."""

    law: str
    timestep: float
    """Time step of the simulation, s."""
    feedback: str
    """"none", "gains" or "body"."""
    time: np.ndarray
    """Times of the states of the plan, s."""
    q: np.ndarray
    """Simulated coordinates · times × nq."""
    v: np.ndarray
    """Simulated velocities · times × nv."""
    error: np.ndarray
    """Largest deviation of a coordinate from the plan, in the tangent space, at each time."""
    survived: bool
    """Whether the simulation reached the end without falling or diverging."""
    seconds: float
    """Simulated time, s."""
    strides: float
    """Simulated time in repetitions of the plan."""
    end: str
    """Reason why the simulation ended."""

    @property
    def largest_error(self) -> float:
        return float(self.error.max(initial=0.0))

    def __repr__(self) -> str:
        how = "open loop" if self.feedback == "none" else f"feedback: {self.feedback}"
        end = "to the end" if self.survived else self.end
        return (
            f"<Replay under the {self.law} law, {how}: {self.strides:.2f} repetitions, {end}; "
            f"largest error {self.largest_error:.1e}>"
        )


class Plan:
    """A planned motion: states, forces and feedback gains, with the history of the optimization and
    quality measures. Created by `optimize`, or read from a folder by `Plan.load`.

    The motion has T states at intervals of h; a limit cycle is stored as one full stride. `a`, `u`
    and `tau` act from a state to the next; in a motion that is not periodic those of the last state
    are zero.
    """

    def __init__(self, core: _saltus.PlanCore, task: Task):
        self._core = core
        self._task = task

    @classmethod
    def load(cls: type[_Self], folder: str | os.PathLike[str]) -> _Self:
        """Loads the plan of a result folder that `save` or `saltus optimize` wrote.

        All arrays are equal to those of the saved plan. Its task is the `task.toml` of the folder,
        which refers to the model of the folder, so that `optimize(plan.task)` repeats the run. All
        files are checked against the model of the folder. Raises OSError if a file cannot be
        opened and ValueError if its contents are invalid; both name the file.
        """
        place = os.fspath(folder)
        core = _saltus.PlanCore.load(place)
        return cls(core, Task.parse(core.task(), os.path.join(place, "task.toml")))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the plan to a result folder, like that of the command line but without pictures.

        `saltus plot FOLDER` draws the pictures, and `saltus replay FOLDER` simulates the plan.

        The folder is written atomically. An existing result folder is replaced with all of its
        files; a folder that contains something else raises FileExistsError. Terms that are Python
        functions cannot be written: the task in the folder omits them, which is also one of the
        notes in `summary`.

        >>> import saltus, tempfile
        >>> plan = saltus.optimize("spin", iterations=5, threads=1)
        >>> with tempfile.TemporaryDirectory() as place:
        ...     plan.save(f"{place}/spin")
        ...     again = saltus.Plan.load(f"{place}/spin")
        >>> bool((again.q == plan.q).all()), again.summary == plan.summary
        (True, True)
        """
        self._core.save(os.fspath(folder))

    @property
    def task(self) -> Task:
        """A copy of the task that was optimized; for a loaded plan, the task of the folder."""
        return self._task.copy()

    @cached_property
    def time(self) -> np.ndarray:
        """Times, s · T."""
        return self._core.array("time")

    @cached_property
    def q(self) -> np.ndarray:
        """Coordinates · T × nq."""
        return self._core.array("q")

    @cached_property
    def v(self) -> np.ndarray:
        """Velocities · T × nv."""
        return self._core.array("v")

    @cached_property
    def a(self) -> np.ndarray:
        """Accelerations · T × nv."""
        return self._core.array("a")

    @cached_property
    def u(self) -> np.ndarray:
        """Controls of the model's actuators · T × nu."""
        return self._core.array("u")

    @cached_property
    def tau(self) -> np.ndarray:
        """Generalized forces of all actuators · T × nv."""
        return self._core.array("tau")

    @cached_property
    def gains(self) -> np.ndarray:
        """Feedback gains K · T × nv × 2 nv; without feedback there are no rows.

        At state t: tau = plan.tau[t] + K[t] @ (q - q[t], v - v[t]), with the difference of
        coordinates in the tangent space, `planning_model.difference(plan.q[t], q)`. The rows are
        generalized forces, not controls; those of unactuated dofs have no meaning.

        They are valid only for the contact law, the contacts and the time step of the plan, which
        `planning_model` has; `summary["gains"]` says the same. In another simulation, use
        `replay(…, feedback="body")`.
        """
        return self._core.array("gains")

    @cached_property
    def contacts(self) -> list[list[ContactForce]]:
        """Contact forces at each state."""

        def force(of: tuple[list[int], list[float], list[float], list[float], float]) -> ContactForce:
            (body, other), point, normal, force, gap = of
            return ContactForce(body, other, np.array(point), np.array(normal), np.array(force), gap)

        return [[force(of) for of in state] for state in self._core.contacts()]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The object that `saltus optimize --json` prints. Numbers that are not finite are None."""
        found: dict[str, Any] = json.loads(self._core.summary())
        return found

    @property
    def name(self) -> str:
        return str(self.summary["name"])

    @property
    def status(self) -> str:
        """Outcome of the optimization; `message` gives details.

        - "converged"
        - "limit": the maximum number of iterations was reached
        - "short": contact could not be made as hard as requested
        - "infeasible": a constraint is violated
        - "coarse": the time steps are too long
        - "collides": shapes that are not planned to touch pass through each other
        - "invalid": a number is not finite; `message` names term, state and number
        - "stopped": interrupted by the user; the motion is the best so far
        """
        return str(self.summary["status"])

    @property
    def message(self) -> str:
        """The status as a sentence, including the violated constraint if there is one."""
        return str(self.summary["message"])

    @property
    def converged(self) -> bool:
        """Whether the constraints hold and no step would decrease the cost, as verified by a new
        evaluation at the end."""
        return bool(self.summary["converged"])

    @property
    def cost(self) -> float:
        return _number(self.summary["cost"])

    @cached_property
    def costs(self) -> dict[str, float]:
        """Cost of each term, 0 for constraints. A number is appended to repeated names."""
        costs: dict[str, float] = {}
        for name, cost in self._core.costs():
            count = 1
            key = name
            while key in costs:
                count += 1
                key = f"{name} {count}"
            costs[key] = cost
        return costs

    @property
    def iterations(self) -> int:
        return int(self.summary["iterations"])

    @property
    def seconds(self) -> float:
        """Duration of the optimization, s."""
        return _number(self.summary["seconds"])

    @property
    def violations(self) -> dict[str, float]:
        """Largest violation of each constraint, in its own unit."""
        return {name: _number(value) for name, value in self.summary["violations"].items()}

    @property
    def unactuated_residual(self) -> float:
        """Largest generalized force on an unactuated degree of freedom, relative to the weight."""
        return _number(self.summary["unactuated_residual"])

    @property
    def periodicity(self) -> float:
        """Periodicity error of a limit cycle, evaluated anew; 0 for motions that are not
        periodic."""
        return _number(self.summary["periodicity"])

    @property
    def stance_slip(self) -> float:
        """Largest distance that a body slides on static geometry from touch-down to lift-off, m."""
        return _number(self.summary["stance_slip"])

    @property
    def clearance(self) -> Clearance | None:
        """The smallest distance between shapes of the model that are not planned to touch, at all
        states and halfway between them.

        None if they stay farther apart than the length of the robot, and for plans that were stored
        by versions that did not look.
        """
        found = self.summary["clearance"]
        if found is None:
            return None
        shapes, bodies = (tuple(found[key]) for key in ("shapes", "bodies"))
        return Clearance(_number(found["distance"]), _number(found["time"]), shapes, bodies)

    @property
    def step_error(self) -> float:
        """Largest difference, relative to gravity, between the acceleration of the centre of mass
        and the one that follows from the forces. Above 0.25 the time steps are too long."""
        return _number(self.summary["step_error"]["max"])

    @cached_property
    def law_independent_residual(self) -> Residual:
        """Residual of the equations of motion, checked without a contact law."""
        by_step, (median, largest) = self._core.verdicts()
        return Residual(median, largest, by_step)

    @cached_property
    def history(self) -> list[Iteration]:
        """All iterations."""
        return [Iteration(*fields) for fields in self._core.history()]

    @cached_property
    def path(self) -> list[PathPoint]:
        """Points of the continuation from soft to hard contact."""
        return [PathPoint(*fields) for fields in self._core.path()]

    @cached_property
    def times(self) -> dict[str, float]:
        """Seconds per phase: derivatives, assembly, factorization, trials, corrections."""
        return dict(self._core.times())

    @property
    def coordinate_names(self) -> list[str]:
        """Names of the columns of `q`."""
        return self._core.names()[0]

    @property
    def dof_names(self) -> list[str]:
        """Names of the columns of `v`, `a` and `tau`."""
        return self._core.names()[1]

    @property
    def control_names(self) -> list[str]:
        """Names of the columns of `u`."""
        return self._core.names()[2]

    @property
    def periodic(self) -> bool:
        """Whether the motion is a limit cycle."""
        return self._core.stride()[0]

    @property
    def stride(self) -> dict[int, float]:
        """Increments of coordinates (by index) from one repetition of a limit cycle to the next."""
        return dict(self._core.stride()[1])

    @property
    def h(self) -> float:
        """Time step, s."""
        return self._core.units()[2]

    @property
    def weight(self) -> float:
        """Weight of the robot, N: the unit of forces."""
        return self._core.units()[0]

    @cached_property
    def model(self) -> Model:
        """The model with its original collision geometry."""
        return Model(self._core.model())

    @cached_property
    def planning_model(self) -> Model:
        """The planning model, with the contacts, the time step and the contact law of the plan."""
        return Model(self._core.planning_model())

    def replay(
        self,
        law: str | Model | None = None,
        *,
        feedback: bool | str = True,
        strides: int = 1,
        timestep: float | None = None,
        fallen: float = 0.6,
    ) -> Replay:
        """Simulates the plan forward in time.

        Without `law`, the simulation uses the plan's own contact law, geometry and time step; open
        loop it should reproduce the plan. A law given by name acts on the original geometry of the
        model; a model, such as `plan.model.with_law("soft", …)`, is used with its own geometry and
        settings.

        `feedback` is "gains" (the gains of the optimizer, which are valid only under the plan's own
        law with its time step; elsewhere there is a warning), "body" (whole-body tracking, which solves for the torques in every step), False or
        "none" (open loop), or True: "gains" under the plan's own law and "body" under others.
        `strides` is the number of repetitions of a limit cycle. `timestep` is the maximum simulated
        time step, by default 2 ms, or that of the plan under its own law. The robot counts as
        fallen when its centre of mass is below `fallen` times the planned height.
        """
        if not 1 <= strides <= _MAX_STRIDES:
            raise ValueError(f"strides must be between 1 and {_MAX_STRIDES}, not {strides}")
        if timestep is not None and not 1e-6 <= timestep < float("inf"):
            raise ValueError(f"timestep must be at least 1e-6 s, not {timestep}")
        if isinstance(feedback, bool):
            feedback = ("gains" if law is None else "body") if feedback else "none"
        if feedback not in ("none", "gains", "body"):
            raise ValueError(f'feedback must be True, False, "none", "gains" or "body", not {feedback!r}')
        if law is None:
            model, longest = self.planning_model, float("inf")
        else:
            model, longest = self.model.with_law(law) if isinstance(law, str) else law, 2e-3
        longest = longest if timestep is None else float(timestep)
        if feedback == "gains" and (law is not None or longest < self.h):
            own = f"the plan's own law ({self.planning_model.law}), on its contacts and with its time step"
            warnings.warn(f'gains are valid only under {own}: elsewhere use feedback="body"', stacklevel=2)
        found = self._core.replay(model._core, longest, feedback, strides, fallen)
        (time, q, v, error), survived, seconds, done, end = found
        q, v = q.reshape(len(time), -1), v.reshape(len(time), -1)
        parts = max(1.0, np.ceil(self.h / longest - 1e-9))
        name = f"plan's own ({model.law})" if law is None else model.law
        return Replay(name, self.h / float(parts), feedback, time, q, v, error, survived, seconds, done, end)

    def __repr__(self) -> str:
        states = f"{len(self.time)} states {self.h:.4g} s apart"
        found = f"{self.iterations} iterations, {self.seconds:.2g} s, cost {self.cost:.4g}"
        return f"<Plan {self.name!r}: {self.message}; {states}; {found}>"


def _number(value: float | None) -> float:
    """JSON contains null for numbers that are not finite."""
    return float("nan") if value is None else float(value)
