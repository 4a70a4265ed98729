"""`saltus.mujoco`: state, functions and their errors. Numbers against the reference are in `parity/`."""

import copy
import pickle

import numpy as np
import pytest
from conftest import XML, disturb
from saltus import mujoco as sm

BITS = [bit for bit in sm.mjtState if bit.name != "mjNSTATE" and bin(bit).count("1") == 1]


def test_state_round_trip_of_every_combination(m, d):
    mujoco = pytest.importorskip("mujoco")
    r = mujoco.MjModel.from_xml_string(XML)
    disturb(m, d)
    d.time, d.userdata[:], d.eq_active[:] = 1.5, [7, 8, 9], True
    parts = ["TIME", "QPOS", "QVEL", "ACT", "WARMSTART", "CTRL", "QFRC_APPLIED", "XFRC_APPLIED", "EQ_ACTIVE"]
    parts += ["MOCAP_POS", "MOCAP_QUAT", "USERDATA"]
    bits = [int(getattr(sm.mjtState, f"mjSTATE_{p}")) for p in parts]
    e = mujoco.MjData(r)
    for combination in range(1 << len(bits)):
        sig = sum(bit for k, bit in enumerate(bits) if combination >> k & 1)
        size = sm.mj_stateSize(m, sig)
        assert size == mujoco.mj_stateSize(r, sig)
        state = np.empty(size)
        sm.mj_getState(m, d, state, sig)
        if combination % 37 == 0 or combination == (1 << len(bits)) - 1:
            other = sm.MjData(m)
            sm.mj_setState(m, other, state, sig)
            again = np.empty(size)
            sm.mj_getState(m, other, again, sig)
            assert np.array_equal(state, again)
            mujoco.mj_setState(r, e, state, sig)
            mujoco.mj_getState(r, e, again, sig)
            assert np.array_equal(state, again)


def test_named_state_signatures(m, d):
    mujoco = pytest.importorskip("mujoco")
    for name in ("mjSTATE_PHYSICS", "mjSTATE_FULLPHYSICS", "mjSTATE_USER", "mjSTATE_INTEGRATION"):
        assert int(getattr(sm.mjtState, name)) == int(getattr(mujoco.mjtState, name))
        # The reference's own enumerations are accepted.
        sig = getattr(mujoco.mjtState, name)
        state = np.empty(sm.mj_stateSize(m, sig))
        sm.mj_getState(m, d, state, sig)
    other = sm.MjData(m)
    sm.mj_copyState(m, d, other, mujoco.mjtState.mjSTATE_INTEGRATION)
    [sm.mj_forward(m, x) for x in (d, other)]
    assert np.array_equal(d.qacc, other.qacc)
    with pytest.raises(TypeError, match="state size"):
        sm.mj_getState(m, d, np.empty(3), sm.mjtState.mjSTATE_QPOS)
    with pytest.raises(sm.FatalError, match="invalid state signature"):
        sm.mj_stateSize(m, 1 << 30)


def test_enumerations_are_the_reference_ones():
    mujoco = pytest.importorskip("mujoco")
    from saltus.mujoco import enums

    checked = 0
    for name in (n for n in dir(enums) if n.startswith("mjt")):
        reference = getattr(mujoco, name)
        for member, value in getattr(enums, name).__members__.items():
            assert int(getattr(reference, member)) == int(value), member
            checked += 1
    assert checked > 200


def test_objects_by_name_with_either_enumeration(m):
    mujoco = pytest.importorskip("mujoco")
    for kind in (sm.mjtObj.mjOBJ_JOINT, mujoco.mjtObj.mjOBJ_JOINT, 3):
        assert sm.mj_name2id(m, kind, "rail") == 3
        assert sm.mj_id2name(m, kind, 3) == "rail"
    assert sm.mj_name2id(m, 3, "knee") == sm.mj_name2id(m, 3, "") == sm.mj_name2id(m, 999, "rail") == -1
    assert sm.mj_id2name(m, 3, 99) is sm.mj_id2name(m, 3, -1) is sm.mj_id2name(m, 999, 0) is None
    assert sm.mj_id2name(m, 5, 2) is None
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_GRAVITY
    assert m.opt.integrator == 3 and m.opt.disableflags == 1 | 128
    d = sm.MjData(m)
    sm.mj_forwardSkip(m, d, mujoco.mjtStage.mjSTAGE_NONE, 0)
    velocity = np.zeros(6)
    sm.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_SITE, 0, velocity, 0)


def test_stages_make_up_forward(m, d):
    other = sm.MjData(m)
    disturb(m, other)
    sm.mj_forward(m, d)
    for stage in "kinematics comPos camlight tendon makeM factorM transmission".split():
        getattr(sm, f"mj_{stage}")(m, other)
    sm.mj_fwdVelocity(m, other)
    sm.mj_fwdActuation(m, other)
    sm.mj_fwdAcceleration(m, other)
    assert np.array_equal(d.qacc_smooth, other.qacc_smooth)
    sm.mj_energyPos(m, other)
    sm.mj_energyVel(m, other)
    assert np.array_equal(d.energy, other.energy)


