"""Functions of MuJoCo's main interface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._model import _flat
from saltus.mujoco import callbacks as _callbacks
from saltus.mujoco.arguments import put
from saltus.mujoco.data import MjData
from saltus.mujoco.model import MjModel
from saltus.mujoco.option import MjOption
from saltus.mujoco.visual import MjVisual

# An output array, or None if the output is not needed.
_Out = np.ndarray | None
# Numbers of the kinds of objects with a frame; that of a body is its centre of mass.
_BODY, _XBODY, _GEOM, _SITE = 1, 2, 5, 6


def mj_isSparse(m: MjModel) -> int:
    """Whether the constraint Jacobian is stored sparse."""
    return int(_saltus.is_sparse(m._core))


def _vector(x: ArrayLike) -> list[float]:
    """Three numbers."""
    numbers: list[float] = np.asarray(x, dtype=float).reshape(3).tolist()
    return numbers


def _stage(name: _saltus._Stage, doc: str) -> Callable[[MjModel, MjData], None]:
    def run(m: MjModel, d: MjData) -> None:
        _saltus.stage(m._core, d._core, name)

    run.__doc__ = doc
    return run


mj_fwdPosition = _stage("forward_position", "Position stage: kinematics, inertia, tendons, transmissions, constraints.")
mj_fwdKinematics = _stage("position", "Position stage: kinematics, inertia, tendons, transmissions.")
mj_kinematics = _stage("kinematics", "Poses of bodies, geoms, sites.")
mj_comPos = _stage("com", "Centres of mass, motion axes and inertias in the c-frame.")
mj_camlight = _stage("views", "Poses of cameras and lights.")
mj_tendon = _stage("tendons", "Tendon lengths and Jacobians.")
mj_transmission = _stage("transmission", "Actuator lengths and moments.")
mj_makeM = _stage("inertia", "Inertia matrix.")
mj_crb = _stage("inertia", "Inertia matrix.")
mj_factorM = _stage("factor", "Sparse factorization of the inertia matrix.")
mj_collision = _stage("collision", "Contacts between geoms, from their poses.")
mj_makeConstraint = _stage("constraint", "Rows of the constraint problem: Jacobian, impedance.")
mj_referenceConstraint = _stage("reference", "Velocities and reference accelerations of the constraint rows.")
mj_comVel = _stage("body_velocity", "Velocities of bodies and rates of motion axes.")
mj_subtreeVel = _stage("momentum", "Linear velocity and angular momentum of subtrees.")
mj_fwdAcceleration = _stage("acceleration", "Smooth forces and the acceleration they give.")
mj_fwdConstraint = _stage("solve", "Constraint forces and the acceleration they give.")
mj_rnePostConstraint = _stage("post_constraint", "Accelerations of bodies and forces between them.")
mj_energyPos = _stage("energy_position", "Potential energy.")
mj_energyVel = _stage("energy_velocity", "Kinetic energy.")


def _sensors(name: _saltus._Stage, stage: int, doc: str) -> Callable[[MjModel, MjData], None]:
    run = _stage(name, doc)

    def read(m: MjModel, d: MjData) -> None:
        run(m, d)
        _callbacks.run_sensor(m, d, stage)

    read.__doc__ = doc
    return read


mj_sensorPos = _sensors("sensor_position", 1, "Sensors that depend on position.")
mj_sensorVel = _sensors("sensor_velocity", 2, "Sensors that depend on velocity.")
mj_sensorAcc = _sensors("sensor_acceleration", 3, "Sensors that depend on acceleration and force.")


def mj_passive(m: MjModel, d: MjData) -> None:
    """Passive forces."""
    _saltus.stage(m._core, d._core, "passive")
    _callbacks.run_passive(m, d)


def mj_fwdVelocity(m: MjModel, d: MjData) -> None:
    """Velocity stage: velocities, passive forces, bias forces, reference accelerations."""
    _saltus.stage(m._core, d._core, "velocity")
    _callbacks.run_passive(m, d)
    mj_referenceConstraint(m, d)


def mj_fwdActuation(m: MjModel, d: MjData) -> None:
    """Activation rates and actuator forces."""
    if _callbacks.any_set():
        _callbacks.run_actuation(m, d)
    else:
        _saltus.actuation(m._core, d._core, None)


def mj_jac(m: MjModel, d: MjData, jacp: _Out, jacr: _Out, point: ArrayLike, body: int) -> None:
    """Translational and rotational Jacobian, 3 × nv, of a world point fixed in a body."""
    _saltus.jac(m._core, d._core, jacp, jacr, _vector(point), int(body))


def mj_jacBody(m: MjModel, d: MjData, jacp: _Out, jacr: _Out, body: int) -> None:
    """Jacobian of a body's origin."""
    _saltus.jac_object(m._core, d._core, jacp, jacr, _XBODY, body)


