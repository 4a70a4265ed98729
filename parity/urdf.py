"""Compares third-party URDF robots with Pinocchio: the inertia matrix and the bias force in random
states.

The robots are those of the package `example-robot-data`. Each is compared with a fixed base, as in
its file, and with a floating base. Joints are matched by name, and Pinocchio's velocities of a
floating base (both parts in the frame of the base) are converted to ours (linear part in the world
frame).

    python parity/urdf.py

The exit code is 1 if any robot differs, or is rejected for a reason that is not listed below.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import warnings

import numpy as np
import pinocchio as pin
import saltus
from saltus.mujoco import MjModel

BOUND = 1e-8
# Robots of the package that must agree.
LEAST = 66
BASE = "floating_base"

# Robots that are rejected, and the link that the error must name. These links move and have no
# mass, so that their response to a force is undefined; Pinocchio's inertia matrix is singular too.
MASSLESS = {
    "romeo_description/urdf/romeo.urdf": "RThumb3Link",
    "romeo_description/urdf/romeo_laas_small.urdf": "r_gripper",
}
# Not a URDF for Pinocchio's parser: the robot has no name.
UNREADABLE = {"ur_description/urdf/ur3.urdf"}


def robots() -> pathlib.Path:
    """The folder of robots in the package with Pinocchio's files."""
    for folder in pathlib.Path(pin.__file__).parents:
        robots = folder / "share" / "example-robot-data" / "robots"
        if robots.is_dir():
            return robots
    raise SystemExit("the package example-robot-data is not installed beside pin")


def cross(w: np.ndarray) -> np.ndarray:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


class Pair:
    """A robot in both engines, and the map between their coordinates."""

    def __init__(self, path: pathlib.Path, floating: bool):
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.theirs = pin.buildModelFromUrdf(str(path), *root)
        self.ours = MjModel.load(path, floating_base=floating)
        assert self.ours.nv == self.theirs.nv, f"{self.ours.nv} dofs, Pinocchio has {self.theirs.nv}"
        self.data = self.ours.data()
        self.their_data = self.theirs.createData()
        # Where our base is in the frame of Pinocchio's root: not at its origin if the root is called "world".
        self.base = pin.SE3.Identity()
        if floating:
            joint = saltus.Model.names(self.ours, "joint").index(BASE)
            body = saltus.Model.names(self.ours, "body")[self.ours.jnt_bodyid[joint]]
            self.base = self.theirs.frames[self.theirs.getFrameId(body)].placement

    def states(self, rng: np.random.Generator):
        """A random state: our q and v, their q, T with v_theirs = T v, and dT/dt v."""
        nv = self.ours.nv
        v = rng.normal(size=nv)
        q, q_theirs = np.zeros(self.ours.nq), pin.neutral(self.theirs)
        T, rate = np.zeros((nv, nv)), np.zeros(nv)
        for j, name in enumerate(saltus.Model.names(self.ours, "joint")):
            at, dof = self.ours.jnt_qposadr[j], self.ours.jnt_dofadr[j]
            if name == BASE:
                turn = pin.Quaternion(*rng.normal(size=4)).normalized()
                place = rng.normal(size=3)
                q[at : at + 7] = [*place, turn.w, turn.x, turn.y, turn.z]
                pose = pin.SE3(turn, place) * self.base.inverse()
                q_theirs[:7] = pin.SE3ToXYZQUAT(pose)
                R, own = turn.matrix(), slice(dof, dof + 6)
                local = np.block([[R.T, np.zeros((3, 3))], [np.zeros((3, 3)), np.eye(3)]])
                T[:6, own] = self.base.action @ local
                turning = np.concatenate([-cross(v[own][3:]) @ R.T @ v[own][:3], np.zeros(3)])
                rate[:6] = self.base.action @ turning
                continue
            joint = self.theirs.joints[self.theirs.getJointId(name)]
            assert joint.nv == 1, f"joint {name!r} has {joint.nv} dofs"
            q[at] = rng.normal()
            angle = [np.cos(q[at]), np.sin(q[at])] if joint.nq == 2 else [q[at]]
            q_theirs[joint.idx_q : joint.idx_q + joint.nq] = angle
            T[joint.idx_v, dof] = 1
        return q, v, q_theirs, T, rate

    def error(self, rng: np.random.Generator) -> float:
        """Largest error of M, entry by entry against its diagonal, and of the bias."""
        if self.ours.nv == 0:
            return 0.0
        q, v, q_theirs, T, rate = self.states(rng)
        self.data.q[:], self.data.v[:] = q, v
        self.data.forward()
        M = pin.crba(self.theirs, self.their_data, q_theirs)
        M = np.triu(M) + np.triu(M, 1).T
        bias = pin.nonLinearEffects(self.theirs, self.their_data, q_theirs, T @ v)
        bias = T.T @ (bias + M @ rate)
        M = T.T @ M @ T
        scale = np.sqrt(np.diag(M))
        return max(
            np.abs((self.data.M - M) / np.outer(scale, scale)).max(),
            np.abs(self.data.bias - bias).max() / max(np.abs(bias).max(), 1e-3),
        )


def singular(path: pathlib.Path) -> bool:
    """Whether Pinocchio's inertia matrix is singular in the zero pose."""
    model = pin.buildModelFromUrdf(str(path))
    M = pin.crba(model, model.createData(), pin.neutral(model))
    M = np.triu(M) + np.triu(M, 1).T
    return np.linalg.eigvalsh(M)[0] < 1e-15


def outcome(path: pathlib.Path, name: str, states: int) -> str:
    """The differences of a robot; empty if it agrees, or is rejected as expected."""
    rng = np.random.default_rng(0)
    for floating in (False, True):
        try:
            pair = Pair(path, floating)
        except ValueError as error:
            known = MASSLESS.get(name)
            return "" if known and f'"{known}"' in str(error) and singular(path) else str(error)
        if name in MASSLESS:
            return "loads, although a link that moves has no mass"
        worst = max(pair.error(rng) for _ in range(states))
        if not worst < BOUND:
            return f"differs by {worst:.1e}{' with a floating base' if floating else ''}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=5, help="random states per robot")
    parser.add_argument("--robot", default="", help="only robots whose path contains this")
    args = parser.parse_args()
    folder = robots()
    agree, failures = 0, []
    for path in sorted(folder.rglob("*.urdf")):
        name = path.relative_to(folder).as_posix()
        if name in UNREADABLE or args.robot not in name:
            continue
        wrong = outcome(path, name, args.states)
        if wrong:
            failures.append(name)
            print(f"{name}: {wrong}")
        elif name in MASSLESS:
            print(f"{name}: rejected, since its link {MASSLESS[name]} moves and has no mass")
        else:
            agree += 1
    print(f"{agree} robots agree with Pinocchio to {BOUND:g}, {len(failures)} do not")
    enough = args.robot or agree >= LEAST
    return 1 if failures or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
