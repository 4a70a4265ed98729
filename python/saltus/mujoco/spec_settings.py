"""Default classes, compiler settings and visual elements of `MjSpec`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from saltus._element import Element
from saltus.mujoco.spec_elements import MjsElement

if TYPE_CHECKING:
    from saltus.mujoco.spec import MjSpec


class MjsDefault:
    """A default class: its attributes are prototypes of new elements."""

    def __init__(self, spec: MjSpec, element: Element):
        self._spec, self._element = spec, element

    @property
    def name(self) -> str:
        """Name of the class."""
        return str(self._element.values["name"])

    def __getattr__(self, kind: str) -> MjsElement:
        values = self._element.values
        if kind.startswith("_") or kind not in values:
            raise AttributeError(f"saltus.mujoco: a default class has no {kind!r}")
        return self._spec._wrap(values["actuator"]["spec"] if kind == "actuator" else values[kind])


class MjsCompiler(MjsElement):
    """Settings of the compiler. `degree` says whether ranges and references of hinges and balls are given in degrees: those of
    files that were read are in radians."""

    __slots__ = ()

    @property
    def degree(self) -> bool:
        """Whether angles are degrees."""
        return bool(self._spec._degree)

    @degree.setter
    def degree(self, value: bool) -> None:
        self._spec._degree = bool(value)

    @property
    def eulerseq(self) -> str:
        """Axes of the three rotations of `euler`."""
        return str(self._spec._eulerseq)

    @eulerseq.setter
    def eulerseq(self, value: str) -> None:
        self._spec._eulerseq = "".join(value)


class MjsTexture(MjsElement):
    """A texture, which Saltus only stores. Its attributes have the words of MJCF."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "name":
            self._element.name = value
            return
        words = self._element.values["attributes"]
        kept = [pair for pair in words if pair[0] != name]
        self._element.values["attributes"] = [*kept, [name, _word(name, value)]]

    def __getattr__(self, name: str) -> Any:
        if name == "name":
            return self._element.values["name"]
        found = dict(self._element.values["attributes"]).get(name)
        if found is None:
            raise AttributeError(f"the texture has no {name!r}")
        return found


# Words of the enumerations of textures, by number.
_TEXTURE_WORDS = {
    "type": ("2d", "cube", "skybox"),
    "builtin": ("none", "gradient", "checker", "flat"),
    "mark": ("none", "edge", "cross", "random"),
}


def _word(name: str, value: Any) -> str:
    """An attribute as MJCF writes it."""
    if isinstance(value, str):
        return value
    if name in _TEXTURE_WORDS:
        return _TEXTURE_WORDS[name][int(value)]
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(f"{x:g}" for x in np.atleast_1d(value))


class MjsMaterial(MjsElement):
    """A material. Of the roles of `textures` Saltus keeps the colour."""

    __slots__ = ()

    @property
    def textures(self) -> list[str]:
        """Names of textures by their roles (a copy: assign the whole list)."""
        return ["", self._element.values["texture"] or "", *[""] * 8]

    @textures.setter
    def textures(self, value: list[str]) -> None:
        self._element.values["texture"] = next((name for name in value if name), None)
