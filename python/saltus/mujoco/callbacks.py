"""User callbacks, global as in MuJoCo. A callback takes `(model, data)`; those of actuators also the actuator's id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from saltus import _saltus

_NAMES = ("control", "passive", "act_dyn", "act_gain", "act_bias", "sensor")
_USER_DYNAMICS, _USER_GAIN, _USER_BIAS = 7, 6, 5

callbacks: dict[str, Callable[..., Any] | None] = dict.fromkeys(_NAMES)


def _setter(name: str):
    def set_callback(callback: Callable[..., Any] | None) -> None:
        if callback is not None and not callable(callback):
            raise TypeError(f"the {name} callback must be callable or None")
        callbacks[name] = callback

    set_callback.__name__ = f"set_mjcb_{name}"
    set_callback.__doc__ = f"Sets the {name} callback; None removes it."
    return set_callback


def _getter(name: str):
    def get_callback() -> Callable[..., Any] | None:
        return callbacks[name]

    get_callback.__name__ = f"get_mjcb_{name}"
    get_callback.__doc__ = f"The {name} callback."
    return get_callback


for _name in _NAMES:
    globals()[f"set_mjcb_{_name}"] = _setter(_name)
    globals()[f"get_mjcb_{_name}"] = _getter(_name)


def any_set() -> bool:
    """Whether any callback is set."""
    return any(callback is not None for callback in callbacks.values())


def call(name: str, *args: Any) -> None:
    """Calls a callback if it is set."""
    callback = callbacks[name]
    if callback is not None:
        callback(*args)


def run_actuation(model, data) -> None:
    """Actuation, with user dynamics, gains and biases where callbacks give them."""
    rate, gain, bias = (np.zeros(model.nactuator), np.ones(model.nactuator), np.zeros(model.nactuator))
    for values, name, field, user in (
        (rate, "act_dyn", "actuator_dyntype", _USER_DYNAMICS),
        (gain, "act_gain", "actuator_gaintype", _USER_GAIN),
        (bias, "act_bias", "actuator_biastype", _USER_BIAS),
    ):
        callback = callbacks[name]
        if callback is not None:
            for i in np.flatnonzero(getattr(model, field) == user):
                values[i] = callback(model, data, int(i))
    _saltus.actuation(model._core, data._core, (rate, gain, bias))


__all__ = [f"{verb}_mjcb_{name}" for verb in ("set", "get") for name in _NAMES]
