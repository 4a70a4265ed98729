"""Elements of an editable model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from saltus._spec import Spec

# Kinds of elements that belong to bodies, and those of the whole model: the lists that hold them.
BODY_LISTS = {"joint": "joints", "geom": "geoms", "site": "sites", "camera": "cameras", "light": "lights"}
MODEL_LISTS = {
    "mesh": "meshes",
    "hfield": "hfields",
    "texture": "textures",
    "material": "materials",
    "pair": "pairs",
    "exclude": "excludes",
    "equality": "equalities",
    "tendon": "tendons",
    "actuator": "actuators",
    "sensor": "sensors",
    "numeric": "numerics",
    "text": "texts",
    "tuple": "tuples",
    "key": "keys",
}
# Prototypes that default classes have.
CLASS_KINDS = "mesh material joint geom site camera light pair equality tendon".split()


def _plain(value: Any) -> Any:
    """Replaces elements by dictionaries, which Rust can read."""
    if isinstance(value, Element):
        return value._plain()
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


class Element:
    """An element of a spec. Its attributes are those of the Rust type (`GeomSpec`, `JointSpec`, …): numbers, words, and arrays that
    can be changed in place."""

    __slots__ = ("spec", "kind", "values")

    def __init__(self, spec: Spec, kind: str, values: dict[str, Any]):
        object.__setattr__(self, "spec", spec)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "values", values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.values:
            raise AttributeError(f"a {self.kind} has no {name!r}; it has {', '.join(self.values)}")
        return self.values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.values:
            raise AttributeError(f"a {self.kind} has no {name!r}; it has {', '.join(self.values)}")
        old = self.values[name]
        if isinstance(old, np.ndarray) and old.size and value is not None and np.size(value) == old.size:
            old[...] = np.reshape(value, old.shape)
        elif isinstance(value, (list, tuple)) and value and not isinstance(value[0], (str, list, tuple, dict)):
            self.values[name] = np.array(value)
        else:
            self.values[name] = value.item() if isinstance(value, np.generic) else value

    def update(self, values: Mapping[str, Any]) -> None:
        """Sets several attributes."""
        for name, value in values.items():
            setattr(self, name, value)

    def _plain(self) -> dict[str, Any]:
        return {name: _plain(value) for name, value in self.values.items()}

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self.values]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.values.get('name', '')!r}>"


class Body(Element):
    """A body of a spec, with its joints, geoms, sites, cameras and lights."""

    __slots__ = ()

    def add_body(self, **values: Any) -> Body:
        """Adds a body to this one."""
        body: Body = self.spec._new_body(self)
        body.update(values)
        return body

    def add(self, kind: str, /, default: str | None = None, **values: Any) -> Element:
        """Adds an element of a kind to this body, from the prototype of a default class."""
        if kind not in BODY_LISTS:
            raise ValueError(f"a body has no {kind!r}; it has {', '.join(BODY_LISTS)}")
        element: Element = self.spec._new_element(kind, default)
        element.update(values)
        self.values[BODY_LISTS[kind]].append(element)
        return element

    @property
    def bodies(self) -> list[Body]:
        """The child bodies."""
        return [body for body in self.spec.bodies if body.values["parent"] is self]
