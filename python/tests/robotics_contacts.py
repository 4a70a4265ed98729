"""The reference's step with contacts of cylinders made exact, for `robotics_steps.py`.

MuJoCo finds contacts of capsules and boxes with cylinders by iteration: up to its tolerance in distance, so that normals and points
are only good to the tolerance's root. Here the same contacts are found by bisection: of the capsule's segment, or of the cylinder's
axis, the point nearest to the other solid is where the slope of a convex distance changes its sign.
"""

from __future__ import annotations

import mujoco
import numpy as np

CAPSULE, CYLINDER, BOX = (int(getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")) for kind in ("CAPSULE", "CYLINDER", "BOX"))


def onto_cylinder(x, size):
    across = np.hypot(x[0], x[1])
    scale = min(1.0, size[0] / across) if across > 0 else 1.0
    return np.array([x[0] * scale, x[1] * scale, np.clip(x[2], -size[1], size[1])])


def onto_box(x, size):
    return np.clip(x, -size, size)


def nearest(model, data, pair):
    """Of the segment in the first geom, the point nearest to the second geom, and that geom's point; None if the segment enters."""
    first, second = pair
    R = data.geom_xmat[second].reshape(3, 3)
    p = R.T @ (data.geom_xpos[first] - data.geom_xpos[second])
    axis = R.T @ data.geom_xmat[first].reshape(3, 3)[:, 2]
    onto = onto_cylinder if model.geom_type[second] == CYLINDER else onto_box

    def apart(t):
        x = p + axis * t
        return onto(x, model.geom_size[second]) - x

    low, high = -model.geom_size[first, 1], model.geom_size[first, 1]
    if axis @ apart(low) <= 0:
        high = low
    elif axis @ apart(high) >= 0:
        low = high
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if axis @ apart(middle) > 0 else (low, middle)
    w = apart(low)
    if np.linalg.norm(w) < 1e-9:
        return None
    x = data.geom_xpos[second] + R @ (p + axis * low)
    return x, x + R @ w


def set_frame(contact, normal):
    y = np.array([0.0, 1.0, 0.0] if abs(normal[1]) < 0.5 else [0.0, 0.0, 1.0])
    y -= normal * (normal @ y)
    y /= np.linalg.norm(y)
    contact.frame[:] = np.concatenate([normal, y, np.cross(normal, y)])


def set_point(contact, ends, radius):
    """One contact between a ball around the first point and the second point."""
    normal = ends[1] - ends[0]
    length = np.linalg.norm(normal)
    normal = normal / length
    contact.dist = length - radius
    contact.pos[:] = ends[0] + normal * (radius + 0.5 * contact.dist)
    set_frame(contact, normal)


def set_line(model, data, contact, ends):
    """The line of a cylinder's side nearest to a box, over a face of the box, where it crosses the face's border."""
    cylinder, box = contact.geom
    R, size, normal = data.geom_xmat[box].reshape(3, 3), model.geom_size[box], contact.frame[:3]
    across = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    start = R.T @ (ends[0] + across * model.geom_size[cylinder, 0] - data.geom_xpos[box])
    axis = R.T @ data.geom_xmat[cylinder].reshape(3, 3)[:, 2]
    place = R.T @ (contact.pos - data.geom_xpos[box]) / size
    face = np.argmax(np.abs(R.T @ normal))
    border = min((i for i in range(3) if i != face), key=lambda i: abs(abs(place[i]) - 1))
    point = start + axis * (np.sign(place[border]) * size[border] - start[border]) / axis[border]
    contact.dist = np.abs(point[face]) - size[face]
    point[face] -= 0.5 * contact.dist * np.sign(point[face])
    contact.pos[:] = data.geom_xpos[box] + R @ point


def collide(model, data):
    mujoco.mj_collision(model, data)
    pairs = {}
    for contact in data.contact:
        pairs.setdefault(tuple(contact.geom), []).append(contact)
    for pair, contacts in pairs.items():
        kinds = tuple(int(model.geom_type[g]) for g in pair)
        if kinds not in ((CAPSULE, CYLINDER), (CYLINDER, BOX)):
            continue
        ends = nearest(model, data, pair)
        if ends is None:
            continue
        if len(contacts) == 1:
            set_point(contacts[0], ends, model.geom_size[pair[0], 0])
        elif kinds == (CYLINDER, BOX):
            for contact in contacts:
                set_line(model, data, contact, ends)


def step(model, data, nstep=1):
    """`mj_step` in its parts."""
    for _ in range(nstep):
        mujoco.mj_fwdKinematics(model, data)
        for part in ("tendon", "makeM", "factorM"):
            getattr(mujoco, f"mj_{part}")(model, data)
        collide(model, data)
        for part in (
            "makeConstraint island transmission projectConstraint sensorPos fwdVelocity sensorVel fwdActuation "
            "fwdAcceleration fwdConstraint sensorAcc Euler"
        ).split():
            getattr(mujoco, f"mj_{part}")(model, data)
