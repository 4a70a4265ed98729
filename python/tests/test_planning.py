"""Plans: what they hold, how they are watched, stopped and replayed."""

import os
import signal
import threading
import time
import warnings

import mujoco
import numpy as np
import pytest
import saltus
from conftest import MODELS
from plan_models import push


@pytest.fixture(scope="module")
def spin():
    return saltus.optimize("spin", iterations=30, threads=1)


@pytest.fixture(scope="module")
def walk():
    return saltus.optimize("walk")


def test_a_plan_has_arrays_of_the_motion(spin):
    assert spin.time.shape == (41,) and spin.time[1] == spin.h == pytest.approx(2.0 / 40)
    assert spin.q.shape == (41, 3) and spin.v.shape == spin.a.shape == spin.tau.shape == (41, 3)
    assert spin.u.shape == (41, spin.model.nu) and spin.gains.shape == (41, 3, 6)
    assert spin.q is spin.q
    np.testing.assert_allclose(np.diff(spin.q, axis=0) / spin.h, spin.v[1:], atol=1e-9)
    np.testing.assert_allclose(np.diff(spin.v, axis=0) / spin.h, spin.a[:-1], atol=1e-9)
    assert (spin.model.nq, spin.planning_model.nq, spin.planning_model.law) == (3, 3, "invertible")
    assert (len(spin.dof_names), len(spin.control_names), len(spin.coordinate_names)) == (3, spin.model.nu, 3)


def test_torques_are_those_of_inverse_dynamics(spin):
    """The engine's own inverse dynamics at a planned state gives the planned force."""
    data = spin.planning_model.data()
    for t in (0, 7, 23):
        data.q, data.v, data.a = spin.q[t], spin.v[t], spin.a[t]
        np.testing.assert_allclose(data.inverse(), spin.tau[t], atol=1e-9)


def test_a_plan_says_how_it_was_found(spin):
    assert spin.status in ("limit", "short", "infeasible") and not spin.converged
    assert spin.iterations == 30 == spin.summary["iterations"]
    assert len(spin.history) <= 30 and spin.history[-1].number <= 30
    assert spin.history[0].cost_by_term and spin.seconds > 0.0
    assert sum(spin.costs.values()) == pytest.approx(spin.cost)
    assert set(spin.violations) <= set(spin.costs) and "unactuated" in spin.violations
    assert all(point.smoothing > 0.0 for point in spin.path)
    assert spin.times.keys() >= {"derivatives", "factorization"}
    residual = spin.law_independent_residual
    assert residual.max == residual.by_step.max() and residual.median <= residual.max
    assert repr(spin).startswith("<Plan 'spin': ") and "41 states" in repr(spin)
    assert spin.task["solver"] == {"iterations": 30, "threads": 1}


def test_least_effort_is_that_of_linear_algebra():
    """A mass on a rail: min Σ a² with q₀ = v₀ = 0 and q_T = 1, solved by least squares instead."""
    steps, h = 10, 0.1
    plan = saltus.optimize(push(steps=steps), tolerance=1e-12)
    assert plan.converged, plan.message
    # a = D q for the unknown q₁ … q_T; the end is given.
    D = (np.diag(np.ones(steps)) - 2 * np.diag(np.ones(steps - 1), -1) + np.diag(np.ones(steps - 2), -2)) / h**2
    free, *_ = np.linalg.lstsq(D[:, :-1], -D[:, -1], rcond=None)
    np.testing.assert_allclose(plan.q[1:, 0], [*free, 1.0], atol=1e-6)
    np.testing.assert_allclose(plan.tau[:-1, 0], 2.0 * D @ [*free, 1.0], atol=1e-4)
    assert plan.tau[-1, 0] == 0.0 and not plan.periodic and plan.contacts == [[]] * 11


