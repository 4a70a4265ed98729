"""Steps, inverse dynamics, contact forces and derivatives, beside the reference package."""

import math
import threading
import time

import numpy as np
import pytest
import saltus
from conftest import MODELS, XML, disturb  # noqa: I001
from saltus import mujoco as sm

mujoco = pytest.importorskip("mujoco")

HUMANOID = MODELS / "humanoid.xml"


def pair(path=HUMANOID, key=0):
    """The same model and state in both packages, the solvers run to convergence."""
    both = []
    for package in (sm, mujoco):
        m = package.MjModel.from_xml_path(str(path))
        m.opt.tolerance = 1e-14
        d = package.MjData(m)
        package.mj_resetDataKeyframe(m, d, key)
        both += [m, d]
    return both


def follow(d, e):
    """Gives `d` the state of `e`."""
    for name in "qpos qvel act ctrl qacc_warmstart qfrc_applied xfrc_applied".split():
        getattr(d, name)[...] = getattr(e, name)
    d.time = e.time


def fall(m, d, r, e, steps=120):
    """Lets the reference fall to the floor with some control; `d` gets its state."""
    rng = np.random.default_rng(0)
    for _ in range(steps):
        e.ctrl[:] = rng.uniform(-0.3, 0.3, r.nu)
        mujoco.mj_step(r, e)
    follow(d, e)


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICIT", "IMPLICITFAST", "DISCRETE"])
@pytest.mark.parametrize("cone", ["PYRAMIDAL", "ELLIPTIC"])
def test_one_step_from_each_state_of_a_fall(integrator, cone):
    m, d, r, e = pair()
    for x in (m, r):
        x.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
        x.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone}")
    most = 0
    for _ in range(150):
        follow(d, e)
        mujoco.mj_step(r, e)
        sm.mj_step(m, d)
        most = max(most, d.ncon)
        assert d.ncon == e.ncon and d.nefc == e.nefc
        np.testing.assert_allclose(d.qvel, e.qvel, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(d.qpos, e.qpos, rtol=1e-7, atol=1e-8)
        assert d.time == e.time
    assert most > 4


def test_halves_make_a_step():
    m, d, r, e = pair()
    fall(m, d, r, e)
    whole = d.copy()
    sm.mj_step(m, whole)
    sm.mj_step1(m, d)
    sm.mj_step2(m, d)
    assert np.array_equal(d.qpos, whole.qpos) and np.array_equal(d.qvel, whole.qvel) and d.time == whole.time


def test_integrators_are_functions_too():
    for name, number, arguments in (
        ("Euler", 0, ()),
        ("RungeKutta", 1, (4,)),
        ("implicit", 2, ()),
        ("implicit", 3, ()),
    ):
        m, d, r, e = pair()
        m.opt.integrator = number
        fall(m, d, r, e)
        whole = d.copy()
        sm.mj_step(m, whole)
        if name in ("Euler", "RungeKutta"):
            m.opt.integrator = 3
        sm.mj_forward(m, d)
        getattr(sm, f"mj_{name}")(m, d, *arguments)
        assert np.array_equal(d.qpos, whole.qpos) and np.array_equal(d.qvel, whole.qvel) and d.time == whole.time
    with pytest.raises(sm.FatalError):
        sm.mj_RungeKutta(m, d, 3)
    m.opt.integrator = 0
    with pytest.raises(sm.FatalError):
        sm.mj_implicit(m, d)


def test_many_steps_are_single_steps():
    m, d, r, e = pair()
    fall(m, d, r, e)
    single = d.copy()
    sm.mj_step(m, d, nstep=20)
    for _ in range(20):
        sm.mj_step(m, single)
    assert np.array_equal(d.qpos, single.qpos)


def test_inverse_undoes_forward():
    m, d, r, e = pair()
    fall(m, d, r, e)
    d.qfrc_applied[:] = e.qfrc_applied[:] = np.linspace(-1, 1, m.nv)
    sm.mj_forward(m, d)
    constraint = d.qfrc_constraint.copy()
    sm.mj_inverse(m, d)
    np.testing.assert_allclose(d.qfrc_inverse, d.qfrc_applied + d.qfrc_actuator, atol=1e-6)
    np.testing.assert_allclose(d.qfrc_constraint, constraint, atol=1e-6)
    mujoco.mj_forward(r, e)
    mujoco.mj_inverse(r, e)
    np.testing.assert_allclose(d.qfrc_inverse, e.qfrc_inverse, atol=1e-5)
    sm.mj_forward(m, d)
    sm.mj_compareFwdInv(m, d)
    assert np.all(d.solver_fwdinv < 1e-6) and d.solver_fwdinv.any()


def test_contact_forces_and_rows():
    m, d, r, e = pair()
    fall(m, d, r, e)
    sm.mj_forward(m, d)
    mujoco.mj_forward(r, e)
    ours, theirs = np.zeros(6), np.zeros(6)
    assert d.ncon == e.ncon > 0
    for k in range(d.ncon):
        sm.mj_contactForce(m, d, k, ours)
        mujoco.mj_contactForce(r, e, k, theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)
    v = np.random.default_rng(0).normal(size=m.nv)
    rows = [np.zeros(d.nefc), np.zeros(d.nefc)]
    sm.mj_mulJacVec(m, d, rows[0], v)
    mujoco.mj_mulJacVec(r, e, rows[1], v)
    np.testing.assert_allclose(*rows, atol=1e-9)
    dofs = [np.zeros(m.nv), np.zeros(m.nv)]
    sm.mj_mulJacTVec(m, d, dofs[0], rows[1])
    mujoco.mj_mulJacTVec(r, e, dofs[1], rows[1])
    np.testing.assert_allclose(*dofs, atol=1e-8)
    costs = [np.zeros(1), np.zeros(1)]
    sm.mj_constraintUpdate(m, d, rows[1], costs[0], 0)
    mujoco.mj_constraintUpdate(r, e, rows[1], costs[1], 0)
    np.testing.assert_allclose(*costs, rtol=1e-9)
    np.testing.assert_allclose(d.qfrc_constraint, e.qfrc_constraint, rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("integrator", [0, 3, 4])
@pytest.mark.parametrize("in_contact", [False, True])
def test_derivatives_of_a_step(centered, integrator, in_contact):
    if in_contact:
        m, d, r, e = pair()
        fall(m, d, r, e)
    else:
        m, r = sm.MjModel.from_xml_string(XML), mujoco.MjModel.from_xml_string(XML)
        d, e = sm.MjData(m), mujoco.MjData(r)
        disturb(r, e)
        follow(d, e)
    m.opt.integrator = r.opt.integrator = integrator
    e.ctrl[0] = d.ctrl[0] = 1 if in_contact else e.ctrl[0]
    n = 2 * m.nv + m.na
    shapes = (n, n), (n, m.nu), (m.nsensordata, n), (m.nsensordata, m.nu)
    ours, theirs = [np.full(s, np.nan) for s in shapes], [np.zeros(s) for s in shapes]
    before = d.qpos.copy(), d.qvel.copy(), d.time
    sm.mjd_transitionFD(m, d, 1e-6, centered, *ours)
    mujoco.mjd_transitionFD(r, e, 1e-6, centered, *theirs)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=2e-4 * max(1, np.abs(b).max(initial=0)))
    assert np.array_equal(d.qpos, before[0]) and np.array_equal(d.qvel, before[1]) and d.time == before[2]


@pytest.mark.parametrize("actuation", [False, True])
def test_derivatives_of_inverse_dynamics(actuation):
    m, d, r, e = pair()
    fall(m, d, r, e)
    sm.mj_forward(m, d)
    mujoco.mj_forward(r, e)
    d.qacc[:] = e.qacc
    nv, ns = m.nv, m.nsensordata
    shapes = [(nv, nv)] * 3 + [(nv, ns)] * 3 + [(nv, r.nC)]
    ours, theirs = [np.full(s, np.nan) for s in shapes], [np.zeros(s) for s in shapes]
    sm.mjd_inverseFD(m, d, 1e-6, actuation, *ours)
    mujoco.mjd_inverseFD(r, e, 1e-6, actuation, *theirs)
    for k, (a, b) in enumerate(zip(ours, theirs)):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4 * max(1, np.abs(b).max(initial=0)), err_msg=str(k))


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_the_linearization_predicts_the_next_step(integrator):
    model = saltus.Model.from_xml(XML.replace("<option>", f'<option integrator="{integrator}">'))
    data = model.data()
    data.v[:] = np.linspace(-1, 1, model.nv)
    system = data.linearize()
    rng = np.random.default_rng(0)
    dx, du = 1e-5 * rng.normal(size=system.A.shape[1]), 1e-5 * rng.normal(size=model.nu)
    moved = data.copy()
    moved.q[:] = model.integrate(moved.q, dx[: model.nv])
    moved.v += dx[model.nv : 2 * model.nv]
    moved.act += dx[2 * model.nv :]
    moved.ctrl += du
    [x.step() for x in (data, moved)]
    change = np.concatenate([model.difference(data.q, moved.q), moved.v - data.v, moved.act - data.act])
    assert np.linalg.norm(change - system.A @ dx - system.B @ du) < 1e-4 * np.linalg.norm(change)
    np.testing.assert_allclose(moved.sensors - data.sensors, system.C @ dx + system.D @ du, atol=1e-8)


