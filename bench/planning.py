"""Compares the time per iteration of the planner with the same iteration built on MuJoCo.

    python bench/planning.py                 # a table
    python bench/planning.py --threads 1
    python bench/planning.py --json

A Gauss-Newton iteration on T configurations consists of inverse dynamics and its derivatives at T
states, the Gauss-Newton Hessian (each state depends on three neighbouring configurations), its
factorization, the step, and inverse dynamics along the trial trajectory.

Saltus: the times of the optimizer for a gait of the model under the invertible law, with all terms
and constraints of a gait (`cargo run --example planning_speed`). The optimizer also corrects each
step for the curvature of the forces, up to twice and with the same factors: `corrections` is the
additional time per iteration, not included in `total`; both ratios are printed.

MuJoCo: derivatives by `mjd_inverseFD` (forward differences), the Hessian of the forces only by
numpy's matrix products, a banded Cholesky factorization by LAPACK (`scipy.linalg.solveh_banded`),
and `mj_inverse` for the trial, on the same number of threads (states are distributed over them;
Python's lock is released in the calls). The dense border of the Hessian of limit cycles, which
Saltus includes, is omitted. States are small random perturbations of the model's first keyframe,
with MuJoCo's soft contact.

For each part the fastest of several rounds counts. `cpu` in the `--json` output is the total
processor time of all threads per iteration, which is more meaningful than wall-clock time on a
loaded machine.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time

import mujoco
import numpy as np
import scipy.linalg

ROOT = pathlib.Path(__file__).resolve().parent.parent
EPS = 1e-6


def ours(threads: int, repeats: int) -> list[dict]:
    """The times per iteration that the planner reports, ms."""
    command = ["cargo", "run", "--release", "--quiet", "-p", "saltus-opt", "--example", "planning_speed", "--"]
    command += ["--threads", str(threads), "--repeats", str(repeats)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Reference:
    """The times of the same iteration with MuJoCo."""

    def __init__(self, name: str, steps: int, threads: int):
        self.m = mujoco.MjModel.from_xml_path(str(ROOT / "models" / f"{name}.xml"))
        self.steps, self.threads, nv = steps, threads, self.m.nv
        self.data = [mujoco.MjData(self.m) for _ in range(threads)]
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)
        random = np.random.default_rng(1)
        self.q = np.zeros((steps, self.m.nq))
        for t in range(steps):
            if self.m.nkey:
                mujoco.mj_resetDataKeyframe(self.m, self.data[0], 0)
            q = self.data[0].qpos.copy()
            mujoco.mj_integratePos(self.m, q, 0.02 * random.standard_normal(nv), 1.0)
            self.q[t] = q
        self.v = 0.3 * random.standard_normal((steps, nv))
        self.a = 3.0 * random.standard_normal((steps, nv))
        self.by_q, self.by_v, self.by_a = (np.zeros((steps, nv, nv)) for _ in range(3))
        self.tau = np.zeros((steps, nv))

    def _each(self, work) -> None:
        def share(k: int) -> None:
            for t in range(k, self.steps, self.threads):
                work(self.data[k], t)

        list(self.pool.map(share, range(self.threads)))

    def _place(self, d: mujoco.MjData, t: int) -> None:
        d.qpos[:], d.qvel[:], d.qacc[:] = self.q[t], self.v[t], self.a[t]

    def derivatives(self) -> None:
        def work(d: mujoco.MjData, t: int) -> None:
            self._place(d, t)
            mujoco.mj_inverse(self.m, d)
            # MuJoCo's matrices are transposed: row i has the derivatives by coordinate i.
            out = (self.by_q[t], self.by_v[t], self.by_a[t], None, None, None, None)
            mujoco.mjd_inverseFD(self.m, d, EPS, False, *out)
            self.tau[t] = d.qfrc_inverse

        self._each(work)

    def assembly(self) -> None:
        h, n, steps = self.m.opt.timestep, self.m.nv, self.steps
        q, v, a = (x.transpose(0, 2, 1) for x in (self.by_q, self.by_v, self.by_a))
        by_nodes = np.concatenate([a / h**2 - v / h, q + v / h - 2 * a / h**2, a / h**2], axis=2)
        local = by_nodes.transpose(0, 2, 1) @ by_nodes
        gradient = np.einsum("tij,ti->tj", by_nodes, self.tau)
        blocks = np.zeros((steps + 2, 3, n, n))
        self.gradient = np.zeros((steps + 2, n))
        for i in range(3):
            self.gradient[i : i + steps] += gradient[:, i * n : (i + 1) * n]
            for j in range(i + 1):
                blocks[i : i + steps, i - j] += local[:, i * n : (i + 1) * n, j * n : (j + 1) * n]
        # Lower bands: entry (r, c) at [r − c, c].
        self.bands = np.zeros((3 * n, (steps + 2) * n))
        rows, columns = np.indices((n, n))
        for k in range(3):
            for t in range(k, steps + 2):
                below = k * n + rows - columns
                keep = below >= 0
                self.bands[below[keep], (t - k) * n + columns[keep]] = blocks[t, k][keep]
        self.bands[0] *= 1.0 + 1e-6
        self.bands[0] += 1e-6

    def factorization(self) -> None:
        self.step = scipy.linalg.solveh_banded(self.bands, -self.gradient.ravel(), lower=True, check_finite=False)

    def trial(self) -> None:
        def work(d: mujoco.MjData, t: int) -> None:
            self._place(d, t)
            mujoco.mj_inverse(self.m, d)

        self._each(work)

    def time(self, rounds: int) -> dict[str, float]:
        best: dict[str, float] = {}
        cpu: dict[str, float] = {}
        for _ in range(rounds):
            for part in (self.derivatives, self.assembly, self.factorization, self.trial):
                start, busy = time.perf_counter(), time.process_time()
                part()
                took, busy = 1e3 * (time.perf_counter() - start), 1e3 * (time.process_time() - busy)
                best[part.__name__] = min(best.get(part.__name__, np.inf), took)
                cpu[part.__name__] = min(cpu.get(part.__name__, np.inf), busy)
        return best | {"total": sum(best.values()), "cpu": sum(cpu.values())}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10, help="number of rounds, of which the fastest counts")
    parser.add_argument("--json", action="store_true", help="print one object per line")
    args = parser.parse_args()
    rows = ours(args.threads, args.rounds)
    for row in rows:
        if not row["newton"]:
            row["mujoco"] = Reference(row["model"], row["steps"], args.threads).time(max(2, args.rounds // 3))
    if args.json:
        for row in rows:
            print(json.dumps(row))
        return 0
    print(f"ms per iteration, {args.threads} threads")
    print(
        "model      dofs    T  method         derivatives assembly factors trial   total  corrections   MuJoCo  ratio  with corrections"
    )
    for row in rows:
        method = "Newton" if row["newton"] else "Gauss-Newton"
        line = f"{row['model']:10} {row['nv']:4} {row['steps']:4}  {method:14} {row['derivatives']:10.3f} "
        line += f"{row['assembly']:8.3f} {row['factorization']:7.3f} {row['trial']:6.3f} {row['total']:7.3f} {row['corrections']:12.3f}"
        if "mujoco" in row:
            total = row["mujoco"]["total"]
            line += f" {total:8.2f} {total / row['total']:6.1f} {total / (row['total'] + row['corrections']):8.1f}"
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
