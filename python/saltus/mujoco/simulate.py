"""Steps, forward and inverse dynamics, resets."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from saltus import _saltus
from saltus.mujoco import callbacks as _callbacks
from saltus.mujoco.data import MjData
from saltus.mujoco.enums import mjMAXVAL, mjtDisableBit, mjtIntegrator, mjtWarning
from saltus.mujoco.errors import FatalError
from saltus.mujoco.log import warn
from saltus.mujoco.model import MjModel

_autoreset = False
# Indices in `MjData._times`.
_STEP, _FORWARD, _INVERSE = 0, 1, 2


def set_autoreset(on: bool) -> None:
    """Sets whether `mj_step` resets a diverged simulation and continues, as MuJoCo does by default,
    instead of raising `saltus.DivergenceError`. Off by default, and without effect if the model
    disables the flag `autoreset`."""
    global _autoreset
    _autoreset = bool(on)


def get_autoreset() -> bool:
    """Whether `mj_step` resets a diverged simulation instead of raising an error."""
    return _autoreset


def mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None:
    """Advances the simulation by one time step. Optionally, repeat nstep times.

    Raises `saltus.DivergenceError` if it diverges; see `set_autoreset`. Ctrl-C interrupts it
    between steps."""
    start = _callbacks.clock()
    autoreset = _autoreset and not m.opt.disableflags & mjtDisableBit.mjDSBL_AUTORESET
    for warning, info in _saltus.step(m._core, d._core, int(nstep), autoreset, _callbacks.user(m, d)):
        warn(d, warning, info)
    _count(d, _STEP, start, int(nstep))


def _count(d: MjData, timer: int, start: float, times: int = 1) -> None:
    """Adds the time since `start` to a timer."""
    record = d._times[timer]
    record["number"] += times
    record["duration"] += _callbacks.clock() - start


def mj_step1(m: MjModel, d: MjData) -> None:
    """First half of a step: everything that depends on the state, and the control callback. Set controls after it."""
    _saltus.half_step(m._core, d._core, 1, _callbacks.user(m, d))


def mj_step2(m: MjModel, d: MjData) -> None:
    """Second half of a step: forces, acceleration, integration (Euler in place of Runge–Kutta)."""
    _saltus.half_step(m._core, d._core, 2, _callbacks.user(m, d))


def mj_Euler(m: MjModel, d: MjData) -> None:
    """Advances the state from the present acceleration by semi-implicit Euler."""
    _saltus.advance(m._core, d._core, int(mjtIntegrator.mjINT_EULER), _callbacks.user(m, d))


def mj_implicit(m: MjModel, d: MjData) -> None:
    """Advances the state from the present acceleration by the model's implicit integrator."""
    if m.opt.integrator not in (mjtIntegrator.mjINT_IMPLICIT, mjtIntegrator.mjINT_IMPLICITFAST):
        raise FatalError("mj_implicit needs a model whose integrator is implicit or implicitfast")
    _saltus.advance(m._core, d._core, int(m.opt.integrator), _callbacks.user(m, d))


def mj_RungeKutta(m: MjModel, d: MjData, N: int) -> None:
    """Advances the state by fourth-order Runge–Kutta; the present acceleration is the first stage. N must be 4."""
    if N != 4:
        raise FatalError(f"mj_RungeKutta supports N = 4 only, not {N}")
    _saltus.advance(m._core, d._core, int(mjtIntegrator.mjINT_RK4), _callbacks.user(m, d))


def mj_forward(m: MjModel, d: MjData) -> None:
    """Forward dynamics: all results for the current state and inputs."""
    if not _callbacks.plain:
        mj_forwardSkip(m, d, 0, 0)
        return
    # Inlined, since the whole call takes only a few microseconds for small models.
    start = perf_counter()
    _saltus.forward(m._core, d._core)
    record = d._times[_FORWARD]
    record["number"] += 1
    record["duration"] += perf_counter() - start


def mj_forwardSkip(m: MjModel, d: MjData, skipstage: int, skipsensor: int) -> None:
    """Forward dynamics without the stages up to `skipstage`, and without sensors if `skipsensor` is set."""
    start = _callbacks.clock()
    _saltus.forward(m._core, d._core, int(skipstage), bool(skipsensor), _callbacks.user(m, d))
    _count(d, _FORWARD, start)


def mj_inverse(m: MjModel, d: MjData) -> None:
    """Inverse dynamics: `qfrc_inverse` that gives `qacc`, and the constraint forces."""
    mj_inverseSkip(m, d, 0, 0)


