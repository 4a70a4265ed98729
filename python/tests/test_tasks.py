"""Tasks from files, texts and programs; bad ones."""

import copy
import pathlib
import re

import numpy as np
import pytest
import saltus
from plan_models import MOTOR, cart, push
from saltus import Task

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", Task.names())
def test_shipped_tasks_survive_being_written(name):
    task = Task(name)
    file = name.replace("idto-", "idto/", 1) + ".toml"
    text = (ROOT / "tasks" / file).read_text(encoding="utf-8")
    assert task["name"] == name and task.to_toml() == text
    task["about"] = "something else"
    again = Task.parse(task.to_toml())
    assert dict(again) == dict(task)


def test_tasks_are_known_by_name_file_and_text(tmp_path):
    by_name, by_file = Task("hop"), Task.load(ROOT / "tasks" / "hop.toml")
    assert dict(by_name) == dict(by_file) == dict(Task.parse(by_name.to_toml()))
    with pytest.raises(
        ValueError, match="unknown task 'jump!'; expected one of walk, .*or a file with the extension .toml"
    ):
        Task("jump!")
    with pytest.raises(ValueError, match="cannot read .*nowhere.toml"):
        saltus.optimize(tmp_path / "nowhere.toml")


def test_models_are_looked_up_beside_the_file(tmp_path):
    (tmp_path / "cart.xml").write_text(cart())
    task = push("cart.xml")
    (tmp_path / "push.toml").write_text(task.to_toml())
    assert saltus.optimize(tmp_path / "push.toml").converged
    assert saltus.optimize(tmp_path / "push.toml", steps=8).q.shape == (9, 1)
    assert saltus.optimize(push(tmp_path / "cart.xml")).converged
    with pytest.raises(ValueError, match="<task push>:2: model: .*cart.xml"):
        saltus.optimize(task)


def test_keys_are_set_by_name():
    task = Task("walk")
    hard = {"smoothing": 0.1, "hover": 0.002, "reach": 0.05}
    task.set(speed=1.0, seed=3, iterations=500, threads=1, to=hard, weights={"slip": 2.0}, noise=np.float64(0.1))
    assert task["gait"] == {"speed": 1.0, "seed": 3, "weights": {"slip": 2.0}, "noise": 0.1}
    assert task["solver"] == {"iterations": 500, "threads": 1} and task["contact"] == {"to": hard}
    task.set(solver={"iterations": 7}, seed=None)
    assert task["solver"] == {"iterations": 7, "threads": 1} and "seed" not in task["gait"]
    assert "iterations = 7" in task.to_toml()


def test_unknown_keys_are_named_with_what_there_is():
    with pytest.raises(
        ValueError, match="no key 'sped'; there are task: format, name, .*gait: speed, period, .*solver: threads"
    ):
        saltus.optimize("walk", sped=1.0)
    with pytest.raises(ValueError, match="'to' is a key of guess and contact: name the table, as in guess="):
        saltus.optimize("hop", to=[0.0])
    with pytest.raises(ValueError, match=r"\(changed\):.*\[gait\] colour: there is no such key; there are speed"):
        saltus.optimize("walk", gait={"colour": "red"})
    with pytest.raises(ValueError, match="motion|gait"):
        saltus.optimize("walk", motion={"steps": 10, "time": 1.0})
    with pytest.raises(ValueError, match=r"\[contact\] law: a template chooses this itself"):
        saltus.optimize("walk", law="soft")


def test_wrong_values_name_key_and_expectation():
    with pytest.raises(ValueError, match=r"\[gait\] speed: expected a number of m/s from -100 to 100, found text"):
        saltus.optimize("walk", speed="fast")
    with pytest.raises(ValueError, match=r"\[solver\] threads: expected a whole number from 0 to 1024, found 1.5"):
        saltus.optimize("walk", threads=1.5)
    with pytest.raises(ValueError, match="expected a whole number from 0 to 1024, found 100000"):
        saltus.optimize("walk", threads=100000)
    with pytest.raises(TypeError, match="gait speed: expected numbers, strings, lists or dictionaries, found object"):
        saltus.optimize("walk", speed=object())
    with pytest.raises(ValueError, match="expected a number of m/s from -100 to 100, found 1000000000"):
        saltus.optimize("walk", speed=1e9)


def test_tasks_are_dictionaries():
    task = push()
    other = copy.copy(task)
    other["motion"]["steps"] = 20
    assert task["motion"]["steps"] == 10 and list(task) == ["name", "model", "motion", "contact", "term"]
    del other["contact"]
    assert len(other) == 4 and "2 terms" in repr(task) and "MJCF text" in repr(task)
    before = copy.deepcopy(dict(task))
    saltus.optimize(task, iterations=2, steps=6)
    assert dict(task) == before
    task.check()
    del task["motion"]
    with pytest.raises(ValueError, match=r"<task push>:1: \[motion\]: this key is missing"):
        task.check()


