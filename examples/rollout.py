"""Throws the humanoid 64 times with different servo commands and plots the heights: python examples/rollout.py"""

import pathlib

import numpy as np
import saltus

model = saltus.Model.load("models/humanoid.xml")
data = model.data()
data.reset("squat")

# 64 simulations of 300 steps; each holds a different random pose near that of the keyframe.
rng = np.random.default_rng(0)
controls = data.ctrl + 0.3 * rng.normal(size=(64, 1, model.nu))
result = saltus.rollout(model, data, controls, steps=300)

time, height = result.states[0, :, 0], result.states[:, :, 3]
best = height[:, -1].argmax()
print(
    f"{height.shape[0]} simulations, {height.size} steps; at the end the trunk is at {height[:, -1].mean():.3f} m on average"
)
print(f"simulation {best} ends highest: {height[best, -1]:.3f} m")

# The same simulation step by step gives the same numbers.
data.ctrl[:] = controls[best, 0]
data.step(300)
assert np.array_equal(data.q, result.states[best, -1, 1 : 1 + model.nq])
print(
    f"it has {len(data.contacts)} contacts; the solver {data.solver.status} after {data.solver.iterations} iterations"
)


def line(values: np.ndarray, colour: str) -> str:
    x, y = 40 + 900 * time / time[-1], 300 - 250 * values
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[::3], y[::3]))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


lines = [line(values, "#9bb") for values in height] + [line(height[best], "#d63")]
axis = '<line x1="40" y1="300" x2="940" y2="300" stroke="#333"/>'
text = f'<text x="40" y="20">height of the trunk, m, over {time[-1]:.1f} s</text>'
picture = pathlib.Path("out/rollout.svg")
picture.parent.mkdir(exist_ok=True)
picture.write_text(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 980 320" font-family="sans-serif">'
    + "".join(["<rect width='980' height='320' fill='#fff'/>", axis, text, *lines, "</svg>"])
)
print("picture", picture)