WILD = """<mujoco><option timestep="0.01"/><worldbody><body name="arm"><joint name="wild" axis="0 1 0"/>
<geom size="0.1" pos="0.1 0 0"/></body></worldbody>
<actuator><general name="bad" joint="wild" biastype="affine" biasprm="0 1e9 1e6"/></actuator></mujoco>"""


def test_divergence_is_an_error_with_its_place():
    data = saltus.Model.from_xml(WILD).data()
    data.q[0] = 0.1
    with pytest.raises(saltus.DivergenceError, match='joint "wild".*actuator "bad"') as caught:
        data.step(1000)
    error = caught.value
    assert error.quantity in ("velocity", "acceleration", "coordinate") and error.index == 0
    assert error.time == data.time and abs(error.value) > 1e10 and "wild" in error.place and "bad" in error.cause
    assert np.isfinite(data.q).all(), "the state is that before the step"
    data.reset()
    data.ctrl[0] = math.nan
    with pytest.raises(saltus.DivergenceError, match='control NaN of actuator "bad"'):
        data.step()


def test_autoreset_only_when_asked():
    m = sm.MjModel.from_xml_string(WILD)
    d = sm.MjData(m)
    d.qpos[0] = 0.1
    with pytest.raises(saltus.DivergenceError):
        sm.mj_step(m, d, 1000)
    assert sm.get_autoreset() is False and not d.warning.number.any()
    sm.set_autoreset(True)
    try:
        d.qvel[0] = 1e11
        sm.mj_step(m, d)
        assert d.time == m.opt.timestep and d.warning[sm.mjtWarning.mjWARN_BADQVEL].number == 1
        d.ctrl[0] = math.inf
        sm.mj_step(m, d)
        assert d.warning[sm.mjtWarning.mjWARN_BADCTRL].number == 1 and d.ctrl[0] == math.inf
        m.opt.disableflags |= sm.mjtDisableBit.mjDSBL_AUTORESET
        d.ctrl[0] = 0
        d.qvel[0] = 1e11
        with pytest.raises(saltus.DivergenceError):
            sm.mj_step(m, d)
    finally:
        sm.set_autoreset(False)
    sm.mj_resetData(m, d)
    assert not d.warning.number.any()


