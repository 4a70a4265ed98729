"""Models that several tests use, and what the reference package gives for them."""

from __future__ import annotations

import pathlib

import pytest
import saltus
from saltus import mujoco as sm

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"

# Every kind of state: free, ball, hinge and slide joints, activations, mocap, equality, user data, keyframes.
XML = """
<mujoco model="thing">
  <option><flag constraint="disable" energy="enable"/></option>
  <size nuserdata="3"/>
  <worldbody>
    <body name="floater" pos="0 0 1">
      <freejoint name="root"/>
      <geom name="ball" size="0.1" pos="0.05 0 0"/>
      <site name="tip" pos="0.1 0.2 0.3"/>
      <body name="arm" pos="0.2 0 0">
        <joint name="shoulder" type="ball" damping="0.1"/>
        <geom name="upper" type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
        <body name="hand" pos="0.3 0 0">
          <joint name="elbow" axis="0 1 0" stiffness="2" armature="0.01"/>
          <geom type="box" size="0.05 0.02 0.01"/>
          <camera name="eye" pos="0 0 0.1"/>
        </body>
      </body>
    </body>
    <body name="cart" pos="1 0 0">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.1 0.1 0.1" mass="2"/>
    </body>
    <body name="target" mocap="true" pos="0 0 2"><geom size="0.05" contype="0" conaffinity="0"/></body>
    <light name="lamp" pos="0 0 3"/>
  </worldbody>
  <equality><connect name="hook" body1="hand" body2="cart" anchor="0 0 0" active="false"/></equality>
  <tendon><fixed name="coupling"><joint joint="elbow" coef="0.5"/><joint joint="rail" coef="-1"/></fixed></tendon>
  <actuator>
    <motor name="push" joint="rail" gear="3"/>
    <general name="slow" joint="elbow" dyntype="filter" dynprm="0.1" gainprm="2"/>
    <position name="pull" tendon="coupling" kp="5"/>
  </actuator>
  <sensor>
    <jointpos name="elbow angle" joint="elbow"/>
    <gyro name="spin" site="tip"/>
    <accelerometer name="shake" site="tip"/>
  </sensor>
  <custom><numeric name="gains" data="1 2 3"/></custom>
  <keyframe><key name="raised" time="2" qpos="0 0 2 1 0 0 0  1 0 0 0  0.5  0.1" ctrl="1 2 3"/></keyframe>
</mujoco>
"""


@pytest.fixture
def native() -> saltus.Model:
    return saltus.Model.from_xml(XML)


@pytest.fixture
def m() -> sm.MjModel:
    return sm.MjModel.from_xml_string(XML)


@pytest.fixture
def d(m: sm.MjModel) -> sm.MjData:
    data = sm.MjData(m)
    disturb(m, data)
    return data


def disturb(m, data, seed: int = 0) -> None:
    """A random state and random inputs, the same for both packages."""
    import numpy as np

    rng = np.random.default_rng(seed)
    data.qpos[:] = m.qpos0 + 0.3 * rng.normal(size=m.nq)
    data.qvel[:] = rng.normal(size=m.nv)
    data.act[:] = rng.normal(size=m.na)
    data.ctrl[:] = rng.normal(size=m.nu)
    data.qfrc_applied[:] = rng.normal(size=m.nv)
    data.xfrc_applied[1:] = rng.normal(size=(m.nbody - 1, 6))
