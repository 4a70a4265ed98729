"""Compares the time of the smooth dynamics with MuJoCo, in one process and thread.

    python bench/smooth.py                  # a table
    python bench/smooth.py --quick          # fewer repetitions, no 1,000-body chain
    python bench/smooth.py --filter chain --json

Both packages run the same Python calls on the same states, in alternation, without constraints and
sensors; the fastest round counts. The overhead of a call from Python is measured with an empty
model and printed, but not subtracted. Requires `mujoco`; models of `gymnasium` and `dm_control` are
included if these are installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import pathlib
import time
from collections.abc import Callable, Iterator

import mujoco
import numpy as np
import saltus.mujoco

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINES = {"saltus": saltus.mujoco, "mujoco": mujoco}
STAGES = ("kinematics", "inertia", "factor", "bias", "forward")
CHAINS = (10, 100, 1000)
OFF = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_SENSOR


def chain(n: int) -> str:
    """A chain of n bodies with hinges about alternating axes."""
    bodies = "".join(
        f'<body pos="0.1 0 0"><joint axis="{k % 2} {(k + 1) % 2} 0"/><geom type="capsule" size="0.02" '
        'fromto="0 0 0 0.1 0 0"/>'
        for k in range(n)
    )
    return f'<mujoco model="chain {n}"><worldbody>{bodies}{"</body>" * n}</worldbody></mujoco>'


def chain_spec(n: int) -> mujoco.MjSpec:
    """The same chain, built with MjSpec, since MuJoCo's XML parser does not nest 1,000 elements."""
    spec = mujoco.MjSpec()
    body = spec.worldbody
    for k in range(n):
        body = body.add_body(pos=[0.1, 0, 0])
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[k % 2, (k + 1) % 2, 0])
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[0.02, 0, 0], fromto=[0, 0, 0, 0.1, 0, 0])
    return spec


def files() -> Iterator[tuple[str, pathlib.Path]]:
    """Models from files, with their printed names."""
    yield "humanoid", ROOT / "models" / "humanoid.xml"
    yield "hand", ROOT / "models" / "hand.xml"
    for package, folder, names in (
        ("gymnasium", "envs/mujoco/assets", ("ant", "humanoid")),
        ("dm_control", "suite", ("humanoid_CMU", "dog")),
    ):
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        for name in names:
            path = pathlib.Path(spec.submodule_search_locations[0]) / folder / f"{name}.xml"
            if path.exists():
                yield f"{package}/{name}", path


class Subject:
    """One model in both packages, in the same random state."""

    def __init__(self, make: Callable[[object], object]):
        self.models = {name: make(package) for name, package in ENGINES.items()}
        self.data = {name: package.MjData(self.models[name]) for name, package in ENGINES.items()}
        rng = np.random.default_rng(0)
        m = self.models["mujoco"]
        v, ctrl = rng.normal(size=m.nv), rng.normal(size=m.nu)
        for name, package in ENGINES.items():
            model, data = self.models[name], self.data[name]
            model.opt.disableflags = int(model.opt.disableflags) | int(OFF)
            package.mj_integratePos(model, data.qpos, 0.3 * v, 1.0)
            data.qvel[:], data.ctrl[:] = v, ctrl
            package.mj_forward(model, data)
        # Forces and inertia, not accelerations: M of a long chain is too ill-conditioned to compare
        # the latter.
        for field in ("qfrc_smooth", "M"):
            ours, theirs = (getattr(self.data[name], field) for name in ENGINES)
            scale = 1 + np.abs(theirs).max(initial=0)
            if not np.allclose(ours / scale, theirs / scale, rtol=0, atol=1e-9):
                raise AssertionError(f"the packages disagree about {field}; comparing their times would be meaningless")

    @property
    def nv(self) -> int:
        return int(self.models["mujoco"].nv)

    def calls(self, stage: str) -> dict[str, list[tuple]]:
        """The functions and arguments of a stage, for each engine."""
        result = {}
        for name, p in ENGINES.items():
            m, d = self.models[name], self.data[name]
            result[name] = {
                "kinematics": [(p.mj_kinematics, m, d), (p.mj_comPos, m, d)],
                "inertia": [(p.mj_makeM, m, d)],
                "factor": [(p.mj_factorM, m, d)],
                "bias": [(p.mj_comVel, m, d), (p.mj_rne, m, d, 0, np.zeros(self.nv))],
                "forward": [(p.mj_forward, m, d)],
            }[stage]
        return result


def run(calls: list[tuple], count: int) -> float:
    """Seconds per round of calls."""
    start = time.perf_counter()
    for _ in range(count):
        for function, *arguments in calls:
            function(*arguments)
    return (time.perf_counter() - start) / count


def best(calls: dict[str, list[tuple]], rounds: int, sample: float) -> dict[str, float]:
    """Minimum time of each engine over interleaved samples of about `sample` seconds."""
    counts = {name: max(1, int(sample / max(run(c, 2), 1e-7))) for name, c in calls.items()}
    times = {name: math.inf for name in calls}
    for _ in range(rounds):
        for name, c in calls.items():
            times[name] = min(times[name], run(c, counts[name]))
    return times


def from_text(xml: str) -> Callable[[object], object]:
    return lambda package: package.MjModel.from_xml_string(xml)


