"""The compiled half of the package: model and data cores, and the functions on them.

Arrays that are written must be C-contiguous float64 of the right number of numbers (TypeError otherwise). A data must
have been made for a model of the same sizes (ValueError otherwise).
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "VERSION",
    "DivergenceError",
    "DataCore",
    "ModelCore",
    "actuation",
    "add_m",
    "apply_ft",
    "difference",
    "forward",
    "full_legacy",
    "full_m",
    "integrate",
    "jac",
    "jac_dot",
    "jac_object",
    "jac_subtree_com",
    "mul_m",
    "normalize",
    "object_acceleration",
    "object_velocity",
    "rne",
    "set_const",
    "solve_m",
    "stage",
    "step",
]

_Array = NDArray[np.float64]
_Stage = Literal[
    "position",
    "kinematics",
    "com",
    "views",
    "tendons",
    "inertia",
    "factor",
    "transmission",
    "velocity",
    "body_velocity",
    "passive",
    "bias",
    "momentum",
    "acceleration",
    "post_constraint",
    "energy_position",
    "energy_velocity",
    "sensor_position",
    "sensor_velocity",
    "sensor_acceleration",
    "collision",
    "constraint",
    "reference",
    "forward_position",
    "solve",
    "inverse",
]

VERSION: str
"""Version of the package."""

@final
class ModelCore:
    """A compiled model. If arrays that it returned have changed, it is copied before
    its next use."""

    @staticmethod
    def load(path: str, floating_base: bool = False, motors: bool = False) -> ModelCore:
        """Loads MJCF, URDF, SDF or a binary model. ValueError has the position and what was
        expected."""
    @staticmethod
    def from_xml(
        xml: str,
        assets: dict[str, bytes] | None = None,
        floating_base: bool = False,
        motors: bool = False,
        files: str | None = None,
    ) -> ModelCore:
        """Compiles model text. Referenced files are looked up in `assets`, then in the folder
        `files`."""
    @staticmethod
    def from_binary(bytes: bytes) -> ModelCore:
        """Loads a model that `to_binary` wrote."""
    def to_binary(self) -> bytes:
        """The model as a binary file, with all changes."""
    def to_xml(self) -> str | None:
        """MJCF of the model as it was compiled; None if it was loaded from a binary file."""
    def copy(self) -> ModelCore:
        """An independent model; memory is shared until one of them changes."""
    @property
    def name(self) -> str:
        """Name of the model."""
    @property
    def warnings(self) -> list[str]:
        """Warnings of the reader of the model's file."""
    def visual(self) -> dict[str, dict[str, str]]:
        """Settings of `<visual>` in the model file, as text, by section."""
    def size(self, name: str) -> int:
        """A scalar size by MuJoCo's name; AttributeError if there is none."""
    def field(self, name: str) -> NDArray[Any]:
        """An array by MuJoCo's name, the same one at every call; AttributeError if there is none."""
    def mark_written(self, name: str) -> None:
        """Says that the array of a large table was written to."""
    def is_large(self, name: str) -> bool:
        """Whether a field is a large table, whose array numpy cannot write to."""
    @staticmethod
    def field_names() -> list[str]:
        """Names of the writable array fields."""
    @staticmethod
    def derived_names() -> list[str]:
        """Names of the read-only fields and of the sizes."""
    def option(self, name: str) -> Any:
        """Value of a scalar option by MuJoCo's name."""
    def set_option(self, name: str, value: Any) -> None:
        """Sets a scalar option by MuJoCo's name."""
    def setting(self, name: str) -> float | str:
        """Value of a setting of the contact laws; KeyError names the known ones."""
    def set_setting(self, name: str, value: float | str) -> None:
        """Sets a setting of the contact laws; ValueError says what is expected."""
    @staticmethod
    def setting_names() -> list[str]:
        """Names of the settings of the contact laws."""
    def statistic(self, name: str) -> float:
        """A scalar statistic by MuJoCo's name."""
    def set_statistic(self, name: str, value: float) -> None:
        """Sets a scalar statistic by MuJoCo's name."""
    def names(self, kind: int) -> list[str]:
        """Names of all objects of a kind, in the order of their ids."""
    def no_such(self, kind: int, name: str) -> str:
        """Message for a name that `find` does not find, with the closest or all known names."""
    def find(self, kind: int, name: str) -> int | None:
        """Id of the object with this name."""
    def name_of(self, kind: int, id: int) -> str | None:
        """Name of an object, empty if it has none; None if there is no such object."""
    def count(self, kind: int) -> int:
        """Number of objects of a kind."""
    def text(self, id: int) -> str:
        """Contents of a custom text."""

