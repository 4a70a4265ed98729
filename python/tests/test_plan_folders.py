"""Plans in folders: what is saved loads again, and the command line has the same folders."""

import dataclasses
import pathlib

import numpy as np
import pytest
import saltus
from plan_models import push

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Written by the command line.
OLDER = ROOT / "crates/store/tests/data/format1"
ARRAYS = ["time", "q", "v", "a", "u", "tau", "gains"]
VALUES = ["name", "status", "message", "converged", "cost", "costs", "iterations", "seconds", "violations"]
VALUES += ["periodicity", "stance_slip", "step_error", "times", "coordinate_names", "dof_names", "control_names"]
VALUES += ["periodic", "stride", "h", "weight", "summary", "history", "path", "unactuated_residual"]


def assert_same(a, b):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), strict=True)
    for name in VALUES:
        assert getattr(a, name) == getattr(b, name), name
    assert len(a.contacts) == len(b.contacts)
    for one, other in zip(sum(a.contacts, []), sum(b.contacts, []), strict=True):
        assert (one.body, one.other, one.gap) == (other.body, other.other, other.gap)
        for name in ("point", "normal", "force"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(a.law_independent_residual.by_step, b.law_independent_residual.by_step)
    assert a.law_independent_residual[:2] == b.law_independent_residual[:2]


@pytest.mark.parametrize("name", ["spin", "hop"])
def test_a_saved_plan_loads_again(name, tmp_path):
    plan = saltus.optimize(name, iterations=20, threads=1)
    assert sum(plan.contacts, []) and plan.history and plan.path
    plan.save(tmp_path / name)
    again = saltus.Plan.load(tmp_path / name)
    assert_same(again, plan)
    assert again.model.to_bytes() == plan.model.to_bytes()
    assert again.planning_model.to_bytes() == plan.planning_model.to_bytes()
    np.testing.assert_array_equal(again.replay(strides=2).q, plan.replay(strides=2).q)
    np.testing.assert_array_equal(again.replay("soft").q, plan.replay("soft").q)


def test_the_task_of_a_loaded_plan_does_it_again(tmp_path):
    plan = saltus.optimize("spin", iterations=20, threads=1)
    plan.save(tmp_path / "spin")
    task = saltus.Plan.load(str(tmp_path / "spin")).task
    assert task["model"] == "model.xml" and task["solver"].items() >= plan.task["solver"].items()
    again = saltus.optimize(task)
    np.testing.assert_array_equal(again.q, plan.q)
    np.testing.assert_array_equal(again.gains, plan.gains)
    again.save(tmp_path / "again")
    assert dict(saltus.Plan.load(tmp_path / "again").task) == dict(task)


def test_folders_of_the_command_line_load():
    plan = saltus.Plan.load(OLDER)
    assert (plan.name, plan.status, plan.iterations, plan.q.shape) == ("spin", "infeasible", 30, (41, 3))
    with np.load(OLDER / "trajectory.npz") as arrays:
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(plan, name), arrays[name], strict=True)
    assert len(plan.history) == len(np.loadtxt(OLDER / "convergence.csv", delimiter=",", skiprows=1))
    assert plan.step_error == pytest.approx(0.0016024117007461666, rel=1e-9)
    assert plan.task["name"] == "spin" and "<Plan 'spin': infeasible" in repr(plan)
    better = saltus.optimize("spin", guess=plan, iterations=20, threads=1)
    assert better.cost > 0.0


def test_files_are_those_of_numpy(tmp_path):
    plan = saltus.optimize("spin", iterations=5, threads=1)
    plan.save(tmp_path / "spin")
    with np.load(tmp_path / "spin/trajectory.npz") as arrays:
        np.testing.assert_array_equal(arrays["tau"], plan.tau)
        np.testing.assert_array_equal(arrays["verdict"], plan.law_independent_residual.by_step)
        assert arrays["step_error"].max() == plan.step_error
        assert arrays["verdict_contacts"].shape == arrays["verdict_least_gap"].shape == (40,)


def test_functions_are_not_in_the_folder_which_a_note_says(tmp_path):
    task = push()
    task.add_term(lambda knot: (knot.v, {"v": np.eye(1)}), name="slow", weight=0.1)
    plan = saltus.optimize(task, iterations=20)
    note = "the task in a result folder omits the terms that are Python functions: slow"
    assert note in plan.summary["notes"]
    plan.save(tmp_path / "push")
    again = saltus.Plan.load(tmp_path / "push")
    assert_same(again, plan)
    assert plan.task.functions == ["slow"] and again.task.functions == [] and "slow" in again.costs
    assert note not in saltus.optimize(again.task, iterations=5).summary["notes"]


def test_a_plan_in_a_folder_is_replaced_whole(tmp_path):
    spin, other = (saltus.optimize("spin", iterations=n, threads=1) for n in (3, 6))
    spin.save(tmp_path / "plan")
    (tmp_path / "plan/film.svg").write_text("older picture")
    other.save(tmp_path / "plan")
    assert_same(saltus.Plan.load(tmp_path / "plan"), other)
    assert not (tmp_path / "plan/film.svg").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["plan"]


def test_mistakes_name_the_place(tmp_path):
    plan = saltus.optimize("spin", iterations=3, threads=1)
    (tmp_path / "cat.jpg").write_text("cat")
    with pytest.raises(FileExistsError, match="is not a result and will not be replaced"):
        plan.save(tmp_path)
    with pytest.raises(OSError, match="cannot create the folder"):
        plan.save(tmp_path / "cat.jpg/plan")
    with pytest.raises(FileNotFoundError, match="nowhere is not a result: cannot read summary.json"):
        saltus.Plan.load(tmp_path / "nowhere")
    plan.save(tmp_path / "plan")
    (tmp_path / "plan/trajectory.npz").write_bytes(b"PK")
    with pytest.raises(ValueError, match="trajectory.npz: expected a zip archive"):
        saltus.Plan.load(tmp_path / "plan")
    plan.save(tmp_path / "plan")
    (tmp_path / "plan/task.toml").write_text("name = 3\n")
    with pytest.raises(ValueError, match="task.toml:1: name"):
        saltus.Plan.load(tmp_path / "plan")


def test_iterations_are_told_as_they_are_kept():
    told = []
    plan = saltus.optimize("spin", iterations=8, threads=1, progress=told.append)
    assert told == plan.history and isinstance(told[0], saltus.Iteration)
    kinds = [type(value).__name__ for value in dataclasses.astuple(told[0])]
    assert kinds == ["int", *["float"] * 3, "list", *["float"] * 5, "bool", "float"]
