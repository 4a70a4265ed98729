"""Access to one object's rows of the arrays: `model.body("torso").mass`, `data.joint("hip").qpos`."""

from __future__ import annotations

from typing import Any

from saltus._model import KINDS, Model

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

# Data fields of joints by what they are indexed with.
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
    """Id and name of an object given by either."""
    core, number = model._core, KINDS[kind]
    if isinstance(key, str):
        index = core.find(number, key)
        if index is None:
            raise KeyError(f"Invalid name {key!r}. Valid names: {sorted(n for n in model.names(kind) if n)}")
        return index, key
    index = int(key)
    name = core.name_of(number, index)
    if name is None:
        raise IndexError(f"Invalid index {index}. Valid indices from 0 to {core.count(number) - 1}")
    return index, name


class View:
    """One object's part of the arrays. Attributes are views; assignment writes through."""

    def __init__(self, owner: Any, model: Model, kind: str, key: int | str):
        index, name = resolve(model, kind, key)
        self.__dict__.update(_owner=owner, _kind=kind, id=index, name=name)

    def _rows(self, attribute: str) -> Any:
        raise NotImplementedError

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return self._rows(attribute)

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute in ("id", "name"):
            raise AttributeError(f"the {attribute} of an object cannot be set")
        self._rows(attribute)[...] = value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._kind} {self.name!r} (id {self.id})>"


def _row(array: Any, index: int) -> Any:
    return array[index : index + 1] if array.ndim == 1 else array[index]


class ModelView(View):
    """One object of a model."""

    def __init__(self, model: Any, kind: str, key: int | str):
        super().__init__(model, model, kind, key)

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
        if self._kind == "numeric" and attribute == "data":
            start = int(model.numeric_adr[index])
            return model.numeric_data[start : start + int(model.numeric_size[index])]
        return _row(getattr(model, MODEL_FIELDS[self._kind] + attribute), index)


class DataView(View):
    """One object's results in a data."""

    def __init__(self, data: Any, kind: str, key: int | str):
        super().__init__(data, data.model, kind, key)

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
        known = DATA_FIELDS.get(self._kind, {}).get(attribute)
        if known is None:
            raise AttributeError(f"{self._kind} has no {attribute!r}")
        return _row(getattr(data, known), index)


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
        def access(self: Any, key: int | str = 0) -> View:
            return view(self, kind, key)

        access.__name__ = kind
        access.__doc__ = f"The {kind} with this name or id."
        return access

    for kind in kinds.split():
        for name in (kind, *ALIASES.get(kind, ())):
            setattr(cls, name, accessor(kind))
