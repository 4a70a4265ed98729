"""`MjData`."""

from __future__ import annotations

import numpy as np

from saltus import _saltus
from saltus._data import Data
from saltus.mujoco.contact import MjContactList
from saltus.mujoco.model import MjModel
from saltus.mujoco.named import DataView

# Sparse patterns that MuJoCo keeps in the data and Saltus in the model.
_PATTERNS = ("moment_rownnz", "moment_rowadr", "moment_colind")


class MjData(Data):
    """State, inputs and results under MuJoCo's names. Arrays are views of the engine's memory."""

    def __init__(self, model: MjModel):
        super().__init__(model)

    @property
    def ten_wrapadr(self) -> np.ndarray:
        return np.array([adr for adr, _ in self._core.tendon_points()], dtype=np.int32)

    @property
    def ten_wrapnum(self) -> np.ndarray:
        return np.array([num for _, num in self._core.tendon_points()], dtype=np.int32)

    @property
    def moment_rownnz(self) -> np.ndarray:
        return self._model._core.field("moment_rownnz")

    @property
    def moment_rowadr(self) -> np.ndarray:
        return self._model._core.field("moment_rowadr")

    @property
    def moment_colind(self) -> np.ndarray:
        return self._model._core.field("moment_colind")

    @property
    def contact(self) -> MjContactList:
        """Contacts of the last `mj_collision` (copies)."""
        return MjContactList(_saltus.contacts(self._core))

    @property
    def ncon(self) -> int:
        """Number of contacts."""
        return len(self.contact)

    def __getattr__(self, name: str):
        # Only reached for names that are neither properties nor set.
        raise AttributeError(f"saltus.mujoco.MjData does not support the field {name!r}")

    def __setattr__(self, name: str, value) -> None:
        if name.startswith("_") or hasattr(type(self), name):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"saltus.mujoco.MjData does not support the field {name!r}")

    def __getstate__(self) -> tuple:
        fields = {name: self._field(name).copy() for name in _saltus.DataCore.field_names()}
        return self._model, self.time, fields

    def __setstate__(self, state: tuple) -> None:
        model, time, fields = state
        Data.__init__(self, model)
        self.time = time
        for name, values in fields.items():
            self._field(name)[...] = values


def _field(name: str) -> property:
    def read(self: MjData) -> np.ndarray:
        return self._field(name)

    def write(self: MjData, value) -> None:
        self._field(name)[...] = value

    return property(read, write, doc=f"View of `{name}`.")


for _name in _saltus.DataCore.field_names():
    setattr(MjData, _name, _field(_name))


def _accessor(kind: str):
    def access(self: MjData, key: int | str = 0) -> DataView:
        return DataView(self, kind, key)

    access.__name__ = kind
    access.__doc__ = f"Results of the {kind} with this name or id."
    return access


for _kind, _aliases in {
    "body": (),
    "joint": ("jnt",),
    "geom": (),
    "site": (),
    "camera": ("cam",),
    "light": (),
    "tendon": ("ten",),
    "actuator": (),
    "sensor": (),
}.items():
    for _alias in (_kind, *_aliases):
        setattr(MjData, _alias, _accessor(_kind))