@final
class DataCore:
    """State, inputs and results of one simulation; its memory never moves."""

    def __new__(cls, model: ModelCore) -> DataCore: ...
    def copy(self) -> DataCore:
        """An independent copy."""
    @property
    def ncon(self) -> int:
        """Number of contacts."""
    @property
    def ne(self) -> int:
        """Number of rows of equalities."""
    @property
    def nf(self) -> int:
        """Number of rows of dry friction."""
    @property
    def nl(self) -> int:
        """Number of rows of limits."""
    @property
    def nefc(self) -> int:
        """Number of rows."""
    def rest_to_bytes(self) -> bytes:
        """Contacts, constraints and tendon paths, which are not part of the fields."""
    def rest_from_bytes(self, model: ModelCore, bytes: bytes) -> None:
        """Restores the result of `rest_to_bytes`; ValueError if it does not belong to the model."""
    def check_model(self, model: ModelCore) -> None:
        """ValueError if the sizes of the data are not those of the model."""
    def copy_rest_from(self, model: ModelCore, other: DataCore) -> None:
        """Copies time, contacts, constraints and tendon paths, which are not part of the fields."""
    def field(self, name: str) -> NDArray[Any]:
        """A view by MuJoCo's name, which keeps this object alive; AttributeError if there is none."""
    @staticmethod
    def field_names() -> list[str]:
        """Names of all fields."""
    def tendon_points(self) -> list[list[int]]:
        """First path point and number of path points of each tendon."""
    @property
    def time(self) -> float:
        """Simulation time, s."""
    @time.setter
    def time(self, time: float) -> None: ...
    @property
    def stage(self) -> int:
        """Latest stage with valid results: 0 none, 1 position, 2 velocity, 3 acceleration."""
    def reset(self, model: ModelCore) -> None:
        """Resets to the reference state."""
    def reset_to_key(self, model: ModelCore, key: int) -> None:
        """Resets to the state and controls of a keyframe."""

class MaximalCore:
    """A simulation in maximal coordinates."""

    def __init__(self, model: ModelCore, mode: str, changes: dict[str, float]) -> None:
        """ValueError for unsupported features of the model and for options out of range."""
    def step(self, model: ModelCore, data: DataCore, n: int) -> tuple[int, float, float]:
        """Takes n steps. Returns the sweeps of the last step and the largest joint errors:
        distance and angle."""
    def attach(
        self,
        model: ModelCore,
        data: DataCore,
        bodies: Sequence[int],
        kind: str,
        anchor: Sequence[float],
        axis: Sequence[float],
        pitch: float,
    ) -> int:
        """Adds a joint between two bodies and returns its index."""
    def detach(self, id: int) -> None:
        """Removes such a joint."""

class DivergenceError(RuntimeError):
    """A number of the state, acceleration or controls is not finite or too large. The state is as before the step."""

    quantity: str
    index: int
    value: float
    time: float
    place: str
    cause: str

# Model and data objects, and the callbacks for control, passive forces, activation rate, gain, bias and sensors.
_User = tuple[Any, Any, tuple[Callable[..., Any] | None, ...]]

def step(
    model: ModelCore, data: DataCore, n: int = 1, autoreset: bool = False, user: _User | None = None
) -> list[tuple[int, int]]:
    """Advances the simulation by `n` steps; DivergenceError if it diverges. Releases the GIL unless there are callbacks.

    With `autoreset`, a diverged simulation is reset and goes on; gives number and index of MuJoCo's warning for each.
    """

def half_step(model: ModelCore, data: DataCore, half: int, user: _User | None = None) -> None:
    """First (1) or second (2) half of a step."""

