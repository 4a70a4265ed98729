"""Options and statistics of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from saltus import _saltus
from saltus.mujoco.struct import Struct

_OPTION_ARRAYS = ("gravity", "wind", "magnetic", "o_solref", "o_solimp", "o_friction")
_OPTION_SCALARS = (
    "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance density viscosity "
    "o_margin integrator cone jacobian solver iterations ls_iterations noslip_iterations ccd_iterations "
    "disableflags enableflags disableactuator sdf_initpoints sdf_iterations"
).split()
_OPTION_NAMES = frozenset((*_OPTION_SCALARS, *_OPTION_ARRAYS))


def _new_core() -> _saltus.ModelCore:
    """Storage for options that do not belong to a model."""
    return _saltus.ModelCore.from_xml("<mujoco/>")


class MjOption(Struct):
    """Physics options of a model; assignments change the model that the option belongs to. `MjOption()` belongs to none."""

    __slots__ = ("_core",)

    def __init__(self, core: _saltus.ModelCore | None = None):
        object.__setattr__(self, "_core", core or _new_core())

    def _names(self) -> list[str]:
        return [*_OPTION_SCALARS, *_OPTION_ARRAYS]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _OPTION_NAMES:
            raise AttributeError(f"MjOption has no {name!r}")
        object.__setattr__(self, name, value)

    def __copy__(self) -> MjOption:
        other = MjOption()
        other._assign(self)
        return other

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._names()]


def _array(name: str) -> property:
    """An option with several numbers, as a view."""
    field = f"opt.{name}"

    def write(option: MjOption, value: Any) -> None:
        option._core.field(field)[...] = value

    return property(lambda option: option._core.field(field), write)


def _scalar(name: str) -> property:
    """An option with one number."""

    def write(option: MjOption, value: Any) -> None:
        option._core.set_option(name, value)

    return property(lambda option: option._core.option(name), write)


for _name in _OPTION_ARRAYS:
    setattr(MjOption, _name, _array(_name))
for _name in _OPTION_SCALARS:
    setattr(MjOption, _name, _scalar(_name))


class MjStatistic(Struct):
    """Statistics of a model at its reference pose; assignments change the model. `MjStatistic()` belongs to none."""

    __slots__ = ("_core",)
    _SCALARS = ("meaninertia", "meanmass", "meansize", "extent")

    def __init__(self, core: _saltus.ModelCore | None = None):
        object.__setattr__(self, "_core", core or _new_core())

    def _names(self) -> list[str]:
        return [*self._SCALARS, "center"]

    def __getattr__(self, name: str) -> Any:
        if name == "center":
            return self._core.field("stat.center")
        if name in MjStatistic._SCALARS:
            return self._core.statistic(name)
        raise AttributeError(f"MjStatistic has no {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "center":
            self._core.field("stat.center")[...] = value
        elif name in MjStatistic._SCALARS:
            self._core.set_statistic(name, float(value))
        else:
            raise AttributeError(f"MjStatistic has no {name!r}")

    def __copy__(self) -> MjStatistic:
        other = MjStatistic()
        other._assign(self)
        return other

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._names()]
