"""Simulation in maximal coordinates: six degrees of freedom for each body, joints as constraints, contacts by a law of their own.

>>> import saltus
>>> model = saltus.Model.from_xml('''<mujoco><worldbody>
...   <body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body>
...   <body name="ball" pos="0.3 0 1"><freejoint/><geom size="0.05" contype="0" conaffinity="0"/></body>
... </worldbody></mujoco>''')
>>> data = model.data()
>>> simulation = saltus.maximal.Simulation(model)
>>> grip = simulation.attach(data, "arm", "ball")
>>> report = simulation.step(data, 100)
>>> report.distance < 1e-10, bool(data.q[3] < 1)
(True, True)
>>> simulation.detach(grip)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._data import Data
from saltus._model import Model

__all__ = ["Simulation", "StepReport"]


class StepReport(NamedTuple):
    """Results of steps."""

    sweeps: int
    """Number of sweeps or pivots of the last step."""
    distance: float
    """Largest distance between two points that a joint constrains to coincide, over all steps, in m."""
    angle: float
    """Largest angle between two orientations that a joint constrains to coincide, over all steps, in rad."""


class Simulation:
    """A simulation of a model in maximal coordinates.

    `mode` is "tree" (exact joints, with sweeps over contacts until convergence), "published" (projected Gauss–Seidel with the
    modifications of Hsu and Peters 2014), "plain" (the same without them) or "direct" (pivoting). Further options override those
    of the mode: `sweeps`, `friction_sweeps`, `tolerance`, `relaxation`, `erp`, `cfm`, `surface_layer`, `inertia_reduction`, `smoothing`,
    `warm_start`, `split_impulse`, `implicit_damping`, `gyroscopic`. ValueError names what a model has that cannot be expressed.
    """

    def __init__(self, model: Model, mode: str = "tree", **options: float):
        self._model = model
        self._core = _saltus.MaximalCore(model._core, mode, {name: float(value) for name, value in options.items()})

    def step(self, data: Data, n: int = 1) -> StepReport:
        """Advances `data` by n steps. A step that fails raises `DivergenceError` and leaves the state unchanged."""
        return StepReport(*self._core.step(self._model._core, data._core, int(n)))

    def attach(
        self,
        data: Data,
        first: str | int,
        second: str | int,
        kind: str = "fixed",
        *,
        anchor: ArrayLike = (0.0, 0.0, 0.0),
        axis: ArrayLike = (0.0, 0.0, 1.0),
        pitch: float = 0.0,
    ) -> int:
        """Attaches two bodies (names or ids; 0 is the world) at their current poses in `data` and returns the id of the attachment.

        `kind` is "fixed", "ball", "hinge", "slide" or "screw". `anchor` and `axis` are in the world at this time; `pitch` is the
        translation of a screw per turn, in m. The bodies continue to collide with each other.
        """
        bodies = [b if isinstance(b, int) else self._model.id("body", b) for b in (first, second)]
        at, along = ([float(x) for x in np.reshape(np.asarray(v), 3)] for v in (anchor, axis))
        return self._core.attach(self._model._core, data._core, bodies, kind, at, along, float(pitch))

    def detach(self, id: int) -> None:
        """Removes an attachment made by `attach`."""
        self._core.detach(id)
