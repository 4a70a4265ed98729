"""Access to one object's rows of the arrays: `model.body("torso").mass`, `data.joint("hip").qpos`."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from saltus._model import KINDS, Model
from saltus.mujoco.cache import kept

# Prefix of the model fields of each kind.
MODEL_FIELDS = {
    "body": "body_",
    "joint": "jnt_",
    "geom": "geom_",
    "site": "site_",
    "camera": "cam_",
    "light": "light_",
    "mesh": "mesh_",
    "hfield": "hfield_",
    "texture": "tex_",
    "material": "mat_",
    "pair": "pair_",
    "exclude": "exclude_",
    "equality": "eq_",
    "tendon": "tendon_",
    "actuator": "actuator_",
    "sensor": "sensor_",
    "numeric": "numeric_",
    "tuple": "tuple_",
    "key": "key_",
    "text": "text_",
}

# Data fields of each kind: attribute → field.
DATA_FIELDS: dict[str, dict[str, str]] = {
    "body": {
        name: name
        for name in (
            "cacc cfrc_ext cfrc_int cinert crb cvel subtree_angmom subtree_com subtree_linvel xfrc_applied ximat xipos "
            "xiquat xmat xpos xquat"
        ).split()
    },
    "geom": {name: f"geom_{name}" for name in ("xpos", "xmat", "xquat")},
    "site": {name: f"site_{name}" for name in ("xpos", "xmat", "xquat")},
    "camera": {name: f"cam_{name}" for name in ("xpos", "xmat")},
    "light": {name: f"light_{name}" for name in ("xpos", "xdir")},
    "tendon": {name: f"ten_{name}" for name in ("length", "velocity")},
    "actuator": {name: f"actuator_{name}" for name in ("force", "length", "velocity")},
}

# Data fields of joints by the kind of their index.
JOINT_DOF_FIELDS = (
    "cdof cdof_dot qLDiagInv qacc qacc_smooth qacc_warmstart qfrc_actuator qfrc_applied qfrc_bias qfrc_constraint "
    "qfrc_inverse qfrc_passive qfrc_smooth qvel"
).split()
JOINT_OWN_FIELDS = ("xanchor", "xaxis")
# Model fields that joints have through their dofs or coordinates.
JOINT_MODEL_DOF_FIELDS = frozenset(
    "armature bodyid damping dampingpoly frictionloss invweight0 jntid M0 parentid simplenum treeid".split()
)
JOINT_MODEL_Q_FIELDS = ("qpos0", "qpos_spring")

JOINT_NQ = (7, 4, 1, 1)
JOINT_NV = (6, 3, 1, 1)


def resolve(model: Model, kind: str, key: int | str) -> tuple[int, str]:
    """Id and name of an object, from either of them."""
    core, number = model._core, KINDS[kind]
    if isinstance(key, str):
        index = core.find(number, key) if key else None
        if index is None:
            raise KeyError(f"Invalid name {key!r}. Valid names: {sorted(filter(None, core.names(number)))}")
        return index, key
    index = int(key)
    name = core.name_of(number, index)
    if name is None:
        raise IndexError(f"Invalid index {index}. Valid indices from 0 to {core.count(number) - 1}")
    return index, name


class View:
    """One object's part of the arrays. Attributes are views; assignment writes through."""

    __slots__ = ("_owner", "_kind", "id", "name", "__weakref__")
    _PREFIX = ""

    def __init__(self, owner: Any, kind: str, index: int, name: str):
        _set_owner(self, owner)
        _set_kind(self, kind)
        _set_id(self, index)
        _set_name(self, name)

    def _rows(self, attribute: str) -> Any:
        raise NotImplementedError

    def _attributes(self) -> list[str]:
        raise NotImplementedError

    def __getattr__(self, attribute: str) -> Any:
        # The owner caches the arrays, so that they are identical at each access and without
        # reference cycles.
        arrays, key = kept(self._owner).arrays, (self._kind, self.id, attribute)
        found = arrays.get(key)
        if found is not None:
            return found
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        # Names that are Python keywords can be written with a leading underscore.
        array = self._rows(attribute.removeprefix("_"))
        if not array.flags.owndata:
            arrays[key] = array
        return array

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute in ("id", "name"):
            raise AttributeError(f"the {attribute} of an object cannot be set")
        getattr(self, attribute)[...] = value

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._attributes(), "id", "name"]

    def __repr__(self) -> str:
        kind = self._kind.capitalize()
        values = {"id": self.id, "name": self.name}
        values.update({attribute: getattr(self, attribute) for attribute in self._attributes()})
        lines = "".join(f"  {attribute}: {values[attribute]!r}\n" for attribute in sorted(values))
        return f"<_{self._PREFIX}{kind}Views\n{lines}>"


# Slots of views; other attributes write to arrays.
_set_owner, _set_kind = View._owner.__set__, View._kind.__set__  # type: ignore[attr-defined]
_set_id, _set_name = View.id.__set__, View.name.__set__  # type: ignore[attr-defined]


def _row(array: Any, index: int) -> Any:
    return array[index : index + 1] if array.ndim == 1 else array[index]


# Fields of which an object has a range instead of a row: field, and the fields with start and
# length.
_STRETCHES = {
    ("numeric", "data"): ("numeric_data", "numeric_adr", "numeric_size"),
    ("tendon", "J_colind"): ("ten_J_colind", "ten_J_rowadr", "ten_J_rownnz"),
    ("actuator", "ctrlrange"): ("actuator_ctrlrange", "actuator_ctrladr", "actuator_ctrlnum"),
}


