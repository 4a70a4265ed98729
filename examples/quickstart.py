"""Inertia matrix, acceleration and a Jacobian of the humanoid: python examples/quickstart.py"""

import saltus

model = saltus.Model.load("models/humanoid.xml")
data = model.data()
data.reset("squat")
data.forward()
jac_p, jac_r = data.jacobian("left_foot")
print(model)
print("centre of mass", data.com[1].round(3), "acceleration of the root", data.a_smooth[:3].round(3))
print("inertia of the root", data.M[:3, :3].diagonal().round(3), "rank of the Jacobian", jac_p.shape)
