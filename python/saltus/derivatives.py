"""Exact derivatives of steps and of inverse dynamics, through contacts and all other constraints.

They are analytic: no step size, no round-off of differences. At the borders between smooth pieces (a contact that is just
made or broken) they are those of the present piece. What is not exact is named in the result:

>>> import saltus
>>> model = saltus.Model.from_xml('''<mujoco><option integrator="implicit"/><worldbody><geom type="plane" size="1 1 1"/>
...   <body pos="0 0 0.099"><joint type="slide" axis="0 0 1"/><geom name="ball" size="0.1"/></body>
... </worldbody></mujoco>''')
>>> data = model.data()
>>> step = saltus.derivatives.transition(model, data)
>>> A, B = step
>>> A.shape, B.shape, step.exact
((2, 2), (2, 0), True)
>>> bool(A[1, 0] < 0)               # deeper: faster out
True

The same by parameters of the model, by name (`parameters` lists them):

>>> by = saltus.derivatives.transition_by(model, data, ["geom/ball/size/0", "option/gravity/2"])
>>> by.dx.shape, by.exact
((2, 2), True)
>>> bool(by.dx[1, 0] > 0)           # larger: deeper
True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._data import Data
from saltus._model import Model
from saltus._parameters import (
    InverseBy,
    InverseByBatch,
    TransitionBy,
    TransitionByBatch,
    inverse_by,
    inverse_by_batch,
    parameter_values,
    parameters,
    transition_by,
    transition_by_batch,
)
from saltus._rollout import _expand, _threads
from saltus._verdict import _BatchVerdict, _judge, _rows, _Verdict

__all__ = ["Inverse", "InverseBatch", "Sensors", "SensorsBatch", "Transition", "TransitionBatch"]
__all__ += ["inverse", "inverse_batch", "sensors", "sensors_batch", "transition", "transition_batch"]
__all__ += ["InverseBy", "InverseByBatch", "TransitionBy", "TransitionByBatch"]
__all__ += ["inverse_by", "inverse_by_batch", "transition_by", "transition_by_batch"]
__all__ += ["parameter_values", "parameters"]


class _TransitionPair(NamedTuple):
    A: np.ndarray
    B: np.ndarray


class _SensorPair(NamedTuple):
    C: np.ndarray
    D: np.ndarray


class _InverseTriple(NamedTuple):
    dtau_dq: np.ndarray
    dtau_dv: np.ndarray
    dtau_da: np.ndarray


class Transition(_TransitionPair, _Verdict):
    """The pair (A, B): dx⁺ = A dx + B du over one step, x being (q, v, act), q in its tangent space.

    Besides the pair: `exact` and `inexact`."""


class Sensors(_SensorPair, _Verdict):
    """The pair (C, D): dsensor = C dx + D du; sensors belong to the state before the step.

    Besides the pair: `exact` and `inexact`."""


class Inverse(_InverseTriple, _Verdict):
    """Derivatives of the inverse dynamics force τ(q, v, a), nv × nv each; row i is the force on dof i. Changes of q are
    in the tangent space. Besides the three: `exact` and `inexact`."""


class TransitionBatch(_TransitionPair, _BatchVerdict):
    """A · N × n × n and B · N × n × nu; besides the pair `exact`, `inexact` and `failures`, for each state."""


class SensorsBatch(_SensorPair, _BatchVerdict):
    """C · N × outputs × n and D · N × outputs × nu; besides the pair `exact`, `inexact` and `failures`, for each state."""


class InverseBatch(_InverseTriple, _BatchVerdict):
    """Three arrays · N × nv × nv; besides them `exact`, `inexact` and `failures`, for each state."""


def transition(model: Model, data: Data) -> Transition:
    """Derivatives of one step from the current state and inputs of `data`, which is not changed.

    A is (2 nv + na)², B has nu columns; the definition is that of MuJoCo's `mjd_transitionFD`. Forward dynamics runs on a
    copy, so the results in `data` may be old. The derivative is that of the exact solution of the contact problem: the
    solver should have converged.

    All laws but `lcp` have them. `ValueError` where there are none: the interleaved integrator, the `lcp` law, hard
    equalities of the impulse law, restitution.
    `DivergenceError` where the state, the controls or the acceleration are not finite.

    >>> import saltus
    >>> model = saltus.Model.load("models/humanoid.xml")
    >>> data = model.data()
    >>> data.reset("squat")
    >>> A, B = saltus.derivatives.transition(model, data)
    >>> A.shape, B.shape
    ((54, 54), (54, 21))
    """
    n = 2 * model.nv + model.na
    result = Transition(np.zeros((n, n)), np.zeros((n, model.nu)))
    result.inexact = _saltus.transition_exact(model._core, data._core, (*result, None, None))
    return result


def sensors(model: Model, data: Data) -> Sensors:
    """Derivatives C and D of all sensors at the current state and inputs of `data`, which is not changed.

    Sensors without analytic derivatives (such as rays and distances) are differenced and named in `inexact`. Errors as of
    `transition`.
    """
    n, outputs = 2 * model.nv + model.na, model._core.size("nsensordata")
    result = Sensors(np.zeros((outputs, n)), np.zeros((outputs, model.nu)))
    result.inexact = _saltus.transition_exact(model._core, data._core, (None, None, *result))
    return result


def inverse(model: Model, data: Data, *, actuation: bool = False) -> Inverse:
    """Derivatives of inverse dynamics at the current q, v and a of `data`, which is not changed.

    The force is that of `Data.inverse`: M a + c − passive − Jᵀf, with the constraint forces f that answer `a`; with
    `actuation` without what the actuators give at the present controls. Errors as of `transition`.

    >>> import saltus
    >>> model = saltus.Model.load("models/humanoid.xml")
    >>> data = model.data()
    >>> data.reset("squat")
    >>> data.forward()
    >>> dtau_dq, dtau_dv, dtau_da = saltus.derivatives.inverse(model, data)
    >>> dtau_dq.shape
    (27, 27)
    """
    nv = model.nv
    result = Inverse(np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((nv, nv)))
    result.inexact = _saltus.inverse_exact(model._core, data._core, actuation, result)
    return result


def transition_batch(
    model: Model,
    states: Data | ArrayLike,
    ctrl: ArrayLike | None = None,
    *,
    threads: int | None = None,
    errors: str = "raise",
) -> TransitionBatch:
    """Derivatives of a step at many states on several threads, the same bits at any number of them.

    `states` are rows of time, q, v, act, as `rollout` gives and takes; `ctrl` is one row for all or one for each, None is
    zero. Other inputs are zero, and the constraint solver starts cold. `threads` is by default the number of processors.

    A state without derivatives raises its error (see `transition`) after all are done, with the attribute `state`; with
    `errors="nan"` it is listed in `failures` and its matrices are NaN.

    >>> import numpy as np, saltus
    >>> model = saltus.Model.load("models/humanoid.xml")
    >>> data = model.data()
    >>> data.reset("squat")
    >>> states = saltus.rollout(model, data, steps=10).states[0]
    >>> A, B = saltus.derivatives.transition_batch(model, states)
    >>> A.shape
    (10, 54, 54)
    """
    rows, table, count = _rows(model, states, ctrl)
    n = 2 * model.nv + model.na
    result = TransitionBatch(np.zeros((count, n, n)), np.zeros((count, n, model.nu)))
    found = _saltus.transition_exact_batch(model._core, count, rows, table, *result, _threads(threads))
    _judge(result, found, errors)
    return result


def sensors_batch(
    model: Model,
    states: Data | ArrayLike,
    ctrl: ArrayLike | None = None,
    *,
    threads: int | None = None,
    errors: str = "raise",
) -> SensorsBatch:
    """Derivatives of all sensors at many states; see `sensors` and `transition_batch`."""
    rows, table, count = _rows(model, states, ctrl)
    n, outputs = 2 * model.nv + model.na, model._core.size("nsensordata")
    result = SensorsBatch(np.zeros((count, outputs, n)), np.zeros((count, outputs, model.nu)))
    found = _saltus.sensors_exact_batch(model._core, count, rows, table, *result, _threads(threads))
    _judge(result, found, errors)
    return result


def inverse_batch(
    model: Model,
    states: Data | ArrayLike,
    a: ArrayLike,
    ctrl: ArrayLike | None = None,
    *,
    actuation: bool = False,
    threads: int | None = None,
    errors: str = "raise",
) -> InverseBatch:
    """Derivatives of inverse dynamics at many states and accelerations; see `inverse` and `transition_batch`.

    `a` is one row of nv numbers for all, or one for each state.
    """
    acceleration = _expand(a, 2, "a")
    nv = model.nv
    if acceleration.shape[1] != nv:
        raise ValueError(f"a has {acceleration.shape[1]} columns, but the model has {nv} dofs")
    rows, table, count = _rows(model, states, ctrl, a=acceleration)
    result = InverseBatch(np.zeros((count, nv, nv)), np.zeros((count, nv, nv)), np.zeros((count, nv, nv)))
    found = _saltus.inverse_exact_batch(
        model._core, count, rows, acceleration, table, actuation, result, _threads(threads)
    )
    _judge(result, found, errors)
    return result
