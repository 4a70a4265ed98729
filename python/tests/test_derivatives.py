"""Exact derivatives: shapes, finite differences, errors, batches."""

import importlib.util

import numpy as np
import pytest
import saltus
from conftest import MODELS, XML
from saltus import derivatives

# A ball and a capsule on a floor, with everything that has a derivative of its own: activation, damping, a limit.
SCENE = """
<mujoco>
  <option integrator="implicitfast" tolerance="0" iterations="100"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body pos="0 0 0.098"><freejoint/><geom name="ball" size="0.1"/></body>
    <body pos="1 0 0.25">
      <joint name="lift" type="slide" axis="0 0 1" damping="1"/>
      <joint name="swing" axis="0 1 0" limited="true" range="-20 20" stiffness="3"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 -0.19" size="0.05"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="lift" gear="2"/>
    <general name="slow" joint="swing" dyntype="filter" dynprm="0.1" gainprm="3" biastype="affine" biasprm="0 -2 -0.1"/>
  </actuator>
  <sensor><jointpos joint="swing"/><accelerometer site="tip"/></sensor>
</mujoco>
""".replace('size="0.05"/>\n', 'size="0.05"/><site name="tip" pos="0.1 0 0"/>\n')
# A tilted can on the floor, which is exact, and two cans side by side, which are not.
CANS = """
<mujoco><worldbody>
  <geom name="floor" type="plane" size="5 5 1"/>
  <body pos="0 0 0.0805" euler="20 0 0"><freejoint/><geom name="tilted" type="cylinder" size="0.1 0.05"/></body>
  <body pos="1 0 1"><freejoint/><geom name="left" type="cylinder" size="0.1 0.05"/></body>
  <body pos="1.19 0 1" euler="10 7 0"><freejoint/><geom name="right" type="cylinder" size="0.1 0.05"/></body>
</worldbody></mujoco>
"""


def scene(**options) -> tuple[saltus.Model, saltus.Data]:
    model = saltus.Model.from_xml(SCENE)
    for name, value in options.items():
        model._core.set_option(name, value)
    data = model.data()
    rng = np.random.default_rng(3)
    data.v[:] = 0.1 * rng.normal(size=model.nv)
    data.q[-1] = 0.05
    data.act[:], data.ctrl[:] = 0.2, 0.3
    return model, data


def states_of(model: saltus.Model, data: saltus.Data, count: int) -> np.ndarray:
    controls = 0.3 * np.random.default_rng(0).normal(size=(1, 4 * count, model.nu))
    return saltus.rollout(model, data, controls).states[0, ::4]


def close(exact: np.ndarray, differences: np.ndarray, tolerance: float = 1e-5) -> bool:
    return bool(np.linalg.norm(exact - differences) <= tolerance * np.linalg.norm(differences))


def test_a_step_has_the_derivatives_of_differences():
    model, data = scene()
    step = derivatives.transition(model, data)
    n = 2 * model.nv + model.na
    assert step.A.shape == (n, n) and step.B.shape == (n, model.nu)
    assert step.exact and step.inexact == []
    A, B = step
    by_differences = data.linearize(1e-7)
    assert close(A, by_differences.A) and close(B, by_differences.B)
    data.forward()
    assert data.contacts


def test_sensors_have_the_derivatives_of_differences():
    model, data = scene()
    result = derivatives.sensors(model, data)
    by_differences = data.linearize(1e-7)
    assert close(result.C, by_differences.C) and close(result.D, by_differences.D)
    assert result.exact


@pytest.mark.parametrize("actuation", [False, True])
def test_inverse_dynamics_has_the_derivatives_of_differences(actuation):
    model, data = scene()
    data.forward()
    data.a[:] += np.random.default_rng(1).normal(size=model.nv)
    result = derivatives.inverse(model, data, actuation=actuation)
    assert result.exact
    nv, h = model.nv, 1e-6
    a = data.a.copy()

    def force(dq, dv, da):
        probe = data.copy()
        probe.q[:] = model.integrate(data.q, dq, 1.0)
        probe.v[:] += dv
        probe.a[:] = a + da
        tau = probe.inverse()
        if actuation:
            from saltus import _saltus

            _saltus.stage(model._core, probe._core, "velocity")
            _saltus.actuation(model._core, probe._core, None)
            tau -= probe.tau_actuator
        return tau

    zero = np.zeros(nv)
    for k, matrix in enumerate(result):
        columns = []
        for e in np.eye(nv) * h:
            moves = [zero, zero, zero]
            moves[k] = e
            columns.append((force(*moves) - force(*(-x for x in moves))) / (2 * h))
        assert close(matrix, np.array(columns).T), k


