"""User callbacks against the reference package with the same Python functions."""

import numpy as np
import pytest
from saltus import mujoco as sm

mujoco = pytest.importorskip("mujoco")

XML = """
<mujoco>
  <option><flag constraint="disable" energy="enable"/></option>
  <worldbody>
    <body name="a"><joint name="j" axis="0 1 0" damping="0.1"/><geom size="0.1" pos="0.2 0 0"/>
      <body name="b" pos="0.4 0 0"><joint name="k" axis="1 0 0" stiffness="3"/><geom size="0.1" pos="0 0.2 0"/></body>
    </body>
  </worldbody>
  <actuator>
    <general name="user" joint="j" dyntype="user" gaintype="user" biastype="user" actdim="1"/>
    <motor name="motor" joint="k"/>
    <general name="gain only" joint="k" gaintype="user"/>
  </actuator>
  <sensor>
    <user name="p" dim="1" needstage="pos"/><user name="v" dim="2" needstage="vel" cutoff="0.4"/>
    <jointpos joint="j"/><user name="a" dim="1" needstage="acc" datatype="positive" cutoff="0.1"/>
  </sensor>
</mujoco>
"""
NAMES = ("control", "passive", "act_dyn", "act_gain", "act_bias", "sensor")
FIELDS = "ctrl act_dot qfrc_passive qfrc_actuator actuator_force qacc sensordata energy qfrc_smooth".split()


class Callbacks:
    """Callbacks that leave a trace in every stage."""

    def __init__(self):
        self.log = []

    def control(self, m, d):
        self.log.append("control")
        d.ctrl[1] = -0.5 * d.qpos[1] - d.qvel[1]

    def passive(self, m, d):
        self.log.append("passive")
        d.qfrc_passive[:] -= 0.3 * d.qvel

    def act_dyn(self, m, d, i):
        self.log.append(("act_dyn", i))
        return 3 * (d.ctrl[i] - d.act[0])

    def act_gain(self, m, d, i):
        self.log.append(("act_gain", i))
        return 2.0 + i

    def act_bias(self, m, d, i):
        self.log.append(("act_bias", i))
        return -0.7 * d.qvel[0]

    def sensor(self, m, d, stage):
        self.log.append(("sensor", int(stage)))
        if stage == 1:
            d.sensordata[0] = d.qpos.sum()
        elif stage == 2:
            d.sensordata[1:3] = 5 * d.qvel
        else:
            d.sensordata[4] = 1 + abs(d.qacc[0])


@pytest.fixture(autouse=True)
def no_callbacks_left():
    yield
    for package in (sm, mujoco):
        for name in NAMES:
            getattr(package, f"set_mjcb_{name}")(None)


def run(package, names, flags=1, call="mj_forward"):
    m = package.MjModel.from_xml_string(XML)
    m.opt.disableflags = flags
    d = package.MjData(m)
    d.qpos[:], d.qvel[:], d.act[:], d.ctrl[:] = [0.3, -0.8], [1.0, -0.6], 0.4, [0.2, 0.9, 0.5]
    callbacks = Callbacks()
    for name in names:
        getattr(package, f"set_mjcb_{name}")(getattr(callbacks, name))
    getattr(package, call)(m, d)
    for name in names:
        getattr(package, f"set_mjcb_{name}")(None)
    return {name: getattr(d, name).copy() for name in FIELDS}, callbacks.log


SUBSETS = [(name,) for name in NAMES] + [NAMES, ("control", "sensor"), ("act_dyn", "act_gain"), ()]
# Constraints off; and actuation, sensors, springs, springs and dampers with them.
FLAGS = [1, 1 | 1 << 11, 1 | 1 << 13, 1 | 1 << 5, 1 | 3 << 5]


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("names", SUBSETS, ids=lambda names: "+".join(names) or "none")
def test_callbacks_do_what_they_do_in_the_reference(names, flags):
    ours, log = run(sm, names, flags)
    reference, expected_log = run(mujoco, names, flags)
    assert log == expected_log
    for field in FIELDS:
        np.testing.assert_allclose(ours[field], reference[field], atol=1e-12, err_msg=field)


def test_callbacks_can_call_functions_on_the_same_data():
    m = sm.MjModel.from_xml_string(XML)
    d = sm.MjData(m)

    def control(m, d):
        jacobian = np.zeros((3, m.nv))
        sm.mj_jacBody(m, d, jacobian, None, 2)
        d.ctrl[1] = jacobian.sum()

    sm.set_mjcb_control(control)
    sm.mj_forward(m, d)
    assert d.ctrl[1] != 0


def test_errors_in_callbacks_come_out():
    m = sm.MjModel.from_xml_string(XML)
    d = sm.MjData(m)

    def broken(m, d):
        raise ZeroDivisionError("in the callback")

    sm.set_mjcb_passive(broken)
    with pytest.raises(ZeroDivisionError, match="in the callback"):
        sm.mj_forward(m, d)
    sm.set_mjcb_passive(None)
    sm.mj_forward(m, d)


def test_callbacks_are_kept_and_checked():
    def control(m, d):
        pass

    sm.set_mjcb_control(control)
    assert sm.get_mjcb_control() is control and sm.get_mjcb_sensor() is None
    with pytest.raises(TypeError, match="Callable"):
        sm.set_mjcb_control(3)
