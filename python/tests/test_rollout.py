"""Rollouts: against single steps, against the reference package, and what can be wrong with their arguments."""

import threading
import time

import numpy as np
import pytest
import saltus
from conftest import MODELS
from saltus import mujoco as sm
from saltus.mujoco import rollout as sm_rollout

HUMANOID = MODELS / "humanoid.xml"


@pytest.fixture(scope="module")
def model():
    return saltus.Model.load(HUMANOID)


def case(model, sims=5, steps=30, seed=0):
    """Different initial states and controls."""
    rng = np.random.default_rng(seed)
    data = model.data()
    data.reset("stand")
    q = np.tile(data.q, (sims, 1)) + np.concatenate([np.zeros((sims, 7)), 0.1 * rng.normal(size=(sims, 21))], axis=1)
    initial = np.concatenate([np.zeros((sims, 1)), q, rng.normal(size=(sims, model.nv))], axis=1)
    return initial, rng.uniform(-1, 1, (sims, steps, model.nu))


def by_steps(model, initial, controls):
    """The same, one step after the other."""
    states = []
    for row, table in zip(initial, controls):
        data = model.data()
        data.time, data.q[:], data.v[:] = row[0], row[1 : 1 + model.nq], row[1 + model.nq :]
        for u in table:
            data.ctrl[:] = u
            data.step()
            states.append(np.concatenate([[data.time], data.q, data.v]))
    return np.reshape(states, (len(initial), -1, initial.shape[1]))


def test_rollouts_are_single_steps_at_any_number_of_threads(model):
    initial, controls = case(model)
    expected = by_steps(model, initial, controls)
    for threads in (1, 2, 5):
        result = saltus.rollout(model, initial, controls, threads=threads)
        assert np.array_equal(result.states, expected) and not result.failures
    assert result.sensors.shape == (5, 30, model._core.size("nsensordata"))


def test_results_go_into_given_arrays(model):
    initial, controls = case(model)
    states, sensors = np.zeros((5, 30, initial.shape[1])), np.zeros((5, 30, model._core.size("nsensordata")))
    result = saltus.rollout(model, initial, controls, states=states, sensors=sensors)
    assert result.states is states and result.sensors is sensors and states.any()


def test_single_dimensions_stand_for_all(model):
    initial, controls = case(model)
    one = saltus.rollout(model, initial[0], controls).states
    assert np.array_equal(one, saltus.rollout(model, np.tile(initial[0], (5, 1)), controls).states)
    same = saltus.rollout(model, initial, controls[0]).states
    assert np.array_equal(same, saltus.rollout(model, initial, np.tile(controls[0], (5, 1, 1))).states)
    held = saltus.rollout(model, initial, controls[:, :1], steps=30).states
    assert np.array_equal(held, saltus.rollout(model, initial, np.repeat(controls[:, :1], 30, axis=1)).states)
    zero = saltus.rollout(model, initial, steps=7).states
    assert np.array_equal(zero, saltus.rollout(model, initial, np.zeros((1, 7, model.nu))).states)


def test_a_data_is_an_initial_state(model):
    data = model.data()
    data.reset("squat")
    data.step(3)
    result = saltus.rollout(model, data, np.zeros((2, 4, model.nu)), warm_start=data._field("qacc_warmstart"))
    data.ctrl[:] = 0
    data.step(4)
    assert np.array_equal(result.states[1, -1, 1 : 1 + model.nq], data.q)


def test_one_model_for_each(model):
    initial, controls = case(model, sims=2)
    heavy = sm.MjModel.from_model(model)
    heavy.body_mass[:] *= 2
    heavy.body_inertia[:] *= 2
    both = saltus.rollout([model, heavy], initial, controls).states
    assert np.array_equal(both[0], saltus.rollout(model, initial[0], controls[0]).states[0])
    assert np.array_equal(both[1], saltus.rollout(heavy, initial[1], controls[1]).states[0])
    assert not np.array_equal(both[1], saltus.rollout(model, initial[1], controls[1]).states[0])


