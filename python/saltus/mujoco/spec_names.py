"""Mapping from the attributes of MuJoCo's spec elements to those of Saltus."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from saltus.mujoco import enums
from saltus.mujoco.enums.base import Number
from saltus.mujoco.rotations import mju_axisAngle2Quat, mju_euler2Quat, mju_mat2Quat, mju_quatZ2Vec


class Attribute(NamedTuple):
    """The storage of an attribute, and its conversion to MuJoCo's form."""

    name: str
    read: Callable[[Any], Any] = lambda value: value
    write: Callable[[Any], Any] = lambda value: value


def choice(name: str, kind: type[Number], words: str) -> Attribute:
    """An enumeration: an integer in MuJoCo, a word in Saltus."""
    numbers = {member.partition("_")[2].replace("_", "").lower(): number for member, number in kind.__members__.items()}
    by_word = {word: numbers[word.lower()] for word in words.split()}
    by_number = {int(number): word for word, number in by_word.items()}

    def write(value: Any) -> str:
        if int(value) not in by_number:
            raise ValueError(f"{kind.__name__} {int(value)} is not supported; there are {', '.join(by_word)}")
        return by_number[int(value)]

    return Attribute(name, by_word.__getitem__, write)


SHAPES = "Plane Hfield Sphere Capsule Ellipsoid Cylinder Box Mesh"
MODES = "Fixed Track TrackCom TargetBody TargetBodyCom"
OBJECTS = (
    "Unknown Body XBody Joint Dof Geom Site Camera Light Mesh Hfield Texture Material Pair Exclude Equality Tendon Actuator "
    "Sensor Numeric Text Tuple Key"
)
SENSORS = (
    "Touch Accelerometer Velocimeter Gyro Force Torque Magnetometer Rangefinder CamProjection JointPos JointVel TendonPos "
    "TendonVel ActuatorPos ActuatorVel ActuatorFrc JointActFrc TendonActFrc BallQuat BallAngVel JointLimitPos JointLimitVel "
    "JointLimitFrc TendonLimitPos TendonLimitVel TendonLimitFrc FramePos FrameQuat FrameXAxis FrameYAxis FrameZAxis "
    "FrameLinVel FrameAngVel FrameLinAcc FrameAngAcc SubtreeCom SubtreeLinVel SubtreeAngMom InsideSite GeomDist GeomNormal "
    "GeomFromTo Contact EPotential EKinetic Clock User"
)


def three_way(name: str) -> Attribute:
    """No, yes, or automatic (depending on the range)."""
    read = {False: enums.mjtLimited.mjLIMITED_FALSE, True: enums.mjtLimited.mjLIMITED_TRUE}
    auto = enums.mjtLimited.mjLIMITED_AUTO
    return Attribute(name, lambda x: auto if x is None else read[bool(x)], lambda x: None if int(x) == 2 else bool(x))


def text(name: str) -> Attribute:
    """A name, empty if there is none."""
    return Attribute(name, lambda x: x or "", lambda x: x or None)


def optional(name: str, size: int = 0) -> Attribute:
    """A scalar or vector, NaN if it is missing."""
    nothing = math.nan if not size else np.array([math.nan, *[0.0] * (size - 1)])
    return Attribute(
        name,
        lambda x: nothing if x is None else x,
        lambda x: None if np.isnan(np.reshape(x, -1)[0]) else np.array(x, dtype=float) if size else float(x),
    )


def _same(names: str) -> dict[str, Attribute]:
    return {name: Attribute(name) for name in names.split()}


def _renamed(**names: str) -> dict[str, Attribute]:
    return {theirs: Attribute(ours) for theirs, ours in names.items()}


