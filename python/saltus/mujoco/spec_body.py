"""Bodies of `MjSpec`, with their frames and sites."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from saltus._element import BODY_LISTS, Body, Element
from saltus.mujoco.rotations import mju_mulQuat, mju_rotVecQuat
from saltus.mujoco.spec_elements import MjsElement


class MjsBody(MjsElement):
    """A body and its contents."""

    __slots__ = ()
    _element: Body

    @property
    def parent(self) -> MjsBody:
        """The parent body; the world is its own parent."""
        return cast(MjsBody, self._spec._wrap(self._element.values["parent"] or self._element))

    def _add(self, kind: str, default: Any, values: dict[str, Any]) -> Any:
        element = self._spec._wrap(self._element.add(kind, self._spec._class_name(default)))
        element._update(values)
        return element

    def add_body(self, default: Any = None, **values: Any) -> MjsBody:
        """A new body in this one."""
        body = self._spec._wrap(self._element.add_body())
        body._update(values)
        return cast(MjsBody, body)

    def add_joint(self, default: Any = None, **values: Any) -> MjsElement:
        """A new joint of this body."""
        return cast(MjsElement, self._add("joint", default, values))

    def add_freejoint(self, **values: Any) -> MjsElement:
        """A new free joint of this body."""
        joint = self._add("joint", None, {"type": 0, **values})
        # A free joint ignores default classes.
        joint._update({"stiffness": np.zeros(3), "damping": np.zeros(3), "armature": 0.0, "frictionloss": 0.0})
        return cast(MjsElement, joint)

    def add_geom(self, default: Any = None, **values: Any) -> MjsElement:
        """A new geom of this body."""
        return cast(MjsElement, self._add("geom", default, values))

    def add_site(self, default: Any = None, **values: Any) -> MjsElement:
        """A new site of this body."""
        return cast(MjsElement, self._add("site", default, values))

    def add_camera(self, default: Any = None, **values: Any) -> MjsElement:
        """A new camera of this body."""
        return cast(MjsElement, self._add("camera", default, values))

    def add_light(self, default: Any = None, **values: Any) -> MjsElement:
        """A new light of this body."""
        return cast(MjsElement, self._add("light", default, values))

    def add_frame(self, pos: ArrayLike = (0, 0, 0), quat: ArrayLike = (1, 0, 0, 0), name: str = "") -> MjsFrame:
        """A new frame in this body, to which another spec can be attached."""
        return MjsFrame(self, np.array(pos, dtype=float), np.array(quat, dtype=float), name)

    def _list(self, kind: str) -> list[Any]:
        return [self._spec._wrap(element) for element in self._element.values[kind]]

    @property
    def bodies(self) -> list[MjsBody]:
        """The bodies in this one."""
        return [self._spec._wrap(body) for body in self._element.bodies]

    @property
    def joints(self) -> list[MjsElement]:
        """The joints of this body."""
        return self._list("joints")

    @property
    def geoms(self) -> list[MjsElement]:
        """The geoms of this body."""
        return self._list("geoms")

    @property
    def sites(self) -> list[MjsElement]:
        """The sites of this body."""
        return self._list("sites")

    @property
    def cameras(self) -> list[MjsElement]:
        """The cameras of this body."""
        return self._list("cameras")

    @property
    def lights(self) -> list[MjsElement]:
        """The lights of this body."""
        return self._list("lights")

    def find_all(self, kind: str) -> list[Any]:
        """All elements of a kind ("body", "geom", …) in the subtree below this body, including the
        geoms, sites etc. of this body."""
        wanted, result = str(kind).lower(), []
        for body in (self, *self._below()):
            if wanted == "body" and body is not self:
                result.append(body)
            elif wanted != "body":
                result += body._list(BODY_LISTS[wanted])
        return result

    def _below(self) -> list[MjsBody]:
        return [body for child in self.bodies for body in (child, *child._below())]

    def first_body(self) -> MjsBody | None:
        """The first body in this one."""
        return next(iter(self.bodies), None)

    def next_body(self, child: MjsBody) -> MjsBody | None:
        """The body in this one after another."""
        rest = self.bodies[self.bodies.index(child) + 1 :]
        return rest[0] if rest else None

    @property
    def explicitinertial(self) -> bool:
        """Whether mass and inertia are specified instead of computed from geoms."""
        return self._element.values["inertial"] is not None

    @explicitinertial.setter
    def explicitinertial(self, value: bool) -> None:
        if value:
            self._inertial()
        else:
            self._element.values["inertial"] = None

    def _inertial(self) -> Element:
        if self._element.values["inertial"] is None:
            self._element.values["inertial"] = self._element.spec._new_element("inertial")
        return cast(Element, self._element.values["inertial"])

    def _read_inertial(self, name: str, nothing: Any) -> Any:
        inertial = self._element.values["inertial"]
        return nothing if inertial is None else inertial.values[name]

    mass = property(
        lambda self: self._read_inertial("mass", 0.0),
        lambda self, value: setattr(self._inertial(), "mass", float(value)),
        doc="Mass; given, it takes the place of what follows from geoms.",
    )
    inertia = property(
        lambda self: self._read_inertial("diag", np.zeros(3)),
        lambda self, value: setattr(self._inertial(), "diag", value),
        doc="Principal moments of inertia.",
    )
    ipos = property(
        lambda self: self._read_inertial("pos", np.array([np.nan, 0, 0])),
        lambda self, value: setattr(self._inertial(), "pos", value),
        doc="Centre of mass.",
    )
    iquat = property(
        lambda self: self._read_inertial("quat", np.array([1.0, 0, 0, 0])),
        lambda self, value: setattr(self._inertial(), "quat", value),
        doc="Principal axes of inertia.",
    )


class MjsFrame:
    """A frame in a body. Elements that are added to it are moved to the body immediately."""

    def __init__(self, body: MjsBody, pos: np.ndarray, quat: np.ndarray, name: str):
        self.parent, self.pos, self.quat, self.name = body, pos, quat, name

    def _place(self, element: Any) -> Any:
        """Moves an element from this frame to the body."""
        if element._element.kind in ("geom", "site") and element._element.values["from_to"] is not None:
            raise ValueError("fromto is not supported in frames; use pos, quat and size")
        here = np.zeros(3)
        mju_rotVecQuat(here, np.array(element.pos, dtype=float), self.quat)
        element.pos = self.pos + here
        for turned in ("quat", "axis", "dir"):
            if turned in element._attributes:
                value = np.array(getattr(element, turned), dtype=float)
                mju_mulQuat(value, self.quat, value.copy()) if turned == "quat" else mju_rotVecQuat(
                    value, value.copy(), self.quat
                )
                setattr(element, turned, value)
        return element

    def add_body(self, default: Any = None, **values: Any) -> MjsBody:
        """A new body here."""
        return cast(MjsBody, self._place(self.parent.add_body(default, **values)))

    def add_geom(self, default: Any = None, **values: Any) -> MjsElement:
        """A new geom here."""
        return cast(MjsElement, self._place(self.parent.add_geom(default, **values)))

    def add_joint(self, default: Any = None, **values: Any) -> MjsElement:
        """A new joint here."""
        return cast(MjsElement, self._place(self.parent.add_joint(default, **values)))

    def add_site(self, default: Any = None, **values: Any) -> MjsElement:
        """A new site here."""
        return cast(MjsElement, self._place(self.parent.add_site(default, **values)))

    def add_camera(self, default: Any = None, **values: Any) -> MjsElement:
        """A new camera here."""
        return cast(MjsElement, self._place(self.parent.add_camera(default, **values)))

    def attach_body(self, body: MjsBody, prefix: str = "", suffix: str = "") -> MjsBody:
        """Copies a body of another spec with all that is in it and all that refers to it."""
        spec = self.parent._spec
        spec._attach(body._spec, self.parent, body.name, self.pos, self.quat, prefix, suffix)
        return cast(MjsBody, spec._find("body", f"{prefix}{body.name}{suffix}"))


class MjsSite(MjsElement):
    """A site, to which bodies of other specs can be attached."""

    __slots__ = ()

    def attach_body(self, body: MjsBody, prefix: str = "", suffix: str = "") -> MjsBody:
        """Copies a body of another spec with all that is in it and all that refers to it."""
        return MjsFrame(self.parent, self.pos.copy(), self.quat.copy(), "").attach_body(body, prefix, suffix)
