"""Access to state, inputs and results of single objects by name or id."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._model import KINDS
from saltus._report import Contact, read_contacts

if TYPE_CHECKING:
    from saltus._model import Model

_STAGES = ("state", "position stage", "velocity stage", "acceleration stage")
POSITION, VELOCITY, ACCELERATION = 1, 2, 3
# Numbers in q and v of free, ball, slide and hinge joints.
_NQ, _NV = (7, 4, 1, 1), (6, 3, 1, 1)
# The body frame, where 1 is the frame of its inertia.
_XBODY = 2


class StaleError(RuntimeError):
    """The requested results do not belong to the current state; `forward` computes them."""


class Pose(NamedTuple):
    """Position and orientation of a frame in the world (views)."""

    p: np.ndarray
    """Position of the origin · 3."""
    R: np.ndarray
    """Rotation matrix; its columns are the axes in the world · 3 × 3."""


class Velocity(NamedTuple):
    """Velocity of a frame in the world."""

    angular: np.ndarray
    """Angular velocity, rad/s · 3."""
    linear: np.ndarray
    """Linear velocity of the origin, m/s · 3."""


class ByName:
    """Methods of `Data` for single objects. Objects are given by name or id; arrays are views.

    State and inputs can be read and set at any time. Results raise `StaleError` unless they belong to the current state.
    """

    __slots__ = ()
    _model: Model
    _core: _saltus.DataCore

    def _field(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def _index(self, kind: str, which: str | int) -> int:
        if isinstance(which, str):
            return self._model.id(kind, which)
        count = self._model._core.count(KINDS[kind])
        if not 0 <= which < count:
            raise IndexError(f"no {kind} {which}: the model has {count}")
        return int(which)

    def _number(self, field: str, index: int) -> int:
        """An entry of a model field."""
        return int(self._model._core.field(field)[index])

    def _require(self, needed: int) -> None:
        have = self._core.stage
        if have < needed:
            known = f"only the results up to the {_STAGES[have]} are computed" if have else "no results are computed"
            raise StaleError(
                f"the results of the {_STAGES[needed]} at the current state are needed, but {known}: call forward() first "
                "(after step() the results belong to the state before the step)"
            )

    def _controls(self, actuator: str | int) -> np.ndarray:
        index = self._index("actuator", actuator)
        start = self._number("actuator_ctrladr", index)
        return self._field("ctrl")[start : start + self._number("actuator_ctrlnum", index)]

    def control(self, actuator: str | int) -> np.ndarray:
        """Controls of an actuator. Actuators have one control, except PID servos, which have one for each declared input:
        position, velocity and feedforward."""
        return self._controls(actuator)

    def set_control(self, actuator: str | int, value: ArrayLike) -> None:
        """Sets all controls of an actuator."""
        self._controls(actuator)[...] = value

    def joint_q(self, joint: str | int) -> np.ndarray:
        """Coordinates of a joint: one number for hinge and slide joints, a quaternion (w first) for ball joints, position and
        quaternion for free joints."""
        index = self._index("joint", joint)
        start = self._number("jnt_qposadr", index)
        return self._field("qpos")[start : start + _NQ[self._number("jnt_type", index)]]

    def set_joint_q(self, joint: str | int, q: ArrayLike) -> None:
        """Sets the coordinates of a joint."""
        self.joint_q(joint)[...] = q

    def _of_joint(self, field: str, joint: str | int) -> np.ndarray:
        index = self._index("joint", joint)
        start = self._number("jnt_dofadr", index)
        return self._field(field)[start : start + _NV[self._number("jnt_type", index)]]

    def joint_v(self, joint: str | int) -> np.ndarray:
        """Velocities of a joint: one number for hinge and slide joints, the angular velocity in child axes for ball joints, the
        linear velocity in world axes and the angular velocity in child axes for free joints."""
        return self._of_joint("qvel", joint)

    def set_joint_v(self, joint: str | int, v: ArrayLike) -> None:
        """Sets the velocities of a joint."""
        self.joint_v(joint)[...] = v

    def joint_force(self, joint: str | int) -> np.ndarray:
        """Applied generalized forces of a joint."""
        return self._of_joint("qfrc_applied", joint)

    def set_joint_force(self, joint: str | int, tau: ArrayLike) -> None:
        """Sets the applied generalized forces of a joint."""
        self.joint_force(joint)[...] = tau

    def joint_a(self, joint: str | int) -> np.ndarray:
        """Accelerations of a joint including all constraint forces."""
        self._require(ACCELERATION)
        return self._of_joint("qacc", joint)

    def set_body_force(self, body: str | int, force: ArrayLike, torque: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Sets the force and torque applied to a body at its centre of mass, in world axes."""
        row = self._field("xfrc_applied")[self._index("body", body)]
        row[:3], row[3:] = force, torque

    def _mocap(self, body: str | int) -> int:
        index = self._number("body_mocapid", self._index("body", body))
        if index < 0:
            raise ValueError(f"body {body!r} is no mocap body")
        return index

    def mocap_pose(self, body: str | int) -> tuple[np.ndarray, np.ndarray]:
        """Position and quaternion (w first) of a mocap body."""
        index = self._mocap(body)
        return self._field("mocap_pos")[index], self._field("mocap_quat")[index]

    def set_mocap_pose(self, body: str | int, p: ArrayLike, quat: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> None:
        """Sets the position and orientation of a mocap body."""
        place, orientation = self.mocap_pose(body)
        place[...], orientation[...] = p, quat

    def sensor(self, sensor: str | int) -> np.ndarray:
        """The output of a sensor."""
        index = self._index("sensor", sensor)
        self._require(self._number("sensor_needstage", index))
        start = self._number("sensor_adr", index)
        return self._field("sensordata")[start : start + self._number("sensor_dim", index)]

    def _pose(self, kind: str, which: str | int, place: str) -> Pose:
        index = self._index(kind, which)
        self._require(POSITION)
        return Pose(self._field(f"{place}xpos")[index], self._field(f"{place}xmat")[index].reshape(3, 3))

    def body_pose(self, body: str | int) -> Pose:
        """Pose of a body."""
        return self._pose("body", body, "")

    def geom_pose(self, geom: str | int) -> Pose:
        """Pose of a geom."""
        return self._pose("geom", geom, "geom_")

    def site_pose(self, site: str | int) -> Pose:
        """Pose of a site."""
        return self._pose("site", site, "site_")

    def camera_pose(self, camera: str | int) -> Pose:
        """Pose of a camera, which looks along its negative z axis."""
        return self._pose("camera", camera, "cam_")

    def center_of_mass(self, body: str | int) -> np.ndarray:
        """Centre of mass of the subtree of a body."""
        index = self._index("body", body)
        self._require(POSITION)
        return np.asarray(self._field("subtree_com")[index])

    def _velocity(self, kind: int, index: int) -> Velocity:
        self._require(VELOCITY)
        motion = np.array(_saltus.object_velocity(self._model._core, self._core, kind, index, False))
        return Velocity(motion[:3], motion[3:])

    def body_velocity(self, body: str | int) -> Velocity:
        """Velocity of a body's frame (a copy)."""
        return self._velocity(_XBODY, self._index("body", body))

    def site_velocity(self, site: str | int) -> Velocity:
        """Velocity of a site (a copy)."""
        return self._velocity(KINDS["site"], self._index("site", site))

    def _scalar(self, kind: str, which: str | int, field: str, stage: int) -> float:
        index = self._index(kind, which)
        self._require(stage)
        return float(self._field(field)[index])

    def actuator_length(self, actuator: str | int) -> float:
        """Length of an actuator's transmission: for a joint, its coordinate times the gear."""
        return self._scalar("actuator", actuator, "actuator_length", POSITION)

    def actuator_velocity(self, actuator: str | int) -> float:
        """Time derivative of an actuator's length."""
        return self._scalar("actuator", actuator, "actuator_velocity", VELOCITY)

    def actuator_force(self, actuator: str | int) -> float:
        """Force of an actuator along its length."""
        return self._scalar("actuator", actuator, "actuator_force", ACCELERATION)

    def tendon_length(self, tendon: str | int) -> float:
        """Length of a tendon."""
        return self._scalar("tendon", tendon, "ten_length", POSITION)

    def tendon_velocity(self, tendon: str | int) -> float:
        """Time derivative of a tendon's length."""
        return self._scalar("tendon", tendon, "ten_velocity", VELOCITY)

    def contact_force(self, k: int) -> Contact:
        """Contact `k` of `contacts`, with its force."""
        return self.contact_forces()[k]

    def contact_forces(self) -> list[Contact]:
        """All contacts with their forces (copies), as `contacts`; raises `StaleError` unless they belong to the current state."""
        self._require(ACCELERATION)
        return read_contacts(self._model._core, self._core)
