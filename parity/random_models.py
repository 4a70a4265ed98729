"""Compares Saltus with MuJoCo on random models: random trees with random joints, geoms, frames, defaults, tendons,
actuators, sensors and compiler settings, written as MJCF.

    python parity/random_models.py --count 100
    python parity/random_models.py --seed 17 --count 1 --show     # one model and its text

Each model must be accepted by both engines with the same values, or rejected by both.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mujoco  # noqa: E402
import saltus.mujoco as sm  # noqa: E402
import smooth  # noqa: E402

TOLERANCE = 1e-9
# MuJoCo does not rotate a mesh to its principal axes if its inertia is diagonal to a relative error
# of about 1e-7. Our criterion agrees except for a few percent of meshes, which are within 10 % of
# the threshold; their axes differ by that angle.
MESH_TOLERANCE = 1e-6


class Writer:
    """Generator of random MJCF, element by element."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.names = {
            kind: [] for kind in ("body", "joint", "scalar", "ball", "geom", "site", "wrap", "tendon", "actuator")
        }
        self.degree = True
        self.meshes: list[str] = []

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def pick(self, *options):
        return options[int(self.rng.integers(len(options)))]

    def numbers(self, n: int, scale: float = 1.0) -> str:
        return " ".join(f"{x:.4g}" for x in self.rng.normal(size=n) * scale)

    def positive(self, n: int, low: float = 0.02, high: float = 0.2) -> str:
        return " ".join(f"{x:.4g}" for x in self.rng.uniform(low, high, size=n))

    def angle(self, low: float, high: float) -> float:
        value = self.rng.uniform(low, high)
        return value if self.degree else np.deg2rad(value)

    def name(self, kind: str) -> str:
        name = f"{kind}{len(self.names[kind])}"
        self.names[kind].append(name)
        return name

    def orientation(self) -> str:
        kind = self.pick("", "", "quat", "euler", "axisangle", "xyaxes", "zaxis")
        if kind == "quat":
            return f' quat="{self.numbers(4)}"'
        if kind == "euler":
            return f' euler="{self.angle(-90, 90):.4g} {self.angle(-90, 90):.4g} {self.angle(-90, 90):.4g}"'
        if kind == "axisangle":
            return f' axisangle="{self.numbers(3)} {self.angle(-170, 170):.4g}"'
        if kind == "xyaxes":
            return f' xyaxes="{self.numbers(6)}"'
        return f' zaxis="{self.numbers(3)}"' if kind == "zaxis" else ""

    def pose(self, scale: float = 0.2) -> str:
        return f' pos="{self.numbers(3, scale)}"{self.orientation()}'

    def geom(self) -> str:
        kind = self.pick("sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh" if self.meshes else "sphere")
        count = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}.get(kind, 0)
        text = f'<geom name="{self.name("geom")}" type="{kind}"'
        if kind in ("sphere", "cylinder"):
            self.names["wrap"].append(self.names["geom"][-1])
        if kind == "mesh":
            text += f' mesh="{self.pick(*self.meshes)}"{self.pose()}'
        elif kind in ("capsule", "cylinder", "box", "ellipsoid") and self.chance(0.3):
            text += f' fromto="{self.numbers(6, 0.3)}" size="{self.positive(2 if kind in ("box", "ellipsoid") and self.chance(0.5) else 1)}"'
        else:
            text += f' size="{self.positive(count)}"{self.pose()}'
        if self.chance(0.3):
            text += f' mass="{self.rng.uniform(0.1, 2):.4g}"'
        elif self.chance(0.3):
            text += f' density="{self.rng.uniform(100, 3000):.4g}"'
        if self.chance(0.1) and kind != "mesh":
            text += ' shellinertia="true"'
        if self.chance(0.15):
            text += f' group="{self.rng.integers(0, 6)}"'
        if self.chance(0.15) and kind != "mesh":
            text += ' fluidshape="ellipsoid"'
        if self.chance(0.2):
            text += f' contype="{self.rng.integers(0, 4)}" margin="0.01" priority="{self.rng.integers(0, 3)}" friction="0.5 0.01"'
        return text + self.maybe_class() + "/>"

    def maybe_class(self) -> str:
        return ' class="special"' if self.chance(0.15) else ""

    def joint(self, kind: str) -> str:
        name = self.name("joint")
        text = f'<joint name="{name}" type="{kind}"'
        if kind in ("slide", "hinge"):
            self.names["scalar"].append(name)
            text += f' axis="{self.numbers(3)}"'
            if self.chance(0.3):
                low, high = sorted(self.rng.uniform(-80, 80, size=2))
                factor = 1.0 if kind == "slide" or self.degree else np.pi / 180
                text += f' range="{low * factor:.4g} {high * factor:.4g}"'
            if self.chance(0.3):
                text += f' ref="{self.angle(-30, 30):.4g}" springref="{self.angle(-30, 30):.4g}"'
        elif kind == "ball":
            self.names["ball"].append(name)
        if kind != "free":
            text += f' pos="{self.numbers(3, 0.1)}"' if self.chance(0.5) else ""
        if self.chance(0.4):
            text += f' stiffness="{self.positive(self.pick(1, 3), 0.1, 3)}"'
        if self.chance(0.4):
            text += f' damping="{self.positive(self.pick(1, 3), 0.01, 1)}"'
        if self.chance(0.3) and kind != "free":
            text += f' armature="{self.rng.uniform(0.001, 0.1):.4g}"'
        if self.chance(0.1) and kind in ("slide", "hinge"):
            text += ' springdamper="0.3 0.9"'
        if self.chance(0.15):
            text += ' actuatorgravcomp="true"'
        if self.chance(0.2) and kind in ("slide", "hinge"):
            text += ' frictionloss="0.1" actuatorfrcrange="-3 2"'
        return text + ("" if kind == "free" else self.maybe_class()) + "/>"

    def body(self, depth: int, root: bool) -> str:
        inner = []
        if root and self.chance(0.5):
            inner.append("<freejoint/>" if self.chance(0.5) else self.joint("free"))
        else:
            for kind in self.pick(
                ["hinge"], ["slide"], ["ball"], ["hinge", "hinge"], ["slide", "hinge", "slide"], ["slide", "ball"], []
            ):
                inner.append(self.joint(kind))
        if self.chance(0.2):
            inertia = (
                f'diaginertia="{self.positive(3, 0.10, 0.15)}"'
                if self.chance(0.5)
                else 'fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"'
            )
            orientation = self.orientation() if "diag" in inertia else ""
            inner.append(
                f'<inertial pos="{self.numbers(3, 0.1)}" mass="{self.rng.uniform(0.2, 2):.4g}" {inertia}{orientation}/>'
            )
        inner += [self.geom() for _ in range(int(self.rng.integers(1, 3)))]
        # Two spheres have two equal moments, so that round-off determines the axes.
        inner.append(f'<geom name="{self.name("geom")}" type="box" size="0.03 0.05 0.08"{self.pose()}/>')
        for _ in range(int(self.rng.integers(0, 3))):
            inner.append(f'<site name="{self.name("site")}"{self.pose()}/>')
        if self.chance(0.1):
            inner.append(f'<camera mode="{self.pick("fixed", "track", "trackcom")}"{self.pose(1.0)}/>')
        if self.chance(0.1):
            inner.append(
                f'<light mode="{self.pick("fixed", "track", "trackcom")}" pos="{self.numbers(3)}" dir="{self.numbers(3)}"/>'
            )
        if depth > 0:
            inner += [self.body(depth - 1, False) for _ in range(int(self.rng.integers(0, 3)))]
        if self.chance(0.15):
            inner = (
                [f"<frame{self.pose()}>", *inner[-1:], "</frame>", *inner[:-1]]
                if not inner[-1].startswith("<body")
                else inner
            )
        extra = f' gravcomp="{self.rng.uniform(0, 1.5):.3g}"' if self.chance(0.2) else ""
        extra += ' childclass="special"' if self.chance(0.1) else ""
        return f'<body name="{self.name("body")}"{self.pose(0.5)}{extra}>' + "".join(inner) + "</body>"

    def tendon(self) -> str:
        name = self.name("tendon")
        attributes = ""
        if self.chance(0.4):
            attributes += f' stiffness="{self.positive(self.pick(1, 3), 0.1, 5)}" damping="{self.positive(1, 0.1, 1)}"'
        if self.chance(0.3):
            attributes += ' springlength="0.1 0.4"'
        if self.chance(0.3):
            attributes += ' range="0 1" frictionloss="0.2"'
        if self.chance(0.3) and len(self.names["scalar"]) > 1:
            joints = self.rng.permutation(self.names["scalar"])[:2]
            path = "".join(f'<joint joint="{j}" coef="{self.rng.normal():.3g}"/>' for j in joints)
            return f'<fixed name="{name}"{attributes}>{path}</fixed>'
        sites = [
            f'<site site="{s}"/>' for s in self.rng.permutation(self.names["site"])[: int(self.rng.integers(2, 5))]
        ]
        path = [sites[0]]
        for site in sites[1:]:
            if self.names["wrap"] and self.chance(0.4):
                side = f' sidesite="{self.pick(*self.names["site"])}"' if self.chance(0.5) else ""
                path.append(f'<geom geom="{self.pick(*self.names["wrap"])}"{side}/>')
            path.append(site)
        return f'<spatial name="{name}"{attributes}>{"".join(path)}</spatial>'

    def actuator(self) -> str:
        targets = [f'joint="{j}"' for j in self.names["scalar"]] + [f'tendon="{t}"' for t in self.names["tendon"]]
        targets += [f'joint="{j}" gear="{self.numbers(3)}"' for j in self.names["ball"]]
        if self.names["site"]:
            targets.append(f'site="{self.pick(*self.names["site"])}" gear="{self.numbers(6)}"')
            targets.append(
                f'site="{self.pick(*self.names["site"])}" refsite="{self.pick(*self.names["site"])}" gear="{self.numbers(6)}"'
            )
        if not targets:
            return ""
        target = self.pick(*targets)
        if "gear" not in target and self.chance(0.4):
            target += f' gear="{self.rng.uniform(-3, 3):.3g}"'
        name = self.name("actuator")
        kind = self.pick(
            "motor", "position", "velocity", "intvelocity", "cylinder", "general", "damper", "muscle", "pid"
        )
        extra = {
            "motor": "",
            "position": ' kp="3" kv="0.2"' if self.chance(0.5) else ' kp="3" timeconst="0.1"',
            "velocity": ' kv="0.7"',
            "intvelocity": ' kp="2" actrange="-2 2"',
            "cylinder": ' timeconst="0.2" area="0.3" bias="0.1 0.2 0.3"',
            "general": f' dyntype="{self.pick("none", "integrator", "filter", "filterexact")}" gaintype="{self.pick("fixed", "affine")}" gainprm="1.5 0.2 0.3" biastype="affine" biasprm="0.1 -0.5 -0.2" dynprm="0.2"',
            "damper": ' kv="0.4" ctrlrange="0 1"',
            "muscle": ' lengthrange="0.1 0.9" force="50"',
            "pid": ' kp="2" kv="0.3" ki="0.4" imax="0.5"',
        }[kind]
        if kind == "muscle" and ("site=" in target or "gear=" in target):
            kind, extra = "motor", ""
        if self.chance(0.3) and "range" not in extra:
            extra += ' ctrlrange="-0.5 0.7" forcerange="-2 1.5"'
        return f'<{kind} name="{name}" {target}{extra}/>'

    def sensor(self) -> str:
        options = []
        if self.names["site"]:
            site = self.pick(*self.names["site"])
            options += [
                f'<{k} site="{site}"/>'
                for k in ("accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer")
            ]
        body, geom = self.pick(*self.names["body"]), self.pick(*self.names["geom"])
        options += [f'<{k} body="{body}"/>' for k in ("subtreecom", "subtreelinvel", "subtreeangmom")]
        reference = f' reftype="geom" refname="{geom}"' if self.chance(0.5) else ""
        options += [
            f'<{k} objtype="{self.pick("body", "xbody")}" objname="{body}"{reference}/>'
            for k in ("framepos", "framequat", "framexaxis", "framelinvel", "frameangvel")
        ]
        options += [f'<framelinacc objtype="geom" objname="{geom}"/>', "<clock/>"]
        for joint in self.names["scalar"][:2]:
            options += [f'<jointpos joint="{joint}"/>', f'<jointactuatorfrc joint="{joint}"/>']
        options += [f'<tendonvel tendon="{t}"/>' for t in self.names["tendon"][:1]]
        options += [f'<actuatorfrc actuator="{a}"/>' for a in self.names["actuator"][:1]]
        return self.pick(*options)

    def equality(self) -> str:
        bodies, scalars = self.names["body"], self.names["scalar"]
        active = ' active="false"' if self.chance(0.3) else ""
        options = []
        if len(bodies) > 1:
            first, second = self.rng.permutation(bodies)[:2]
            options.append(f'<connect body1="{first}" body2="{second}" anchor="{self.numbers(3, 0.2)}"{active}/>')
            options.append(f'<connect body1="{first}" anchor="{self.numbers(3, 0.2)}" solref="0.05 0.8"/>')
            options.append(
                f'<weld body1="{first}" body2="{second}" anchor="{self.numbers(3, 0.2)}" torquescale="0.7"/>'
            )
            options.append(f'<weld body1="{first}" body2="{second}" relpose="{self.numbers(7)}"/>')
        if len(self.names["site"]) > 1:
            first, second = self.rng.permutation(self.names["site"])[:2]
            options.append(f'<connect site1="{first}" site2="{second}"/>')
        if len(scalars) > 1:
            first, second = self.rng.permutation(scalars)[:2]
            options.append(f'<joint joint1="{first}" joint2="{second}" polycoef="{self.numbers(5)}"/>')
        if self.names["tendon"]:
            options.append(f'<tendon tendon1="{self.names["tendon"][0]}" polycoef="0.1 1"/>')
        return self.pick(*options) if options else ""

    def contact(self) -> str:
        if len(self.names["body"]) < 2:
            return ""
        first, second = self.rng.permutation(self.names["body"])[:2]
        geoms = self.rng.permutation(self.names["geom"])[:2]
        pair = (
            f'<pair geom1="{geoms[0]}" geom2="{geoms[1]}"'
            + self.pick("", ' condim="4" margin="0.02"', ' friction="0.5 0.6"')
            + "/>"
        )
        return self.pick(f'<exclude body1="{first}" body2="{second}"/>', pair)

    def mesh(self, k: int) -> str:
        name = f"mesh{k}"
        self.meshes.append(name)
        scale = f' scale="{self.positive(3, 0.8, 1.2)}"' if self.chance(0.5) else ""
        if self.chance(0.2):
            scale = ' scale="-0.8 1 1"'
        reference = f' refpos="{self.numbers(3, 0.1)}" refquat="{self.numbers(4)}"' if self.chance(0.3) else ""
        inertia = f' inertia="{self.pick("convex", "exact", "legacy")}"' if self.chance(0.4) else ""
        # Elongated, since round-off would determine the axes of nearly equal moments.
        points = self.rng.normal(size=(int(self.rng.integers(6, 20)), 3)) * [0.2, 0.1, 0.03]
        vertex = " ".join(f"{x:.4g}" for x in points.reshape(-1))
        return f'<mesh name="{name}" vertex="{vertex}"{scale}{reference}{inertia}/>'

    def document(self) -> str:
        self.degree = self.chance(0.6)
        settings = f'<compiler angle="{"degree" if self.degree else "radian"}"'
        if self.chance(0.3):
            settings += f' eulerseq="{self.pick("zyx", "XYZ", "ZXZ", "xyz", "yXz")}"'
        if self.chance(0.2):
            settings += ' boundmass="0.3" boundinertia="0.002"'
        if self.chance(0.2):
            settings += ' balanceinertia="true"'
        if self.chance(0.2):
            settings += ' inertiafromgeom="true"'
        if self.chance(0.15):
            settings += ' inertiagrouprange="0 3"'
        if self.chance(0.15):
            settings += ' alignfree="true"'
        option = (
            '<option density="1.2" viscosity="0.01" wind="0.3 0.1 0"/>'
            if self.chance(0.4)
            else '<option gravity="0.5 0 -9"/>'
        )
        default = '<default><geom density="800"/><joint damping="0.05"/><default class="special"><geom density="500" rgba="1 0 0 1"/><joint armature="0.02" damping="0.3"/></default></default>'
        assets = "<asset>" + "".join(self.mesh(k) for k in range(int(self.rng.integers(0, 3)))) + "</asset>"
        world = "".join(self.body(int(self.rng.integers(0, 4)), True) for _ in range(int(self.rng.integers(1, 4))))
        tendons = "".join(self.tendon() for _ in range(3)) if len(self.names["site"]) > 2 else ""
        actuators = "".join(self.actuator() for _ in range(int(self.rng.integers(0, 6))))
        sensors = "".join(self.sensor() for _ in range(int(self.rng.integers(0, 8))))
        equalities = "".join(self.equality() for _ in range(int(self.rng.integers(0, 4))))
        contacts = "".join(self.contact() for _ in range(int(self.rng.integers(0, 2))))
        if self.chance(0.3):
            world += f'<body name="{self.name("body")}" mocap="true"{self.pose()}><geom name="{self.name("geom")}" size="0.1" contype="0" conaffinity="0"/></body>'
        return (
            f"<mujoco>{settings}/>{option}{default}{assets}<worldbody>{world}</worldbody><tendon>{tendons}</tendon>"
            f"<actuator>{actuators}</actuator><sensor>{sensors}</sensor><equality>{equalities}</equality>"
            f"<contact>{contacts}</contact></mujoco>"
        )