def mj_jacBodyCom(m: MjModel, d: MjData, jacp: _Out, jacr: _Out, body: int) -> None:
    """Jacobian of a body's centre of mass."""
    _saltus.jac_object(m._core, d._core, jacp, jacr, _BODY, body)


def mj_jacSubtreeCom(m: MjModel, d: MjData, jacp: np.ndarray, body: int) -> None:
    """Jacobian of the centre of mass of a subtree."""
    _saltus.jac_subtree_com(m._core, d._core, jacp, int(body))


def mj_jacGeom(m: MjModel, d: MjData, jacp: _Out, jacr: _Out, geom: int) -> None:
    """Jacobian of a geom's centre."""
    _saltus.jac_object(m._core, d._core, jacp, jacr, _GEOM, geom)


def mj_jacSite(m: MjModel, d: MjData, jacp: _Out, jacr: _Out, site: int) -> None:
    """Jacobian of a site."""
    _saltus.jac_object(m._core, d._core, jacp, jacr, _SITE, site)


def mj_jacPointAxis(
    m: MjModel, d: MjData, jacPoint: _Out, jacAxis: _Out, point: ArrayLike, axis: ArrayLike, body: int
) -> None:
    """Jacobian of a point and of an axis fixed in a body."""
    jacr = np.zeros((3, m.nv))
    mj_jac(m, d, jacPoint, jacr, point, body)
    if jacAxis is not None:
        jacAxis[...] = np.cross(jacr.T, np.asarray(axis, dtype=float).reshape(3)).T


def mj_jacDot(m: MjModel, d: MjData, jacp: _Out, jacr: _Out, point: ArrayLike, body: int) -> None:
    """Time derivatives of the Jacobians of a point at the present velocity."""
    _saltus.jac_dot(m._core, d._core, jacp, jacr, _vector(point), int(body))


def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: np.ndarray) -> None:
    """M qacc + bias, or the bias alone if `flg_acc` is 0."""
    _saltus.rne(m._core, d._core, bool(flg_acc), result)


def mj_integratePos(m: MjModel, qpos: np.ndarray, qvel: np.ndarray, dt: float) -> None:
    """Integrates qpos with the velocity over time dt, in place."""
    _saltus.integrate(m._core, qpos, _flat(qvel), dt)


def mj_differentiatePos(m: MjModel, qvel: np.ndarray, dt: float, qpos1: np.ndarray, qpos2: np.ndarray) -> None:
    """Velocity that moves qpos1 to qpos2 in time dt."""
    _saltus.difference(m._core, qvel, dt, _flat(qpos1), _flat(qpos2))


def mj_normalizeQuat(m: MjModel, qpos: np.ndarray) -> None:
    """Normalizes the quaternions in qpos."""
    _saltus.normalize(m._core, qpos)


def mj_applyFT(
    m: MjModel, d: MjData, force: ArrayLike, torque: ArrayLike, point: ArrayLike, body: int, qfrc_target: np.ndarray
) -> None:
    """Adds the generalized force of a force and torque at a world point of a body."""
    wrench = [_vector(force), _vector(torque), _vector(point)]
    _saltus.apply_ft(m._core, d._core, wrench, int(body), qfrc_target)


def mj_contactForce(m: MjModel, d: MjData, id: int, result: np.ndarray) -> None:
    """Force and torque of a contact in its frame, from geom 1 on geom 2."""
    d._core.check_model(m._core)
    result[...] = np.reshape(_saltus.contact_force(d._core, int(id)), result.shape)


def mj_mulJacVec(m: MjModel, d: MjData, res: np.ndarray, vec: np.ndarray) -> None:
    """res = J vec, J being the Jacobian of the constraint rows."""
    _saltus.mul_jac(m._core, d._core, res, _flat(vec))


def mj_mulJacTVec(m: MjModel, d: MjData, res: np.ndarray, vec: np.ndarray) -> None:
    """res = Jᵀ vec, J being the Jacobian of the constraint rows."""
    _saltus.mul_jac_transposed(m._core, d._core, res, _flat(vec))


def mj_constraintUpdate(m: MjModel, d: MjData, jar: np.ndarray, cost: _Out, flg_coneHessian: int) -> None:
    """Forces and states of the constraint rows and `qfrc_constraint` at jar = J qacc − aref; their cost into `cost`.
    Hessians of cones are not kept."""
    value = _saltus.constraint_update(m._core, d._core, _flat(jar))
    if cost is not None:
        cost[...] = value


def mj_isPyramidal(m: MjModel) -> int:
    """Whether friction cones are pyramids."""
    return int(m.opt.cone == 0)


def mj_isDual(m: MjModel) -> int:
    """Whether the solver is dual: PGS, or noslip iterations."""
    return int(m.opt.solver == 0 or m.opt.noslip_iterations > 0)


