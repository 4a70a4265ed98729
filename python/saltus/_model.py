"""The compiled model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from saltus import _saltus

if TYPE_CHECKING:
    from saltus._data import Data

_Self = TypeVar("_Self", bound="Model")

# Numbers of named object kinds, as in MJCF's enumeration.
KINDS = {
    "body": 1,
    "joint": 3,
    "geom": 5,
    "site": 6,
    "camera": 7,
    "light": 8,
    "mesh": 10,
    "hfield": 12,
    "texture": 13,
    "material": 14,
    "pair": 15,
    "exclude": 16,
    "equality": 17,
    "tendon": 18,
    "actuator": 19,
    "sensor": 20,
    "numeric": 21,
    "text": 22,
    "tuple": 23,
    "key": 24,
}


class Model:
    """A compiled, immutable model. Create one with `load` or `from_xml`; create data for it with `data`."""

    __slots__ = ("_core", "__weakref__")
    _core: _saltus.ModelCore

    def __init__(self, core: _saltus.ModelCore):
        self._core = core

    @classmethod
    def load(
        cls: type[_Self], path: str | os.PathLike[str], *, floating_base: bool = False, motors: bool = False
    ) -> _Self:
        """Loads an MJCF (`.xml`), URDF (`.urdf`), SDF (`.sdf`) or binary (`.smb`) file.

        With `floating_base` the only body that is fixed to the world gets a free joint: robot files often do not define how the
        robot stands in the world. With `motors` each joint that no actuator drives gets a motor with the effort limit of the
        file. Warnings of the reader are in `warnings`.

        Raises ValueError with file, line, element and what was expected.
        """
        return cls(_saltus.ModelCore.load(os.fsdecode(path), floating_base, motors))

    @classmethod
    def from_xml(
        cls: type[_Self],
        xml: str,
        assets: Mapping[str, bytes] | None = None,
        *,
        floating_base: bool = False,
        motors: bool = False,
    ) -> _Self:
        """Compiles MJCF, URDF or SDF text. Referenced files are taken from `assets` (name → bytes), never from disk."""
        return cls(_saltus.ModelCore.from_xml(xml, dict(assets) if assets else None, floating_base, motors))

    @classmethod
    def from_bytes(cls: type[_Self], data: bytes) -> _Self:
        """Loads a binary model from memory."""
        return cls(_saltus.ModelCore.from_binary(data))

    def to_bytes(self) -> bytes:
        """The contents of a binary model file, with version and checksum."""
        return self._core.to_binary()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the binary model to a file, atomically."""
        path = os.fsdecode(path)
        temporary = f"{path}.{os.getpid()}.tmp"
        try:
            with open(temporary, "wb") as file:
                file.write(self.to_bytes())
            os.replace(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)

    def data(self) -> Data:
        """Creates data in the reference state of the model."""
        from saltus._data import Data

        return Data(self)

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def warnings(self) -> list[str]:
        """Warnings of the reader with places, e.g. about physically impossible inertias and omitted parts."""
        return self._core.warnings

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self._core.size("nq")

    @property
    def nv(self) -> int:
        """Number of degrees of freedom."""
        return self._core.size("nv")

    @property
    def nu(self) -> int:
        """Number of controls."""
        return self._core.size("nu")

    @property
    def na(self) -> int:
        """Number of activations."""
        return self._core.size("na")

    @property
    def nbody(self) -> int:
        """Number of bodies, including the world."""
        return self._core.size("nbody")

    def names(self, kind: str) -> list[str]:
        """Names of all objects of a kind ("body", "joint", "geom", …), in the order of their ids."""
        return self._core.names(_kind_number(kind))

    def id(self, kind: str, name: str) -> int:
        """Id of the object with this name."""
        index = self._core.find(_kind_number(kind), name)
        if index is None:
            raise KeyError(self._core.no_such(_kind_number(kind), name))
        return index

    @property
    def law(self) -> str:
        """The contact law: "soft", "invertible", "impulse", "lcp" or "compliant"."""
        return str(self._core.setting("law"))

    @property
    def settings(self) -> dict[str, float | str]:
        """All parameters of the contact laws by name (a copy; `with_law` changes them)."""
        return {name: self._core.setting(name) for name in self._core.setting_names()}

    def with_law(self: _Self, law: str | None = None, **settings: float | str) -> _Self:
        """A copy of the model with another contact law or changed parameters of the laws.

        >>> model = Model.from_xml("<mujoco/>")
        >>> hard = model.with_law("impulse", reach=0.02, impulse_softness=1e-6)

        Data of the one model can be stepped with the other. Raises ValueError for unknown names and values out of range.
        """
        core = self._core.copy()
        if law is not None:
            core.set_setting("law", law)
        for name, value in settings.items():
            core.set_setting(name, value)
        return type(self)(core)

    @property
    def q0(self) -> np.ndarray:
        """Coordinates in the reference configuration (a copy)."""
        return self._core.field("qpos0").copy()

    def difference(self, q1: np.ndarray, q2: np.ndarray, h: float = 1.0) -> np.ndarray:
        """The constant velocity that moves from `q1` to `q2` in time `h`."""
        v = np.zeros(self.nv)
        _saltus.difference(self._core, v, h, _flat(q1), _flat(q2))
        return v

    def integrate(self, q: np.ndarray, v: np.ndarray, h: float = 1.0) -> np.ndarray:
        """Integrates `q` with the constant velocity `v` over time `h`."""
        result = _flat(q).copy()
        _saltus.integrate(self._core, result, _flat(v), h)
        return result

    def __copy__(self: _Self) -> _Self:
        return type(self)(self._core.copy())

    def __deepcopy__(self: _Self, memo: dict[int, object]) -> _Self:
        return self.__copy__()

    def __getstate__(self) -> bytes:
        return self.to_bytes()

    def __setstate__(self, state: bytes) -> None:
        self._core = _saltus.ModelCore.from_binary(state)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: nq {self.nq}, nv {self.nv}, nu {self.nu}, {self.nbody} bodies>"


def _kind_number(kind: str) -> int:
    try:
        return KINDS[kind]
    except KeyError:
        raise ValueError(f"unknown kind {kind!r}; expected one of {', '.join(KINDS)}") from None


def _flat(x: np.ndarray) -> np.ndarray:
    """The contents of an array as contiguous numbers; shares its memory if possible."""
    return np.ascontiguousarray(x, dtype=np.float64)
