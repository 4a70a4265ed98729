"""User callbacks, global as in MuJoCo. A callback takes `(model, data)`; those of actuators also the actuator's id."""

from __future__ import annotations

import numbers
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from saltus import _saltus
from saltus.mujoco.data import MjData
from saltus.mujoco.enums import mjtBias, mjtDataType, mjtDisableBit, mjtDyn, mjtGain, mjtSensor
from saltus.mujoco.model import MjModel

# The callbacks of the physics, in the order of the engine, and the clock of the timers.
_PHYSICS = ("control", "passive", "act_dyn", "act_gain", "act_bias", "sensor")
_NAMES = (*_PHYSICS, "time")

callbacks: dict[str, Callable[..., Any] | None] = dict.fromkeys(_NAMES)
_any_set = False


def _setter(name: str) -> Callable[[Callable[..., Any] | None], None]:
    def set_callback(callback: Callable[..., Any] | None) -> None:
        if callback is not None and not callable(callback):
            raise TypeError("callback is not an Optional[Callable]")
        callbacks[name] = callback
        _changed()

    set_callback.__name__ = f"set_mjcb_{name}"
    set_callback.__doc__ = f"Sets the {name} callback; None removes it."
    return set_callback


def _getter(name: str) -> Callable[[], Callable[..., Any] | None]:
    def get_callback() -> Callable[..., Any] | None:
        return callbacks[name]

    get_callback.__name__ = f"get_mjcb_{name}"
    get_callback.__doc__ = f"The {name} callback."
    return get_callback


for _name in _NAMES:
    globals()[f"set_mjcb_{_name}"] = _setter(_name)
    globals()[f"get_mjcb_{_name}"] = _getter(_name)


def _changed() -> None:
    """Caches which callbacks are set, so that calls without callbacks are fast."""
    global _any_set, clock, plain
    _any_set = any(callbacks[name] is not None for name in _PHYSICS)
    clock = time.perf_counter if callbacks["time"] is None else _asked
    plain = not _any_set and callbacks["time"] is None


def any_set() -> bool:
    """Whether any callback is set."""
    return _any_set


def user(model: MjModel, data: MjData) -> _saltus._User | None:
    """The callbacks as arguments for the engine; None if there are none."""
    return (model, data, tuple(callbacks[name] for name in _PHYSICS)) if _any_set else None


def _asked() -> float:
    """The time that the callback `time` returns."""
    asked = callbacks["time"]
    value = time.perf_counter() if asked is None else asked()
    if not isinstance(value, numbers.Real):
        raise TypeError("mjcb_time callback did not return a number")
    return float(value)


# The clock of the timers, s: the system's, or the callback `time`.
clock: Callable[[], float] = time.perf_counter
# Whether no callback is set.
plain = True


def mj_resetCallbacks() -> None:
    """Removes all callbacks."""
    callbacks.update(dict.fromkeys(_NAMES))
    _changed()


def run_passive(model: MjModel, data: MjData) -> None:
    """The passive-force callback, unless both springs and dampers are off."""
    callback = callbacks["passive"]
    if callback is None:
        return
    off = mjtDisableBit.mjDSBL_SPRING | mjtDisableBit.mjDSBL_DAMPER
    if model.opt.disableflags & off != off:
        callback(model, data)


def run_sensor(model: MjModel, data: MjData, stage: int) -> None:
    """Runs the sensor callback if there are user sensors of this stage, and then clips their
    values."""
    callback = callbacks["sensor"]
    if callback is None or model.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    of_stage = (model.sensor_type == mjtSensor.mjSENS_USER) & (model.sensor_needstage == stage)
    sensors = np.flatnonzero(of_stage)
    if not sensors.size:
        return
    callback(model, data, stage)
    for s in sensors:
        start, cutoff = model.sensor_adr[s], model.sensor_cutoff[s]
        values = data.sensordata[start : start + model.sensor_dim[s]]
        if cutoff > 0 and model.sensor_datatype[s] == mjtDataType.mjDATATYPE_REAL:
            np.clip(values, -cutoff, cutoff, out=values)
        elif cutoff > 0 and model.sensor_datatype[s] == mjtDataType.mjDATATYPE_POSITIVE:
            np.minimum(values, cutoff, out=values)


def run_actuation(model: MjModel, data: MjData) -> None:
    """Actuation, including user dynamics, gains and biases from callbacks."""
    n = model.nactuator
    rate, gain, bias = np.zeros(n), np.ones(n), np.zeros(n)
    if not model.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        dynamics = callbacks["act_dyn"], model.actuator_dyntype == mjtDyn.mjDYN_USER, rate
        gains = callbacks["act_gain"], model.actuator_gaintype == mjtGain.mjGAIN_USER, gain
        biases = callbacks["act_bias"], model.actuator_biastype == mjtBias.mjBIAS_USER, bias
        # Same order as MuJoCo: rates of all actuators, then gain and bias of each.
        for group in ((dynamics,), (gains, biases)):
            for i in range(n):
                for callback, is_user, values in group:
                    if callback is not None and is_user[i]:
                        values[i] = callback(model, data, i)
    _saltus.actuation(model._core, data._core, (rate, gain, bias))


__all__ = ["mj_resetCallbacks"]
__all__ += [f"{verb}_mjcb_{name}" for verb in ("set", "get") for name in _NAMES]
