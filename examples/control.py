"""Controls, sensors and contact forces by name: the humanoid drops into a squat while its trunk is pushed: python examples/control.py"""

import numpy as np
import saltus

model = saltus.Model.load("models/humanoid.xml")
data = model.data()
data.reset("squat")
ankles = ("left_ankle_y", "right_ankle_y")
hold = [data.control(ankle).copy() for ankle in ankles]
while data.time < 0.4:
    # Sensor readings belong to a state; `forward` computes them for the current one.
    data.forward()
    pitch_rate = data.sensor("gyro")[1]
    for ankle, angle in zip(ankles, hold):
        data.set_control(ankle, angle + 0.05 * pitch_rate)
    data.set_body_force("torso", [20.0 if data.time < 0.1 else 0.0, 0, 0])
    data.step()

data.forward()
print("centre of mass", data.sensor("com").round(3), "torso at", data.body_pose("torso").p.round(3))
names = model.names("body")
for foot in ("left_foot", "right_foot"):
    forces = [contact.world_force for contact in data.contact_forces() if names[contact.bodies[1]] == foot]
    force = np.sum(forces, axis=0) if forces else np.zeros(3)
    print(f"{foot}: vertical contact force {force[2]:.1f} N, forward {force[0]:.1f} N")
print(f"left_knee motor torque: {data.actuator_force('left_knee'):.1f} N m")

# Outdated results and unknown names raise errors with a hint.
data.step()
for ask in (lambda: data.sensor("gyro"), lambda: data.control("knee")):
    try:
        ask()
    except (saltus.StaleError, KeyError) as error:
        print(error)