def advance(model: ModelCore, data: DataCore, integrator: int, user: _User | None = None) -> None:
    """Advances the state by one step from the current acceleration, with the integrator of this
    number."""

def forward(
    model: ModelCore, data: DataCore, valid: int = 0, skip_sensors: bool = False, user: _User | None = None
) -> None:
    """Forward dynamics of all stages after `valid`: 0 none, 1 position, 2 velocity. Releases the GIL as `step` does."""

def inverse(
    model: ModelCore, data: DataCore, valid: int = 0, skip_sensors: bool = False, user: _User | None = None
) -> None:
    """Inverse dynamics of all stages after `valid`."""

def stage(model: ModelCore, data: DataCore, name: _Stage) -> None:
    """Runs one stage, or one function of a stage. Releases the GIL."""

def actuation(model: ModelCore, data: DataCore, user: tuple[_Array, _Array, _Array] | None) -> None:
    """Actuation; `user` gives activation rates, gains and biases of user-defined actuators, one number per actuator."""

def jac(
    model: ModelCore,
    data: DataCore,
    jac_p: _Array | None,
    jac_r: _Array | None,
    point: Sequence[float],
    body: int,
) -> None:
    """Translational and rotational Jacobian, 3 × nv, of a world point fixed in a body."""

def jac_object(
    model: ModelCore, data: DataCore, jac_p: _Array | None, jac_r: _Array | None, kind: int, id: int
) -> None:
    """Translational and rotational Jacobian, 3 × nv, of the origin of an object's frame."""

def jac_dot(
    model: ModelCore,
    data: DataCore,
    jac_p: _Array | None,
    jac_r: _Array | None,
    point: Sequence[float],
    body: int,
) -> None:
    """Time derivatives of the Jacobians of a point."""

def jac_subtree_com(model: ModelCore, data: DataCore, jac_p: _Array, body: int) -> None:
    """Jacobian of the centre of mass of a subtree."""

def full_m(model: ModelCore, data: DataCore, out: _Array, m: _Array | None) -> None:
    """Dense inertia matrix, from `m` (by default the one in `data`)."""

def full_legacy(model: ModelCore, out: _Array, m: _Array) -> None:
    """Dense inertia matrix, from M in the order of MuJoCo 3."""

def mul_m(model: ModelCore, data: DataCore, res: _Array, vec: _Array) -> None:
    """res = M vec."""

def add_m(model: ModelCore, data: DataCore, dst: _Array) -> None:
    """dst (dense, nv × nv) += M."""

def solve_m(model: ModelCore, data: DataCore, x: _Array, y: _Array) -> None:
    """x = M⁻¹ y, for each row of y."""

def rne(model: ModelCore, data: DataCore, with_acceleration: bool, result: _Array) -> None:
    """Newton–Euler inverse dynamics with the current acceleration, or only the bias force."""

def integrate(model: ModelCore, q: _Array, v: _Array, h: float) -> None:
    """q ← q ⊕ h v."""

def difference(model: ModelCore, v: _Array, h: float, q1: _Array, q2: _Array) -> None:
    """v with q1 ⊕ h v = q2."""

def normalize(model: ModelCore, q: _Array) -> None:
    """Normalizes the quaternions in q."""

def apply_ft(
    model: ModelCore, data: DataCore, wrench: Sequence[Sequence[float]], body: int, qfrc: _Array
) -> None:
    """qfrc += Jᵀ (force, torque) at a world point of a body; `wrench` is force, torque, point."""

def object_velocity(model: ModelCore, data: DataCore, kind: int, id: int, local: bool) -> list[float]:
    """Velocity of an object's frame: angular, linear."""

def object_acceleration(model: ModelCore, data: DataCore, kind: int, id: int, local: bool) -> list[float]:
    """Acceleration of an object's frame: angular, linear, gravity counted as an upward acceleration."""

def transition_fd(
    model: ModelCore,
    data: DataCore,
    eps: float,
    centered: bool,
    out: tuple[_Array | None, _Array | None, _Array | None, _Array | None],
) -> None:
    """Writes finite-difference derivatives of a step to A, B, C, D. Releases the GIL."""

