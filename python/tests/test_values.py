"""Numbers that make no sense, and steps that take too long: errors and interrupts, never a panic."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import saltus
from conftest import MODELS
from saltus import mujoco as sm

SENSORS = MODELS / "features" / "sensors.xml"
TENDONS = MODELS / "features" / "tendons.xml"

PAIR = """<mujoco><worldbody><geom name="a" size="1"/><body><freejoint/><geom name="b" size="1"/></body></worldbody>
<contact><pair geom1="a" geom2="b"/></contact></mujoco>"""


@pytest.mark.parametrize("value", [0, 2, 127, -1])
@pytest.mark.parametrize("field", ["geom_condim", "pair_dim"])
def test_dimensions_of_contacts(field, value):
    m = sm.MjModel.from_xml_string(PAIR)
    d = sm.MjData(m)
    getattr(m, field)[-1] = value
    with pytest.raises(ValueError, match=f"{field}: the dimension of a contact is 1, 3, 4 or 6, not {value}"):
        sm.mj_step(m, d)
    getattr(m, field)[-1] = 4
    sm.mj_step(m, d)
    assert d.time > 0


@pytest.mark.parametrize("value", [-0.1, np.nan])
@pytest.mark.parametrize("field", ["geom_size", "site_size", "geom_rbound"])
def test_sizes_are_not_negative(field, value):
    m = sm.MjModel.from_xml_path(SENSORS)
    d = sm.MjData(m)
    getattr(m, field)[0] = value
    with pytest.raises(ValueError, match=f"{field}: .* should be zero or more"):
        sm.mj_forward(m, d)


def test_parameters_of_sensors_and_wraps():
    m = sm.MjModel.from_xml_string(PAIR.replace("</mujoco>", "<sensor><contact geom1='a' num='2'/></sensor></mujoco>"))
    sm.mj_forward(m, sm.MjData(m))
    m.sensor_intprm[:] = -1
    with pytest.raises(ValueError, match="sensor_intprm: .*sensor"):
        sm.mj_forward(m, sm.MjData(m))
    m = sm.MjModel.from_xml_path(TENDONS)
    m.wrap_prm[:] = 127
    with pytest.raises(ValueError, match="wrap_prm: 127 at index .* is no site"):
        sm.mj_forward(m, sm.MjData(m))


@pytest.mark.parametrize("path", sorted((MODELS / "features").glob("*.xml")), ids=lambda p: p.stem)
def test_no_number_makes_a_panic(path: pathlib.Path):
    """A hostile value in every writable field: an error or a result, but never a panic, which is no `Exception`."""
    base = sm.MjModel.from_xml_path(path)
    for name in base.field_names():
        for value in (-1, 0, 127, 2**31 - 1, np.nan, np.inf, -1e300):
            m = sm.MjModel.from_model(base)
            array = getattr(m, name)
            if array.dtype.kind == "i" and not abs(value) < 2**31:
                continue
            with np.errstate(all="ignore"):
                array[...] = value
            d = sm.MjData(base)
            try:
                sm.mj_step(m, d, 2)
                sm.mj_inverse(m, d)
            except Exception as error:
                assert isinstance(error, (ValueError, saltus.DivergenceError)), (name, value, error)


LONG = """
import saltus, sys
from saltus import mujoco as sm
m = sm.MjModel.from_xml_path(sys.argv[1])
d = sm.MjData(m)
sm.mj_resetDataKeyframe(m, d, 3)
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("stopped after", round(d.time / m.opt.timestep), flush=True)
"""


@pytest.mark.parametrize("call", ["sm.mj_step(m, d, 10**9)", "d.step(10**9)"])
def test_long_steps_are_interrupted(call):
    command = [sys.executable, "-c", LONG.format(call=call), str(MODELS / "humanoid.xml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
        sent = time.monotonic()
        assert int(process.stdout.readline().split()[-1]) > 100
        assert process.wait(timeout=10) == 0 and time.monotonic() - sent < 2
