"""What a planner gives."""

from __future__ import annotations

import json
import os
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
    """One iteration of the optimizer: what `progress` is told, and what `Plan.history` holds."""

    number: int
    """From 1."""
    path: float
    """Where on the path of continuation, 0 … 1."""
    smoothing: float
    """Smoothing of contact there."""
    cost: float
    """Cost without penalties."""
    cost_by_term: list[float]
    """In the order of `Plan.costs`."""
    merit: float
    """Cost and penalties after the step."""
    unactuated: float
    """Largest force that no actuator makes, in its unit."""
    violation: float
    """Largest violation of the other constraints, in their units."""
    step: float
    """Largest entry of the step relative to its scale."""
    damping: float
    accepted: bool
    """Whether the step was taken."""
    seconds: float
    """Since the beginning."""


@dataclass(frozen=True)
class PathPoint:
    """One solved problem on the path of continuation from soft to hard contact."""

    path: float
    smoothing: float
    hover: float
    """Distance at which bodies rest, m."""
    reach: float
    """Distance at which forces have faded, m."""
    cost: float
    violation: float
    force_at_distance: float
    """Largest share of the weight that contacts carry at more than 1 mm from the surface."""
    penetration: float
    """m."""
    iterations: int
    seconds: float


class ContactForce(NamedTuple):
    """A contact force at a state."""

    body: int
    """Id of the body that is pushed."""
    other: int
    """Id of the body that pushes; 0: the world."""
    point: np.ndarray
    """World, m."""
    normal: np.ndarray
    """Out of the other body, world."""
    force: np.ndarray
    """On `body`, world, N."""
    gap: float
    """Distance of the surfaces, m."""


class Residual(NamedTuple):
    """How far the equations of motion are from balance if contact forces may act only where the model's own shapes are closer than
    1 mm, and only inside the friction cone: shares of the weight, whatever the law."""

    median: float
    max: float
    by_step: np.ndarray
    """Of the steps that were optimized; empty if steps are implicit (evaluate = "end")."""