def test_skipping_stages(m, d):
    sm.mj_forward(m, d)
    d.qvel[:] *= 2
    sm.mj_forwardSkip(m, d, sm.mjtStage.mjSTAGE_POS, 0)
    full = sm.MjData(m)
    sm.mj_copyState(m, d, full, sm.mjtState.mjSTATE_INTEGRATION)
    sm.mj_forward(m, full)
    assert np.array_equal(d.qacc, full.qacc) and np.array_equal(d.sensordata, full.sensordata)
    d.sensordata[:] = 7
    sm.mj_forwardSkip(m, d, 0, 1)
    assert (d.sensordata == 7).all() and np.array_equal(d.qacc, full.qacc)


def test_in_place_arguments(m, d):
    sm.mj_forward(m, d)
    x = np.arange(m.nv, dtype=float)
    y = x.copy()
    sm.mj_mulM(m, d, y, y)
    sm.mj_solveM(m, d, y, y)
    np.testing.assert_allclose(y, x, atol=1e-9)
    before = m.qpos0.copy()
    sm.mj_integratePos(m, m.qpos0, d.qvel, 0.1)
    assert not np.array_equal(m.qpos0, before)
    sm.mj_mulM(m, d, d.qfrc_applied, d.qvel)
    sm.mj_mulM(m, d, m.dof_M0, d.qvel)
    assert np.array_equal(m.dof_M0, d.qfrc_applied)


def test_wrong_arguments_are_refused(m, d):
    sm.mj_forward(m, d)
    small = sm.MjModel.from_xml_string("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    with pytest.raises(ValueError, match="sizes of this data do not match"):
        sm.mj_forward(small, d)
    for call in (
        lambda: sm.mj_jacBody(m, d, np.zeros((3, 2)), None, 1),
        lambda: sm.mj_fullM(m, d, np.zeros((2, 2))),
        lambda: sm.mj_mulM(m, d, np.zeros(m.nv), np.zeros(2)),
        lambda: sm.mj_solveM(m, d, np.zeros(m.nv), np.zeros(m.nv + 1)),
        lambda: sm.mj_rne(m, d, 0, np.zeros(m.nv, dtype=np.float32)),
        lambda: sm.mj_fullM(m, d, np.zeros((m.nv, m.nv), order="F")),
        lambda: sm.mj_fullM(m, d, [[0.0]]),
        lambda: sm.mj_applyFT(m, d, [0, 0, 1], [0, 0, 0], [0, 0, 0], 1, np.zeros(3)),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: sm.mj_jacBody(m, d, np.zeros((3, m.nv)), None, 99),
        lambda: sm.mj_jac(m, d, np.zeros((3, m.nv)), None, [0, 0, 0], 99),
        lambda: sm.mj_jacSubtreeCom(m, d, np.zeros((3, m.nv)), 99),
        lambda: sm.mj_objectVelocity(m, d, sm.mjtObj.mjOBJ_SITE, 5, np.zeros(6), 0),
        lambda: sm.mj_objectVelocity(m, d, sm.mjtObj.mjOBJ_TENDON, 0, np.zeros(6), 0),
    ):
        with pytest.raises(IndexError):
            call()
    with pytest.raises(ValueError):
        sm.mj_jac(m, d, np.zeros((3, m.nv)), None, [0, 0], 1)
    frozen = np.zeros(m.nv)
    frozen.flags.writeable = False
    with pytest.raises((TypeError, ValueError)):
        sm.mj_rne(m, d, 0, frozen)


def test_reset(m, d):
    fresh = sm.MjData(m)
    sm.mj_forward(m, d)
    sm.mj_resetData(m, d)
    for name in ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "eq_active"):
        assert np.array_equal(getattr(d, name), getattr(fresh, name)), name
    assert d.time == 0 and not d.qacc.any() and not d.sensordata.any()
    sm.mj_resetDataKeyframe(m, d, 0)
    assert (d.time, d.qpos[11], d.ctrl[2]) == (2, 0.5, 3)
    sm.mj_resetDataKeyframe(m, d, 5)
    assert d.time == 0
    sm.mj_resetDataDebug(m, d, 255)
    assert np.array_equal(d.qpos, m.qpos0) and np.isnan(d.qacc).all()


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_data_copies(m, d, clone):
    d.time = 1.25
    sm.mj_forward(m, d)
    other = clone(d)
    assert type(other) is sm.MjData and other.time == 1.25
    for name in ("qpos", "xpos", "M", "qacc", "sensordata", "energy"):
        assert np.array_equal(getattr(d, name), getattr(other, name)), name
    other.qpos[0] = 9
    assert d.qpos[0] != 9


def test_copy_data(m, d):
    sm.mj_forward(m, d)
    other = sm.MjData(m)
    assert sm.mj_copyData(other, m, d) is other
    assert np.array_equal(other.cfrc_int, d.cfrc_int) and np.array_equal(other.qacc, d.qacc)


def test_exported_names_exist_in_the_reference():
    mujoco = pytest.importorskip("mujoco")
    ours = {"MjStatistic", "get_autoreset", "set_autoreset", "install", "uninstall"}
    missing = [name for name in sm.__all__ if not hasattr(mujoco, name) and name not in ours]
    assert missing == []
    assert sm.mj_version() == mujoco.mj_version()