@pytest.mark.parametrize("law", ["impulse", "invertible"])
def test_laws_that_step_velocities_have_derivatives(law):
    model, data = scene()
    model._core.set_setting("law", law)
    step, seen = derivatives.transition(model, data), derivatives.sensors(model, data)
    by_differences = data.linearize(1e-7)
    assert step.exact and close(step.A, by_differences.A) and close(step.B, by_differences.B)
    # Contact holds the sensor: D is far smaller than the round-off of differences of what C has.
    assert close(np.hstack(seen), np.hstack([by_differences.C, by_differences.D]))
    data.forward()
    assert data.contacts
    # At the acceleration of a step, the force that inverse dynamics wants does not change along what the step does.
    found = derivatives.inverse(model, data, actuation=True)
    nv, h = model.nv, model._core.option("timestep")
    da = step.A[nv : 2 * nv, : 2 * nv] / h
    da[:, nv:] -= np.eye(nv) / h
    change = np.hstack([found.dtau_dq, found.dtau_dv]) + found.dtau_da @ da
    assert np.abs(change).max() < 1e-6 * np.abs(found.dtau_da @ da).max()
    states = states_of(model, data, 3)
    batch = derivatives.transition_batch(model, states)
    assert batch.exact.all() and np.isfinite(batch.A).all()


def test_what_laws_cannot_do_is_said():
    model, data = scene()
    model._core.set_setting("law", "invertible")
    model._core.set_setting("invertible_restitution", 0.5)
    with pytest.raises(ValueError, match="restitution"):
        derivatives.transition(model, data)


def test_the_humanoid_agrees_with_differences_of_mujoco():
    mujoco = pytest.importorskip("mujoco")
    path = str(MODELS / "humanoid.xml")
    m, model = mujoco.MjModel.from_xml_path(path), saltus.Model.load(path)
    m.opt.tolerance, m.opt.iterations = 0, 200
    model._core.set_option("tolerance", 0.0)
    model._core.set_option("iterations", 200)
    d, data = mujoco.MjData(m), model.data()
    mujoco.mj_resetDataKeyframe(m, d, 0)
    mujoco.mj_step(m, d, 100)
    data.q[:], data.v[:], data.ctrl[:] = d.qpos, d.qvel, d.ctrl
    A, B = np.zeros((2 * m.nv, 2 * m.nv)), np.zeros((2 * m.nv, m.nu))
    mujoco.mjd_transitionFD(m, d, 1e-6, 1, A, B, None, None)
    ours = derivatives.transition(model, data)
    assert d.ncon and close(ours.A, A) and close(ours.B, B)


def test_old_results_do_not_matter_and_the_data_stays():
    model, data = scene()
    fresh = data.copy()
    data.q[2] += 0.3
    data.forward()
    data.q[2] -= 0.3
    data.q[2] = fresh.q[2]
    data._field("qacc_warmstart")[:] = 0
    before = {name: data._field(name).copy() for name in saltus._saltus.DataCore.field_names()}
    a, b = derivatives.transition(model, data), derivatives.transition(model, fresh)
    assert np.array_equal(a.A, b.A) and np.array_equal(a.B, b.B)
    data.a[:] = fresh.a[:] = before["qacc"][:] = 1.0
    for x, y in zip(derivatives.inverse(model, data), derivatives.inverse(model, fresh)):
        assert np.array_equal(x, y)
    assert all(np.array_equal(data._field(name), value, equal_nan=True) for name, value in before.items())


def test_what_is_not_exact_is_named():
    model = saltus.Model.from_xml(CANS)
    data = model.data()
    result = derivatives.transition(model, data)
    assert not result.exact and result.inexact
    assert set(result.inexact) == {"contact of geom left and geom right"}
    batch = derivatives.transition_batch(model, np.tile(np.concatenate([[0.0], data.q, data.v]), (2, 1)))
    assert batch.inexact == [result.inexact] * 2 and batch.exact.tolist() == [False, False]
    data.forward()
    assert derivatives.inverse(model, data).inexact == result.inexact
    # Apart, only the floor is touched.
    data.q[14] += 0.5
    assert derivatives.transition(model, data).exact
    data.forward()
    assert data.contacts


def test_the_exact_diagonal_is_reported_in_words():
    model, data = scene()
    from saltus import mujoco as sm

    model._core.set_option("enableflags", int(sm.mjtEnableBit.mjENBL_DIAGEXACT))
    result = derivatives.transition(model, data)
    assert not result.exact and "diagonal" in result.inexact[0]


def test_errors():
    model, data = scene(integrator=103)
    with pytest.raises(ValueError, match="interleaved"):
        derivatives.transition(model, data)
    with pytest.raises(ValueError, match="interleaved") as raised:
        derivatives.transition_batch(model, data)
    assert raised.value.state == 0
    # Inverse dynamics does not depend on the integrator, and Runge–Kutta has derivatives.
    assert derivatives.inverse(model, data).dtau_dq.shape == (model.nv, model.nv)
    assert derivatives.transition(*scene(integrator=1)).exact
    model, data = scene(integrator=4)
    assert derivatives.transition(model, data).exact
    lcp, data = saltus.Model.from_xml(SCENE), scene()[1]
    lcp._core.set_setting("law", "lcp")
    for function in (derivatives.transition, derivatives.inverse):
        with pytest.raises(ValueError, match="lcp"):
            function(lcp, data)
    with pytest.raises(ValueError, match="sizes"):
        derivatives.transition(model, saltus.Model.from_xml(XML).data())


