"""Small models and tasks for the tests of planning."""

from __future__ import annotations

import saltus

CART = """
<mujoco model="cart"><option gravity="0 0 {gravity}"/>
  <worldbody><body name="cart">
    <joint name="x" type="slide" axis="{axis}"/><geom type="box" size="0.1 0.1 0.1" mass="2" contype="0" conaffinity="0"/>
    <site name="tip" pos="0.1 0 0"/>
  </body></worldbody>
  <actuator>{motor}</actuator>
  <sensor>
    <jointpos name="place" joint="x"/><framepos name="tip place" objtype="site" objname="tip"/>
    <accelerometer name="shake" site="tip"/>{sensor}
  </sensor>
</mujoco>
"""
MOTOR = '<motor name="motor" joint="x"/>'


def cart(gravity: float = 0.0, axis: str = "1 0 0", motor: str = MOTOR) -> str:
    """A mass on a rail with a motor."""
    sensor = '<actuatorfrc name="push" actuator="motor"/>' if motor else ""
    return CART.format(gravity=gravity, axis=axis, motor=motor, sensor=sensor)


def push(model: str | None = None, steps: int = 10, **tables: object) -> saltus.Task:
    """From rest at 0 to 1 in a second, with little effort."""
    motion = {"steps": steps, "time": 1.0, "start": {"q": [0.0]}}
    task = saltus.Task(name="push", model=model or cart(), motion=motion, contact={"touch": "nothing"}, **tables)
    task.add_term("posture", target=[1.0], window="end", role="equality", name="goal")
    task.add_term("effort", weight=0.1)
    return task