_GEOM = {
    **_same(
        "name pos quat size contype conaffinity condim priority friction solmix solref solimp margin gap adhesion density"
    ),
    **_same("fluid_coefs rgba group"),
    **_renamed(surfacevel="surface_velocity", castshadow="cast_shadow", fitscale="fit_scale", userdata="user"),
    "type": choice("shape", enums.mjtGeom, SHAPES),
    "typeinertia": Attribute("shell_inertia", lambda x: enums.mjtGeomInertia(int(x)), bool),
    "fluid_ellipsoid": Attribute("fluid_ellipsoid", float, bool),
    "fromto": optional("from_to", 6),
    "mass": optional("mass"),
    "material": text("material"),
    "meshname": text("mesh"),
    "hfieldname": text("hfield"),
}
_MESHES = ("Convex", "Exact", "Legacy", "Shell")
_STATISTICS = {"meaninertia": "mean_inertia", "meanmass": "mean_mass", "meansize": "mean_size", "extent": "extent"}
ATTRIBUTES: dict[str, dict[str, Attribute]] = {
    "body": {**_same("name pos quat mocap gravcomp"), **_renamed(userdata="user")},
    "joint": {
        **_same("name pos axis stiffness damping range margin armature group"),
        **_renamed(ref="reference", springref="spring_reference", springdamper="spring_damper", userdata="user"),
        **_renamed(solref_limit="solref_limit", solimp_limit="solimp_limit", frictionloss="friction_loss"),
        **_renamed(solref_friction="solref_friction", solimp_friction="solimp_friction"),
        **_renamed(actfrcrange="actuator_force_range", actgravcomp="actuator_gravcomp"),
        "type": choice("kind", enums.mjtJoint, "Free Ball Slide Hinge"),
        "limited": three_way("limited"),
        "actfrclimited": three_way("actuator_force_limited"),
        "align": three_way("align"),
    },
    "geom": _GEOM,
    "site": {
        **{name: _GEOM[name] for name in "name pos quat size rgba group type fromto material meshname userdata".split()}
    },
    "camera": {
        **_same("name pos quat fovy ipd resolution output sensor_size focal_length focal_pixel principal_length"),
        **_same("principal_pixel"),
        **_renamed(userdata="user"),
        "mode": choice("mode", enums.mjtCamLight, MODES),
        "targetbody": text("target"),
        "proj": Attribute("orthographic", lambda x: enums.mjtProjection(int(x)), bool),
    },
    "light": {
        **_same("name pos dir active attenuation cutoff exponent ambient diffuse specular intensity range softness"),
        **_renamed(castshadow="cast_shadow", bulbradius="bulb_radius", type="kind"),
        "mode": choice("mode", enums.mjtCamLight, MODES),
        "targetbody": text("target"),
        "texture": text("texture"),
    },
    "mesh": {
        **_same("name scale"),
        **_renamed(refpos="ref_pos", refquat="ref_quat", smoothnormal="smooth_normal", maxhullvert="max_hull_vertices"),
        "file": text("file"),
        "material": text("material"),
        "inertia": Attribute("inertia", lambda x: enums.mjtMeshInertia(_MESHES.index(x)), lambda x: _MESHES[int(x)]),
    },
    "material": _same("name emission specular shininess reflectance metallic roughness rgba")
    | _renamed(texrepeat="tex_repeat", texuniform="tex_uniform"),
    "pair": {
        **_same("name"),
        **_renamed(geomname1="geom1", geomname2="geom2", solreffriction="solref_friction"),
        **_same("condim friction solref solimp margin gap adhesion"),
    },
    "exclude": _same("name") | _renamed(bodyname1="body1", bodyname2="body2"),
    "equality": _same("name active solref solimp"),
    "tendon": {
        **_same("name range margin stiffness damping armature width rgba group"),
        **_renamed(springlength="spring_length", frictionloss="friction_loss", userdata="user"),
        **_same("solref_limit solimp_limit solref_friction solimp_friction"),
        **_renamed(actfrcrange="actuator_force_range"),
        "limited": three_way("limited"),
        "actfrclimited": three_way("actuator_force_limited"),
        "material": text("material"),
    },
    "actuator": {
        **_same("name gear damping armature group"),
        **_renamed(dynprm="activation_prm", gainprm="gain_prm", biasprm="bias_prm", actearly="activation_early"),
        **_renamed(ctrlrange="ctrl_range", forcerange="force_range", actrange="activation_range", userdata="user"),
        **_renamed(cranklength="crank_length", lengthrange="length_range", inheritrange="inherit_range"),
        "dyntype": choice("activation", enums.mjtDyn, "None Integrator Filter FilterExact Muscle Pid User"),
        "gaintype": choice("gain", enums.mjtGain, "Fixed Affine Muscle Pid User"),
        "biastype": choice("bias", enums.mjtBias, "None Affine Muscle User"),
        "ctrllimited": three_way("ctrl_limited"),
        "forcelimited": three_way("force_limited"),
        "actlimited": three_way("activation_limited"),
    },
    "sensor": {
        **_same("name cutoff noise"),
        **_renamed(intprm="int_prm", dim="user_dim", needstage="user_stage", datatype="user_datatype", userdata="user"),
        "type": choice("kind", enums.mjtSensor, SENSORS),
    },
    "key": _same("name time qpos qvel act ctrl") | _renamed(mpos="mocap_pos", mquat="mocap_quat"),
    "numeric": _same("name data size"),
    "text": _same("name data"),
    "hfield": _same("name size nrow ncol") | _renamed(userdata="elevation"),
    "texture": _same("name"),
    "tuple": _same("name"),
    "options": {
        **_same(
            "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity wind magnetic"
        ),
        **_same("density viscosity iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations"),
        **_renamed(o_margin="override_margin", o_solref="override_solref", o_solimp="override_solimp"),
        **_renamed(o_friction="override_friction", sdf_initpoints="sdf_init_points", disableflags="disable"),
        **_renamed(enableflags="enable", disableactuator="disable_actuator_groups"),
        "integrator": choice("integrator", enums.mjtIntegrator, "Euler Rk4 Implicit ImplicitFast Discrete"),
        "cone": choice("cone", enums.mjtCone, "Pyramidal Elliptic"),
        "jacobian": choice("jacobian", enums.mjtJacobian, "Dense Sparse Auto"),
        "solver": choice("solver", enums.mjtSolver, "Pgs Cg Newton"),
    },
    "statistic": {
        **{name: optional(ours) for name, ours in _STATISTICS.items()},
        "center": optional("center", 3),
    },
    "compiler": _renamed(
        autolimits="auto_limits",
        boundmass="bound_mass",
        boundinertia="bound_inertia",
        settotalmass="set_total_mass",
        balanceinertia="balance_inertia",
        fitaabb="fit_aabb",
        fusestatic="fuse_static",
        discardvisual="discard_visual",
        inertiagrouprange="inertia_group_range",
        alignfree="align_free",
    ),
}