def test_walk_converges_and_is_reproduced(walk):
    assert walk.converged and walk.status == "converged", walk.message
    assert walk.unactuated_residual <= 1e-4 and walk.periodicity <= 1e-6
    assert 0 < walk.stance_slip == walk.summary["stance_slip"] < 0.02
    assert 0 < walk.step_error == walk.summary["step_error"]["max"] < 0.1
    assert walk.law_independent_residual.median <= 0.02 and walk.law_independent_residual.max <= 0.05
    assert walk.periodic and len(walk.stride) == 1
    (advance,) = walk.stride.values()
    assert advance / (len(walk.time) * walk.h) == pytest.approx(1.2)
    # Forces of the ground carry the weight on average.
    up = sum(contact.force[2] for state in walk.contacts for contact in state) / len(walk.time)
    assert up == pytest.approx(walk.weight, rel=1e-3)
    replay = walk.replay(feedback=False)
    assert replay.survived and replay.largest_error <= 1e-6 and replay.strides == 1.0
    assert replay.q.shape == (len(walk.time) + 1, walk.model.nq)
    assert "own (invertible) law, open loop" in repr(replay)


def test_replay_under_other_laws_is_reported(walk):
    soft = walk.replay("soft", strides=1)
    assert soft.law == "soft" and soft.timestep <= 0.002 and len(soft.error) == len(soft.time)
    assert soft.feedback == "body" and soft.survived and soft.largest_error < 0.2
    with pytest.raises(ValueError, match='feedback must be True, False, "none", "gains" or "body", not .hands.'):
        walk.replay("soft", feedback="hands")
    hard = walk.model.with_law("impulse")
    assert walk.replay(hard, feedback=False, timestep=0.004).law == "impulse"
    with pytest.raises(ValueError, match="strides must be between 1 and 10000"):
        walk.replay(strides=0)
    with pytest.raises(ValueError, match="timestep"):
        walk.replay(timestep=float("nan"))
    with pytest.raises(ValueError, match="coordinates"):
        walk.replay(saltus.Model.load(MODELS / "finger.xml"))
    with pytest.raises(ValueError, match="law|lawless"):
        walk.replay("lawless")


def test_gains_say_what_they_are_valid_for(walk):
    gains = walk.summary["gains"]
    assert gains["law"] == walk.planning_model.law == "invertible" and gains["step"] == walk.h
    assert tuple(gains["shape"]) == walk.gains.shape
    assert "tangent" in gains["space"] and "not controls" in gains["rows"]
    with pytest.warns(UserWarning, match="gains are valid only under the plan's own law .invertible."):
        walk.replay("soft", feedback="gains")
    with pytest.warns(UserWarning, match="gains are valid only"):
        walk.replay(feedback="gains", timestep=0.5 * walk.h)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert walk.replay(feedback="gains").largest_error < 1e-6


WALL = """<mujoco><worldbody>{wall}
  <body name="upper"><joint name="one" axis="0 0 1"/><geom name="upper" type="capsule" fromto=".1 0 0 .4 0 0" size=".03"/>
    <body name="fore" pos=".5 0 0"><joint name="two" axis="0 0 1"/>
      <geom name="fore" type="capsule" fromto=".1 0 0 .4 0 0" size=".03"/><site name="tip" pos=".5 0 0"/></body></body>
  </worldbody><actuator><motor joint="one" gear="20"/><motor joint="two" gear="20"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    ("wall", "collides"),
    [
        ('<geom name="wall" type="box" pos=".45 .45 0" size=".06 .06 .3"/>', True),
        ('<geom name="wall" type="box" pos=".1 1.5 0" size=".2 .1 .3"/>', False),
    ],
)
def test_the_clearance_is_that_of_the_reference(tmp_path, wall, collides):
    (tmp_path / "arm.xml").write_text(WALL.format(wall=wall))
    task = f"""name = "reach"