def from_chain(n: int) -> Callable[[object], object]:
    return lambda p: chain_spec(n).compile() if p is mujoco else p.MjModel.from_xml_string(chain(n))


def from_file(path: pathlib.Path) -> Callable[[object], object]:
    return lambda package: package.MjModel.from_xml_path(str(path))


def compile_times(n: int, rounds: int) -> dict[str, float]:
    """Seconds to compile the chain of n bodies: Saltus from text, MuJoCo from a finished `MjSpec`."""
    xml = chain(n)
    times = {name: math.inf for name in ENGINES}
    for _ in range(rounds):
        spec = chain_spec(n)
        for name, make in (("saltus", lambda: saltus.mujoco.MjModel.from_xml_string(xml)), ("mujoco", spec.compile)):
            start = time.perf_counter()
            make()
            times[name] = min(times[name], time.perf_counter() - start)
    return times


def growth(results: list[dict]) -> list[dict]:
    """Scaling of each stage on chains: the exponent between the two longest chains, and the ratio
    of the time to its theoretical growth."""
    chains = [r for r in results if r["model"].startswith("chain ")]
    # A chain of n bodies is n deep: n·depth = n². Factorization without fill-in is Σ depth² = n³/3 on a chain.
    powers = {"kinematics": 1, "inertia": 2, "factor": 3, "bias": 1, "forward": None}
    rows = []
    for stage, power in powers.items():
        points = [(r["nv"], r["seconds"][stage]["saltus"]) for r in chains]
        if len(points) < 2:
            return []
        (n1, t1), (n2, t2) = points[-2:]
        exponent = math.log(t2 / t1) / math.log(n2 / n1)
        scaled = {n: t / n**power * 1e9 for n, t in points} if power else None
        rows.append({"stage": stage, "exponent": exponent, "theory": power, "nanoseconds_per_unit": scaled})
    return rows


def microseconds(t: float) -> str:
    return f"{t * 1e6:.2f}" if t < 1e-4 else f"{t * 1e6:.0f}"


def print_table(report: dict) -> None:
    print("Microseconds per call, Saltus / MuJoCo, and the ratio MuJoCo / Saltus (above 1: Saltus is faster)\n")
    print(f"{'model':<24}{'nv':>5}  " + "".join(f"{stage:>25}" for stage in STAGES))
    for r in report["models"]:
        cells = ""
        for stage in STAGES:
            t = r["seconds"][stage]
            cells += f"{microseconds(t['saltus']) + ' / ' + microseconds(t['mujoco']):>18}{r['ratio'][stage]:>6.2f}x"
        print(f"{r['model']:<24}{r['nv']:>5}  {cells}")
    means = "".join(f"{report['geometric_mean'][stage]:>24.2f}x" for stage in STAGES)
    print(f"{'geometric mean':<24}{'':>5}  {means}")
    overhead = ", ".join(f"{name} {t * 1e9:.0f} ns" for name, t in report["call_overhead"].items())
    print(f"\nCall overhead (kinematics of an empty model; included above): {overhead}")
    if report["compile"]:
        c = report["compile"]
        print(
            f"Compiling the {c['bodies']}-body chain: Saltus {c['saltus'] * 1e3:.1f} ms from text, "
            f"MuJoCo {c['mujoco'] * 1e3:.1f} ms from a finished MjSpec"
            f" ({c['mujoco'] / c['saltus']:.1f}x)"
        )
    for row in report["growth"]:
        theory = "sum of the others" if row["theory"] is None else f"n^{row['theory']}"
        line = f"Chains, {row['stage']:<10} grows as n^{row['exponent']:.2f} (theory {theory})"
        if row["nanoseconds_per_unit"]:
            unit = {1: "n", 2: "(n·depth)", 3: "(n·depth²)"}[row["theory"]]
            values = ", ".join(f"{t:.3g}" for t in row["nanoseconds_per_unit"].values())
            line += f"; ns/{unit}: {values}"
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds, of which the fastest counts")
    parser.add_argument("--quick", action="store_true", help="3 rounds, no 1,000-body chain")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    args = parser.parse_args()
    rounds, sample = (3, 0.003) if args.quick else (args.rounds, 0.01)

    sizes = [n for n in CHAINS if not (args.quick and n >= 1000)]
    sources = [(f"chain {n}", from_chain(n)) for n in sizes]
    sources += [(name, from_file(path)) for name, path in files()]
    results = []
    for name, make in sources:
        if args.filter not in name:
            continue
        subject = Subject(make)
        seconds = {stage: best(subject.calls(stage), rounds, sample) for stage in STAGES}
        ratio = {stage: t["mujoco"] / t["saltus"] for stage, t in seconds.items()}
        results.append({"model": name, "nv": subject.nv, "seconds": seconds, "ratio": ratio})

    empty = Subject(from_text("<mujoco/>"))
    overhead = best({n: c[:1] for n, c in empty.calls("kinematics").items()}, rounds, sample)
    means = {
        stage: math.exp(sum(math.log(r["ratio"][stage]) for r in results) / max(len(results), 1)) for stage in STAGES
    }
    wants_chain = not args.quick and args.filter in "chain 1000"
    report = {
        "models": results,
        "geometric_mean": means,
        "call_overhead": overhead,
        "compile": {"bodies": 1000, **compile_times(1000, 3)} if wants_chain else None,
        "growth": growth(results),
    }
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        print_table(report)


if __name__ == "__main__":
    main()
