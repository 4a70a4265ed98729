"""Saltus: a physics engine for planning robot motion through contact.

>>> import saltus
>>> model = saltus.Model.from_xml('''<mujoco><worldbody>
...   <body><joint name="hinge" axis="0 1 0"/><geom size="0.1" pos="0 0 -1"/></body>
... </worldbody></mujoco>''')
>>> data = model.data()
>>> data.q[0] = 0.5
>>> data.step(100)
>>> round(data.time, 3), data.contacts
(0.2, [])

`saltus.mujoco` offers the names of the `mujoco` package for what Saltus supports; its `MjModel` and `MjData` are
accepted wherever a `Model` or `Data` is.
"""

from saltus import contact, derivatives, maximal
from saltus._by_name import Pose, StaleError, Velocity
from saltus._data import Data
from saltus._model import Model
from saltus._optimize import optimize
from saltus._plan import ContactForce, Iteration, PathPoint, Plan, Replay, Residual
from saltus._report import Contact, Linearization, SolverReport
from saltus._rollout import Rollout, rollout
from saltus._saltus import VERSION, DivergenceError
from saltus._spec import Spec
from saltus._task import Task
from saltus._term import Knot, check_term

__all__ = ["Contact", "Data", "DivergenceError", "Linearization", "Model", "Rollout", "SolverReport", "Spec"]
__all__ += ["ContactForce", "Iteration", "Knot", "PathPoint", "Plan", "Replay", "Residual", "Task"]
__all__ += ["Pose", "StaleError", "Velocity"]
__all__ += ["check_term", "contact", "derivatives", "maximal", "optimize", "rollout"]
__version__ = VERSION
