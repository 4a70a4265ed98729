"""`MjModel`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from saltus import _saltus
from saltus._model import Model
from saltus.mujoco.absent import ABSENT, absent
from saltus.mujoco.field import add_fields
from saltus.mujoco.large import large_table
from saltus.mujoco.named import ModelView, add_accessors, bind
from saltus.mujoco.names import NAME_FIELDS, name_table
from saltus.mujoco.option import MjOption, MjStatistic
from saltus.mujoco.patterns import PATTERNS, patterns
from saltus.mujoco.visual import MjVisual

# Flags that MuJoCo stores in addition to the numbers that they refer to.
_FLAGS = {"flg_gravcomp": "body_gravcomp", "flg_surfacevel": "geom_surfacevel", "flg_adhesion": "geom_adhesion"}
_TEXT_FIELDS = ("text_data", "text_adr", "text_size", "ntextdata")
_OTHER = ("opt", "names", "nnames", "dof_Madr", "ntupledata", "ngravcomp", *_TEXT_FIELDS, *_FLAGS)


class MjModel(Model):
    """A compiled model under MuJoCo's names. Array fields are writable where MuJoCo's are; the next
    call sees what was written to them."""

    opt: MjOption

    @classmethod
    def from_xml_path(cls, filename: str | os.PathLike[str], assets: Mapping[str, bytes] | None = None) -> MjModel:
        """Loads an MJCF, URDF or SDF file; files that it names come from `assets`, and those it does not have from disk."""
        if not assets:
            return cls.load(filename)
        _check_assets(assets)
        name = os.fsdecode(filename)
        if name in assets:
            text = assets[name].decode()
        else:
            with open(name, encoding="utf-8") as file:
                text = file.read()
        return cls(_saltus.ModelCore.from_xml(text, dict(assets), files=os.path.dirname(name)))

    @classmethod
    def from_xml_string(cls, xml: str | bytes, assets: Mapping[str, bytes] | None = None) -> MjModel:
        """Compiles MJCF, URDF or SDF text; files that it names come from `assets`, and those it does not have from the
        present folder."""
        _check_assets(assets or {})
        text = xml.decode() if isinstance(xml, bytes) else xml
        return cls(_saltus.ModelCore.from_xml(text, dict(assets or {}), files=""))

    @classmethod
    def from_binary_path(cls, filename: str | os.PathLike[str], assets: Mapping[str, bytes] | None = None) -> MjModel:
        """Loads a binary model that Saltus saved (MuJoCo's own MJB files are a different format)."""
        name = os.fsdecode(filename)
        if assets and name in assets:
            return cls.from_bytes(assets[name])
        with open(name, "rb") as file:
            return cls.from_bytes(file.read())

    @classmethod
    def from_model(cls, model: Model) -> MjModel:
        """An independent copy of another model."""
        return cls(model._core.copy())

    @property
    def _address(self) -> int:
        """A number that is unique among all existing models and data."""
        return id(self._core)

    @property
    def vis(self) -> MjVisual:
        """Settings for viewers; Saltus keeps them but draws nothing."""
        if "_visual" not in self.__dict__:
            self._visual = MjVisual._of(self._core)
        return self._visual

    @vis.setter
    def vis(self, value: MjVisual) -> None:
        self.vis._assign(value)

    @property
    def stat(self) -> MjStatistic:
        """Statistics at the reference pose."""
        return MjStatistic(self._core)

    @stat.setter
    def stat(self, value: MjStatistic) -> None:
        self.stat._assign(value)

    def bind(self, elements: Any) -> Any:
        """Views of elements of the `MjSpec` that the model was compiled from."""
        return bind(self, elements)

    def __copy__(self) -> MjModel:
        other = type(self)(self._core.copy())
        if "_visual" in self.__dict__:
            other.vis = self._visual
        return other

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"saltus.mujoco.MjModel does not support the field {name!r}")

    def _find(self, name: str) -> Any:
        """Looks up a field or size on first access. Arrays keep their identity, and sizes never
        change."""
        if name in NAME_FIELDS or name in ("_names", "nnames"):
            table, fields = name_table(self._core)
            self.__dict__.update(fields, _names=table, nnames=len(table))
            return self.__dict__[name]
        if name in _FLAGS:
            return bool(np.any(getattr(self, _FLAGS[name])))
        if name in _TEXT_FIELDS:
            self.__dict__.update(_texts(self))
            return self.__dict__[name]
        if name in PATTERNS:
            self.__dict__.update(patterns(self))
            return self.__dict__[name]
        if name == "dof_Madr":
            return np.concatenate([[0], np.cumsum(self.M_rownnz)[:-1]]).astype(np.int32)[: self.nv]
        if name == "ntupledata":
            return len(self.tuple_objid)
        known = absent(self, name)
        if known is not None:
            return known
        if name == "opt":
            return MjOption(self._core)
        if name.startswith("n") and not name.startswith("numeric_"):
            return self._core.size(name)
        return large_table(self._core, name) if self._core.is_large(name) else self._core.field(name)

    @property
    def names(self) -> bytes:  # type: ignore[override]
        """All names, each terminated by a zero; `name_bodyadr` etc. are the start addresses by
        kind."""
        if "_names" not in self.__dict__:
            self._find("_names")
        return bytes(self.__dict__["_names"])

    @property
    def ngravcomp(self) -> int:
        """Whether gravity compensation is used."""
        return int(self.flg_gravcomp)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "opt":
            self.opt._assign(value)
        elif name.startswith("_") or name in ("vis", "stat"):
            object.__setattr__(self, name, value)
        elif name in _FLAGS:
            # The engine uses the numbers themselves.
            self.__dict__[name] = bool(value)
        elif isinstance(array := getattr(self, name), np.ndarray):
            array[...] = value
        else:
            raise AttributeError(f"saltus.mujoco.MjModel.{name} cannot be set")

    @staticmethod
    def field_names() -> list[str]:
        """Names of the writable array fields."""
        return [name for name in _saltus.ModelCore.field_names() if "." not in name]


def _check_assets(assets: Mapping[str, bytes]) -> None:
    """Checks that file names are unique, since MuJoCo looks up assets by file name only."""
    seen: set[str] = set()
    for key in assets:
        name = os.path.basename(key)
        if name in seen:
            raise ValueError(f"Repeated file name in assets dict: {name}")
        seen.add(name)


def _texts(model: MjModel) -> dict[str, Any]:
    """Custom texts as one byte string, each terminated by a zero."""
    texts = [model._core.text(i).encode() + b"\0" for i in range(model.ntext)]
    sizes = np.array([len(text) for text in texts], dtype=np.int32)
    data = b"".join(texts)
    starts = np.concatenate([[0], np.cumsum(sizes)])[: len(texts)].astype(np.int32)
    return {"text_data": data, "text_adr": starts, "text_size": sizes, "ntextdata": len(data)}


add_fields(MjModel, MjModel.field_names())
add_fields(MjModel, _saltus.ModelCore.derived_names())
add_fields(MjModel, (*_OTHER, *NAME_FIELDS, *PATTERNS, *ABSENT))
add_accessors(
    MjModel,
    ModelView,
    "body joint geom site camera light mesh hfield texture material pair exclude equality tendon actuator sensor "
    "numeric tuple key text",
)
