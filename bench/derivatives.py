"""Compares the time of exact derivatives with MuJoCo's finite differences,
in one process and thread.

    python bench/derivatives.py                    # a table
    python bench/derivatives.py --filter hand --rounds 3
    python bench/derivatives.py --json

Reference states are states with contacts from a MuJoCo simulation under smooth random controls. At
each of them the benchmark alternates between the derivatives of inverse dynamics (Saltus and
`mjd_inverseFD`), the derivatives of a step (Saltus and `mjd_transitionFD`, forward differences),
and one step of Saltus. The calls are those of a user in Python (`saltus.derivatives.inverse` and
`transition`) and include the dynamics at the state. For each state the fastest round counts (for
Saltus the lowest median of ten), which reduces the effect of other load on the machine; the mean
over states is compared. Numbers in brackets are the time of the engine without Python
(`derivative_seconds` repeats the call and measures it), and the same without the dynamics, for a
caller that has just computed them. Models with an integrator that has no derivatives in MuJoCo
(RK4) use `implicitfast` in both engines. With `--law`, Saltus uses that law at the same states;
laws other than soft detect contacts within their reach.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import statistics
import sys
import time

import mujoco
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import saltus.mujoco  # noqa: E402
from saltus import _saltus  # noqa: E402
from step import ROOT, STATE, Subject, installed, reference_states  # noqa: E402

CALLS = {"inverse call": saltus.derivatives.inverse, "transition call": saltus.derivatives.transition}
OURS = ("inverse dynamics", "inverse from state", "inverse", "forward", "transition from state", "transition", "step")
EPS = 1e-6


def subjects() -> list[Subject]:
    models = ROOT / "models"
    result = [Subject("humanoid", models / "humanoid.xml", 4.0, keyframe=3)]
    for name, package, folder, file in (
        ("ant", "gymnasium", "envs/mujoco/assets", "ant"),
        ("quadruped", "dm_control", "suite", "quadruped"),
    ):
        path = installed(package, folder, file)
        if path is not None:
            result.append(Subject(name, path, 4.0))
    return result + [
        Subject("hand", models / "hand.xml", 1.5, amplitude=0.0, bias={"pull": -4.0}),
        Subject("hand grasping", models / "grasp.xml", 1.5, amplitude=0.0, bias={"pull": -4.0}),
    ]


class Reference:
    """MuJoCo's finite differences."""

    def __init__(self, m: mujoco.MjModel):
        n, nv, nu = 2 * m.nv + m.na, m.nv, m.nu
        self.m, self.d = m, mujoco.MjData(m)
        self.A, self.B = np.zeros((n, n)), np.zeros((n, nu))
        self.matrices = [np.zeros((nv, nv)) for _ in range(3)]

    def seconds(self, what: str, state: np.ndarray, a: np.ndarray) -> float:
        m, d = self.m, self.d
        mujoco.mj_setState(m, d, state, STATE)
        d.qacc[:] = a
        start = time.perf_counter()
        if what == "inverse":
            mujoco.mjd_inverseFD(m, d, EPS, 0, *self.matrices, None, None, None, None)
        else:
            mujoco.mjd_transitionFD(m, d, EPS, 0, self.A, self.B, None, None)
        return time.perf_counter() - start


def load(package, path: pathlib.Path):
    m = package.MjModel.from_xml_path(str(path))
    if m.opt.integrator == int(mujoco.mjtIntegrator.mjINT_RK4):
        m.opt.integrator = int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    return m


def in_contact(m: mujoco.MjModel, states: list[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray, int]]:
    """States with active contacts, with the acceleration and the number of contacts."""
    d, result = mujoco.MjData(m), []
    for state in states:
        mujoco.mj_setState(m, d, state, STATE)
        mujoco.mj_forward(m, d)
        if d.ncon and np.any((np.array(d.efc_type) >= 5) & (np.array(d.efc_force) != 0)):
            result.append((state, np.array(d.qacc), d.ncon))
    return result