def mj_objectVelocity(m: MjModel, d: MjData, objtype: int, objid: int, res: np.ndarray, flg_local: int) -> None:
    """Velocity (rotation, translation) of an object, in world or local axes."""
    values = _saltus.object_velocity(m._core, d._core, int(objtype), int(objid), bool(flg_local))
    res[...] = np.reshape(values, res.shape)


def mj_objectAcceleration(m: MjModel, d: MjData, objtype: int, objid: int, res: np.ndarray, flg_local: int) -> None:
    """Acceleration (rotation, translation) of an object, in world or local axes. Needs `mj_rnePostConstraint`."""
    values = _saltus.object_acceleration(m._core, d._core, int(objtype), int(objid), bool(flg_local))
    res[...] = np.reshape(values, res.shape)


def mj_invPosition(m: MjModel, d: MjData) -> None:
    """Position stage of inverse dynamics: that of forward dynamics."""
    mj_fwdPosition(m, d)


def mj_invVelocity(m: MjModel, d: MjData) -> None:
    """Velocity stage of inverse dynamics: that of forward dynamics."""
    mj_fwdVelocity(m, d)


def mj_invConstraint(m: MjModel, d: MjData) -> None:
    """Constraint forces of the soft law that correspond to `qacc`."""
    jar = np.zeros(d.nefc)
    mj_mulJacVec(m, d, jar, d.qacc)
    mj_constraintUpdate(m, d, jar - d.efc_aref, None, 0)


def mj_projectConstraint(m: MjModel, d: MjData) -> None:
    """Nothing to do: `efc_AR` is computed on access."""
    d._core.check_model(m._core)


def mj_island(m: MjModel, d: MjData) -> None:
    """Nothing to do: islands are computed with the constraint forces."""
    d._core.check_model(m._core)


def mj_flex(m: MjModel, d: MjData) -> None:
    """Nothing to do: Saltus does not support deformables."""
    d._core.check_model(m._core)


def mj_resetCtrl(m: MjModel, d: MjData) -> None:
    """All controls to zero."""
    d._core.check_model(m._core)
    d.ctrl[:] = 0


def mj_defaultSolRefImp(solref: _Out, solimp: _Out) -> None:
    """Default solver parameters of constraints."""
    for target, values in ((solref, (0.02, 1.0)), (solimp, (0.9, 0.95, 0.001, 0.5, 2.0))):
        if target is not None:
            put(target, values)


def mj_defaultOption(opt: MjOption) -> None:
    """Default physics options."""
    opt._assign(MjOption())


def mj_defaultVisual(vis: MjVisual) -> None:
    """Default visual settings."""
    vis._assign(MjVisual())


def mju_threadpool(d: MjData, nthread: int) -> None:
    """Notes the wish for threads: Saltus steps one simulation on one thread. Many run on many: see `rollout`."""
    d._threads = int(nthread)


def mj_setConst(m: MjModel, d: MjData) -> None:
    """Recomputes the constants of the reference pose after a change of masses or of that pose."""
    d._core.check_model(m._core)
    _saltus.set_const(m._core)


def mj_getTotalmass(m: MjModel) -> float:
    """Sum of all body masses."""
    return float(m.body_mass.sum())


def mj_setTotalmass(m: MjModel, newmass: float) -> None:
    """Scales all masses and inertias to a given total mass."""
    scale = max(newmass, 1e-15) / max(mj_getTotalmass(m), 1e-15)
    m.body_mass[:] *= scale
    m.body_inertia[:] *= scale


def mj_name2id(m: MjModel, type: int, name: str | bytes) -> int:
    """Id of a named object, −1 if there is none."""
    index = m._core.find(int(type), name.decode() if isinstance(name, bytes) else name)
    return -1 if index is None else index


def mj_id2name(m: MjModel, type: int, id: int) -> str | None:
    """Name of an object, None if it has none."""
    return m._core.name_of(int(type), int(id)) or None


def mj_local2Global(
    d: MjData, xpos: _Out, xmat: _Out, pos: ArrayLike, quat: ArrayLike, body: int, sameframe: int
) -> None:
    """World pose of a frame given in a body."""
    rotation = d.xmat[body].reshape(3, 3)
    if xpos is not None:
        xpos[...] = (d.xpos[body] + rotation @ np.asarray(pos, dtype=float).reshape(3)).reshape(xpos.shape)
    if xmat is not None:
        w, x, y, z = np.asarray(quat, dtype=float).reshape(4)
        local = np.array(
            [
                [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
            ]
        )
        xmat[...] = (rotation @ local).reshape(xmat.shape)


__all__ = [name for name in globals() if name.startswith("mj_")] + ["mju_threadpool"]