def test_feedback_sees_the_present_state(model):
    initial, _ = case(model, sims=2, steps=1)
    seen = []

    def feedback(data, sim, step):
        seen.append((sim, step, data.time))
        return -0.1 * data.v[-model.nu :]

    result = saltus.rollout(model, initial, feedback=feedback, steps=20)
    assert [s[:2] for s in seen] == [(sim, step) for sim in range(2) for step in range(20)]
    # Closed loop by hand.
    data = model.data()
    data.time, data.q[:], data.v[:] = 0, initial[1, 1 : 1 + model.nq], initial[1, 1 + model.nq :]
    for _ in range(20):
        data.ctrl[:] = -0.1 * data.v[-model.nu :]
        data.step()
    assert np.array_equal(result.states[1, -1, 1 : 1 + model.nq], data.q)
    with pytest.raises(ZeroDivisionError):
        saltus.rollout(model, initial, feedback=lambda data, sim, step: 1 / 0, steps=2)


def test_divergence_is_an_error_or_nan(model):
    initial, controls = case(model, sims=3, steps=6)
    controls[1, 4, 0] = np.nan
    with pytest.raises(saltus.DivergenceError, match="control NaN") as caught:
        saltus.rollout(model, initial, controls)
    assert (caught.value.simulation, caught.value.step) == (1, 4)
    result = saltus.rollout(model, initial, controls, errors="nan")
    assert list(result.failures) == [1] and result.failures[1].step == 4
    assert np.isnan(result.states[1, 4:]).all() and np.isfinite(result.states[1, :4]).all()
    assert np.isfinite(result.states[[0, 2]]).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(controls=np.zeros((2, 3, 4))), "controls have 4 columns, but the model has 21"),
        (dict(controls=np.zeros((2, 3, 21))), "different numbers of simulations"),
        (dict(steps=7), "different numbers of steps"),
        (dict(initial=np.zeros(3)), "has 56 numbers, not 3"),
        (dict(controls=None), "number of steps is not known"),
        (dict(controls=np.zeros((1, 1, 1, 21))), "at most 3 dimensions"),
        (dict(states=np.zeros((5, 30, 3))), "states should have the shape"),
        (dict(threads=0), "threads should be between"),
        (dict(errors="ignore"), 'errors should be "raise" or "nan"'),
        (dict(feedback=lambda *_: 0), "not both"),
        (dict(model=[]), "no model"),
        (dict(warm_start=np.zeros(3)), "warm start"),
    ],
)
def test_mistakes_say_what_was_expected(model, change, message):
    initial, controls = case(model)
    arguments = {"model": model, "initial": initial, "controls": controls, **change}
    with pytest.raises(ValueError, match=message):
        saltus.rollout(**arguments)


def test_other_threads_run_meanwhile(model):
    initial, controls = case(model, sims=8, steps=1500)
    done = threading.Event()
    worker = threading.Thread(target=lambda: (saltus.rollout(model, initial, controls, threads=1), done.set()))
    worker.start()
    ticks = 0
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    worker.join()
    assert ticks > 10


def test_the_face_of_the_reference_package():
    mujoco = pytest.importorskip("mujoco")
    from mujoco import rollout as mj_rollout

    m, r = sm.MjModel.from_xml_path(str(HUMANOID)), mujoco.MjModel.from_xml_path(str(HUMANOID))
    initial, controls = case(m, sims=4, steps=5)
    d, e = [sm.MjData(m) for _ in range(2)], [mujoco.MjData(r) for _ in range(2)]
    ours = sm_rollout.rollout(m, d, initial, controls)
    theirs = mj_rollout.rollout(r, e, initial, controls)
    for a, b in zip(ours, theirs):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    with sm_rollout.Rollout(nthread=2) as pool:
        again = pool.rollout(m, d, initial, controls)
    assert np.array_equal(again[0], ours[0])
    with pytest.raises(RuntimeError, match="shutdown"):
        pool.rollout(m, d, initial, controls)
    with pytest.raises(ValueError, match="mjSTATE_USER"):
        sm_rollout.rollout(m, d, initial, controls, control_spec=int(sm.mjtState.mjSTATE_QPOS))