def inverse_fd(
    model: ModelCore, data: DataCore, eps: float, actuation: bool, out: Sequence[_Array | None]
) -> None:
    """Finite-difference derivatives of inverse dynamics: of the force and the sensors with respect
    to q, v, a, and of M with respect to q. Releases the GIL."""

def transition_exact(model: ModelCore, data: DataCore, out: Sequence[_Array | None]) -> list[str]:
    """Writes derivatives of a step from the current state to A, B, C, D. The data is not changed.
    Returns what is not exact. Releases the GIL."""

def inverse_exact(model: ModelCore, data: DataCore, actuation: bool, out: Sequence[_Array]) -> list[str]:
    """Derivatives of inverse dynamics with respect to q, v, a at the current q, v, a. Returns what
    is not exact. Releases the GIL."""

def transition_exact_batch(
    model: ModelCore,
    count: int,
    states: _Array,
    ctrl: _Array | None,
    a: _Array,
    b: _Array,
    threads: int,
) -> list[tuple[list[str], Exception | None]]:
    """`transition_exact` at many states, on `threads` threads (0: all processors) without the GIL.
    Returns what is not exact, or the error, for each state."""

def inverse_exact_batch(
    model: ModelCore,
    count: int,
    states: _Array,
    acceleration: _Array,
    ctrl: _Array | None,
    actuation: bool,
    out: Sequence[_Array],
    threads: int,
) -> list[tuple[list[str], Exception | None]]:
    """`inverse_exact` at many states and accelerations, as `transition_exact_batch`."""

def sensors_exact_batch(
    model: ModelCore,
    count: int,
    states: _Array,
    ctrl: _Array | None,
    c: _Array,
    d: _Array,
    threads: int,
) -> list[tuple[list[str], Exception | None]]:
    """Derivatives of sensors at many states, as `transition_exact_batch`."""

def parameter_names(model: ModelCore) -> list[str]:
    """Names of all parameters of a model."""

def parameter_values(model: ModelCore, names: Sequence[str]) -> list[float]:
    """The values of parameters by name."""

def inverse_by(
    model: ModelCore, data: DataCore, names: Sequence[str], actuation: bool, dtau: _Array
) -> list[str]:
    """Derivatives of inverse dynamics with respect to parameters. Returns what is not exact.
    Releases the GIL."""

def transition_by(model: ModelCore, data: DataCore, names: Sequence[str], out: Sequence[_Array]) -> list[str]:
    """Derivatives, with respect to parameters, of the state after a step and of the acceleration
    before it. Returns what is not exact. Releases the GIL."""

def transition_by_many(
    model: ModelCore,
    count: int,
    states: _Array,
    ctrl: _Array | None,
    names: Sequence[str],
    out: Sequence[_Array],
    threads: int,
) -> list[tuple[list[str], Exception | None]]:
    """`transition_by` at many states, as `transition_exact_batch`."""

def inverse_by_many(
    model: ModelCore,
    count: int,
    states: _Array,
    acceleration: _Array,
    ctrl: _Array | None,
    names: Sequence[str],
    actuation: bool,
    dtau: _Array,
    threads: int,
) -> list[tuple[list[str], Exception | None]]:
    """`inverse_by` at many states and accelerations, as `transition_exact_batch`."""

def derivative_seconds(model: ModelCore, data: DataCore, what: str, repeat: int) -> float:
    """Median duration of a repetition in the engine without Python, s: "step", "forward", "inverse
    dynamics", the derivatives "inverse" and "transition" alone, or with the dynamics before them:
    "inverse from state", "transition from state"."""

def rollout_state_size(model: ModelCore) -> int:
    """Size of the state of rollouts: time, q, v, act."""

def rollout(
    models: Sequence[ModelCore],
    shape: tuple[int, int],
    initial: _Array,
    warm_start: _Array | None,
    control: tuple[_Array, int, int, int] | None,
    states: _Array | None,
    sensors: _Array | None,
    threads: int,
    maximal: tuple[str, dict[str, float]] | None = None,
) -> list[tuple[int, int, DivergenceError]]:
    """Runs simulations × steps (`shape`) on `threads` threads (0: all processors) without the GIL. `control` comes with
    its numbers of simulations and steps and the bits of the inputs that it holds, `maximal` is a mode of maximal coordinates and its options.
    Returns simulation, step and error of those that failed."""