@pytest.mark.parametrize("integrator", [0, 1, 3])
def test_callbacks_take_part_in_steps(integrator):
    states = []
    for package in (sm, mujoco):
        m = package.MjModel.from_xml_path(str(HUMANOID))
        m.opt.integrator, m.opt.tolerance = integrator, 1e-14
        d = package.MjData(m)
        package.mj_resetDataKeyframe(m, d, 0)
        calls = []

        def control(m, d):
            calls.append(d.time)
            d.ctrl[:] = -0.5 * d.qvel[-m.nu :]

        package.set_mjcb_control(control)
        try:
            package.mj_step(m, d, nstep=3)
            package.mj_step1(m, d)
            package.mj_step2(m, d)
        finally:
            package.set_mjcb_control(None)
        states.append((d.qpos.copy(), d.qvel.copy(), calls))
    assert states[0][2] == states[1][2]
    np.testing.assert_allclose(states[0][0], states[1][0], atol=1e-9)
    np.testing.assert_allclose(states[0][1], states[1][1], atol=1e-7)


def test_an_error_in_a_callback_stops_the_step():
    m = sm.MjModel.from_xml_string(XML)
    d = sm.MjData(m)
    disturb(m, d)
    before, view = d.qpos.copy(), d.qpos

    def broken(m, d):
        raise ZeroDivisionError

    sm.set_mjcb_control(broken)
    try:
        with pytest.raises(ZeroDivisionError):
            sm.mj_step(m, d)
    finally:
        sm.set_mjcb_control(None)
    assert np.array_equal(d.qpos, before) and d.time == 0
    sm.mj_step(m, d)
    assert not np.array_equal(view, before) and np.shares_memory(view, d._core.field("qpos"))


