"""Contacts and what the solver did, as plain objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from saltus import _saltus
from saltus._contacts import NUMBERS, WHOLE


@dataclass(frozen=True, eq=False)
class Contact:
    """One point where two geoms touch or are close to it."""

    geoms: tuple[int, int]
    """Ids of the two geoms."""
    dist: float
    """Distance between the surfaces; negative: penetration, m."""
    pos: np.ndarray
    """Midpoint between the surfaces, world."""
    frame: np.ndarray
    """Rows: normal from the first to the second geom, two tangents; world · 3 × 3."""
    friction: np.ndarray
    """Two tangential, one torsional, two rolling coefficients."""
    force: np.ndarray
    """Force and torque in the frame, from the first on the second geom: normal, two tangents; spin, two rolls · 6."""
    bodies: tuple[int, int]
    """Ids of the bodies of the two geoms."""

    @property
    def normal_force(self) -> float:
        """Along the normal, N; negative where the contact pulls."""
        return float(self.force[0])

    @property
    def friction_force(self) -> np.ndarray:
        """Along the two tangents, N · 2."""
        return self.force[1:3]

    @property
    def world_force(self) -> np.ndarray:
        """Force on the second body, world axes, N · 3."""
        return np.asarray(self.force[:3] @ self.frame)

    @property
    def world_torque(self) -> np.ndarray:
        """Torque on the second body about `pos`, world axes, N m · 3."""
        return np.asarray(self.force[3:] @ self.frame)


class SolverReport(NamedTuple):
    """How the constraint solver ended."""

    status: str
    """"unconstrained", "converged", "iteration limit", "stalled" (no descent above round-off) or "replaced" (the method
    that was asked for gave up; the result is that of another)."""
    iterations: int
    """Iterations of the slowest island."""
    total_iterations: int
    """Iterations of all islands."""
    residual: float
    """Scaled norm of the gradient at the end."""
    improvement: float
    """Scaled improvement of the last iteration."""
    islands: int
    """Number of islands of bodies that constraints connect."""
    rows: int
    """Number of constraint rows."""


class Linearization(NamedTuple):
    """Derivatives of a step: dx⁺ = A dx + B du and dsensor = C dx + D du, where x is (q, v, act), q in its tangent space.

    Sensors are those of the state before the step."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


def read_contacts(model: _saltus.ModelCore, core: _saltus.DataCore) -> list[Contact]:
    """All contacts of a data."""
    if not core.ncon:
        return []
    body_of = model.field("geom_bodyid")
    numbers, whole = (array.copy() for array in _saltus.contacts(core))
    return [
        Contact(
            (int(geom[0]), int(geom[1])),
            float(row[NUMBERS["dist"]][0]),
            row[NUMBERS["pos"]],
            row[NUMBERS["frame"]].reshape(3, 3),
            row[NUMBERS["friction"]],
            np.array(_saltus.contact_force(core, k)),
            (int(body_of[geom[0]]), int(body_of[geom[1]])),
        )
        for k, (row, geom) in enumerate(zip(numbers, whole[:, WHOLE["geom"]]))
    ]


def read_report(core: _saltus.DataCore) -> SolverReport:
    """The solver's report of a data."""
    return SolverReport(*_saltus.solver_report(core), _saltus.island_count(core), core.nefc)
