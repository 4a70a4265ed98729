"""gymnasium-robotics' environments, unmodified, on Saltus beside MuJoCo where that runs them."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from robotics_steps import ENVIRONMENTS, PEN, STEPS

pytest.importorskip("gymnasium_robotics")
pytest.importorskip("jinja2", reason="gymnasium-robotics imports it")

SCRIPT = pathlib.Path(__file__).with_name("robotics_steps.py")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("robotics")
    result = {}
    for engine in ("reference", "saltus"):
        command = [sys.executable, SCRIPT, engine, folder / f"{engine}.npz"]
        outcome = subprocess.run(command, capture_output=True, text=True)
        assert outcome.returncode == 0, outcome.stderr
        result[engine] = dict(np.load(folder / f"{engine}.npz")), json.loads(outcome.stdout.splitlines()[-1])
    return result


def test_all_environments_run(runs):
    states, failed = runs["saltus"]
    assert not failed and len(ENVIRONMENTS) == 16
    for name in ENVIRONMENTS:
        assert states[name].shape[0] == STEPS + 1 and np.isfinite(states[name]).all(), name


def test_states_are_those_of_the_reference_where_it_runs(runs):
    ours, (theirs, failed) = runs["saltus"][0], runs["reference"]
    # The package's own comparison of kinds of joints does not work with enumerations of MuJoCo 4.
    assert set(failed) == {name for name in ENVIRONMENTS if name.startswith(("Fetch", "Hand", "Franka"))}
    for name in ENVIRONMENTS:
        if name in theirs and name != PEN:
            np.testing.assert_allclose(ours[name][-1], theirs[name][-1], atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name, bound", [("Door", 1e-12), ("Hammer", 1e-8), ("Relocate", 1e-11), ("Pen", 1e-5)])
def test_hands_agree_once_both_engines_converge(runs, name, bound):
    """The pen's remainder is the reference's: its states at tolerances of 1e-14 and 1e-15 differ by 2e-6."""
    key = f"AdroitHand{name}-v1 exact"
    np.testing.assert_allclose(runs["saltus"][0][key], runs["reference"][0][key], atol=bound)


def test_the_pen_agrees_once_contacts_are_exact(runs):
    """The reference steps as always, but contacts of cylinders with capsules and boxes, which it finds to 1e-6 in the distance and
    so to 2e-4 in the pen's place on the palm, are found by bisection. Then the pen is equal at the file's own settings, and to
    round-off with solvers that converge."""
    ours, theirs = runs["saltus"][0], runs["reference"][0]
    np.testing.assert_allclose(ours[PEN][-1], theirs[f"{PEN} contacts"][-1], atol=1e-6)
    np.testing.assert_allclose(ours[f"{PEN} exact"], theirs[f"{PEN} exact contacts"], atol=1e-12)
    # Its own contacts are what made the difference.
    assert np.abs(theirs[PEN][-1] - theirs[f"{PEN} contacts"][-1]).max() > 1e-2
