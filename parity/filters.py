"""Compares collision filtering with MuJoCo: which geoms collide, in which order and with which
parameters.

Models are random trees with masks, welded and mocap bodies, explicit pairs, exclusions, priorities,
margins and gaps. The shapes are spheres and capsules, for which contacts agree to round-off.

    python parity/filters.py --models 300

The exit code is 1 if any contact differs.
"""

from __future__ import annotations

import argparse
import sys

import mujoco
import numpy as np
import saltus.mujoco as sm

FIELDS = "includemargin friction solref solreffriction solimp adhesion surfacevel dim exclude dist pos frame".split()


class Generator:
    """Random models."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.geoms: list[str] = []
        self.bodies: list[str] = []

    def maybe(self, share: float, text: str) -> str:
        return text if self.rng.random() < share else ""

    def geom(self) -> str:
        rng, name = self.rng, f"g{len(self.geoms)}"
        self.geoms.append(name)
        x, y, z = rng.normal(size=3) * 0.1
        parts = [
            f'name="{name}" mass="1" type="{rng.choice(["sphere", "capsule"])}" size="{rng.uniform(0.05, 0.2):.6f} .1"',
            f'pos="{x:.6f} {y:.6f} {z:.6f}" euler="{rng.uniform(0, 90):.1f} 20 10"',
            self.maybe(0.3, f'contype="{rng.integers(0, 4)}" conaffinity="{rng.integers(0, 4)}"'),
            self.maybe(0.3, f'priority="{rng.integers(0, 2)}"'),
            self.maybe(0.2, f'solmix="{rng.choice([0, 1, 3])}" solref="{rng.uniform(0.02, 0.2):.6f} .5"'),
            self.maybe(0.3, f'margin="{rng.uniform(0, 0.1):.6f}" gap="{rng.uniform(0, 0.1):.6f}"'),
            self.maybe(0.2, f'adhesion="{rng.integers(0, 3)}"'),
            self.maybe(0.3, 'surfacevel="1 2 3 .1 .2 .3"'),
            self.maybe(0.3, f'condim="{rng.choice([1, 3, 4, 6])}" friction="{rng.uniform(0, 2):.2f} .1 0"'),
        ]
        return f"<geom {' '.join(parts)}/>"

    def body(self, depth: int) -> str:
        rng, name = self.rng, f"b{len(self.bodies)}"
        self.bodies.append(name)
        mocap = depth == 0 and rng.random() < 0.2
        joint = (
            "" if mocap else rng.choice(["<freejoint/>" if depth == 0 else "", "<joint/>", "", '<joint type="slide"/>'])
        )
        children = "".join(self.body(depth + 1) for _ in range(rng.integers(0, 3))) if depth < 3 else ""
        geoms = "".join(self.geom() for _ in range(rng.integers(1, 3)))
        flag = 'mocap="true"' if mocap else ""
        return f'<body name="{name}" {flag} pos="{rng.normal() * 0.1:.6f} 0 0">{joint}{geoms}{children}</body>'

    def model(self) -> str:
        rng = self.rng
        world = self.geom() + '<geom type="plane" size="1 1 1" pos="0 0 -.1"/>'
        world += "".join(self.body(0) for _ in range(3))
        contact = ""
        for _ in range(rng.integers(0, 4)):
            a, b = rng.choice(self.geoms, 2, replace=False)
            margin = self.maybe(0.5, 'margin=".1"')
            contact += f'<pair geom1="{a}" geom2="{b}" {margin} condim="{rng.choice([1, 3, 6])}"/>'
        if len(self.bodies) > 1 and rng.random() < 0.5:
            a, b = rng.choice(self.bodies, 2, replace=False)
            contact += f'<exclude body1="{a}" body2="{b}"/>'
        flags = self.maybe(0.3, 'filterparent="disable"') + self.maybe(0.2, ' override="enable"')
        option = f'<option o_margin=".05"><flag {flags}/></option>'
        return f"<mujoco>{option}<worldbody>{world}</worldbody><contact>{contact}</contact></mujoco>"


def compare(xml: str) -> tuple[list[str], int]:
    """The names of differing fields, and the number of contacts."""
    m, s = mujoco.MjModel.from_xml_string(xml), sm.MjModel.from_xml_string(xml)
    d, e = mujoco.MjData(m), sm.MjData(s)
    for lib, model, data in ((mujoco, m, d), (sm, s, e)):
        lib.mj_kinematics(model, data)
        lib.mj_collision(model, data)
    keep = np.ones(e.ncon, dtype=bool)
    if m.opt.enableflags & 1:
        # With override, MuJoCo's broad phase omits some contacts that are only within the gap.
        theirs = {tuple(g) for g in d.contact.geom.tolist()}
        gap = e.contact.dist >= e.contact.includemargin
        keep = np.array([tuple(g) in theirs or not gap[i] for i, g in enumerate(e.contact.geom.tolist())], dtype=bool)
    if not np.array_equal(d.contact.geom, e.contact.geom[keep]):
        return ["geoms or their order"], d.ncon
    different = []
    for name in FIELDS:
        ours, theirs = np.asarray(getattr(e.contact, name)[keep], float), np.asarray(getattr(d.contact, name), float)
        # MuJoCo also marks contacts without degrees of freedom; Saltus does this in the constraint
        # stage.
        if name == "exclude":
            ours, theirs = ours == 1, theirs == 1
        if theirs.size and np.abs(ours * 1.0 - theirs.reshape(ours.shape) * 1.0).max() > 1e-9:
            different.append(name)
    return different, d.ncon


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failed = contacts = 0
    for seed in range(options.seed, options.seed + options.models):
        different, count = compare(Generator(seed).model())
        contacts += count
        if different:
            failed += 1
            print(f"seed {seed}: {', '.join(different)}")
    print(f"{options.models - failed} models agree, {failed} differ; {contacts} contacts")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
