"""dm_control's suite, unmodified, on Saltus beside MuJoCo."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("dm_control")

SCRIPT = pathlib.Path(__file__).with_name("suite_steps.py")


def test_all_tasks_go_the_way_of_the_reference(tmp_path):
    runs = []
    for engine in ("reference", "saltus"):
        file = tmp_path / f"{engine}.npz"
        run = subprocess.run([sys.executable, SCRIPT, engine, file], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        # It wants a window for the picture of its terrain.
        failed = json.loads(run.stdout.splitlines()[-1])
        assert failed == {"quadruped escape": "RuntimeError: No OpenGL rendering backend is available."}
        runs.append(np.load(file))
    theirs, ours = runs
    assert len(ours.files) == len(theirs.files) == 50
    for name in ours.files:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-7, atol=1e-7, err_msg=name)
