"""Compares the processing of third-party mesh files with MuJoCo: frame, mass and inertia with the
rules `legacy`, `convex` and `shell`. Generated meshes are compared vertex by vertex. Many of the
files are neither closed nor consistently oriented.

    python parity/meshes.py

The exit code is 1 if any mesh differs or is rejected only by Saltus.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys

import mujoco
import numpy as np
from saltus.mujoco import MjModel

PACKAGES = ("dm_control", "gymnasium_robotics", "robosuite_models")
RULES = ("legacy", "convex", "shell")
# Vertices have single precision. Principal axes of almost equal moments are determined by
# round-off: 2e-2.
BOUNDS = {"frame": 1e-5, "mass": 1e-5, "inertia": 1e-4, "axes": 2e-2}
GENERATED = {
    "sphere": ("0", "3"),
    "hemisphere": ("0", "1", "4", "10"),
    "cone": ("5 0.5", "4 0"),
    "supersphere": ("3 1 1", "9 0 0", "20 2 0.3"),
    "supertorus": ("3 0.3 0.5 0.7", "15 1 2 0.1"),
    "wedge": ("2 3 60 40 0.5", "5 5 60 40 1", "3 3 180 89 0"),
    "plate": ("2 3", "5 7"),
}


def files() -> list[pathlib.Path]:
    """Mesh files of the packages."""
    found: list[pathlib.Path] = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit(f"the package {package} is not installed")
        folder = pathlib.Path(spec.submodule_search_locations[0])
        found += [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in (".stl", ".obj", ".msh")]
    return found


def text(mesh: str, rule: str) -> str:
    geom = '<geom type="mesh" mesh="m" contype="0" conaffinity="0"/>'
    asset = f'<asset><mesh name="m" inertia="{rule}" {mesh}/></asset>'
    return f"<mujoco>{asset}<worldbody><body><joint/>{geom}</body></worldbody></mujoco>"


def both(xml: str, assets: dict[str, bytes] | None = None):
    """Models of both engines. None if MuJoCo rejects the mesh; the error message if Saltus does."""
    try:
        theirs = mujoco.MjModel.from_xml_string(xml, assets or {})
    except ValueError:
        return None, None
    try:
        return theirs, MjModel.from_xml_string(xml, assets)
    except ValueError as error:
        return theirs, str(error)


def placed(model) -> np.ndarray:
    """Vertices in the coordinates of the file."""
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.asarray(model.mesh_quat[0], dtype=float))
    return np.asarray(model.mesh_vert) @ R.reshape(3, 3).T + model.mesh_pos[0]


def difference(theirs, ours) -> list[str]:
    """Quantities that differ by more than their bounds."""
    size = np.ptp(theirs.mesh_vert, axis=0).max()
    moments = theirs.body_inertia[1].max()
    turn = [np.abs(theirs.mesh_quat[0] - sign * np.asarray(ours.mesh_quat[0])).max() for sign in (1, -1)]
    found = {
        "frame": np.abs(theirs.mesh_pos[0] - ours.mesh_pos[0]).max() / size,
        "mass": abs(theirs.body_mass[1] / ours.body_mass[1] - 1),
        "inertia": np.abs(theirs.body_inertia[1] - ours.body_inertia[1]).max() / moments,
        "axes": min(turn),
    }
    return [f"{name} {value:.1e}" for name, value in found.items() if not value <= BOUNDS[name]]


def compare_files(stride: int) -> tuple[int, int]:
    compared = failed = 0
    for path in files()[::stride]:
        assets = {path.name: path.read_bytes()}
        for rule in RULES:
            theirs, ours = both(text(f'file="{path.name}"', rule), assets)
            if theirs is None:
                continue
            compared += 1
            wrong = [ours] if isinstance(ours, str) else difference(theirs, ours)
            if wrong:
                failed += 1
                print(f"{path}, {rule}: {', '.join(wrong)}")
    return compared, failed


def compare_generated() -> tuple[int, int]:
    compared = failed = 0
    for kind, all_params in GENERATED.items():
        for params in all_params:
            rule = "shell" if kind == "plate" else "legacy"
            theirs, ours = both(text(f'builtin="{kind}" params="{params}" scale="1 1.3 0.7"', rule))
            compared += 1
            wrong = theirs is None or isinstance(ours, str) or theirs.mesh_vert.shape != ours.mesh_vert.shape
            # Faces of cones and wedges are those of their hulls, in any order.
            wrong = wrong or np.abs(placed(theirs) - placed(ours)).max() > 1e-6
            wrong = wrong or (kind not in ("cone", "wedge") and (theirs.mesh_face != ours.mesh_face).any())
            if wrong:
                failed += 1
                print(f"{kind} {params}: differs or is rejected")
    return compared, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stride", type=int, default=1, help="take every n-th file only")
    args = parser.parse_args()
    (files_compared, files_failed), (made, made_wrong) = compare_files(args.stride), compare_generated()
    print(f"{files_compared} meshes of files and {made} generated ones compared, {files_failed + made_wrong} differ")
    return 1 if files_failed or made_wrong or not files_compared else 0


if __name__ == "__main__":
    sys.exit(main())