@dataclass(frozen=True, eq=False)
class Replay:
    """A plan simulated forward."""

    law: str
    timestep: float
    """Of the simulation, s."""
    feedback: str
    """"none", "gains" or "body"."""
    time: np.ndarray
    """At the states of the plan, s."""
    q: np.ndarray
    """States that were simulated · times × nq."""
    v: np.ndarray
    error: np.ndarray
    """Largest difference of coordinates from the plan, in the tangent space, at each time."""
    survived: bool
    """Whether it went on to the end without falling or diverging."""
    seconds: float
    """How far it came."""
    strides: float
    """The same in repetitions of the plan."""
    end: str
    """Why it ended."""

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
    """A planned motion: states, forces, feedback around it, how it was found and what it is worth. `optimize` makes it, and
    `Plan.load` reads it from a folder.

    States are T times, h apart; those of a limit cycle are one whole stride. `a`, `u` and `tau` lead from a state to the next
    (those of the last state of motions that end are zero).
    """

    def __init__(self, core: _saltus.PlanCore, task: Task):
        self._core = core
        self._task = task

    @classmethod
    def load(cls: type[_Self], folder: str | os.PathLike[str]) -> _Self:
        """The plan of a result folder, which `save` or the command line (`saltus optimize`) wrote.

        It is equal to the plan that was saved, in every array. Its task is the `task.toml` of the folder, where the model is
        that of the folder too: `optimize(plan.task)` does it again. All files are checked against the model of the folder.
        What cannot be opened is an OSError, and contents that do not fit are a ValueError; both name the file.
        """
        place = os.fspath(folder)
        core = _saltus.PlanCore.load(place)
        return cls(core, Task.parse(core.task(), os.path.join(place, "task.toml")))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the plan to a result folder, the same as those of the command line but without pictures: `saltus plot FOLDER`
        draws them, and `saltus replay FOLDER` simulates the plan.

        The folder appears all or nothing. An older result in its place is replaced, with all of its files; a folder that holds
        something else is a FileExistsError. Terms that are Python functions cannot be written: the task in the folder is
        without them, which is also one of the notes in `summary`.

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
        """The task as it was run (a copy); of a plan from a folder, the task that the folder has."""
        return self._task.copy()

    @cached_property
    def time(self) -> np.ndarray:
        """s · T."""
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
        """Forces of all actuators on the dofs · T × nv."""
        return self._core.array("tau")

    @cached_property
    def gains(self) -> np.ndarray:
        """Feedback: δtau = K (δq, δv) on the dofs, δq in the tangent space · T × nv × 2 nv; no rows if there is none."""
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
        """What the plan is worth: the object that `saltus optimize --json` prints. Numbers that are not finite are None."""
        found: dict[str, Any] = json.loads(self._core.summary())
        return found

    @property
    def name(self) -> str:
        return str(self.summary["name"])

    @property
    def status(self) -> str:
        """ "converged"; "limit": the iterations were used up; "short": contact could not be made as hard as was asked for;
        "infeasible": a constraint is violated; "coarse": steps of time are too long; "invalid": forces or residuals of the
        guess are not finite; "stopped": by the user, the motion is the best so far. `message` says more."""
        return str(self.summary["status"])

    @property
    def message(self) -> str:
        """The status as a sentence, with the violated constraint if there is one."""
        return str(self.summary["message"])

    @property
    def converged(self) -> bool:
        """Whether constraints hold and no step would decrease the cost, all evaluated anew at the end."""
        return bool(self.summary["converged"])

    @property
    def cost(self) -> float:
        return _number(self.summary["cost"])

    @cached_property
    def costs(self) -> dict[str, float]:
        """Cost by term, 0 for constraints. A second term of the same name has a number behind it."""
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
        """Time that optimization took."""
        return _number(self.summary["seconds"])

    @property
    def violations(self) -> dict[str, float]:
        """Largest violation of each constraint, in its own unit."""
        return {name: _number(value) for name, value in self.summary["violations"].items()}

    @property
    def unactuated_residual(self) -> float:
        """Largest force that no actuator makes, as a share of the weight."""
        return _number(self.summary["unactuated_residual"])

    @property
    def periodicity(self) -> float:
        """How far a limit cycle is from one, evaluated anew; 0 for motions that end."""
        return _number(self.summary["periodicity"])

    @property
    def stance_slip(self) -> float:
        """The farthest that a body slides along what does not move, from touch-down to lift-off, m."""
        return _number(self.summary["stance_slip"])

    @property
    def step_error(self) -> float:
        """How far the acceleration of the centre of mass between states is from that which forces explain, at most, as a share of
        gravity: more than 0.25 means that steps of time are too long."""
        return _number(self.summary["step_error"]["max"])

    @cached_property
    def law_independent_residual(self) -> Residual:
        """The verdict on the motion without any contact law."""
        by_step, (median, largest) = self._core.verdicts()
        return Residual(median, largest, by_step)

    @cached_property
    def history(self) -> list[Iteration]:
        """All iterations."""
        return [Iteration(*fields) for fields in self._core.history()]

    @cached_property
    def path(self) -> list[PathPoint]:
        """Points of the path of continuation."""
        return [PathPoint(*fields) for fields in self._core.path()]

    @cached_property
    def times(self) -> dict[str, float]:
        """Seconds by part of the work: derivatives, assembly, factorization, trials, corrections."""
        return dict(self._core.times())

    @property
    def coordinate_names(self) -> list[str]:
        """A name for each column of `q`."""
        return self._core.names()[0]

    @property
    def dof_names(self) -> list[str]:
        """A name for each column of `v`, `a` and `tau`."""
        return self._core.names()[1]

    @property
    def control_names(self) -> list[str]:
        """A name for each column of `u`."""
        return self._core.names()[2]

    @property
    def periodic(self) -> bool:
        """Whether the motion is a limit cycle."""
        return self._core.stride()[0]

    @property
    def stride(self) -> dict[int, float]:
        """What is added to coordinates (by number) from one repetition of a limit cycle to the next."""
        return dict(self._core.stride()[1])

    @property
    def h(self) -> float:
        """Time of a step, s."""
        return self._core.units()[2]

    @property
    def weight(self) -> float:
        """Weight of the robot, N: the unit of forces."""
        return self._core.units()[0]

    @cached_property
    def model(self) -> Model:
        """The model with its own shapes."""
        return Model(self._core.model())

    @cached_property
    def planning_model(self) -> Model:
        """The model for planning, with the contacts, the time step and the law of the plan."""
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
        """Simulates the plan forward.

        Without a `law` that is the plan's own, on the geometry and with the time step of the plan: open loop the simulation should
        reproduce the plan. A law by name acts on the model's own shapes; a model, such as `plan.model.with_law("soft", …)`, has
        its own shapes and settings. `timestep` is the longest time of a simulated step, 2 ms unless it is said (or the plan's
        own); `feedback` is "gains" (those of the optimizer, which know the plan's own law), "body" (tracking with the whole body, which
        computes torques anew in every step), False or "none" (open loop), or True: gains under the plan's own law, the body under others;
        `strides` repetitions of limit cycles; below `fallen` times the planned height of the centre of mass the robot has
        fallen.
        """
        if not 1 <= strides <= _MAX_STRIDES:
            raise ValueError(f"strides should be between 1 and {_MAX_STRIDES}, not {strides}")
        if timestep is not None and not 1e-6 <= timestep < float("inf"):
            raise ValueError(f"timestep should be at least 1e-6 s, not {timestep}")
        if isinstance(feedback, bool):
            feedback = ("gains" if law is None else "body") if feedback else "none"
        if feedback not in ("none", "gains", "body"):
            raise ValueError(f'feedback should be True, False, "none", "gains" or "body", not {feedback!r}')
        if law is None:
            model, longest = self.planning_model, float("inf")
        else:
            model, longest = self.model.with_law(law) if isinstance(law, str) else law, 2e-3
        longest = longest if timestep is None else float(timestep)
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
    """Numbers that are not finite have no place in JSON."""
    return float("nan") if value is None else float(value)
