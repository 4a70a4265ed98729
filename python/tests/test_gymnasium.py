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
