"""`MjData`."""

from __future__ import annotations

from typing import Any

import numpy as np

from saltus import _saltus
from saltus._data import Data
from saltus.mujoco.contact import MjContactList
from saltus.mujoco.model import MjModel
from saltus.mujoco.named import DataView, add_accessors
from saltus.mujoco.warning import MjWarningStatList


class MjData(Data):
    """State, inputs and results under MuJoCo's names. Arrays are views of the engine's memory."""

    _model: MjModel

    def __init__(self, model: MjModel):
        if not isinstance(model, MjModel):
            raise TypeError(f"MjData is made for an MjModel, not for {type(model).__name__}")
        super().__init__(model)

    @property
    def model(self) -> MjModel:
        return self._model

    @property
    def ten_wrapadr(self) -> np.ndarray:
        return np.array([adr for adr, _ in self._core.tendon_points()], dtype=np.int32)

    @property
    def ten_wrapnum(self) -> np.ndarray:
        return np.array([num for _, num in self._core.tendon_points()], dtype=np.int32)

    # Sparse patterns that MuJoCo keeps in the data and Saltus in the model.
    @property
    def moment_rownnz(self) -> Any:
        return self.model.moment_rownnz

    @property
    def moment_rowadr(self) -> Any:
        return self.model.moment_rowadr

    @property
    def moment_colind(self) -> Any:
        return self.model.moment_colind

    @property
    def contact(self) -> MjContactList:
        """Contacts of the last `mj_collision` (copies)."""
        return MjContactList(_saltus.contacts(self._core))

    @property
    def ncon(self) -> int:
        """Number of contacts."""
        return len(self.contact)

    @property
    def ne(self) -> int:
        """Number of rows of equality constraints."""
        return _saltus.constraint_sizes(self._core)[0]

    @property
    def nf(self) -> int:
        """Number of rows of dry friction."""
        return _saltus.constraint_sizes(self._core)[1]

    @property
    def nl(self) -> int:
        """Number of rows of limits."""
        return _saltus.constraint_sizes(self._core)[2]

    @property
    def nefc(self) -> int:
        """Number of constraint rows."""
        return _saltus.constraint_sizes(self._core)[3]

    @property
    def nisland(self) -> int:
        """Number of islands of bodies that constraints connect."""
        return _saltus.island_count(self._core)

    @property
    def solver_niter(self) -> np.ndarray:
        """Solver iterations: those of the slowest island in the first entry, zeros in the others (a copy)."""
        niter = np.zeros(20, dtype=np.int32)
        niter[0] = _saltus.solver_report(self._core)[1]
        return niter

    @property
    def solver_fwdinv(self) -> np.ndarray:
        """Differences between forward and inverse dynamics that `mj_compareFwdInv`, or the last step with the flag
        `fwdinv`, found (a copy)."""
        return np.array(_saltus.inverse_gap(self._core))

    @property
    def warning(self) -> MjWarningStatList:
        """How often a diverged simulation was reset, by cause; see `set_autoreset`."""
        if "_warnings" not in self.__dict__:
            self._warnings = MjWarningStatList()
        return self._warnings

    def _clear_counters(self) -> None:
        self.__dict__.pop("_warnings", None)

    def _copy_counters(self, other: MjData) -> None:
        self._warnings = other.warning.copy()

    def __getattr__(self, name: str) -> np.ndarray:
        if name in _ROW_FIELDS:
            return _saltus.constraint_field(self._model._core, self._core, name)
        # Only reached the first time: the view then lies in the instance, where plain lookup finds it.
        if name not in _FIELDS:
            raise AttributeError(f"saltus.mujoco.MjData does not support the field {name!r}")
        view = self.__dict__[name] = self._field(name)
        return view

    def __setattr__(self, name: str, value: object) -> None:
        if name in _FIELDS:
            self._field(name)[...] = value
        elif name.startswith("_") or name == "time":
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"saltus.mujoco.MjData does not support setting {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_FIELDS, *_ROW_FIELDS})


_FIELDS = frozenset(_saltus.DataCore.field_names())
# Arrays with one entry per constraint row: copies, because their length changes from step to step.
_ROW_FIELDS = frozenset(
    "efc_type efc_id efc_state efc_pos efc_margin efc_frictionloss efc_diagA efc_KBIP efc_R efc_D efc_vel efc_aref "
    "efc_force efc_J efc_J_rownnz efc_J_rowadr efc_J_colind".split()
)


def _shadow(name: str) -> property:
    """A field whose name means something else in the native data."""
    return property(lambda self: self._field(name), doc=f"View of `{name}`.")


for _name in _FIELDS.intersection(dir(Data)):
    setattr(MjData, _name, _shadow(_name))


add_accessors(MjData, DataView, "body joint geom site camera light tendon actuator sensor")
