"""gymnasium's MuJoCo environments, unmodified, on Saltus beside MuJoCo."""

import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("mujoco")
pytest.importorskip("imageio", reason="gymnasium's environments import it")

SCRIPT = pathlib.Path(__file__).with_name("gym_steps.py")
STEPS = 1000


def run(*args) -> str:
    outcome = subprocess.run([sys.executable, SCRIPT, *map(str, args)], capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    file = tmp_path_factory.mktemp("gym") / "reference.npz"
    run("reference", file, STEPS)
    return json.loads(run("saltus", file).splitlines()[-1])


@pytest.mark.parametrize(
    "name",
    "Ant Humanoid HumanoidStandup HalfCheetah Walker2d Hopper Swimmer Reacher Pusher InvertedPendulum "
    "InvertedDoublePendulum".split(),
)
def test_one_step_from_each_state_is_the_same(report, name):
    errors = report[f"{name}-v5"]
    assert errors["steps"] == STEPS and errors["ends"] == 0
    assert errors["observation"] < 1e-6 and errors["reward"] < 1e-6, errors


INSTALL = """
import sys, warnings
import saltus.mujoco as sm
sm.install()
sm.install()
import mujoco
from mujoco import rollout
import mujoco.rollout as again
assert mujoco is sm and rollout is again and rollout.__name__ == "saltus.mujoco.rollout"
sm.uninstall()
assert "mujoco" not in sys.modules
import mujoco as real
assert real is not sm and real.MjModel is not sm.MjModel
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    sm.install()
assert "keep using it" in str(caught[0].message)
import mujoco
assert mujoco is sm
sm.uninstall()
sm.uninstall()
import mujoco
assert mujoco is real
print("fine")
"""


def test_install_and_uninstall():
    outcome = subprocess.run([sys.executable, "-c", INSTALL], capture_output=True, text=True)
    assert outcome.returncode == 0 and outcome.stdout == "fine\n", outcome.stderr
