"""Warnings: their texts and the user's handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from saltus.mujoco.enums import mjtWarning

if TYPE_CHECKING:
    from saltus.mujoco.data import MjData

_listener: Callable[[str], object] | None = None

_QUANTITIES = {
    mjtWarning.mjWARN_BADQPOS: "QPOS at DOF",
    mjtWarning.mjWARN_BADQVEL: "QVEL at DOF",
    mjtWarning.mjWARN_BADQACC: "QACC at DOF",
    mjtWarning.mjWARN_BADCTRL: "CTRL at ACTUATOR",
}


def mju_warningText(warning: int, info: int) -> str:
    """The text of a warning."""
    kind = mjtWarning(warning)
    if kind in _QUANTITIES:
        return f"a value that is not finite or too large in {_QUANTITIES[kind]} {info}: the simulation is unstable"
    return f"{kind.name.removeprefix('mjWARN_').lower()}: {info}"


def set_mju_user_warning(callback: Callable[[str], object] | None) -> None:
    """Sets the function that receives the text of each warning; None removes it."""
    global _listener
    if callback is not None and not callable(callback):
        raise TypeError("callback is not an Optional[Callable]")
    _listener = callback


def get_mju_user_warning() -> Callable[[str], object] | None:
    """The function that receives the text of each warning."""
    return _listener


def warn(data: MjData, warning: int, info: int) -> None:
    """Counts a warning and passes it to the handler."""
    data.warning[warning]._count(info)
    if _listener is not None:
        _listener(mju_warningText(warning, info))


__all__ = ["mju_warningText", "set_mju_user_warning", "get_mju_user_warning"]
