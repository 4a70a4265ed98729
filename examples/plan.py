"""Plans a walking gait of the humanoid, and a motion that is defined in code: python examples/plan.py"""

import numpy as np
import saltus


def show(iteration: saltus.Iteration) -> None:
    if iteration.number % 50 == 0:
        print(f"  iteration {iteration.number}: cost {iteration.cost:.4f}, unactuated force {iteration.unactuated:.1e}")


# A built-in task. No contact schedule is given.
walk = saltus.optimize("walk", progress=show)
print(walk)
residual = walk.law_independent_residual.max
print(f"unactuated force {walk.unactuated_residual:.1e} of the weight; without a contact law at most {residual:.2%}")
print(walk.replay(feedback=False))
print(walk.replay("soft", strides=10))  # original geometry, time step 2 ms, whole-body tracking

# Stance phases: times at which a foot carries more than 5 % of the weight.
for foot in ("left_foot", "right_foot"):
    body = walk.model.id("body", foot)
    load = [sum(c.force[2] for c in state if c.body == body) for state in walk.contacts]
    print(f"{foot:>10} {''.join('#' if force > 0.05 * walk.weight else '.' for force in load)}")

# A custom task: a finger rotates its first joint by half a radian and stops, with little effort.
turn = saltus.Task(
    name="turn",
    model="finger",
    motion={"steps": 40, "time": 1.0, "start": {"keyframe": "home"}},
    contact={"touch": "nothing"},
)
turn.add_term(
    "posture", target=[0.8, 1.5, 0.0], weight={"base": 1.0}, window="end", role="equality", name="half a radian"
)
turn.add_term("velocity", weight=0.1, window="end")
turn.add_term("effort", weight=0.1)


def gear(knot: saltus.Knot) -> tuple[float, dict[str, np.ndarray]]:
    """A gear that is not part of the model: the second joint rotates twice as far as the first,
    in the opposite direction."""
    return (knot.q[1] - 1.5) + 2.0 * (knot.q[0] - 0.3), {"q": np.array([2.0, 1.0, 0.0])}


saltus.check_term(saltus.Model.load("models/finger.xml"), gear)
turn.add_term(gear, role="equality")
plan = saltus.optimize(turn)
print(plan)
print(f"joint rotations: {plan.q[-1, 0] - plan.q[0, 0]:+.4f} and {plan.q[-1, 1] - plan.q[0, 1]:+.4f} rad")
