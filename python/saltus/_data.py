"""State, inputs and results of one simulation."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._by_name import POSITION, VELOCITY, ByName
from saltus._model import Model, _flat
from saltus._report import Contact, Linearization, SolverReport, read_contacts, read_report

_Self = TypeVar("_Self", bound="Data")

# State and inputs, in the order in which `save` joins them after the time.
_SAVED = (
    "qpos",
    "qvel",
    "act",
    "qacc_warmstart",
    "ctrl",
    "qfrc_applied",
    "xfrc_applied",
    "eq_active",
    "mocap_pos",
    "mocap_quat",
    "userdata",
)


def _view(field: str, doc: str) -> property:
    """A property that gives a view of a field; assignment writes into it."""

    def read(self: Data) -> np.ndarray:
        return self._field(field)

    def write(self: Data, value: ArrayLike) -> None:
        self._field(field)[...] = value

    return property(read, write, doc=doc)


class Data(ByName):
    """State, inputs and results for a `Model`. Arrays are views: writing to them changes the data."""

    __slots__ = ("_model", "_core", "_views", "__weakref__")

    def __init__(self, model: Model):
        if not isinstance(model, Model):
            raise TypeError(f"data is made for a model, not for {type(model).__name__}")
        self._model = model
        self._core = _saltus.DataCore(model._core)
        self._views: dict[str, np.ndarray] = {}

    @property
    def model(self) -> Model:
        return self._model

    def _field(self, name: str) -> np.ndarray:
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = self._core.field(name)
        return view

    def copy(self: _Self) -> _Self:
        """An independent copy."""
        other = type(self).__new__(type(self))
        other._model, other._core, other._views = self._model, self._core.copy(), {}
        return other

    __copy__ = copy

    def __deepcopy__(self: _Self, memo: dict[int, object]) -> _Self:
        return self.copy()

    def __getstate__(self) -> tuple[Model, float, dict[str, np.ndarray], bytes]:
        fields = {name: self._field(name).copy() for name in _saltus.DataCore.field_names()}
        return self._model, self.time, fields, self._core.rest_to_bytes()

    def __setstate__(self, state: tuple[Model, float, dict[str, np.ndarray], bytes]) -> None:
        model, time, fields, rest = state
        Data.__init__(self, model)
        self.time = time
        for name, values in fields.items():
            self._field(name)[...] = values
        self._core.rest_from_bytes(model._core, rest)

    def reset(self, key: int | str | None = None) -> None:
        """Resets to the reference state, or to a keyframe given by id or name."""
        if key is None:
            self._core.reset(self._model._core)
        else:
            index = self._model.id("key", key) if isinstance(key, str) else key
            self._core.reset_to_key(self._model._core, index)

    def _under(self, law: str | Model | None) -> Model:
        if law is None:
            return self._model
        return self._model.with_law(law) if isinstance(law, str) else law

    def forward(self, *, law: str | Model | None = None) -> None:
        """Forward dynamics: computes all results for the current state and inputs. For `law` see `step`."""
        _saltus.forward(self._under(law)._core, self._core)

    def step(self, n: int = 1, *, law: str | Model | None = None) -> None:
        """Advances the simulation by `n` time steps.

        `law` selects another contact law for this call: its name, or a model made by `Model.with_law` (a name creates such a
        model in each call).

        >>> model = Model.from_xml('<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>')
        >>> data = model.data()
        >>> data.step(10, law="impulse")
        >>> data.step(10, law=model.with_law("invertible", invertible_hover=0.002))

        Results (positions, contacts, sensors, …) are then those of the state before the last step; call `forward` for
        those of the present one. `DivergenceError` if a number explodes; the state is then as before that step.
        """
        _saltus.step(self._under(law)._core, self._core, n)

    def inverse(self, *, law: str | Model | None = None) -> np.ndarray:
        """Inverse dynamics: the generalized force that produces the acceleration `a` in the current state (a copy).

        Constraint forces are those of the contact law at `a`. For `law` see `step`.
        """
        _saltus.inverse(self._under(law)._core, self._core)
        return self._field("qfrc_inverse").copy()

    def linearize(self, eps: float = 1e-6, centered: bool = True) -> Linearization:
        """Derivatives of a step from the current state and inputs by finite differences. The data is not changed.

        Supports all integrators, contact laws and sensors. `saltus.derivatives.transition` computes A and B exactly, and much
        faster, where it supports them.
        """
        nv, nu, sensors = self._model.nv, self._model.nu, self._field("sensordata").size
        n = 2 * nv + self._model.na
        result = Linearization(np.zeros((n, n)), np.zeros((n, nu)), np.zeros((sensors, n)), np.zeros((sensors, nu)))
        _saltus.transition_fd(self._model._core, self._core, eps, centered, result)
        return result

    def save(self) -> np.ndarray:
        """The state and inputs as one vector. After `restore` the next step gives the same bits."""
        return np.concatenate([[self.time], *(self._field(name).reshape(-1) for name in _SAVED)])

    def restore(self, state: ArrayLike) -> None:
        """Restores the state and inputs from a vector returned by `save` for data of the same model."""
        values = np.asarray(state, dtype=np.float64).reshape(-1)
        fields = [self._field(name) for name in _SAVED]
        size = 1 + sum(field.size for field in fields)
        if values.size != size:
            raise ValueError(f"a saved state of this model has {size} numbers, not {values.size}")
        start = 1
        self.time = float(values[0])
        for field in fields:
            field[...] = values[start : start + field.size].reshape(field.shape)
            start += field.size

    @property
    def contacts(self) -> list[Contact]:
        """Contacts of the last `forward` or `step` (copies)."""
        return read_contacts(self._model._core, self._core)

    @property
    def solver(self) -> SolverReport:
        """Status and statistics of the last constraint solve."""
        return read_report(self._core)

    @property
    def time(self) -> float:
        """Simulation time, s."""
        return self._core.time

    @time.setter
    def time(self, value: float) -> None:
        self._core.time = value

    q = _view("qpos", "Coordinates · nq.")
    v = _view("qvel", "Velocities · nv.")
    act = _view("act", "Activations · na.")
    ctrl = _view("ctrl", "Controls · nu.")
    tau_applied = _view("qfrc_applied", "Applied generalized forces · nv.")
    body_force = _view("xfrc_applied", "Force and torque at each body's centre of mass, world axes · nbody × 6.")
    a = _view("qacc", "Acceleration · nv.")
    a_smooth = _view("qacc_smooth", "Acceleration without constraint forces · nv.")
    bias = _view("qfrc_bias", "Coriolis, centrifugal and gravitational forces · nv.")
    passive = _view("qfrc_passive", "Passive forces · nv.")
    tau_actuator = _view("qfrc_actuator", "Actuator forces on the dofs · nv.")
    tau_constraint = _view("qfrc_constraint", "Constraint forces on the dofs · nv.")
    p_WB = _view("xpos", "Positions of body frames · nbody × 3.")
    quat_WB = _view("xquat", "Orientations of body frames, w first · nbody × 4.")
    p_WS = _view("site_xpos", "Positions of sites · nsite × 3.")
    com = _view("subtree_com", "Centres of mass of subtrees · nbody × 3.")
    sensors = _view("sensordata", "Outputs of all sensors.")

    @property
    def M(self) -> np.ndarray:
        """Dense inertia matrix · nv × nv (a copy)."""
        self._require(POSITION)
        dense = np.zeros((self._model.nv, self._model.nv))
        _saltus.full_m(self._model._core, self._core, dense, None)
        return dense

    def solve_M(self, y: np.ndarray) -> np.ndarray:
        """M⁻¹ y by the sparse factorization, for a vector or the rows of a matrix."""
        self._require(POSITION)
        y = _flat(y)
        x = np.zeros_like(y)
        _saltus.solve_m(self._model._core, self._core, x, y)
        return x

    def jacobian(self, body: int | str, point: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Translational and rotational Jacobians, 3 × nv each, of a world point fixed in a body (default: its origin)."""
        self._require(POSITION)
        index = self._index("body", body)
        where = self.p_WB[index] if point is None else np.asarray(point, dtype=np.float64)
        jac_p, jac_r = np.zeros((3, self._model.nv)), np.zeros((3, self._model.nv))
        _saltus.jac(self._model._core, self._core, jac_p, jac_r, where.tolist(), index)
        return jac_p, jac_r

    def energy(self) -> tuple[float, float]:
        """Potential and kinetic energy."""
        self._require(VELOCITY)
        _saltus.stage(self._model._core, self._core, "energy_position")
        _saltus.stage(self._model._core, self._core, "energy_velocity")
        potential, kinetic = self._field("energy")
        return float(potential), float(kinetic)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._model.name!r} at time {self.time:g}>"
