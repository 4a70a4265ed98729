"""Reading and writing the state as one vector."""

from __future__ import annotations

import numpy as np

from saltus.mujoco.data import MjData
from saltus.mujoco.enums import mjtState
from saltus.mujoco.errors import FatalError
from saltus.mujoco.model import MjModel

# Parts of the state in the order of their bits; None is the time. Other bits are empty in Saltus.
_PARTS: tuple[tuple[mjtState, str | None], ...] = (
    (mjtState.mjSTATE_TIME, None),
    (mjtState.mjSTATE_QPOS, "qpos"),
    (mjtState.mjSTATE_QVEL, "qvel"),
    (mjtState.mjSTATE_ACT, "act"),
    (mjtState.mjSTATE_WARMSTART, "qacc_warmstart"),
    (mjtState.mjSTATE_CTRL, "ctrl"),
    (mjtState.mjSTATE_QFRC_APPLIED, "qfrc_applied"),
    (mjtState.mjSTATE_XFRC_APPLIED, "xfrc_applied"),
    (mjtState.mjSTATE_EQ_ACTIVE, "eq_active"),
    (mjtState.mjSTATE_MOCAP_POS, "mocap_pos"),
    (mjtState.mjSTATE_MOCAP_QUAT, "mocap_quat"),
    (mjtState.mjSTATE_USERDATA, "userdata"),
)
_SIZES = {
    "qpos": lambda m: m.nq,
    "qvel": lambda m: m.nv,
    "act": lambda m: m.na,
    "qacc_warmstart": lambda m: m.nv,
    "ctrl": lambda m: m.nu,
    "qfrc_applied": lambda m: m.nv,
    "xfrc_applied": lambda m: 6 * m.nbody,
    "eq_active": lambda m: m.neq,
    "mocap_pos": lambda m: 3 * m.nmocap,
    "mocap_quat": lambda m: 4 * m.nmocap,
    "userdata": lambda m: m.nuserdata,
}


def _parts(m: MjModel, sig: int) -> list[tuple[str | None, slice]]:
    """Field and place in the vector of each part selected by `sig`."""
    sig = int(sig)
    layouts = m.__dict__.setdefault("_state_layouts", {})
    known: list[tuple[str | None, slice]] | None = layouts.get(sig)
    if known is not None:
        return known
    if sig < 0 or sig >= 1 << int(mjtState.mjNSTATE):
        bound = "< 0" if sig < 0 else ">= 2^mjNSTATE"
        raise FatalError(f"mj_stateSize: invalid state signature {sig} {bound}")
    parts: list[tuple[str | None, slice]] = []
    start = 0
    for bit, field in _PARTS:
        if sig & int(bit):
            size = 1 if field is None else _SIZES[field](m)
            parts.append((field, slice(start, start + size)))
            start += size
    layouts[sig] = parts
    return parts


def mj_stateSize(m: MjModel, sig: int) -> int:
    """Total size of the parts of the state selected by `sig`."""
    parts = _parts(m, sig)
    return int(parts[-1][1].stop) if parts else 0


def _check(m: MjModel, state: np.ndarray, sig: int) -> None:
    size = mj_stateSize(m, sig)
    if state.size != size:
        raise TypeError("state size should equal mj_stateSize(m, sig)")


def mj_getState(m: MjModel, d: MjData, state: np.ndarray, sig: int) -> None:
    """Copies parts of the state into a vector."""
    d._core.check_model(m._core)
    _check(m, state, sig)
    flat = state.reshape(-1)
    for field, place in _parts(m, sig):
        flat[place] = d.time if field is None else getattr(d, field).reshape(-1)


def mj_setState(m: MjModel, d: MjData, state: np.ndarray, sig: int) -> None:
    """Copies a vector into parts of the state."""
    d._core.check_model(m._core)
    state = np.asarray(state, dtype=np.float64)
    _check(m, state, sig)
    flat = state.reshape(-1)
    for field, place in _parts(m, sig):
        if field is None:
            d.time = float(flat[place][0])
        else:
            array = getattr(d, field)
            array[...] = flat[place].reshape(array.shape)


def mj_copyState(m: MjModel, src: MjData, dst: MjData, sig: int) -> None:
    """Copies parts of the state from one data to another."""
    dst._core.check_model(m._core)
    state = np.empty(mj_stateSize(m, sig))
    mj_getState(m, src, state, sig)
    mj_setState(m, dst, state, sig)


def mj_extractState(m: MjModel, src: np.ndarray, srcsig: int, dst: np.ndarray, dstsig: int) -> None:
    """Extracts parts of a state vector."""
    if int(dstsig) & ~int(srcsig):
        raise FatalError("mj_extractState: dstsig should be a subset of srcsig")
    _check(m, src, srcsig)
    _check(m, dst, dstsig)
    wanted = [field for field, _ in _parts(m, dstsig)]
    parts = [src.reshape(-1)[place] for field, place in _parts(m, srcsig) if field in wanted]
    dst[...] = np.concatenate(parts).reshape(dst.shape) if parts else dst


__all__ = ["mj_stateSize", "mj_getState", "mj_setState", "mj_copyState", "mj_extractState"]