model = "{tmp_path / "arm.xml"}"
[reach]
place = "tip"
position = [0, 1, 0]
steps = 20
"""
    (tmp_path / "reach.toml").write_text(task)
    plan = saltus.optimize(tmp_path / "reach.toml", threads=1)
    assert plan.status == ("collides" if collides else "converged"), plan.message
    found = plan.clearance
    assert found is not None and (found.distance < -0.01) == collides
    assert found.bodies[0] == "world" and found.shapes[0] == "wall"
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    data = mujoco.MjData(model)
    distances = []
    for k in range(2 * len(plan.q) - 1):
        data.qpos = 0.5 * (plan.q[k // 2] + plan.q[(k + 1) // 2])
        mujoco.mj_kinematics(model, data)
        ids = [model.geom(name).id for name in found.shapes]
        distances.append(mujoco.mj_geomDistance(model, data, *ids, 10.0, None))
    assert min(distances) == pytest.approx(found.distance, abs=1e-6)
    assert 0.5 * plan.h * int(np.argmin(distances)) == pytest.approx(found.time)
    plan.save(tmp_path / "plan")
    assert saltus.Plan.load(tmp_path / "plan").clearance == found


def test_the_same_bits_at_any_number_of_threads(spin):
    other = saltus.optimize("spin", iterations=30, threads=2)
    assert np.array_equal(other.q, spin.q) and np.array_equal(other.gains, spin.gains)


def test_progress_sees_every_iteration():
    seen = []
    plan = saltus.optimize("spin", iterations=12, progress=seen.append)
    assert [one.number for one in seen] == [one.number for one in plan.history]
    assert seen == plan.history and seen[0].smoothing == 1.0


def test_progress_stops_by_false():
    plan = saltus.optimize("spin", progress=lambda iteration: iteration.number < 5)
    assert plan.status == "stopped" and not plan.converged and len(plan.history) == 5
    assert np.isfinite(plan.q).all()


def test_what_progress_raises_is_raised():
    def fail(iteration):
        if iteration.number == 3:
            raise ZeroDivisionError("in progress")

    with pytest.raises(ZeroDivisionError, match="in progress"):
        saltus.optimize("spin", progress=fail)


def test_ctrl_c_gives_the_best_so_far():
    # Shells start programs in the background with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    plan = saltus.optimize("walk", iterations=100000, feasibility=1e-300)
    assert plan.status == "stopped" and np.isfinite(plan.q).all()
    assert time.monotonic() - start < 30.0
    plan = saltus.optimize("spin", iterations=3, progress=lambda _: signal.raise_signal(signal.SIGINT))
    assert plan.status == "stopped"


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_during_a_term_gives_the_best_so_far(threads):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    calls = []

    def term(knot):
        calls.append(knot.t)
        if len(calls) == 400:
            signal.raise_signal(signal.SIGINT)
        return 0.1 * knot.q, {"q": 0.1 * np.eye(3)}

    task = saltus.Task("spin")
    task.add_term(term)
    plan = saltus.optimize(task, threads=threads)
    assert plan.status == "stopped" and len(calls) >= 400
    assert np.isfinite(plan.q).all() and 0 < len(plan.history) < 277


def test_a_second_ctrl_c_during_a_term_is_raised():
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def term(knot):
        signal.raise_signal(signal.SIGINT)
        return knot.q, {"q": np.eye(3)}

    task = saltus.Task("spin")
    task.add_term(term)
    with pytest.raises(KeyboardInterrupt):
        saltus.optimize(task, threads=1)


def test_other_threads_run_meanwhile():
    ticks, done = [], threading.Event()

    def work():
        saltus.optimize("walk", iterations=150)  # a tenth of a second
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        ticks.append(time.monotonic())
    thread.join()
    assert len(ticks) > 10


def test_a_plan_is_a_guess_for_the_next():
    first = saltus.optimize(push())
    again = saltus.optimize(push(), guess=first)
    assert again.converged and again.iterations <= first.iterations
    np.testing.assert_allclose(again.q, first.q, atol=1e-4)
    with pytest.raises(ValueError, match="guess: expected 11 states of 1 coordinates, found 3 numbers"):
        saltus.optimize(push(), guess=[[0.0], [0.5], [1.0]])
    for wrong in (np.nan, np.inf):
        states = first.q.copy()
        states[4] = wrong
        with pytest.raises(ValueError, match="guess: state 4, coordinate 0 is"):
            saltus.optimize(push(), guess=states)


def test_a_guess_that_no_law_can_evaluate_is_a_status():
    states = np.linspace(0.0, 1e200, 11)[:, None]
    plan = saltus.optimize(push(), guess=states)
    assert plan.status != "converged" and plan.message