class ModelView(View):
    """One object of a model."""

    __slots__ = ()
    _PREFIX = "MjModel"

    def _rows(self, attribute: str) -> Any:
        model, index = self._owner, self.id
        if self._kind == "joint":
            kind = int(model.jnt_type[index])
            if attribute in JOINT_MODEL_DOF_FIELDS:
                start = int(model.jnt_dofadr[index])
                return getattr(model, f"dof_{attribute}")[start : start + JOINT_NV[kind]]
            if attribute in JOINT_MODEL_Q_FIELDS:
                start = int(model.jnt_qposadr[index])
                return getattr(model, attribute)[start : start + JOINT_NQ[kind]]
        if stretch := _STRETCHES.get((self._kind, attribute)):
            array, start, size = (getattr(model, name) for name in stretch)
            rows = array[int(start[index]) : int(start[index]) + int(size[index])]
            return rows[0] if array.ndim > 1 and len(rows) == 1 else rows
        return _row(getattr(model, MODEL_FIELDS[self._kind] + attribute), index)

    def _attributes(self) -> list[str]:
        prefix = MODEL_FIELDS[self._kind]
        names = [name.removeprefix(prefix) for name in dir(self._owner) if name.startswith(prefix)]
        if self._kind == "joint":
            names += [*JOINT_MODEL_DOF_FIELDS, *JOINT_MODEL_Q_FIELDS]
        return sorted({*names})


class DataView(View):
    """One object's results in a data."""

    __slots__ = ()
    _PREFIX = "MjData"

    def _rows(self, attribute: str) -> Any:
        data, model, index = self._owner, self._owner.model, self.id
        if self._kind == "joint":
            kind = int(model.jnt_type[index])
            if attribute == "qpos":
                start = int(model.jnt_qposadr[index])
                return data.qpos[start : start + JOINT_NQ[kind]]
            if attribute in JOINT_DOF_FIELDS:
                start = int(model.jnt_dofadr[index])
                return getattr(data, attribute)[start : start + JOINT_NV[kind]]
            if attribute in JOINT_OWN_FIELDS:
                return getattr(data, attribute)[index]
        elif self._kind == "sensor" and attribute == "data":
            start = int(model.sensor_adr[index])
            return data.sensordata[start : start + int(model.sensor_dim[index])]
        elif self._kind == "actuator" and attribute == "ctrl":
            start = int(model.actuator_ctrladr[index])
            return data.ctrl[start : start + int(model.actuator_ctrlnum[index])]
        elif self._kind == "actuator" and attribute == "moment":
            return _dense_moment(data, model, index)
        known = DATA_FIELDS.get(self._kind, {}).get(attribute)
        if known is None:
            raise AttributeError(f"{self._kind} has no {attribute!r}")
        return _row(getattr(data, known), index)

    def _attributes(self) -> list[str]:
        own = {
            "joint": ["qpos", *JOINT_DOF_FIELDS, *JOINT_OWN_FIELDS],
            "sensor": ["data"],
            "actuator": ["ctrl", "moment"],
        }
        return [*own.get(self._kind, []), *DATA_FIELDS.get(self._kind, {})]


def _dense_moment(data: Any, model: Any, index: int) -> np.ndarray:
    """Moment arms of an actuator for all dofs (a copy)."""
    start, size = int(model.moment_rowadr[index]), int(model.moment_rownnz[index])
    dense = np.zeros(model.nv)
    dense[model.moment_colind[start : start + size]] = data.actuator_moment[start : start + size]
    dense.flags.writeable = False
    return dense


# Short names of kinds.
ALIASES = {
    "joint": ("jnt",),
    "camera": ("cam",),
    "texture": ("tex",),
    "material": ("mat",),
    "equality": ("eq",),
    "tendon": ("ten",),
    "key": ("keyframe",),
}


def add_accessors(cls: type, view: type[ModelView] | type[DataView], kinds: str) -> None:
    """Gives a class one method per kind (and short name) that looks up an object by name or id."""

    def accessor(kind: str) -> Any:
        def access(self: Any, key: int | str | None = None, *, name: str | None = None) -> View:
            key = name if name is not None else "" if key is None else key
            cache = kept(self)
            known = cache.ids.get((kind, key))
            if known is None:
                known = cache.ids[kind, key] = resolve(self if view is ModelView else self.model, kind, key)
            index, called = known
            reference = cache.views.get((kind, index))
            found: View | None = None if reference is None else reference()
            if found is None:
                found = view(self, kind, index, called)
                cache.views[kind, index] = weakref.ref(found)
            return found

        access.__name__ = kind
        access.__doc__ = f"The {kind} with this name or id."
        return access

    for kind in kinds.split():
        for name in (kind, *ALIASES.get(kind, ())):
            setattr(cls, name, accessor(kind))


class Bound:
    """Views of several elements: attributes of all of them, one after the other."""

    def __init__(self, views: list[Any]):
        self.__dict__["_views"] = views

    def __getattr__(self, name: str) -> list[Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return [number for view in self._views for number in np.atleast_1d(getattr(view, name))]

    def __setattr__(self, name: str, value: Any) -> None:
        values = list(value) if np.ndim(value) else []
        if len(values) != len(self._views):
            raise ValueError(f"{name} of {len(self._views)} elements needs as many values")
        for view, one in zip(self._views, values):
            setattr(view, name, one)


def bind(owner: Any, elements: Any) -> Any:
    """Views of elements of a spec in a model that was compiled from it, or in data of that
    model."""
    if isinstance(elements, (list, tuple)):
        return Bound([bind(owner, element) for element in elements])
    return getattr(owner, elements._element.kind)(elements.id)