def set_const(model: ModelCore) -> None:
    """Recomputes the constants that depend on the reference pose."""

def contact_force(data: DataCore, contact: int) -> list[float]:
    """Force and torque of a contact in its frame."""

def is_sparse(model: ModelCore) -> bool:
    """Whether MuJoCo would store J sparse."""

def constraint_field(model: ModelCore, data: DataCore, name: str) -> NDArray[Any]:
    """One array of the constraint problem, by MuJoCo's name (a copy)."""

def compare_inverse(model: ModelCore, data: DataCore) -> None: ...
def inverse_gap(data: DataCore) -> tuple[float, float]: ...
def solver_report(data: DataCore) -> tuple[str, int, int, float, float]:
    """Status, iterations of the slowest island and of all, residual, improvement."""

def island_count(data: DataCore) -> int:
    """Number of islands of bodies that constraints connect."""

def mul_jac(model: ModelCore, data: DataCore, res: _Array, vec: _Array) -> None:
    """res = J vec, J being the constraint Jacobian."""

def mul_jac_transposed(model: ModelCore, data: DataCore, res: _Array, vec: _Array) -> None:
    """res = Jᵀ vec."""

def constraint_update(model: ModelCore, data: DataCore, x: _Array) -> float:
    """Updates the forces of the rows at x = J a − a_ref and returns the cost."""

def contacts(data: DataCore) -> tuple[_Array, NDArray[np.int32]]:
    """A row of floats and a row of integers per contact (`_contacts`). The same arrays are returned
    until the engine changes the data."""

class SpecCore:
    """An editable model, as exchanged between Python and the engine."""

    @staticmethod
    def empty(name: str) -> SpecCore:
        """An empty spec."""

    @staticmethod
    def load(path: str, floating_base: bool = False, motors: bool = False) -> SpecCore:
        """The spec of a model file."""

    @staticmethod
    def read(xml: str, assets: dict[str, bytes], files: str | None) -> SpecCore:
        """The spec of model text."""

    @staticmethod
    def of(tree: dict[str, Any]) -> SpecCore:
        """The spec of a tree as `tree` gives it."""

    def tree(self) -> dict[str, Any]:
        """The spec as dictionaries, lists and arrays."""

    def compile(self) -> ModelCore:
        """The compiled model."""

    def to_xml(self) -> str:
        """The spec as MJCF."""

    def attached(
        self,
        child: SpecCore,
        parent: int,
        body: str | None,
        pos: Sequence[float],
        quat: Sequence[float],
        prefix: str,
        suffix: str,
    ) -> SpecCore:
        """The spec with another one attached to a body."""

    def without(self, body: int) -> tuple[SpecCore, dict[str, list[int]]]:
        """The spec without a body and everything that depends on it, and the former indices of the remaining elements."""

def new_element(kind: str) -> dict[str, Any]:
    """A new element of a kind."""

def ray(
    model: ModelCore,
    data: DataCore,
    point: Sequence[float],
    vector: Sequence[float],
    groups: Sequence[bool] | None = None,
    skip_static: bool = False,
    exclude: int = -1,
) -> tuple[float, int, list[float]]:
    """Nearest geom on a ray: parameter, geom and normal; −1, −1 and zeros if there is none."""

def ray_geom(
    model: ModelCore, data: DataCore, geom: int, point: Sequence[float], vector: Sequence[float]
) -> tuple[float, list[float]]:
    """Intersection of a ray with one geom: parameter and normal; −1 and zeros without one."""

def ray_shape(
    kind: int, size: Sequence[float], point: Sequence[float], vector: Sequence[float]
) -> tuple[float, list[float]]:
    """Intersection of a ray with a primitive shape, in the frame of the shape."""

def is_inside(kind: int, size: Sequence[float], point: Sequence[float]) -> bool:
    """Whether a point is inside a primitive shape, in the frame of the shape."""

def geom_distance(
    model: ModelCore, data: DataCore, geom1: int, geom2: int, limit: float
) -> tuple[float, list[float], list[float]] | None:
    """Distance between two geoms and their nearest points; None if it is not below `limit`."""

