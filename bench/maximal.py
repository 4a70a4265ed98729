"""Compares the time of maximal coordinates with the Open Dynamics Engine (ODE), in one thread.

    python bench/maximal.py                           # a table
    python bench/maximal.py --filter robot --rounds 5
    python bench/maximal.py --model robot.xml --keyframe stand --json

Each scene is an MJCF model. The example `beside_ode` exports it as numbers, and a small C program
simulates it with ODE's quickstep (bench/ode, compiled by this script; requires ODE's headers, on
Debian `apt-get install libode-dev`). Both engines use the same number of sweeps and take the same
steps from the same state, in alternation; the fastest round of each counts. Times are means without
the slowest 5 % of the steps. Modes of Saltus:

    quickstep   one right-hand side, fixed order of rows: the same work as ODE's quickstep
    published   all modifications of Hsu and Peters: two right-hand sides, ten additional friction sweeps
    tree        exact joints, contact sweeps until convergence
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = ("quickstep", "published", "tree")


@dataclass(frozen=True)
class Scene:
    """A model and the length of its simulation."""

    name: str
    xml: str
    """A model, or the path of one."""
    steps: int
    keyframe: str | None = None
    hold: float = 0.0
    """Dry friction of joints, N·m."""

    def flags(self) -> list[str]:
        return ["--hold", str(self.hold)] + (["--keyframe", self.keyframe] if self.keyframe else [])


def boxes(n: int) -> str:
    side = round(n**0.5)
    places = [(k % side, k // side) for k in range(n)]
    bodies = "".join(
        f'<body pos="{0.5 * x} {0.5 * y} 0.12" euler="{5 * (x % 3)} 4 {7 * (y % 5)}"><freejoint/>'
        f'<geom type="box" size="0.1 0.12 0.1"/></body>'
        for x, y in places
    )
    return model(f'<geom type="plane" size="100 100 1"/>{bodies}')


def chain(n: int) -> str:
    """A chain with hinges alternating about y and z; the links of 10 cm do not collide."""
    text = ""
    for k in reversed(range(n)):
        axis = "0 1 0" if k % 2 == 0 else "0 0 1"
        text = (
            f'<body pos="{0.1 if k else 0} 0 0"><joint axis="{axis}"/><geom type="capsule" size="0.02" '
            f'fromto="0 0 0 0.1 0 0" contype="0" conaffinity="0"/>{text}</body>'
        )
    return model(text)


def pendulum(ratio: float) -> str:
    """Fig. 2 of the paper: the lower link has `ratio` times the moment of inertia of the upper one."""
    small, large = 0.01, 0.01 * ratio**0.2

    def link(edge: float) -> str:
        size = f"{edge / 2} {edge / 2} {5 * edge}"
        return f'<geom type="box" density="2700" contype="0" conaffinity="0" size="{size}" pos="0 0 -{5 * edge}"/>'

    return model(
        f'<body pos="0 0 1" euler="45 0 0"><joint axis="1 0 0"/>{link(small)}<body pos="0 0 -{10 * small}" '
        f'euler="45 0 0"><joint axis="1 0 0"/>{link(large)}</body></body>',
        "1 0 -9.81",
    )


def model(worldbody: str, gravity: str = "0 0 -9.81") -> str:
    return f'<mujoco><option timestep="0.001" gravity="{gravity}"/><worldbody>{worldbody}</worldbody></mujoco>'


def scenes() -> list[Scene]:
    found = [Scene("pendulum, ratio 6,250", pendulum(6250), 10_000)]
    found += [Scene(f"{n:,} boxes", boxes(n), max(400, 20_000 // n)) for n in (10, 100, 1000)]
    found += [Scene(f"chain of {n:,}", chain(n), max(100, 20_000 // n)) for n in (10, 100, 1000)]
    for name, keyframe, hold in (("humanoid", None, 5.0), ("atlas", "stand", 0.0)):
        path = ROOT / "models" / f"{name}.xml"
        if path.exists():
            found.append(Scene(f"robot: {name}", str(path), 2000, keyframe, hold))
    return found


def build(folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """Builds the programs of Saltus and ODE."""
    cargo = ["cargo", "build", "--quiet", "--release", "--package", "saltus", "--example", "beside_ode"]
    subprocess.run(cargo, cwd=ROOT, check=True)
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("a C compiler is missing: install gcc")
    program = folder / "quickstep"
    source = ROOT / "bench" / "ode" / "quickstep.c"
    built = subprocess.run(
        [compiler, "-O2", str(source), "-o", str(program), "-lode", "-lm"], capture_output=True, text=True
    )
    if built.returncode != 0:
        sys.exit(f"{built.stderr}\nODE is missing or incompatible; on Debian, apt-get install libode-dev")
    return ROOT / "target" / "release" / "examples" / "beside_ode", program


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def measure(scene: Scene, programs: tuple[pathlib.Path, pathlib.Path], sweeps: int, rounds: int) -> dict:
    ours, theirs = (str(p) for p in programs)
    with tempfile.TemporaryDirectory() as folder:
        path = scene.xml
        if scene.xml.startswith("<"):
            path = str(pathlib.Path(folder) / "scene.xml")
            pathlib.Path(path).write_text(scene.xml)
        numbers = pathlib.Path(folder) / "scene.txt"
        numbers.write_text(run([ours, "scene", path, *scene.flags()]))
        commands = {"ODE": [theirs, str(numbers), str(sweeps), str(scene.steps)]}
        for mode in MODES:
            commands[mode] = [ours, "time", path, mode, str(sweeps), str(scene.steps), *scene.flags()]
        best: dict[str, dict] = {}
        for _ in range(rounds):
            for name, command in commands.items():
                result = json.loads(run(command))
                if name not in best or result["step"] < best[name]["step"]:
                    best[name] = result
    ratios = {mode: best["ODE"]["step"] / best[mode]["step"] for mode in MODES}
    return {"scene": scene.name, "bodies": best["ODE"]["bodies"], "steps": scene.steps, "of": best, "ratio": ratios}


def row(result: dict) -> str:
    of = result["of"]
    times = "".join(f"{1e6 * of[name]['step']:>11.1f}" for name in ("ODE", *MODES))
    ratios = "".join(f"{result['ratio'][mode]:>10.2f}" for mode in MODES)
    errors = "".join(f"{of[name]['joint_error']:>10.1e}" for name in ("ODE", *MODES))
    contacts = f"{of['ODE']['contacts']:>8.1f}{of['published']['contacts']:>8.1f}"
    collide = f"{1e6 * of['ODE']['collide']:>8.1f}{1e6 * of['published']['collide']:>8.1f}"
    return f"{result['scene']:<22}{result['bodies']:>6}{times}{ratios}{errors}{contacts}{collide}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--filter", default="", help="only scenes whose name contains this")
    parser.add_argument("--model", help="an MJCF file instead of the built-in scenes")
    parser.add_argument("--keyframe", help="initial keyframe of --model")
    parser.add_argument("--hold", type=float, default=0.0, help="dry friction in the joints of --model, N·m")
    parser.add_argument("--steps", type=int, default=2000, help="number of steps of --model")
    parser.add_argument("--sweeps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds, of which the fastest counts")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    args = parser.parse_args()
    chosen = [s for s in scenes() if args.filter in s.name]
    if args.model:
        chosen = [Scene(pathlib.Path(args.model).stem, args.model, args.steps, args.keyframe, args.hold)]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        programs = build(pathlib.Path(folder))
        if not args.json:
            names = "".join(f"{name:>11}" for name in ("ODE", *MODES))
            modes = "".join(f"{mode:>10}" for mode in MODES)
            errors = "".join(f"{name:>10}" for name in ("ODE", *MODES))
            print(f"{args.sweeps} sweeps. Ratio: time of ODE / time of Saltus (above 1: Saltus is faster)\n")
            print(
                f"{'':<28}{'microseconds per step':<44}{'ratio':<30}{'joint error, m':<40}{'contacts':<16}collisions, us"
            )
            print(f"{'scene':<22}{'bodies':>6}{names}{modes}{errors}{'ODE':>8}{'ours':>8}{'ODE':>8}{'ours':>8}")
        for scene in chosen:
            results.append(measure(scene, programs, args.sweeps, args.rounds))
            if not args.json:
                print(row(results[-1]), flush=True)
    if args.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