def mj_inverseSkip(m: MjModel, d: MjData, skipstage: int, skipsensor: int) -> None:
    """Inverse dynamics without the stages up to `skipstage`, and without sensors if `skipsensor` is set."""
    start = _callbacks.clock()
    _saltus.inverse(m._core, d._core, int(skipstage), bool(skipsensor), _callbacks.user(m, d))
    _count(d, _INVERSE, start)


def _check(m: MjModel, d: MjData, values: np.ndarray, warning: int) -> None:
    """Warns about a number that is not finite or too large, and resets the data unless the model
    forbids it."""
    d._core.check_model(m._core)
    bad = np.flatnonzero(~(np.abs(values) <= mjMAXVAL))
    if bad.size:
        if not m.opt.disableflags & mjtDisableBit.mjDSBL_AUTORESET:
            mj_resetData(m, d)
        warn(d, warning, int(bad[0]))


def mj_checkPos(m: MjModel, d: MjData) -> None:
    """Resets the data if a coordinate is not finite or too large, and counts a warning."""
    _check(m, d, d.qpos, mjtWarning.mjWARN_BADQPOS)


def mj_checkVel(m: MjModel, d: MjData) -> None:
    """Resets the data if a velocity is not finite or too large, and counts a warning."""
    _check(m, d, d.qvel, mjtWarning.mjWARN_BADQVEL)


def mj_checkAcc(m: MjModel, d: MjData) -> None:
    """Resets the data if an acceleration is not finite or too large, and counts a warning."""
    _check(m, d, d.qacc, mjtWarning.mjWARN_BADQACC)


def mj_compareFwdInv(m: MjModel, d: MjData) -> None:
    """Runs inverse dynamics on the result of forward dynamics; `solver_fwdinv` gets the norms of the differences of
    constraint forces and of applied forces. All other results stay those of forward dynamics."""
    _saltus.compare_inverse(m._core, d._core)


def mj_resetData(m: MjModel, d: MjData) -> None:
    """Resets to the reference state, with all results as in new data."""
    d._core.check_model(m._core)
    fresh = _saltus.DataCore(m._core)
    for name in _saltus.DataCore.field_names():
        getattr(d, name)[...] = fresh.field(name)
    d._core.copy_rest_from(m._core, fresh)
    d._clear_counters()


def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None:
    """Resets to a keyframe, or to the reference state if the id is out of range."""
    mj_resetData(m, d)
    if 0 <= key < m.nkey:
        d._core.reset_to_key(m._core, int(key))


def mj_resetDataDebug(m: MjModel, d: MjData, debug_value: int) -> None:
    """As `mj_resetData`, with all results filled with bytes of `debug_value`, to detect reads of
    unset values."""
    mj_resetData(m, d)
    for name in _saltus.DataCore.field_names():
        if name not in _STATE_FIELDS:
            getattr(d, name).view(np.uint8)[...] = int(debug_value) & 0xFF


_STATE_FIELDS = frozenset(
    "qpos qvel act qacc_warmstart mocap_pos mocap_quat eq_active userdata ctrl qfrc_applied xfrc_applied".split()
)


def mj_setKeyframe(m: MjModel, d: MjData, k: int) -> None:
    """Stores the current state and controls as keyframe `k` of the model."""
    d._core.check_model(m._core)
    if not 0 <= k < m.nkey:
        raise FatalError(f"mj_setKeyframe: index must be smaller than {m.nkey} (keyframes allocated in model)")
    m.key_time[k] = d.time
    for name in ("qpos", "qvel", "act", "ctrl"):
        getattr(m, f"key_{name}")[k] = getattr(d, name)
    m.key_mpos[k] = d.mocap_pos.reshape(-1)
    m.key_mquat[k] = d.mocap_quat.reshape(-1)


def mj_copyData(dest: MjData, m: MjModel, src: MjData) -> MjData:
    """Copies all of one data to another of the same model."""
    if dest is src:
        return dest
    for data in (dest, src):
        data._core.check_model(m._core)
    for name in _saltus.DataCore.field_names():
        getattr(dest, name)[...] = getattr(src, name)
    dest._core.copy_rest_from(m._core, src._core)
    dest._copy_counters(src)
    return dest


__all__ = [name for name in globals() if name.startswith("mj_")] + ["set_autoreset", "get_autoreset"]
