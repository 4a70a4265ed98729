"""Builds a model in code, a pendulum of three links with a motor at the top: python examples/build_model.py"""

import numpy as np
import saltus

spec = saltus.Spec("pendulum")
parent = spec.world
for k in range(3):
    parent = parent.add_body(name=f"link{k}", pos=[0, 0, 1 if k == 0 else -0.3])
    parent.add("joint", name=f"hinge{k}", axis=[0, 1, 0])
    parent.add("geom", shape="Capsule", size=[0.02, 0.13, 0], pos=[0, 0, -0.15])
spec.add("actuator", name="top", transmission={"Joint": "hinge0"})
spec.add("sensor", name="angle", kind="JointPos", object=["Joint", "hinge0"])

# A compiled model is read-only: to change it, change the spec and compile it again.
model = spec.compile()
data = model.data()
data.set_joint_q("hinge1", 0.5)
data.set_control("top", 0.2)
data.step(500)
data.forward()
link = data.body_pose("link2")
tip = link.p + link.R @ np.array([0, 0, -0.3])
print(model, f"angle {data.sensor('angle')[0]:.3f} rad, tip at", tip.round(3))
