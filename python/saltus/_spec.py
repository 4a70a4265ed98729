"""Models that are built and edited by a program."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import ArrayLike

from saltus import _saltus
from saltus._element import BODY_LISTS, CLASS_KINDS, MODEL_LISTS, Body, Element, _plain
from saltus._model import Model

_Self = TypeVar("_Self", bound="Spec")

# Words of MJCF for actuators.
ACTUATOR_WORDS = "general motor position velocity intvelocity damper cylinder muscle adhesion pid".split()


def _words(value: Any) -> str:
    """A value as the text of an attribute of MJCF."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else " ".join(repr(float(x)) for x in np.atleast_1d(value))


class Spec:
    """An editable model.

    >>> spec = Spec("ball")
    >>> body = spec.world.add_body(name="ball", pos=[0, 0, 1])
    >>> joint, geom = body.add("joint", kind="Free"), body.add("geom", shape="Sphere", size=[0.1, 0, 0])
    >>> spec.compile().nv
    6
    >>> spec.find("body", "ball").pos[2] = 2.0
    >>> float(spec.compile().q0[2])
    2.0

    Angles are in radians, elements refer to each other by name, and default classes are already applied: see `ModelSpec` in Rust.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> list[Element]: ...

    def __init__(self, name: str = "saltus model"):
        self._take(_saltus.SpecCore.empty(name))

    @classmethod
    def load(
        cls: type[_Self], path: str | os.PathLike[str], *, floating_base: bool = False, motors: bool = False
    ) -> _Self:
        """Reads MJCF, URDF or SDF. `floating_base` and `motors` are those of `Model.load`."""
        return cls._of(_saltus.SpecCore.load(os.fsdecode(path), floating_base, motors))

    @classmethod
    def from_xml(
        cls: type[_Self], xml: str, assets: Mapping[str, bytes] | None = None, *, files: str | None = None
    ) -> _Self:
        """Reads MJCF, URDF or SDF text. Referenced files are taken from `assets` and then from the folder `files`."""
        return cls._of(_saltus.SpecCore.read(xml, dict(assets or {}), files))

    @classmethod
    def _of(cls: type[_Self], core: _saltus.SpecCore) -> _Self:
        spec = cls.__new__(cls)
        spec._take(core)
        return spec

    def _take(self, core: _saltus.SpecCore) -> None:
        """Creates the elements from a Rust spec."""
        tree = core.tree()
        raw_bodies = tree.pop("bodies")
        self.bodies: list[Body] = [Body(self, "body", self._body_values(raw)) for raw in raw_bodies]
        for body in self.bodies[1:]:
            body.values["parent"] = self.bodies[body.values["parent"]]
        for kind, where in MODEL_LISTS.items():
            setattr(self, where, [Element(self, kind, raw) for raw in tree.pop(where)])
        self.classes = [self._class(raw) for raw in tree.pop("defaults")["classes"]]
        self._rest = tree
        for name in ("options", "compiler", "size", "statistic"):
            self._rest[name] = Element(self, name, self._rest[name])

    def _body_values(self, values: dict[str, Any]) -> dict[str, Any]:
        inertial = values["inertial"]
        values["inertial"] = inertial and Element(self, "inertial", inertial)
        for kind, where in BODY_LISTS.items():
            values[where] = [Element(self, kind, item) for item in values[where]]
        return values

    def _class(self, values: dict[str, Any]) -> Element:
        for kind in CLASS_KINDS:
            values[kind] = Element(self, kind, values[kind])
        values["actuator"]["spec"] = Element(self, "actuator", values["actuator"]["spec"])
        return Element(self, "class", values)

    def _core(self) -> _saltus.SpecCore:
        """The spec as a Rust object."""
        tree = {key: _plain(value) for key, value in self._rest.items()}
        numbers = {id(body): i for i, body in enumerate(self.bodies)}
        tree["bodies"] = []
        for i, body in enumerate(self.bodies):
            parent = numbers[id(body.values["parent"])] if i else 0
            tree["bodies"].append(_plain({**body.values, "parent": parent}))
        for where in MODEL_LISTS.values():
            tree[where] = _plain(getattr(self, where))
        tree["defaults"] = {"classes": _plain(self.classes)}
        return _saltus.SpecCore.of(tree)

    def _new_body(self, parent: Body) -> Body:
        body = Body(self, "body", self._body_values(_saltus.new_element("body")))
        body.values["parent"] = parent
        self.bodies.append(body)
        return body

    def _new_element(self, kind: str, default: str | None = None) -> Element:
        prototype = self.default(default or "main").values
        if kind in CLASS_KINDS:
            return Element(self, kind, copy.deepcopy(prototype[kind].values))
        if kind == "actuator":
            return Element(self, kind, copy.deepcopy(prototype["actuator"]["spec"].values))
        return Element(self, kind, _saltus.new_element(kind))

    @property
    def world(self) -> Body:
        """The world body."""
        return self.bodies[0]

    @property
    def name(self) -> str:
        """Name of the model."""
        return str(self._rest["name"])

    @name.setter
    def name(self, value: str) -> None:
        self._rest["name"] = value

    @property
    def options(self) -> Element:
        """Physics options."""
        return self._rest["options"]  # type: ignore[no-any-return]

    @property
    def compiler(self) -> Element:
        """Settings of the compiler."""
        return self._rest["compiler"]  # type: ignore[no-any-return]

    def default(self, name: str = "main") -> Element:
        """A default class, whose attributes are prototypes of new elements."""
        for one in self.classes:
            if one.values["name"] == name:
                return one
        raise KeyError(f"no default class {name!r}; there are {[one.values['name'] for one in self.classes]}")

    def add_default(self, name: str, parent: str = "main") -> Element:
        """Adds a default class, which begins as a copy of its parent."""
        if any(one.values["name"] == name for one in self.classes):
            raise ValueError(f"there is a default class {name!r} already")
        above = self.default(parent)
        values = {key: value for key, value in above.values.items() if key not in (*CLASS_KINDS, "actuator")}
        for kind in CLASS_KINDS:
            values[kind] = Element(self, kind, copy.deepcopy(above.values[kind].values))
        actuator = above.values["actuator"]
        prototype = Element(self, "actuator", copy.deepcopy(actuator["spec"].values))
        values["actuator"] = {**actuator, "spec": prototype}
        values.update(name=name, parent=self.classes.index(above))
        self.classes.append(Element(self, "class", values))
        return self.classes[-1]

    def add(self, kind: str, /, default: str | None = None, **values: Any) -> Element:
        """Adds an element to the model: mesh, material, pair, exclude, equality, tendon, actuator, sensor, key, …

        Actuators can also be added by the words and attributes of MJCF: `spec.add("motor", joint="hip", gear=2)`,
        `spec.add("position", joint="hip", kp=50)`.
        """
        if kind in ACTUATOR_WORDS:
            return self._add_actuator(kind, default, values)
        if kind not in MODEL_LISTS:
            raise ValueError(f"a model has no {kind!r}; it has {', '.join(MODEL_LISTS)}")
        element = self._new_element(kind, default)
        element.update(values)
        getattr(self, MODEL_LISTS[kind]).append(element)
        return element

    def _add_actuator(self, word: str, default: str | None, values: dict[str, Any]) -> Element:
        """Adds an actuator by its word in MJCF."""
        if default is not None:
            raise ValueError(f"{word!r} takes no default class; add an 'actuator' with it")
        own = _saltus.new_element("actuator")
        # Both have these; MJCF's may be shorter, as in gear=2.
        both = ("name", "group", "gear", "user", "damping", "armature")
        written = {name: value for name, value in values.items() if name not in own or name in both}
        attributes = " ".join(f"{name}={quoteattr(_words(value))}" for name, value in written.items())
        read = Spec.from_xml(f"<mujoco><actuator><{word} {attributes}/></actuator></mujoco>").actuators[0]
        element = Element(self, "actuator", read.values)
        element.values["place"] = ""
        element.update({name: value for name, value in values.items() if name not in written})
        self.actuators.append(element)
        return element

    def elements(self, kind: str) -> Iterable[Element]:
        """All elements of a kind, in the order of their ids in the compiled model."""
        if kind == "body":
            return self._preorder()
        if kind in BODY_LISTS:
            return [element for body in self._preorder() for element in body.values[BODY_LISTS[kind]]]
        return list(getattr(self, MODEL_LISTS[kind]))

    def _preorder(self) -> list[Body]:
        order, stack = [], [self.world]
        while stack:
            body = stack.pop()
            order.append(body)
            stack += reversed(body.bodies)
        return order

    def find(self, kind: str, name: str) -> Any:
        """The element of a kind with this name; None if there is none."""
        return next((element for element in self.elements(kind) if element.values.get("name") == name), None)

    def delete(self, element: Element) -> None:
        """Removes an element. A body is removed with all its contents and every tendon, actuator, sensor, … that refers to them."""
        if isinstance(element, Body):
            if element is self.world:
                raise ValueError("the world cannot be removed")
            number = next(i for i, body in enumerate(self.bodies) if body is element)
            core, remaining = self._core().without(number)
            for where, numbers in remaining.items():
                items = getattr(self, where)
                items[:] = [items[i] for i in numbers]
            self._take_keys(self._of(core))
            return
        lists = [body.values[BODY_LISTS[element.kind]] for body in self.bodies] if element.kind in BODY_LISTS else []
        for items in lists or [getattr(self, MODEL_LISTS[element.kind])]:
            items[:] = [item for item in items if item is not element]

    def attach(
        self,
        child: Spec,
        body: Body | None = None,
        *,
        part: str | None = None,
        prefix: str = "",
        suffix: str = "",
        pos: ArrayLike = (0, 0, 0),
        quat: ArrayLike = (1, 0, 0, 0),
    ) -> None:
        """Copies another spec (or one of its bodies, given by name) into a body of this one, with its keyframes and all elements
        that refer to it. The prefix and the suffix are added to its names. Elements of this spec keep their identity. A warning
        names what refers to a copied element but is left out, since it refers to something else that does not exist here."""
        parent = next(i for i, one in enumerate(self.bodies) if one is (body or self.world))
        place = np.asarray(pos, dtype=float).tolist(), np.asarray(quat, dtype=float).tolist()
        whole = self._of(self._core().attached(child._core(), parent, part, *place, prefix, suffix))
        self._adopt(whole)

    def _adopt(self, whole: Spec) -> None:
        """Takes over the additional elements of another spec, which began as a copy of this one."""
        own = dict(zip(map(id, whole.bodies), self.bodies))
        for mine, theirs in zip(self.bodies, whole.bodies):
            for where in BODY_LISTS.values():
                mine.values[where] += theirs.values[where][len(mine.values[where]) :]
        for body in whole.bodies[len(self.bodies) :]:
            parent = body.values["parent"]
            body.values["parent"] = own.get(id(parent), parent)
            self.bodies.append(body)
        for where in MODEL_LISTS.values():
            getattr(self, where).extend(getattr(whole, where)[len(getattr(self, where)) :])
        self._take_keys(whole)
        self.classes += whole.classes[len(self.classes) :]
        known = len(self._rest["warnings"])
        self._rest["warnings"] = whole._rest["warnings"]
        for text in self._rest["warnings"][known:]:
            warnings.warn(text, stacklevel=2)
        for element in (*self.bodies, *self.classes):
            object.__setattr__(element, "spec", self)

    def _take_keys(self, changed: Spec) -> None:
        """Takes over the numbers of the keyframes of another spec, which has the same ones."""
        for mine, theirs in zip(self.keys, changed.keys):
            mine.values.update(theirs.values)

    def compile(self) -> Model:
        """Compiles the model. ValueError names the element and what was expected."""
        return Model(self._core().compile())

    def to_xml(self) -> str:
        """The spec as MJCF."""
        return self._core().to_xml()

    def copy(self: _Self) -> _Self:
        """An independent copy."""
        return self._of(self._core())

    __copy__ = copy