class _ContactProblem(Protocol):
    A: _Array
    R: _Array
    mu: _Array
    vmin: _Array
    n_limits: int
    kappa: float
    q: float
    elastic: bool

def invertible_forward(problem: _ContactProblem, c: _Array) -> tuple[_Array, _Array, tuple[str, int, float]]:
    """Impulses, velocities, and status, iterations, residual, from the velocities without impulses."""

def invertible_inverse(problem: _ContactProblem, v: _Array) -> tuple[_Array, _Array, tuple[str, int, float]]:
    """Impulses, velocities without impulses, and status, iterations, residual, from the velocities."""

_Vector3 = list[float]

_Iteration = tuple[int, float, float, float, list[float], float, float, float, float, float, bool, float]
_PathPoint = tuple[float, float, float, float, float, float, float, float, int, float]

class PlanCore:
    """A planned motion with the models for its replay."""

    @staticmethod
    def load(folder: str) -> PlanCore:
        """Loads the plan of a result folder."""

    def save(self, folder: str) -> None:
        """Writes the plan to a result folder."""

    def task(self) -> str:
        """The task as the text of a task file."""

    def array(self, name: str) -> _Array:
        """A copy of an array of the motion, by its name in result folders."""

    def verdicts(self) -> tuple[_Array, tuple[float, float]]:
        """The law-independent residual of each step, with its median and maximum."""

    def contacts(self) -> list[list[tuple[list[int], _Vector3, _Vector3, _Vector3, float]]]:
        """Bodies, point, normal, force and gap of the contacts of each state."""

    def summary(self) -> str: ...
    def costs(self) -> list[tuple[str, float]]: ...
    def history(self) -> list[_Iteration]:
        """Fields of the iterations."""

    def path(self) -> list[_PathPoint]:
        """Fields of the points of the continuation."""

    def times(self) -> list[tuple[str, float]]:
        """Seconds per phase of the optimization."""

    def units(self) -> tuple[float, float, float]:
        """Units of force (weight, N) and length (m), and the time step, s."""

    def stride(self) -> tuple[bool, list[tuple[int, float]]]:
        """Whether the motion is a limit cycle, and the increments of coordinates per repetition."""

    def model(self) -> ModelCore: ...
    def planning_model(self) -> ModelCore: ...
    def names(self) -> list[list[str]]:
        """Names of coordinates, dofs and controls."""

    def replay(
        self, model: ModelCore, timestep: float, feedback: str, strides: int, fallen: float
    ) -> tuple[list[_Array], bool, float, float, str]:
        """Times, q, v and errors; whether the end was reached, seconds, strides, and the reason."""

_Call = Callable[[ModelCore, tuple[int, int, float, bool, bool], Sequence[_Array]], tuple[_Array, list[_Array | None]]]
_Function = tuple[str, _Call, str, tuple[float, float] | None, float | None, float]

def optimize(
    text: str,
    file: str,
    functions: Sequence[_Function],
    guess: _Array | None,
    progress: Callable[[_Iteration], bool] | None,
) -> PlanCore:
    """Optimizes the task of a text."""

def check_function(model: ModelCore, call: _Call, seed: int) -> str | None:
    """Compares the derivatives of a function with central differences; a message if one is
    wrong."""

def sensor_obstacle(model: ModelCore, sensor: int) -> str | None:
    """The reason why a sensor cannot be used in a term; None if it can."""

def sensor_slopes(model: ModelCore, data: DataCore, sensor: int) -> tuple[_Array, list[_Array]]:
    """The reading of a sensor and its derivatives with respect to q, v and a."""

def model_name(model: str) -> str:
    """The name of a model: of a built-in one, of a file, or of a text."""

def task_names() -> list[tuple[str, str]]:
    """Names and texts of the built-in tasks."""

def task_tables(text: str, file: str) -> dict[str, Any]:
    """The tables of a task."""

def task_keys(text: str, file: str) -> list[tuple[str, list[str]]]:
    """The legal keys of each table of this task; those at the top level are under an empty name."""

def task_text(tables: dict[str, Any]) -> str:
    """The text of a task file from tables."""