def call_seconds(call, m: saltus.Model, d: saltus.Data, repeat: int) -> float:
    """Median time of a call from Python."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call(m, d)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(subject: Subject, law: str, count: int, rounds: int, repeat: int) -> dict:
    m, s = load(mujoco, subject.path), load(saltus.mujoco, subject.path)
    s._core.set_setting("law", law)
    subject = dataclasses.replace(subject, states=count)
    states = in_contact(m, [state for state, _ in reference_states(subject, m)])
    if not states:
        raise SystemExit(f"{subject.name}: no state in contact")
    reference, e = Reference(m), saltus.mujoco.MjData(s)
    times: dict[str, list[list[float]]] = {name: [] for name in (*OURS, *CALLS, "inverse FD", "transition FD")}
    gap = 0.0
    for state, a, _ in states:
        saltus.mujoco.mj_setState(s, e, state, STATE)
        e.qacc[:] = a
        taken: dict[str, list[float]] = {name: [] for name in times}
        for _ in range(rounds):
            for name in OURS:
                taken[name].append(_saltus.derivative_seconds(s._core, e._core, name, repeat))
            for name, call in CALLS.items():
                taken[name].append(call_seconds(call, s, e, repeat))
            for name in ("inverse", "transition"):
                taken[f"{name} FD"].append(reference.seconds(name, state, a))
        for name, values in taken.items():
            times[name].append(min(values))
        A = saltus.derivatives.transition(s, e).A
        gap = max(gap, float(np.linalg.norm(A - reference.A) / np.linalg.norm(A)))
    seconds = {name: statistics.fmean(values) for name, values in times.items()}
    return {
        "model": subject.name,
        "nv": int(m.nv),
        "states": len(states),
        "contacts": float(np.mean([n for *_, n in states])),
        "seconds": seconds,
        "ratios": {
            "inverse FD / exact": seconds["inverse FD"] / seconds["inverse call"],
            "transition FD / exact": seconds["transition FD"] / seconds["transition call"],
            "exact transition / step": seconds["transition call"] / seconds["step"],
        },
        "largest_difference_of_A": gap,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds, of which the fastest counts")
    parser.add_argument("--states", type=int, default=30, help="reference states per model")
    parser.add_argument("--repeat", type=int, default=10, help="repetitions of Saltus per round")
    parser.add_argument("--law", default="soft", help="Saltus' law: soft, impulse, invertible or compliant")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    args = parser.parse_args()
    results = [measure(s, args.law, args.states, args.rounds, args.repeat) for s in subjects() if args.filter in s.name]
    if args.json:
        print(json.dumps({"models": results}, indent=2))
        return
    print(
        "Microseconds of calls from Python, with the dynamics at the state; MuJoCo's are finite differences. In brackets: in"
    )
    print("the engine alone, and without the dynamics. Ratios above 1: Saltus is faster.\n")
    print(f"{'model':<15}{'nv':>4}{'contacts':>9}  {'inverse, d/d(q, v, a)':<36}{'transition, A and B':<38}{'step':>7}")
    for r in results:
        t = {name: 1e6 * x for name, x in r["seconds"].items()}
        inverse = f"{t['inverse call']:.1f} ({t['inverse from state']:.1f}, {t['inverse']:.1f}) / {t['inverse FD']:.0f}"
        inverse += f"  {r['ratios']['inverse FD / exact']:.1f}x"
        both = f"{t['transition call']:.1f} ({t['transition from state']:.1f}, {t['transition']:.1f})"
        both += f" / {t['transition FD']:.0f}"
        both += f"  {r['ratios']['transition FD / exact']:.1f}x"
        print(
            f"{r['model']:<15}{r['nv']:>4}{r['contacts']:>9.1f}  {inverse:<36}{both:<38}{t['step']:>7.1f}"
            f"  transition = {r['ratios']['exact transition / step']:.2f} steps"
        )


if __name__ == "__main__":
    main()