def test_a_state_that_is_not_finite():
    model, data = scene()
    states = np.tile(np.concatenate([[0.0], data.q, data.v, data.act]), (3, 1))
    states[1, 3] = np.nan
    with pytest.raises(saltus.DivergenceError) as raised:
        derivatives.transition_batch(model, states)
    assert raised.value.state == 1
    result = derivatives.transition_batch(model, states, errors="nan")
    assert list(result.failures) == [1] and result.exact.tolist() == [True, False, True]
    assert np.isnan(result.A[1]).all() and np.isnan(result.B[1]).all()
    assert np.isfinite(result.A[[0, 2]]).all()
    data.v[0] = np.inf
    with pytest.raises(saltus.DivergenceError):
        derivatives.transition(model, data)


def test_batches_are_many_single_ones():
    model, data = scene()
    states = states_of(model, data, 12)
    rng = np.random.default_rng(5)
    ctrl, a = rng.normal(size=(12, model.nu)), rng.normal(size=(12, model.nv))
    steps = derivatives.transition_batch(model, states, ctrl)
    inverses = derivatives.inverse_batch(model, states, a, ctrl, actuation=True)
    assert steps.A.shape == (12, 2 * model.nv + model.na, 2 * model.nv + model.na) and steps.exact.all()
    for k, row in enumerate(states):
        one = model.data()
        one.time = row[0]
        one.q[:], one.v[:], one.act[:] = np.split(row[1:], [model.nq, model.nq + model.nv])
        one.ctrl[:], one.a[:] = ctrl[k], a[k]
        A, B = derivatives.transition(model, one)
        assert np.array_equal(A, steps.A[k]) and np.array_equal(B, steps.B[k])
        for x, y in zip(derivatives.inverse(model, one, actuation=True), inverses):
            assert np.array_equal(x, y[k])


def test_one_row_stands_for_all():
    model, data = scene()
    states = states_of(model, data, 3)
    ctrl = np.full(model.nu, 0.1)
    a = derivatives.transition_batch(model, states, ctrl)
    b = derivatives.transition_batch(model, states, np.tile(ctrl, (3, 1)))
    assert np.array_equal(a.A, b.A)
    accelerations = np.random.default_rng(0).normal(size=(4, model.nv))
    assert derivatives.inverse_batch(model, data, accelerations).dtau_da.shape == (4, model.nv, model.nv)
    assert derivatives.transition_batch(model, np.zeros((0, states.shape[1]))).A.shape[0] == 0


def test_threads_give_the_same_bits():
    model = saltus.Model.load(MODELS / "humanoid.xml")
    data = model.data()
    data.reset("squat")
    states = states_of(model, data, 16)
    a = np.random.default_rng(0).normal(size=(16, model.nv))
    first = derivatives.transition_batch(model, states, threads=1)
    inverse = derivatives.inverse_batch(model, states, a, threads=1)
    for threads in (2, 5, None):
        again = derivatives.transition_batch(model, states, threads=threads)
        assert all(x.tobytes() == y.tobytes() for x, y in zip(first, again))
        again = derivatives.inverse_batch(model, states, a, threads=threads)
        assert all(x.tobytes() == y.tobytes() for x, y in zip(inverse, again))


def test_wrong_sizes_are_refused():
    model, data = scene()
    states = states_of(model, data, 3)
    with pytest.raises(ValueError, match="state"):
        derivatives.transition_batch(model, states[:, 1:])
    with pytest.raises(ValueError, match="columns"):
        derivatives.transition_batch(model, states, np.zeros(model.nu + 1))
    with pytest.raises(ValueError, match="different numbers"):
        derivatives.transition_batch(model, states, np.zeros((2, model.nu)))
    with pytest.raises(ValueError, match="columns"):
        derivatives.inverse_batch(model, states, np.zeros(model.nv - 1))
    with pytest.raises(ValueError, match="threads"):
        derivatives.transition_batch(model, states, threads=0)
    with pytest.raises(ValueError, match="errors"):
        derivatives.transition_batch(model, states, errors="ignore")


def test_the_oracle_agrees():
    """A short run of parity/derivatives.py, where its models are installed."""
    for package in ("mujoco", "gymnasium", "dm_control"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    import subprocess
    import sys

    script = MODELS.parent / "parity" / "derivatives.py"
    arguments = [sys.executable, str(script), "--filter", "gymnasium/ant", "--states", "2"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
