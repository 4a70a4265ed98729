"""Maximal coordinates: against generalized ones, joints made and cut, rollouts, and what is refused."""

import numpy as np
import pytest
import saltus
from conftest import MODELS

ARM = """<mujoco><option timestep="0.001"/><worldbody>
  <body name="upper" pos="0 0 1"><joint name="s" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
    <body name="lower" pos="0.3 0 0"><joint name="e" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02"/></body></body>
  <body name="ball" pos="0.5 0 1"><freejoint/><geom size="0.05" contype="0" conaffinity="0"/></body></worldbody>
  <actuator><motor joint="e"/></actuator></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return saltus.Model.from_xml(ARM)


@pytest.mark.parametrize("mode", ["tree", "direct", "published", "plain"])
def test_motion_is_that_of_generalized_coordinates(model, mode):
    data, other = model.data(), model.data()
    for d in (data, other):
        d.ctrl[:] = 0.05
    report = saltus.maximal.Simulation(model, mode).step(data, 300)
    other.step(300)
    assert np.abs(data.q - other.q).max() < 5e-3
    assert data.time == pytest.approx(0.3)
    assert report.distance < (1e-10 if mode == "tree" else 1e-3)


def test_a_ball_is_held_and_let_go(model):
    data = model.data()
    simulation = saltus.maximal.Simulation(model)
    grip = simulation.attach(data, "lower", "ball", "hinge", anchor=(0.5, 0, 1), axis=(0, 1, 0))
    simulation.step(data, 200)
    reach = np.array(
        [
            0.3 * np.cos(data.q[0]) + 0.2 * np.cos(data.q[:2].sum()),
            -0.3 * np.sin(data.q[0]) - 0.2 * np.sin(data.q[:2].sum()),
        ]
    )
    assert np.abs(data.q[[2, 4]] - [0, 1] - reach).max() < 1e-9
    simulation.detach(grip)
    before = data.v[2:5].copy()
    simulation.step(data, 10)
    assert np.allclose(data.v[2:5], before + [0, 0, -0.0981], atol=1e-12)
    with pytest.raises(ValueError, match="cut before"):
        simulation.detach(grip)


def test_rollouts_are_steps(model):
    start = model.data()
    initial = np.concatenate([[0.0], start.q, start.v])
    controls = 0.1 * np.random.default_rng(0).normal(size=(3, 20, 1))
    result = saltus.rollout(model, initial, controls, coordinates="maximal", threads=2)
    fed = saltus.rollout(model, initial, steps=20, feedback=lambda d, sim, k: controls[0, k], coordinates="maximal")
    for sim in range(3):
        data, simulation = model.data(), saltus.maximal.Simulation(model)
        for k in range(20):
            data.ctrl[:] = controls[sim, k]
            simulation.step(data)
            assert np.array_equal(result.states[sim, k, 1:], np.concatenate([data.q, data.v]))
    assert np.array_equal(fed.states[0], result.states[0])
    swept = saltus.rollout(model, initial, controls, coordinates="maximal", maximal={"mode": "published", "sweeps": 5})
    assert 0 < np.abs(swept.states - result.states).max() < 1e-2


def test_humanoid_falls_with_its_joints_together():
    model = saltus.Model.load(MODELS / "humanoid.xml")
    data = model.data()
    report = saltus.maximal.Simulation(model).step(data, 400)
    assert report.distance < 1e-10 and report.angle < 1e-10 and len(data.contacts) > 0


def test_bad_input_is_refused(model):
    data = model.data()
    for arguments, expected in (
        ({"mode": "best"}, "mode should be"),
        ({"sweeps": 0}, "iterations must be at least 1, not 0"),
        ({"sweeps": 1.5}, "whole number"),
        ({"erp": 2.0}, "erp"),
        ({"speed": 1.0}, "unknown option"),
    ):
        with pytest.raises(ValueError, match=expected):
            saltus.maximal.Simulation(model, **arguments)
    simulation = saltus.maximal.Simulation(model)
    with pytest.raises(ValueError, match="kind should be"):
        simulation.attach(data, "lower", "ball", "glue")
    with pytest.raises(ValueError, match="no length"):
        simulation.attach(data, "lower", "ball", "slide", axis=(0, 0, 0))
    with pytest.raises(ValueError, match="coordinates should be"):
        saltus.rollout(model, data, steps=1, coordinates="polar")
    with pytest.raises(ValueError, match="needs coordinates"):
        saltus.rollout(model, data, steps=1, maximal={"mode": "tree"})
    data.v[0] = np.nan
    with pytest.raises(saltus.DivergenceError, match="v\\[0\\]"):
        simulation.step(data)
