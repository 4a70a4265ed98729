"""The invertible contact law [Todorov 2011] on plain arrays.

Velocities and impulses in contact space are related by v = c + A f, where c is the velocity without impulses and
A = J M⁻¹ Jᵀ. The impulse minimizes

    ½ fᵀ(A + R) f + fᵀc − κ Σ log(what must stay positive)

where impulses of limits and normals, the distance of impulses from their friction cones, and velocities of limits and
normals above `vmin` must stay positive. The same impulse follows from v alone: `invertible_forward` and
`invertible_inverse` undo each other.

Rows: limits first, then two tangents and the normal of each contact.

>>> import numpy as np
>>> A, R = np.eye(3), np.full(3, 0.01)
>>> f, v, report = invertible_forward(A, [0.3, 0.0, -1.0], R, [0.8], [0.0], 0, 1e-4, 10.0)
>>> report.status, bool(v[2] > -1e-3), bool(np.hypot(f[0], f[1]) < 0.8 * f[2])
('converged', True, True)
>>> g, c, report = invertible_inverse(A, v, R, [0.8], [0.0], 0, 1e-4, 10.0)
>>> bool(np.allclose(f, g, rtol=1e-12)), bool(np.allclose(c, [0.3, 0.0, -1.0]))
(True, True)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saltus import _saltus

__all__ = ["ContactReport", "invertible_forward", "invertible_inverse"]


@dataclass(frozen=True)
class ContactReport:
    """How a solver of the contact law ended."""

    status: str
    """"converged", "stalled" or "iteration limit"; "unconstrained" without rows. Only "converged" results are exact."""
    iterations: int
    """Newton iterations; of the slowest contact in the inverse."""
    residual: float
    """Largest mismatch of v = c + A f relative to its terms (forward)."""


class _Problem:
    """The arguments as the compiled half reads them."""

    def __init__(
        self,
        A: ArrayLike,
        R: ArrayLike,
        mu: ArrayLike,
        vmin: ArrayLike,
        n_limits: int,
        kappa: float,
        q: float,
        elastic: bool,
    ) -> None:
        self.A = _array(A)
        self.R = _array(R)
        self.mu = _array(mu)
        self.vmin = _array(vmin)
        self.n_limits = int(n_limits)
        self.kappa = float(kappa)
        self.q = float(q)
        self.elastic = bool(elastic)


def _array(values: ArrayLike) -> NDArray[np.float64]:
    return np.ascontiguousarray(values, dtype=np.float64)


def invertible_forward(
    A: ArrayLike,
    c: ArrayLike,
    R: ArrayLike,
    mu: ArrayLike,
    vmin: ArrayLike,
    n_limits: int,
    kappa: float,
    q: float,
    elastic: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.float64], ContactReport]:
    """Impulses f and velocities v from the velocities c without impulses.

    A: inverse inertia, n × n, symmetric and positive semidefinite. c: n. R: regularizer, n, positive. mu: friction
    coefficient per contact, 0 or more. vmin: minimal velocity per limit, then per contact. kappa: smoothing, > 0.
    q: slope at which the barrier of velocities becomes a parabola, > 0. elastic: that barrier is used everywhere, and
    forward and inverse are exact inverses; False: as published, the plain logarithm once velocities are feasible.

    ValueError says which argument is wrong. Whether the solver converged is in the report.
    """
    problem = _Problem(A, R, mu, vmin, n_limits, kappa, q, elastic)
    f, v, report = _saltus.invertible_forward(problem, _array(c))
    return f, v, ContactReport(*report)


def invertible_inverse(
    A: ArrayLike,
    v: ArrayLike,
    R: ArrayLike,
    mu: ArrayLike,
    vmin: ArrayLike,
    n_limits: int,
    kappa: float,
    q: float,
    elastic: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.float64], ContactReport]:
    """Impulses f and velocities c without impulses, from the velocities v. Arguments as in `invertible_forward`."""
    problem = _Problem(A, R, mu, vmin, n_limits, kappa, q, elastic)
    f, c, report = _saltus.invertible_inverse(problem, _array(v))
    return f, c, ContactReport(*report)