def test_callbacks_see_the_data_that_is_stepped():
    m = sm.MjModel.from_xml_string(XML)
    d = sm.MjData(m)
    disturb(m, d)
    expected = d.copy()
    sm.mj_forward(m, expected)
    seen = []

    def control(m, d):
        assert np.shares_memory(d.xpos, d._core.field("xpos"))
        jacobian = np.zeros((3, m.nv))
        sm.mj_jacBody(m, d, jacobian, None, 3)
        seen.append((d.xpos.copy(), d.qvel.copy(), jacobian))

    sm.set_mjcb_control(control)
    try:
        sm.mj_step(m, d)
    finally:
        sm.set_mjcb_control(None)
    jacobian = np.zeros((3, m.nv))
    sm.mj_jacBody(m, expected, jacobian, None, 3)
    for ours, theirs in zip(seen[0], (expected.xpos, expected.qvel, jacobian)):
        np.testing.assert_array_equal(ours, theirs)


def test_two_threads_on_one_data_leave_its_memory_alone():
    m = sm.MjModel.from_xml_string(XML)
    d = sm.MjData(m)
    view = d.qpos
    problems = set()

    def control(m, d):
        time.sleep(0.0002)

    def use(function, count):
        for _ in range(count):
            try:
                function(m, d)
            except RuntimeError as error:
                problems.add(str(error))

    sm.set_mjcb_control(control)
    try:
        threads = [threading.Thread(target=use, args=a) for a in ((sm.mj_step, 100), (sm.mj_kinematics, 5000))]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    finally:
        sm.set_mjcb_control(None)
    assert all("borrowed" in problem or "another thread" in problem for problem in problems)
    assert np.shares_memory(view, d._core.field("qpos"))
    sm.mj_step(m, d)
    assert np.array_equal(view, d.copy().qpos)


def test_saved_states_repeat_bit_for_bit():
    model = saltus.Model.load(HUMANOID)
    data = model.data()
    data.reset("stand")
    data.ctrl[:] = 0.1
    data.step(100)
    saved = data.save()
    data.step(50)
    end = data.save()
    other = model.data()
    other.restore(saved)
    other.step(50)
    assert np.array_equal(other.save(), end)
    with pytest.raises(ValueError, match=f"has {saved.size} numbers, not 3"):
        data.restore([1, 2, 3])


def test_native_contacts_and_solver():
    model = saltus.Model.load(HUMANOID)
    data = model.data()
    data.reset("stand")
    data.step(400)
    contacts = data.contacts
    assert contacts and data.solver.rows > 0 and data.solver.islands == 1
    assert data.solver.status in ("converged", "stalled") and data.solver.iterations >= 1
    weight = model._core.field("body_mass").sum() * 9.81
    up = sum(float(contact.frame[0, 2] * contact.force[0]) for contact in contacts)
    assert 0.2 * weight < abs(up) < 5 * weight
    assert all(len(contact.geoms) == 2 and contact.friction.shape == (5,) for contact in contacts)


def test_inverse_of_native_data():
    data = saltus.Model.load(HUMANOID).data()
    data.forward()
    np.testing.assert_allclose(data.inverse(), data.tau_actuator, atol=1e-6)


def test_keyframes_are_set_and_used():
    m = sm.MjModel.from_xml_string(XML)
    d = sm.MjData(m)
    disturb(m, d)
    d.time = 3
    state = d.qpos.copy(), d.qvel.copy(), d.ctrl.copy()
    sm.mj_setKeyframe(m, d, 0)
    sm.mj_resetData(m, d)
    sm.mj_resetDataKeyframe(m, d, 0)
    assert d.time == 3
    for name, value in zip(("qpos", "qvel", "ctrl"), state):
        assert np.array_equal(getattr(d, name), value)
    with pytest.raises(sm.FatalError, match="smaller than 1"):
        sm.mj_setKeyframe(m, d, 1)


def test_copied_data_has_contacts_and_rows():
    m, d, r, e = pair()
    fall(m, d, r, e)
    sm.mj_forward(m, d)
    other = sm.MjData(m)
    view = other.qpos
    sm.mj_copyData(other, m, d)
    assert other.ncon == d.ncon and np.array_equal(other.efc_force, d.efc_force) and other.time == d.time
    assert np.array_equal(view, d.qpos) and np.shares_memory(view, other._core.field("qpos"))
