"""Derivatives by finite differences."""

from __future__ import annotations

import numpy as np

from saltus import _saltus
from saltus.mujoco.data import MjData
from saltus.mujoco.model import MjModel

_Out = np.ndarray | None


def mjd_transitionFD(m: MjModel, d: MjData, eps: float, flg_centered: bool, A: _Out, B: _Out, C: _Out, D: _Out) -> None:
    """Finite-difference derivatives of a step and of the sensors, with perturbation `eps`: d(x⁺) =
    A dx + B du, d(sensor) = C dx + D du. x is (qpos in its tangent space, qvel, act). Callbacks are
    not called, and the data is unchanged."""
    _saltus.transition_fd(m._core, d._core, float(eps), bool(flg_centered), (A, B, C, D))


def mjd_inverseFD(
    m: MjModel,
    d: MjData,
    eps: float,
    flg_actuation: bool,
    DfDq: _Out,
    DfDv: _Out,
    DfDa: _Out,
    DsDq: _Out,
    DsDv: _Out,
    DsDa: _Out,
    DmDq: _Out,
) -> None:
    """Finite-difference derivatives of inverse dynamics, with perturbation `eps`, one row per
    input: of the force (without that of the actuators if `flg_actuation` is set), of the sensors
    and of M, by qpos, qvel, qacc."""
    out = [DfDq, DfDv, DfDa, DsDq, DsDv, DsDa, DmDq]
    _saltus.inverse_fd(m._core, d._core, float(eps), bool(flg_actuation), out)


__all__ = ["mjd_transitionFD", "mjd_inverseFD"]
