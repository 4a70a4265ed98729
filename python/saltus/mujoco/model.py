"""`MjModel` and its parts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from saltus import _saltus
from saltus._model import Model
from saltus.mujoco.named import ModelView, add_accessors
from saltus.mujoco.visual import MjVisual

_OPTION_ARRAYS = ("gravity", "wind", "magnetic", "o_solref", "o_solimp", "o_friction")
_OPTION_SCALARS = (
    "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance density viscosity "
    "o_margin integrator cone jacobian solver iterations ls_iterations noslip_iterations ccd_iterations "
    "disableflags enableflags disableactuator sdf_initpoints sdf_iterations"
).split()


class MjOption:
    """Physics options of a model; assignments change the model that the option belongs to."""

    __slots__ = ("_core",)

    def __init__(self, core: _saltus.ModelCore):
        object.__setattr__(self, "_core", core)

    def __getattr__(self, name: str) -> Any:
        if name in _OPTION_ARRAYS:
            return self._core.field(f"opt.{name}")
        if name in _OPTION_SCALARS:
            return self._core.option(name)
        raise AttributeError(f"MjOption has no {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OPTION_ARRAYS:
            self._core.field(f"opt.{name}")[...] = value
        elif name in _OPTION_SCALARS:
            self._core.set_option(name, value)
        else:
            raise AttributeError(f"MjOption has no {name!r}")

    def __dir__(self) -> list[str]:
        return [*_OPTION_SCALARS, *_OPTION_ARRAYS]

    def __repr__(self) -> str:
        lines = "".join(f"  {name}: {getattr(self, name)!r}\n" for name in sorted(dir(self)))
        return f"<MjOption\n{lines}>"


class MjStatistic:
    """Statistics of a model at its reference pose."""

    def __init__(self, core: _saltus.ModelCore):
        self.meaninertia, self.meanmass, self.meansize, self.extent, center = core.statistic()
        self.center = np.array(center)


class MjModel(Model):
    """A compiled model under MuJoCo's names. Array fields are writable where MuJoCo's are; the engine's model stays
    immutable and is copied when an array was changed."""

    @classmethod
    def from_xml_path(cls, filename: str | os.PathLike[str], assets: Mapping[str, bytes] | None = None) -> MjModel:
        """Loads an MJCF or URDF file."""
        if assets:
            with open(filename, encoding="utf-8") as file:
                return cls.from_xml(file.read(), assets)
        return cls.load(filename)

    @classmethod
    def from_xml_string(cls, xml: str, assets: Mapping[str, bytes] | None = None) -> MjModel:
        """Compiles MJCF text; files that it names come from `assets` only."""
        return cls.from_xml(xml, assets)

    @classmethod
    def from_binary_path(cls, filename: str | os.PathLike[str], assets: Mapping[str, bytes] | None = None) -> MjModel:
        """Loads a binary model that Saltus saved (MuJoCo's own MJB files are a different format)."""
        if assets and os.fspath(filename) in assets:
            return cls.from_bytes(assets[os.fspath(filename)])
        with open(filename, "rb") as file:
            return cls.from_bytes(file.read())

    @classmethod
    def from_model(cls, model: Model) -> MjModel:
        """A model of its own from another one, which stays as it is."""
        return cls(model._core.copy())

    @property
    def opt(self) -> MjOption:
        return MjOption(self._core)

    @opt.setter
    def opt(self, value: MjOption) -> None:
        for name in (*_OPTION_SCALARS, *_OPTION_ARRAYS):
            setattr(self.opt, name, getattr(value, name))

    @property
    def vis(self) -> MjVisual:
        """Settings for viewers; Saltus keeps them but draws nothing."""
        if "_visual" not in self.__dict__:
            self._visual = MjVisual(self._core)
        return self._visual

    @property
    def stat(self) -> MjStatistic:
        return MjStatistic(self._core)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            is_size = name.startswith("n") and not name.startswith("numeric_")
            value = self._core.size(name) if is_size else self._core.field(name)
        except AttributeError:
            raise AttributeError(f"saltus.mujoco.MjModel does not support the field {name!r}") from None
        # From now on plain lookup finds it. Arrays stay the same, and sizes never change.
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name == "opt":
            object.__setattr__(self, name, value)
            return
        array = getattr(self, name)
        if not isinstance(array, np.ndarray):
            raise AttributeError(f"saltus.mujoco.MjModel.{name} cannot be set")
        array[...] = value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(n for n in self.field_names() if "." not in n)})

    @staticmethod
    def field_names() -> list[str]:
        """Names of the writable array fields."""
        return _saltus.ModelCore.field_names()


add_accessors(
    MjModel,
    ModelView,
    "body joint geom site camera light mesh hfield texture material pair exclude equality tendon actuator sensor "
    "numeric tuple key",
)