def test_arrays_and_tuples_are_lists():
    task = push(guess={"kind": "line", "to": np.array([0.5])})
    task.add_term("site", site="tip", position=(1.1, 0, 0), weight=np.array([0.1, 0, 0]), window=(0.5, 1.0))
    assert "to = [0.5]" in task.to_toml() and "window = [0.5, 1.0]" in task.to_toml()
    assert saltus.optimize(task).converged


def test_gait_of_any_robot():
    task = Task.gait(ROOT / "models" / "quadruped.xml", speed=0.3, iterations=3)
    plan = saltus.optimize(task)
    assert plan.name == "quadruped-gait" and plan.periodic
    with pytest.raises(ValueError, match="no key 'legs'"):
        Task.gait("quadruped", legs=4)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_of_a_guess_are_finite(bad):
    with pytest.raises(ValueError, match=r"\[guess\] to: expected a list of finite numbers"):
        saltus.optimize("hop", guess={"to": [0.5, bad, 0.3, -0.5, 0.2]})


def test_a_horizon_of_one_is_refused():
    with pytest.raises(ValueError, match="expected a whole number from 5 to 1000, found 1"):
        saltus.optimize("hop", steps=1)


def test_a_missing_site_is_named():
    task = push()
    task.add_term("site", site="top", position=[0, 0, 1])
    with pytest.raises(ValueError, match=r'\[\[term\]\] site: there is no site "top"; did you mean "tip"'):
        saltus.optimize(task)
    with pytest.raises(ValueError, match=r"\[\[term\]\] kind: expected one of posture, .*; found .siite"):
        saltus.optimize("hop", terms=[{"kind": "siite"}])


def test_a_model_without_actuators_is_refused():
    with pytest.raises(ValueError, match="<task push>:2: model: the model has no actuators: nothing can move it"):
        saltus.optimize(push(cart(motor="")))
    hopper = (ROOT / "models" / "hopper.xml").read_text(encoding="utf-8")
    for part in ("actuator", "keyframe"):
        hopper = re.sub(rf"<{part}>.*?</{part}>", "", hopper, flags=re.DOTALL)
    with pytest.raises(ValueError, match=r"\[gait\]: the model has no actuators: nothing can move it"):
        saltus.optimize(Task.gait(hopper))


def test_a_model_without_gravity_or_feet_is_refused():
    with pytest.raises(ValueError, match=r"\[gait\]: the model has no gravity"):
        saltus.optimize(Task.gait(cart()))
    heavy = cart(gravity=-9.81)
    floor = '<worldbody><geom type="plane" size="1 1 1" contype="0" conaffinity="0"/><geom type="plane" size="1 1 1"/>'
    with pytest.raises(ValueError, match=r"\[gait\]: .*feet"):
        saltus.optimize(Task.gait(heavy.replace("<worldbody>", floor)))


def test_contradictory_goals_are_a_status_that_names_one():
    task = push()
    task.add_term("posture", target=[-1.0], window="end", role="equality", name="other goal")
    plan = saltus.optimize(task)
    assert plan.status == "infeasible" and not plan.converged
    assert "goal is violated by" in plan.message and plan.violations["goal"] > 0.1


def test_torque_limits_below_gravity_are_a_status():
    weak = '<motor name="motor" joint="x" ctrllimited="true" ctrlrange="-5 5"/>'
    plan = saltus.optimize(push(cart(gravity=-9.81, axis="0 0 1", motor=weak)))
    assert plan.status == "infeasible" and not plan.converged
    assert max(plan.violations.values()) > 1e-3, plan.violations
    strong = weak.replace("-5 5", "-50 50")
    assert saltus.optimize(push(cart(gravity=-9.81, axis="0 0 1", motor=strong))).converged
    assert MOTOR in cart()


def test_models_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(ValueError, match="model: .*nowhere.xml"):
        saltus.optimize(Task.gait(tmp_path / "nowhere.xml"))
    with pytest.raises(ValueError, match="model: "):
        saltus.optimize(Task.gait("<mujoco><worldbody>"))
    with pytest.raises(ValueError, match="model: this key is missing"):
        saltus.optimize(Task(gait={}))


def test_tasks_are_named_after_their_robots(tmp_path):
    assert saltus.Task.gait("quadruped")["name"] == "quadruped-gait"
    for robot, header in (("first", "<mujoco>"), ("second", '<mujoco model="planar walker">')):
        (tmp_path / robot).mkdir()
        (tmp_path / robot / "scene.xml").write_text(f"{header}</mujoco>")
    assert saltus.Task.gait(tmp_path / "first" / "scene.xml")["name"] == "first-gait"
    assert saltus.Task.gait(tmp_path / "second" / "scene.xml")["name"] == "planar-walker-gait"
    assert saltus.Task.gait(tmp_path / "third" / "robot.xml")["name"] == "third-gait"
