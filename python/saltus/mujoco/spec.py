"""`MjSpec`: building and editing models in code, under MuJoCo's names."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, cast
from xml.sax.saxutils import quoteattr

import numpy as np

from saltus._element import BODY_LISTS, MODEL_LISTS, Element
from saltus._spec import Spec
from saltus.mujoco.data import MjData
from saltus.mujoco.model import MjModel
from saltus.mujoco.spec_body import MjsBody, MjsFrame, MjsSite
from saltus.mujoco.spec_elements import MjsActuator, MjsElement, MjsEquality, MjsSensor, MjsTendon
from saltus.mujoco.spec_settings import MjsCompiler, MjsDefault, MjsMaterial, MjsTexture
from saltus.mujoco.visual import MjVisual

# Lists and finders of a spec, by the kind of element.
_LISTS = {"body": "bodies", **BODY_LISTS, **MODEL_LISTS}


# Wrapper classes of elements with their own functions.
_CLASSES = {
    "body": MjsBody,
    "site": MjsSite,
    "sensor": MjsSensor,
    "actuator": MjsActuator,
    "tendon": MjsTendon,
    "equality": MjsEquality,
    "texture": MjsTexture,
    "material": MjsMaterial,
}


class MjSpec:
    """An editable model.

    >>> from saltus import mujoco
    >>> spec = mujoco.MjSpec()
    >>> body = spec.worldbody.add_body(name="arm", pos=[0, 0, 1])
    >>> joint = body.add_joint(name="hinge", axis=[0, 1, 0], range=[-90, 90])
    >>> geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[0.05, 0.2, 0])
    >>> model = spec.compile()
    >>> model.nv, float(model.jnt_range[0, 1].round(4))
    (1, 1.5708)
    """

    def __init__(self) -> None:
        self._native = Spec("MuJoCo Model")
        self._degree = True
        self._eulerseq = "xyz"
        self.visual = MjVisual()
        self._wrapped: dict[int, MjsElement] = {}
        # Elements in the order of the most recently compiled model.
        self._order: dict[str, list[Element]] = {}
        # Mesh files that were added, and the folder of the others.
        self.assets: dict[str, bytes] = {}
        self.meshdir = ""

    @classmethod
    def _of(cls, native: Spec, degree: bool = False) -> MjSpec:
        spec = cls()
        spec._native, spec._degree = native, degree
        return spec

    @classmethod
    def from_string(
        cls, xml: str, include: Mapping[str, bytes] | None = None, assets: Mapping[str, bytes] | None = None
    ) -> MjSpec:
        """Reads MJCF, URDF or SDF text; files that it names come from `include` and `assets`, then from the present folder."""
        return cls._of(Spec.from_xml(xml, {**(include or {}), **(assets or {})}, files=""))

    @classmethod
    def from_file(
        cls,
        filename: str | os.PathLike[str],
        include: Mapping[str, bytes] | None = None,
        assets: Mapping[str, bytes] | None = None,
    ) -> MjSpec:
        """Reads an MJCF, URDF or SDF file."""
        given = {**(include or {}), **(assets or {})}
        if not given:
            return cls._of(Spec.load(filename))
        name = os.fsdecode(filename)
        with open(name, encoding="utf-8") as file:
            return cls._of(Spec.from_xml(file.read(), given, files=os.path.dirname(name)))

    def _wrap(self, element: Element) -> MjsElement:
        """The unique wrapper of an element."""
        known = self._wrapped.get(id(element))
        if known is None:
            known = _CLASSES.get(element.kind, MjsElement)(self, element)
            self._wrapped[id(element)] = known
        return known

    @property
    def worldbody(self) -> MjsBody:
        """The world."""
        return cast(MjsBody, self._wrap(self._native.world))

    @property
    def modelname(self) -> str:
        """Name of the model."""
        return self._native.name

    @modelname.setter
    def modelname(self, value: str) -> None:
        self._native.name = value

    @property
    def option(self) -> MjsElement:
        """Physics options."""
        return self._wrap(self._native.options)

    @property
    def compiler(self) -> MjsCompiler:
        """Settings of the compiler."""
        return MjsCompiler(self, self._native.compiler)

    @property
    def stat(self) -> MjsElement:
        """Statistics that override the computed ones."""
        return self._wrap(self._native._rest["statistic"])

    @property
    def default(self) -> MjsDefault:
        """The main default class."""
        return MjsDefault(self, self._native.default())

    def find_default(self, name: str) -> MjsDefault | None:
        """The default class with this name; None if there is none."""
        found = next((one for one in self._native.classes if one.values["name"] == name), None)
        return None if found is None else MjsDefault(self, found)

    def add_default(self, name: str, parent: MjsDefault | None = None) -> MjsDefault:
        """A new default class, initially a copy of its parent."""
        return MjsDefault(self, self._native.add_default(name, parent.name if parent else "main"))

    def _class_name(self, default: MjsDefault | str | None) -> str | None:
        return default.name if isinstance(default, MjsDefault) else default

    def _add(self, kind: str, default: Any, values: dict[str, Any]) -> Any:
        element = self._wrap(self._native.add(kind, self._class_name(default)))
        element._update(values)
        return element

    def add_actuator(self, default: Any = None, **values: Any) -> MjsActuator:
        """A new actuator."""
        return cast(MjsActuator, self._add("actuator", default, values))

    def add_sensor(self, **values: Any) -> MjsSensor:
        """A new sensor."""
        return cast(MjsSensor, self._add("sensor", None, values))

    def add_tendon(self, default: Any = None, **values: Any) -> MjsTendon:
        """A new tendon; its path is added with the `wrap_…` functions."""
        return cast(MjsTendon, self._add("tendon", default, values))

    def add_equality(self, default: Any = None, **values: Any) -> MjsEquality:
        """A new equality constraint; its function `set` selects the kind and the objects."""
        return cast(MjsEquality, self._add("equality", default, values))

    def add_exclude(self, **values: Any) -> MjsElement:
        """A pair of bodies that do not collide."""
        return cast(MjsElement, self._add("exclude", None, values))

    def add_pair(self, default: Any = None, **values: Any) -> MjsElement:
        """A pair of geoms that collide."""
        return cast(MjsElement, self._add("pair", default, values))

    def add_material(self, default: Any = None, **values: Any) -> MjsElement:
        """A new material."""
        return cast(MjsElement, self._add("material", default, values))

    def add_texture(self, **values: Any) -> MjsElement:
        """A new texture; Saltus only stores it."""
        return cast(MjsElement, self._add("texture", None, values))

    def add_hfield(self, **values: Any) -> MjsElement:
        """A new height field: `size`, `nrow`, `ncol`, and elevations in `userdata`."""
        return cast(MjsElement, self._add("hfield", None, values))

    def add_key(self, **values: Any) -> MjsElement:
        """A new keyframe."""
        return cast(MjsElement, self._add("key", None, values))

    def add_numeric(self, **values: Any) -> MjsElement:
        """New custom numbers."""
        return cast(MjsElement, self._add("numeric", None, values))

    def add_text(self, **values: Any) -> MjsElement:
        """A new custom text."""
        return cast(MjsElement, self._add("text", None, values))

    def add_mesh(self, default: Any = None, uservert: Any = None, userface: Any = None, **values: Any) -> MjsElement:
        """A new mesh of vertices and, if they are given, faces; or of a file, which is read when the spec is compiled."""
        mesh = self._add("mesh", default, values)
        if uservert is None:
            return cast(MjsElement, mesh)
        data = {"vertices": np.reshape(uservert, (-1, 3)).tolist()}
        data["faces"] = [] if userface is None else np.reshape(userface, (-1, 3)).astype(int).tolist()
        mesh._element.values["data"] = data
        return cast(MjsElement, mesh)

    def _find(self, kind: str, name: str) -> Any:
        element = self._native.find(kind, name)
        return None if element is None else self._wrap(element)

    def delete(self, element: MjsElement) -> None:
        """Removes an element; a body is removed with all its contents."""
        self._native.delete(element._element)
        self._wrapped.pop(id(element._element), None)

    def attach(
        self, child: MjSpec, prefix: str = "", suffix: str = "", site: Any = None, frame: MjsFrame | None = None
    ) -> MjsFrame:
        """Copies another spec to a site or a frame of this one. Names get the prefix and the suffix."""
        if frame is None:
            place = self._find("site", site) if isinstance(site, str) else site
            if place is None:
                raise ValueError("attach requires a site or a frame")
            frame = MjsFrame(place.parent, place.pos.copy(), place.quat.copy(), "")
        self._attach(child, frame.parent, None, frame.pos, frame.quat, prefix, suffix)
        return frame

    def _attach(
        self,
        child: MjSpec,
        body: MjsBody,
        part: str | None,
        pos: np.ndarray,
        quat: np.ndarray,
        prefix: str,
        suffix: str,
    ) -> None:
        native = _scaled(child._native, _unit(child) / _unit(self))
        self._native.attach(native, body._element, part=part, prefix=prefix, suffix=suffix, pos=pos, quat=quat)

    def _prepare(self) -> None:
        """Collects mesh files and visual settings for the compiler."""
        self._read_meshes()
        texts = self._native._rest["visual"]
        for section in self.visual._names():
            record = getattr(self.visual, section)
            for name, default in record._DEFAULTS.items():
                value = getattr(record, name)
                if not np.array_equal(value, default):
                    words = " ".join(f"{x:g}" for x in np.atleast_1d(value))
                    texts.setdefault(section.rstrip("_"), {})[name] = words

    def _read_meshes(self) -> None:
        """Reads the files of meshes that have no vertices yet."""
        for mesh in self._native.meshes:
            if mesh.values["file"] and not len(mesh.values["data"]["vertices"]):
                text = f'<mujoco><asset><mesh name="mesh" file={quoteattr(mesh.values["file"])}/></asset></mujoco>'
                found = Spec.from_xml(text, self.assets, files=self.meshdir)
                mesh.values["data"] = found.meshes[0].values["data"]
                mesh.values["name"] = mesh.values["name"] or os.path.splitext(os.path.basename(mesh.values["file"]))[0]

    def compile(self) -> MjModel:
        """Compiles the model. Raises ValueError that names the element and the expected value."""
        self._prepare()
        self._order = {kind: list(self._native.elements(kind)) for kind in ("joint", "actuator")}
        return MjModel(_scaled(self._native, _unit(self))._core().compile())

    def recompile(self, model: MjModel, data: MjData) -> tuple[MjModel, MjData]:
        """A new model and data for it, in the state of the old one as far as joints and actuators are still there. The old model
        is the one that was compiled last."""
        before = self._order
        new = self.compile()
        state = MjData(new)
        state.time = data.time
        for kind, fields in (("joint", ("qpos", "qvel")), ("actuator", ("ctrl",))):
            old = {id(element): index for index, element in enumerate(before.get(kind, []))}
            for index, element in enumerate(self._order[kind]):
                if id(element) not in old:
                    continue
                mine, theirs = getattr(state, kind)(index), getattr(data, kind)(old[id(element)])
                for field in fields:
                    if getattr(mine, field).shape == getattr(theirs, field).shape:
                        setattr(mine, field, getattr(theirs, field))
        return new, state

    def to_xml(self) -> str:
        """The spec as MJCF."""
        self._prepare()
        return _scaled(self._native, _unit(self)).to_xml()

    def to_file(self, filename: str | os.PathLike[str]) -> None:
        """Writes the spec as MJCF."""
        with open(os.fsdecode(filename), "w", encoding="utf-8") as file:
            file.write(self.to_xml())

    def copy(self) -> MjSpec:
        """An independent copy."""
        other = self._of(self._native.copy(), self._degree)
        other.assets, other.meshdir = dict(self.assets), self.meshdir
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> MjSpec:
        return self.copy()


def _unit(spec: MjSpec) -> float:
    """The unit of angles, radians."""
    return math.pi / 180 if spec._degree else 1.0


def _scaled(native: Spec, unit: float) -> Spec:
    """The spec with joint angles converted to another unit."""
    if unit == 1.0:
        return native
    scaled = native.copy()
    for joint in scaled.elements("joint"):
        if joint.values["kind"] in ("Hinge", "Ball"):
            joint.values["range"] = joint.values["range"] * unit
            if joint.values["kind"] == "Hinge":
                joint.values["reference"] *= unit
                joint.values["spring_reference"] *= unit
    return scaled


def _list(kind: str) -> property:
    return property(
        lambda self: [self._wrap(element) for element in self._native.elements(kind)],
        doc=f"All elements of the kind {kind}, in the order of the compiled model.",
    )


def _finder(kind: str) -> Any:
    def find(self: MjSpec, name: str) -> Any:
        return self._find(kind, name)

    find.__name__ = kind
    find.__doc__ = f"The {kind} with this name; None if there is none."
    return find


for _kind, _where in _LISTS.items():
    setattr(MjSpec, _where, _list(_kind))
    setattr(MjSpec, _kind, _finder(_kind))

__all__ = ["MjSpec"]
