"""`mink`, inverse kinematics on MuJoCo's interface, unmodified on Saltus."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import MODELS

pytest.importorskip("mink")

SCRIPT = pathlib.Path(__file__).with_name("mink_steps.py")


def test_inverse_kinematics_goes_the_same_way(tmp_path):
    """Feet that stay, a hand that reaches, a centre of mass that moves, a posture, limits of joints and of distances."""
    paths = []
    for engine in ("reference", "saltus"):
        file = tmp_path / f"{engine}.npy"
        command = [sys.executable, SCRIPT, engine, file, MODELS / "humanoid.xml"]
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        paths.append(np.load(file))
    assert np.abs(paths[0][-1] - paths[0][0]).max() > 0.05
    np.testing.assert_allclose(paths[1], paths[0], atol=1e-6)
