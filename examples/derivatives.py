"""Exact derivatives of a step and of inverse dynamics, through contact: python examples/derivatives.py"""

import numpy as np
import saltus

model = saltus.Model.load("models/humanoid.xml")
data = model.data()
data.reset("squat")
data.step(60)

step = saltus.derivatives.transition(model, data)  # dx⁺ = A dx + B du; x is (q, v, act), q in its tangent space
print("A", step.A.shape, "B", step.B.shape, "not exact:", step.inexact)

# Central differences: two steps with slightly changed control.
knee, change = model.id("actuator", "left_knee"), 1e-4
ends = []
for sign in (1, -1):
    other = data.copy()
    other.set_control(knee, data.control(knee) + sign * change)
    other.step()
    ends.append(other.v)
slope = (ends[0] - ends[1]) / (2 * change)
print(f"largest difference to finite differences: {np.abs(step.B[model.nv : 2 * model.nv, knee] - slope).max():.1e}")

data.forward()
dtau_dq, dtau_dv, dtau_da = saltus.derivatives.inverse(model, data)
print("inverse dynamics:", dtau_dq.shape, dtau_dv.shape, dtau_da.shape)
