"""Files that are written from the package are up to date, and type checkers see its signatures."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy")

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"

PROGRAM = """
import saltus.mujoco as mujoco
m = mujoco.MjModel.from_xml_string("<mujoco/>")
d = mujoco.MjData(m)
mujoco.mj_step(m, d, nstep=3)
mujoco.mj_kinematics(m=m, d=d)
n: int = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, "world")
mujoco.set_mjcb_control(None)
"""
MISTAKES = """
mujoco.mj_step(m, d, "three")
mujoco.mj_kinematics(m)
mujoco.mj_kinematic(m, d)
x: str = mujoco.mj_getTotalmass(m)
"""


def check(text: str, folder: pathlib.Path) -> list[str]:
    file = folder / "program.py"
    file.write_text(text)
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(file)], capture_output=True, text=True)
    return [line for line in run.stdout.splitlines() if ": error:" in line]


def test_signatures_are_known(tmp_path):
    assert check(PROGRAM, tmp_path) == []
    errors = check(PROGRAM + MISTAKES, tmp_path)
    assert len(errors) == 4, errors


@pytest.mark.parametrize("script", ["stubs", "reference"])
def test_written_files_are_up_to_date(script):
    assert subprocess.run([sys.executable, SCRIPTS / script, "--check"]).returncode == 0, f"run scripts/{script}"
