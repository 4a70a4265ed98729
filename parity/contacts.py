"""Compares contacts, rays and distances with MuJoCo: for random poses of each pair of shapes near
contact, and for whole models at random and settled states.

    python parity/contacts.py                        # everything, a table
    python parity/contacts.py --only pairs --filter box --seeds 200 --verbose
    python parity/contacts.py --only models

Contacts are matched per pair of geoms, regardless of their order. The exit code is 1 if any set of
contacts differs.
"""

from __future__ import annotations

import itertools
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import doubt  # noqa: E402
import mujoco  # noqa: E402
import report  # noqa: E402
import saltus.mujoco as sm  # noqa: E402

import models  # noqa: E402

ANALYTIC_TOLERANCE = 1e-9
CONVEX_TOLERANCE = 1e-6
# Normals and points of curved convex shapes: MuJoCo stops with errors of up to 1e-5 even at its
# tightest tolerance (its normals miss the gradient of an ellipsoid by that much; ours are exact).
CURVED_TOLERANCE = 1e-4
PARAMETERS = "includemargin friction solref solreffriction solimp adhesion surfacevel dim".split()

MESH = (
    '<asset><mesh name="stone" vertex="{}"/><mesh name="brick" scale=".15 .1 .05" '
    'vertex="-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1"/>'
    '<hfield name="land" nrow="6" ncol="7" size=".5 .4 .2 .1" elevation="{}"/></asset>'
)
SHAPES = {
    "plane": 'type="plane" size="1 1 1"',
    "hfield": 'type="hfield" hfield="land"',
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".07 .12"',
    "ellipsoid": 'type="ellipsoid" size=".08 .1 .14"',
    "cylinder": 'type="cylinder" size=".09 .11"',
    "box": 'type="box" size=".08 .1 .13"',
    "brick": 'type="mesh" mesh="brick"',
    "stone": 'type="mesh" mesh="stone"',
}
# Pairs with closed-form solutions; all others use the general convex routine.
ANALYTIC = {("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "cylinder"), ("sphere", "box")}
ANALYTIC |= {("capsule", "capsule"), ("capsule", "box"), ("box", "box")} | {("plane", s) for s in SHAPES}


CURVED = {"ellipsoid", "cylinder"}
FLAT = {"capsule", "cylinder", "box", "brick", "stone", "mesh"}
# Allowed fraction of contact sets that differ, and the reason.
KNOWN = {
    "disc": (0.02, "of more than four points others are kept where they span the same area but for round-off"),
    "mesh": (0.1, "flat contacts: the order of a mesh's faces and corners decides which of them make the contact"),
}

# With a margin of exactly 0, MuJoCo's depths of boxes and meshes in height fields are below the
# exact ones from separating axes; with a positive margin they are not. Therefore these pairs use a
# very small margin.
FLAT_ON_FIELD = {("hfield", second) for second in ("box", "brick", "stone")}
SMALL_MARGIN = 1e-6
# MuJoCo examines at most 50 prisms of a height field, and their number depends on the maximum
# distance of the query, so its smallest result is used.
REACHES = (0.4, 0.2, 0.1, 0.02, 0.005)


def known(first: str, second: str) -> tuple[float, str]:
    if f"{first}-{second}" in KNOWN:
        return KNOWN[f"{first}-{second}"]
    if first == "cylinder" and second in {"cylinder", "box"}:
        return KNOWN["disc"]
    if (first, second) == ("plane", "stone") or (first in FLAT and second in {"brick", "stone", "mesh"}):
        return KNOWN["mesh"]
    return 0.0, ""


def pair_model(first: str, second: str, margin: float) -> str:
    rng = np.random.default_rng(5)
    stone = rng.normal(size=(24, 3))
    stone *= 0.12 / np.linalg.norm(stone, axis=1, keepdims=True)
    numbers = lambda values: " ".join(f"{x:.6g}" for x in np.ravel(values))  # noqa: E731
    assets = MESH.format(numbers(stone), numbers(rng.uniform(0, 1, size=42)))
    fixed = first in ("plane", "hfield")
    body = f'<geom {SHAPES[first]} margin="{margin}"/>'
    if not fixed:
        body = f"<body><freejoint/>{body}</body>"
    # Both engines iterate to convergence, so that differences are not due to tolerances.
    option = '<option ccd_tolerance="1e-12" ccd_iterations="1000"/>'
    return f"<mujoco>{option}{assets}<worldbody>{body}<body><freejoint/><geom {SHAPES[second]}/></body></worldbody></mujoco>"


def random_quat(rng: np.random.Generator) -> np.ndarray:
    """A random orientation, uniform or nearly aligned with the axes, so that face contacts
    occur."""
    kind = rng.integers(3)
    if kind == 0:
        quat = rng.normal(size=4)
    else:
        quat = np.zeros(4)
        axis = rng.integers(3)
        turn = rng.integers(4) * np.pi / 2
        quat[0], quat[1 + axis] = np.cos(turn / 2), np.sin(turn / 2)
        quat = quat + rng.normal(size=4) * (0.02 if kind == 1 else 0.2)
    return quat / np.linalg.norm(quat)


def random_pair(m: mujoco.MjModel, d: mujoco.MjData, first: str, rng: np.random.Generator) -> None:
    """Random orientations; then the second geom is moved along a random direction until it nearly touches."""
    depth = rng.choice([-0.005, 0.002, 0.01, 0.03])
    for adr in range(0, m.nq, 7):
        d.qpos[adr + 3 : adr + 7] = random_quat(rng)
        d.qpos[adr : adr + 3] = 0
    last = m.nq - 7
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    if first == "plane":
        direction = np.array([0.0, 0.0, 1.0])
    if first == "hfield":
        direction = np.array([0.0, 0.0, 1.0])
        d.qpos[last : last + 2] = rng.uniform(-0.4, 0.4, size=2)
    if last:
        d.qpos[:3] = rng.normal(size=3)
    start = d.qpos[:3].copy() if last else np.append(d.qpos[:2], 0.0)
    low, high = 0.0, 1.0
    for _ in range(30):  # distance at which contact begins
        middle = 0.5 * (low + high)
        d.qpos[last : last + 3] = start + direction * middle
        mujoco.mj_kinematics(m, d)
        mujoco.mj_collision(m, d)
        low, high = (middle, high) if d.ncon else (low, middle)
    d.qpos[last : last + 3] = start + direction * (low - depth)


def grouped(contacts) -> dict[tuple[int, int], list[np.ndarray]]:
    """Contact numbers of each pair of geoms."""
    groups: dict[tuple[int, int], list[np.ndarray]] = {}
    for i in range(len(contacts.dist)):
        row = np.concatenate([[contacts.dist[i]], contacts.pos[i], contacts.frame[i].reshape(-1)])
        groups.setdefault(tuple(int(g) for g in contacts.geom[i]), []).append(row)
    return groups


def match(ours: list[np.ndarray], theirs: list[np.ndarray], scale: np.ndarray) -> float:
    """Largest scaled difference between two sets of equally many points under the best greedy matching."""
    rest, worst = list(ours), 0.0
    for row in theirs:
        errors = [float((np.abs(row - other) * scale).max()) for other in rest]
        k = int(np.argmin(errors))
        worst = max(worst, errors[k])
        rest.pop(k)
    return worst


class Tally:
    """Differences found for one kind of pair."""

    def __init__(self, tolerance: float, curved: bool, allowed: float = 0.0) -> None:
        self.sets = self.points = self.counts = 0
        self.tolerance, self.allowed = tolerance, allowed
        self.errors: list[float] = []
        self.doubts: dict[str, int] = {}
        # Distance, position, frame; in units of their tolerance.
        rest = CURVED_TOLERANCE if curved else tolerance
        self.scale = tolerance / np.array([tolerance] + [rest] * 12)

    def note(self, ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
        self.sets += 1
        self.points += len(theirs)
        if len(ours) != len(theirs):
            self.counts += 1
            return float("inf")
        error = match(ours, theirs, self.scale)
        self.errors.append(error)
        return error

    def compare(self, m, d, key, ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
        """Records the result for one pair of geoms, unless MuJoCo is not a valid reference for
        it."""
        bad = len(ours) != len(theirs) or match(ours, theirs, self.scale) > self.tolerance
        why = doubt.reason(m, d, key, ours, theirs, self.scale, self.tolerance, (grouped, match)) if bad else ""
        if why:
            self.doubts[why] = self.doubts.get(why, 0) + 1
            return 0.0
        return self.note(ours, theirs)

    def summary(self) -> tuple[str, bool]:
        over = sum(e > self.tolerance for e in self.errors)
        worst = max(self.errors, default=0.0)
        text = f"{self.sets:6d} sets {self.points:6d} points, count differs {self.counts:5d}, over {self.tolerance:.0e}: {over:5d}, worst {worst:.1e}"
        text += "".join(f", {count} {why}" for why, count in sorted(self.doubts.items()))
        return text, self.counts + over <= self.allowed * self.sets


def run_sm(s, e) -> None:
    sm.mj_kinematics(s, e)
    sm.mj_collision(s, e)


def compare_pair(first: str, second: str, seeds: int, seed: int, verbose: bool) -> Tally:
    allowed, _ = known(first, second)
    tally = Tally(tolerance_of(first, second), bool(CURVED & {first, second}), allowed)
    for margin in (SMALL_MARGIN if (first, second) in FLAT_ON_FIELD else 0.0, 0.02):
        xml = pair_model(first, second, margin)
        m, s = mujoco.MjModel.from_xml_string(xml), sm.MjModel.from_xml_string(xml)
        d, e = mujoco.MjData(m), sm.MjData(s)
        rng = np.random.default_rng(seed)
        for trial in range(seeds):
            random_pair(m, d, first, rng)
            mujoco.mj_kinematics(m, d)
            mujoco.mj_collision(m, d)
            e.qpos[:] = d.qpos
            run_sm(s, e)
            ours, theirs = grouped(e.contact), grouped(d.contact)
            tolerance = tolerance_of(first, second)
            for key in sorted({*ours, *theirs}):
                error = tally.compare(m, d, key, ours.get(key, []), theirs.get(key, []))
                if verbose and error > tolerance:
                    print(f"  {first}-{second} margin {margin} trial {trial}: {error:.2e} qpos {d.qpos.tolist()}")
                    for who, rows in (("ours", ours.get(key, [])), ("theirs", theirs.get(key, []))):
                        for row in rows:
                            print(
                                f"    {who:6s} dist {row[0]:.9f} pos {row[1:4].round(7)} normal {row[4:7].round(7)} t {row[7:10].round(5)}"
                            )
    return tally


def tolerance_of(first: str, second: str) -> float:
    return ANALYTIC_TOLERANCE if (first, second) in ANALYTIC else CONVEX_TOLERANCE


SHAPE_NAMES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")


def model_states(m: mujoco.MjModel, states: int, seed: int):
    """Settled and random coordinates."""
    d = mujoco.MjData(m)
    rng = np.random.default_rng(seed)
    for _ in range(states):
        mujoco.mj_resetData(m, d)
        mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * rng.choice([0.0, 0.1, 0.5]), 1.0)
        yield d.qpos.copy(), d.mocap_pos.copy(), d.mocap_quat.copy()
        for _ in range(200):
            d.ctrl[:] = rng.normal(size=m.nu)
            mujoco.mj_step(m, d)
        yield d.qpos.copy(), d.mocap_pos.copy(), d.mocap_quat.copy()


def compare_model(path: pathlib.Path, states: int, seed: int, verbose: bool) -> tuple[str, bool]:
    m, s = mujoco.MjModel.from_xml_path(str(path)), sm.MjModel.from_xml_path(str(path))
    # Converged, as for the pairs.
    m.opt.ccd_tolerance, m.opt.ccd_iterations = 1e-12, 1000
    d, e = mujoco.MjData(m), sm.MjData(s)
    tallies = {True: Tally(ANALYTIC_TOLERANCE, False), False: Tally(CONVEX_TOLERANCE, True)}
    parameters, order = 0.0, True
    for q, pos, quat in model_states(m, states, seed):
        d.qpos[:], d.mocap_pos[:], d.mocap_quat[:] = q, pos, quat
        e.qpos[:], e.mocap_pos[:], e.mocap_quat[:] = q, pos, quat
        mujoco.mj_kinematics(m, d)
        mujoco.mj_collision(m, d)
        run_sm(s, e)
        ours, theirs = grouped(e.contact), grouped(d.contact)
        if d.ncon == e.ncon:
            order &= bool(np.array_equal(d.contact.geom, e.contact.geom))
        for key in sorted({*ours, *theirs}):
            names = tuple(SHAPE_NAMES[m.geom_type[g]] for g in key)
            analytic = names in ANALYTIC or names == ("plane", "mesh")
            error = tallies[analytic].compare(m, d, key, ours.get(key, []), theirs.get(key, []))
            if verbose and error > (ANALYTIC_TOLERANCE if analytic else CONVEX_TOLERANCE):
                print(
                    f"    {names} geoms {key}: {error:.2e}, ours {len(ours.get(key, []))} theirs {len(theirs.get(key, []))}"
                )
        first = {tuple(g): i for i, g in reversed(list(enumerate(d.contact.geom.tolist())))}
        for i, geoms in reversed(list(enumerate(e.contact.geom.tolist()))):
            k = first.get(tuple(geoms))
            if k is not None:
                for name in PARAMETERS:
                    difference = np.abs(np.asarray(getattr(e.contact, name)[i], float) - getattr(d.contact, name)[k])
                    parameters = max(parameters, float(difference.max())) if name != "surfacevel" else parameters
    (a, good_a), (c, good_c) = tallies[True].summary(), tallies[False].summary()
    good = good_a and good_c and parameters <= 1e-12
    note = "" if order else ", other order"
    return f"analytic {a} | convex {c} | parameters {parameters:.1e}{note}", good


def compare_rays(name: str, seeds: int, seed: int) -> tuple[str, bool]:
    """Rays from random points, inside and outside, against one shape."""
    fixed = name in ("plane", "hfield")
    xml = pair_model(name if fixed else "plane", "sphere" if fixed else name, 0.0)
    if not fixed:
        xml = xml.replace(SHAPES["plane"], SHAPES["plane"] + ' rgba="1 1 1 0"')
    m, s = mujoco.MjModel.from_xml_string(xml), sm.MjModel.from_xml_string(xml)
    d, e = mujoco.MjData(m), sm.MjData(s)
    rng = np.random.default_rng(seed)
    bad = hits = 0
    for _ in range(10 * seeds):
        d.qpos[:3] = 50.0 if fixed else 0.0
        d.qpos[3:7] = random_quat(rng)
        e.qpos[:] = d.qpos
        mujoco.mj_kinematics(m, d)
        sm.mj_kinematics(s, e)
        point = rng.normal(size=3) * 0.3
        vector = rng.normal(size=3) if rng.random() < 0.5 else rng.normal(size=3) * 0.05 - point
        results = []
        for lib, model, data in ((mujoco, m, d), (sm, s, e)):
            geom, normal = np.zeros(1, dtype=np.int32), np.zeros(3)
            t = lib.mj_ray(model, data, point, vector, None, 1, -1, geom, normal)
            results.append(np.array([t, geom[0], *normal]))
        hits += results[0][0] >= 0
        bad += bool(np.abs(results[0] - results[1]).max() > 1e-6)
    return f"{10 * seeds:6d} rays {hits:6d} hits, {bad} differ", bad == 0


def reference_distance(m: mujoco.MjModel, d: mujoco.MjData, geoms: tuple[int, int], points: np.ndarray) -> float:
    found = mujoco.mj_geomDistance(m, d, *geoms, REACHES[0], points)
    if m.geom_type[0] == mujoco.mjtGeom.mjGEOM_HFIELD:
        for reach in REACHES[1:]:
            nearer = np.zeros(6)
            x = mujoco.mj_geomDistance(m, d, *geoms, reach, nearer)
            if x < min(found, reach):
                found, points[:] = x, nearer
    return found


def compare_distances(first: str, second: str, seeds: int, seed: int) -> tuple[str, bool]:
    """`mj_geomDistance` at random poses; nearest points only where the shapes are apart."""
    xml = pair_model(first, second, 0.0)
    m, s = mujoco.MjModel.from_xml_string(xml), sm.MjModel.from_xml_string(xml)
    d, e = mujoco.MjData(m), sm.MjData(s)
    rng = np.random.default_rng(seed)
    worst, bad = 0.0, 0
    for k in range(seeds):
        d.qpos[:] = rng.normal(size=m.nq) * 0.2
        for adr in range(0, m.nq, 7):
            d.qpos[adr + 3 : adr + 7] = random_quat(rng)
        e.qpos[:] = d.qpos
        mujoco.mj_kinematics(m, d)
        sm.mj_kinematics(s, e)
        geoms = (0, 1) if k % 2 else (1, 0)
        theirs, ours = np.zeros(6), np.zeros(6)
        x = reference_distance(m, d, geoms, theirs)
        y = sm.mj_geomDistance(s, e, *geoms, REACHES[0], ours)
        error = abs(x - y)
        worst = max(worst, error)
        bad += error > CONVEX_TOLERANCE or (x > 0 and bool(np.abs(theirs - ours).max() > CURVED_TOLERANCE))
    return f"{seeds:6d} distances, {bad} differ, worst {worst:.1e}", bad == 0


def compare_queries(found: report.Report, options) -> None:
    for name in SHAPES:
        if options.filter in f"ray {name}":
            found.add(f"ray {name}", *compare_rays(name, options.seeds, options.seed))
    for first, second in itertools.combinations_with_replacement(SHAPES, 2):
        name = f"distance {first}-{second}"
        if second not in ("plane", "hfield") and options.filter in name:
            found.add(name, *compare_distances(first, second, options.seeds, options.seed))


def compare_pairs(found: report.Report, options) -> None:
    for first, second in itertools.combinations_with_replacement(SHAPES, 2):
        name = f"{first}-{second}"
        if {first, second} <= {"plane", "hfield"} or options.filter not in name:
            continue
        tally = compare_pair(first, second, options.seeds, options.seed, options.verbose)
        text, good = tally.summary()
        share, reason = known(first, second)
        found.add(name, text + (f" (up to {share:.0%}: {reason})" if share and tally.sets else ""), good)


def main() -> int:
    parser = report.parser(__doc__, states=5)
    parser.add_argument("--only", choices=("pairs", "queries", "models"))
    parser.add_argument("--seeds", type=int, default=100, help="random poses per pair and margin")
    options = parser.parse_args()
    found = report.Report(options, width=42)
    if options.only in (None, "queries") and not options.files:
        compare_queries(found, options)
    if options.only in (None, "pairs") and not options.files:
        compare_pairs(found, options)
    if options.only in (None, "models"):
        for name, path in found.chosen(models.everything()):
            try:
                found.add(name, *compare_model(path, options.states, options.seed, options.verbose))
            except Exception as problem:
                found.add_error(name, problem)
    return found.finish()


if __name__ == "__main__":
    sys.exit(main())