# Arrays of which only the first values can be given.
PARTIAL = frozenset("size friction stiffness damping gear gainprm biasprm dynprm solimp solref fluid_coefs".split())


def from_euler(angles: np.ndarray, unit: float, sequence: str = "xyz") -> np.ndarray:
    """The quaternion of three rotations about the axes of a sequence."""
    quat = np.zeros(4)
    mju_euler2Quat(quat, angles * unit, sequence)
    return quat


def _from_axis_angle(values: np.ndarray, unit: float) -> np.ndarray:
    quat = np.zeros(4)
    mju_axisAngle2Quat(quat, values[:3] / np.linalg.norm(values[:3]), float(values[3] * unit))
    return quat


def _from_axes(values: np.ndarray, unit: float) -> np.ndarray:
    x = values[:3] / np.linalg.norm(values[:3])
    y = values[3:] - (x @ values[3:]) * x
    y /= np.linalg.norm(y)
    quat = np.zeros(4)
    mju_mat2Quat(quat, np.stack([x, y, np.cross(x, y)], axis=1).reshape(-1))
    return quat


def _from_z(values: np.ndarray, unit: float) -> np.ndarray:
    quat = np.zeros(4)
    mju_quatZ2Vec(quat, values)
    return quat


# Alternative specifications of an orientation; `unit` converts angles to radians.
TURNS: dict[str, Callable[..., np.ndarray]] = {
    "euler": from_euler,
    "axisangle": _from_axis_angle,
    "xyaxes": _from_axes,
    "zaxis": _from_z,
}