def compare(text: str, states: int) -> tuple[str, dict[str, float]]:
    """ "same", "refused by both", or what differs."""
    theirs = ours = None
    try:
        m = mujoco.MjModel.from_xml_string(text)
    except ValueError as problem:
        theirs = str(problem)
    try:
        s = sm.MjModel.from_xml_string(text)
    except ValueError as problem:
        ours = str(problem)
    if theirs and ours:
        return "refused by both", {}
    if theirs or ours:
        return f"only {'MuJoCo' if theirs else 'Saltus'} refuses: {theirs or ours}", {"load": float("inf")}
    errors = smooth.compare_models(m, s)
    if errors["nv"] or errors["nq"]:
        return "sizes differ", errors
    errors |= smooth.compare_states(m, s, states, 1)
    tolerance = MESH_TOLERANCE if m.nmesh else TOLERANCE
    return "same", {name: worst for name, worst in errors.items() if not worst <= tolerance}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first model")
    parser.add_argument("--states", type=int, default=3, help="random states per model")
    parser.add_argument("--show", action="store_true", help="print the models")
    options = parser.parse_args()
    passed = failed = refused = 0
    for seed in range(options.seed, options.seed + options.count):
        text = Writer(seed).document()
        if options.show:
            print(text.replace("><", ">\n<"))
        status, bad = compare(text, options.states)
        refused += status == "refused by both"
        if bad:
            failed += 1
            worst = sorted(bad.items(), key=lambda item: -item[1])[:6]
            print(f"seed {seed}: {status}; " + ", ".join(f"{name} {value:.1e}" for name, value in worst))
        else:
            passed += 1
    print(f"{refused} of {options.count} random models are refused by both engines")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
