"""Exact derivatives by parameters of the model: masses, friction, gains, sizes and others, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._data import Data
from saltus._model import Model
from saltus._rollout import _expand, _threads
from saltus._verdict import _BatchVerdict, _judge, _rows, _Verdict


class _Force(NamedTuple):
    dtau: np.ndarray


class _Step(NamedTuple):
    dx: np.ndarray
    da: np.ndarray


class InverseBy(_Force, _Verdict):
    """`dtau` · nv × number of parameters; besides `exact` and `inexact`."""


class TransitionBy(_Step, _Verdict):
    """`dx` · n × number of parameters, of the state (q, v, act) after the step, q in its tangent space, n = 2 nv + na; `da` ·
    nv × number of parameters, of the acceleration before it. Besides: `exact` and `inexact`."""


class InverseByBatch(_Force, _BatchVerdict):
    """`dtau` · N × nv × number of parameters; besides `exact`, `inexact` and `failures`, for each state."""


class TransitionByBatch(_Step, _BatchVerdict):
    """`dx` · N × n × number of parameters and `da` · N × nv × number of parameters; besides `exact`, `inexact` and
    `failures`, for each state."""


def parameters(model: Model) -> list[str]:
    """Names of all parameters of a model by which there are derivatives.

    A name is kind/element/attribute, with a number at the end where the attribute has several: words of MJCF. Elements
    without a name go by their index.

    | name | what |
    |---|---|
    | body/…/mass, inertia/0…2, ipos/0…2 | mass, principal moments, centre of mass in the body |
    | body/…/pos/0…2 | place in the parent (link lengths); not of free and mocap bodies |
    | geom/…/friction/0…2, pos/0…2, size/0…2 | sliding, torsional and rolling friction; place in the body; sizes |
    | pair/…/friction/0…4 | of an explicit contact pair |
    | joint/…/damping, armature, frictionloss, stiffness, springref, range/0…1 | numbered by dof where there are several |
    | tendon/…/stiffness, damping, frictionloss, springlength/0…1, range/0…1 | |
    | actuator/…/gainprm/0…2, biasprm/0…2, gear/0…5 | as far as its kind uses them |
    | option/gravity/0…2 | |

    >>> import saltus
    >>> model = saltus.Model.load("models/humanoid.xml")
    >>> names = saltus.derivatives.parameters(model)
    >>> [name for name in names if name.startswith("body/torso/")]  # doctest: +NORMALIZE_WHITESPACE
    ['body/torso/mass', 'body/torso/inertia/0', 'body/torso/inertia/1', 'body/torso/inertia/2',
     'body/torso/ipos/0', 'body/torso/ipos/1', 'body/torso/ipos/2']
    """
    return _saltus.parameter_names(model._core)


def parameter_values(model: Model, names: Sequence[str]) -> np.ndarray:
    """The numbers that parameters have in the model.

    >>> import saltus
    >>> model = saltus.Model.load("models/humanoid.xml")
    >>> saltus.derivatives.parameter_values(model, ["option/gravity/2"])
    array([-9.81])
    """
    return np.array(_saltus.parameter_values(model._core, _list(names)))


def inverse_by(model: Model, data: Data, names: Sequence[str], *, actuation: bool = False) -> InverseBy:
    """Derivatives of the force of inverse dynamics with respect to parameters, at the current q, v and a of `data`, which is not
    changed.

    Each is the derivative by one number of the compiled model, all others as they are, as if `mjModel.body_mass[i]` were
    assigned: inertias do not follow sizes, and the reference inertias that scale constraints stay. Where a parameter
    acts on one side only (friction of two geoms that have the same, damping that is zero) it is that of an increase. See
    `inverse` for the force and the errors; `ValueError` says which names there are, and where the law has no derivative by
    them (`lcp`).

    >>> import saltus
    >>> model = saltus.Model.load("models/humanoid.xml")
    >>> data = model.data()
    >>> data.reset("squat")
    >>> data.forward()
    >>> by = saltus.derivatives.inverse_by(model, data, ["body/torso/mass", "geom/floor/friction/0"])
    >>> by.dtau.shape, by.exact
    ((27, 2), True)
    """
    names = _list(names)
    result = InverseBy(np.zeros((model.nv, len(names))))
    result.inexact = _saltus.inverse_by(model._core, data._core, names, actuation, result.dtau)
    return result


def transition_by(model: Model, data: Data, names: Sequence[str]) -> TransitionBy:
    """Derivatives of one step with respect to parameters, from the current state and inputs of `data`, which is not changed.

    What changing a parameter means is said in `inverse_by`; the rest is as in `transition`, but for RK4, which has none.

    >>> import saltus
    >>> model = saltus.Model.load("models/humanoid.xml")
    >>> data = model.data()
    >>> data.reset("squat")
    >>> dx, da = saltus.derivatives.transition_by(model, data, ["body/torso/mass", "joint/left_knee/damping"])
    >>> dx.shape, da.shape
    ((54, 2), (27, 2))
    """
    names = _list(names)
    n = 2 * model.nv + model.na
    result = TransitionBy(np.zeros((n, len(names))), np.zeros((model.nv, len(names))))
    result.inexact = _saltus.transition_by(model._core, data._core, names, result)
    return result


def transition_by_batch(
    model: Model,
    states: Data | ArrayLike,
    names: Sequence[str],
    ctrl: ArrayLike | None = None,
    *,
    threads: int | None = None,
    errors: str = "raise",
) -> TransitionByBatch:
    """Derivatives of a step by parameters at many states; see `transition_by` and, for the rest, `transition_batch`.

    >>> import saltus
    >>> model = saltus.Model.load("models/humanoid.xml")
    >>> data = model.data()
    >>> data.reset("squat")
    >>> states = saltus.rollout(model, data, steps=10).states[0]
    >>> masses = [name for name in saltus.derivatives.parameters(model) if name.endswith("/mass")]
    >>> saltus.derivatives.transition_by_batch(model, states, masses).dx.shape
    (10, 54, 12)
    """
    names = _list(names)
    rows, table, count = _rows(model, states, ctrl)
    n, np_ = 2 * model.nv + model.na, len(names)
    result = TransitionByBatch(np.zeros((count, n, np_)), np.zeros((count, model.nv, np_)))
    found = _saltus.transition_by_many(model._core, count, rows, table, names, result, _threads(threads))
    _judge(result, found, errors)
    return result


def inverse_by_batch(
    model: Model,
    states: Data | ArrayLike,
    a: ArrayLike,
    names: Sequence[str],
    ctrl: ArrayLike | None = None,
    *,
    actuation: bool = False,
    threads: int | None = None,
    errors: str = "raise",
) -> InverseByBatch:
    """Derivatives of inverse dynamics by parameters at many states and accelerations; see `inverse_by` and `inverse_batch`."""
    names = _list(names)
    acceleration = _expand(a, 2, "a")
    if acceleration.shape[1] != model.nv:
        raise ValueError(f"a has {acceleration.shape[1]} columns, but the model has {model.nv} dofs")
    rows, table, count = _rows(model, states, ctrl, a=acceleration)
    result = InverseByBatch(np.zeros((count, model.nv, len(names))))
    found = _saltus.inverse_by_many(
        model._core, count, rows, acceleration, table, names, actuation, result.dtau, _threads(threads)
    )
    _judge(result, found, errors)
    return result


def _list(names: Sequence[str]) -> list[str]:
    """The names; one alone is a mistake that would be taken for its letters."""
    if isinstance(names, str):
        raise TypeError(f"names should be a list of names, not the string {names!r}")
    return list(names)
