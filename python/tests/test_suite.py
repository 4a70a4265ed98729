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


CAMERA = """
import contextlib, os, types
os.environ["MUJOCO_GL"] = "disabled"
import saltus.mujoco
saltus.mujoco.install()
from dm_control import _render, suite
from dm_control.mujoco import engine

class Window:
    "A graphics context that calls what it is given."
    terminated = False
    def __init__(self, *args, **kwargs): pass
    def keep_alive(self, what): self.kept = what
    def increment_refcount(self): pass
    @contextlib.contextmanager
    def make_current(self): yield types.SimpleNamespace(call=lambda f, *args: f(*args))

_render.Renderer = Window
physics = suite.load("cartpole", "swingup").physics
for camera in (engine.Camera(physics, 100, 100, camera_id=0), engine.MovableCamera(physics, 100, 100)):
    assert camera.scene.maxgeom >= 1000 and camera.scene.geoms == ()
    with camera.scene.override_flags({"wireframe": True}):
        assert camera.scene.flags[1]
    try:
        camera.render()
    except NotImplementedError as error:
        print(error)
"""


def test_cameras_can_be_built():
    run = subprocess.run([sys.executable, "-c", CAMERA], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("Saltus draws nothing") == 2
