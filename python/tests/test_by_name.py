"""Single objects by name: state, inputs and results."""

from __future__ import annotations

import numpy as np
import pytest
import saltus
from conftest import MODELS


@pytest.fixture
def model() -> saltus.Model:
    return saltus.Model.load(MODELS / "humanoid.xml")


@pytest.fixture
def data(model):
    data = model.data()
    data.reset("squat")
    return data


def test_names_that_are_not_there_say_what_is(data):
    with pytest.raises(KeyError, match="did you mean .*left_knee"):
        data.set_control("left_kne", 1.0)
    with pytest.raises(KeyError, match="there is no joint .*knee.*; did you mean one of .*left_knee.*right_knee"):
        data.joint_q("knee")
    with pytest.raises(IndexError, match="no body 99: the model has"):
        data.set_body_force(99, [0, 0, 1])


def test_state_and_inputs_are_views(model, data):
    data.set_control("left_knee", 1.25)
    assert data.ctrl[model.id("actuator", "left_knee")] == data.control("left_knee")[0] == 1.25
    data.set_joint_q("left_knee", 0.7)
    data.joint_v("root")[:] = range(6)
    assert data.joint_q("left_knee") == [0.7] and np.array_equal(data.v[:6], np.arange(6))
    assert data.joint_q("root").shape == (7,) and np.shares_memory(data.joint_q("root"), data.q)
    data.set_body_force("torso", [1, 2, 3])
    assert data.body_force[model.id("body", "torso")].tolist() == [1, 2, 3, 0, 0, 0]
    data.set_joint_force("left_knee", 3.0)
    assert data.tau_applied.sum() == 3.0
    with pytest.raises(ValueError):
        data.set_joint_q("root", [1, 2])


def test_results_of_another_state_are_refused(data):
    with pytest.raises(saltus.StaleError, match="position stage.*call forward"):
        data.body_pose("left_foot")
    data.forward()
    assert data.body_pose("left_foot").p.shape == (3,)
    # Views are written behind the engine's back, which sees it nevertheless.
    data.ctrl[0] += 0.1
    assert data.sensor("gyro").shape == (3,)
    with pytest.raises(saltus.StaleError, match="acceleration stage.*only the results up to the velocity stage"):
        data.actuator_force("left_knee")
    data.forward()
    data.q[2] += 0.1
    with pytest.raises(saltus.StaleError):
        data.body_pose("left_foot")
    data.forward()
    data.step()
    for ask in (lambda: data.sensor("gyro"), data.contact_forces, lambda: data.joint_a("root")):
        with pytest.raises(saltus.StaleError):
            ask()


def test_results_are_those_of_the_arrays(model, data):
    data.v[:] = np.random.default_rng(0).normal(size=model.nv)
    data.forward()
    foot = model.id("body", "left_foot")
    assert np.array_equal(data.body_pose("left_foot").p, data.p_WB[foot])
    np.testing.assert_allclose(data.body_pose(foot).R @ data.body_pose(foot).R.T, np.eye(3), atol=1e-12)
    assert np.array_equal(data.sensor("com"), data.center_of_mass("torso"))
    # A gyroscope measures in the axes of its site.
    spin = data.site_pose("imu").R.T @ data.site_velocity("imu").angular
    np.testing.assert_allclose(data.sensor("gyro"), spin, atol=1e-12)
    jac_p, jac_r = data.jacobian("left_foot")
    velocity = data.body_velocity("left_foot")
    np.testing.assert_allclose(velocity.linear, jac_p @ data.v, atol=1e-12)
    np.testing.assert_allclose(velocity.angular, jac_r @ data.v, atol=1e-12)
    assert data.actuator_length("left_knee") == data.joint_q("left_knee")[0]
    assert data.actuator_velocity("left_knee") == data.joint_v("left_knee")[0]
    assert np.array_equal(data.joint_a("root"), data.a[:6])
    assert data.camera_pose("side").p[1] == -4 and data.geom_pose("floor").R[2, 2] == 1


def test_contact_forces_have_parts_that_add_up(model, data):
    data.step(200)
    data.forward()
    total = np.zeros(3)
    for contact in data.contact_forces():
        assert model.names("body")[contact.bodies[0]] == "world"
        parts = [contact.normal_force, *contact.friction_force]
        np.testing.assert_allclose(contact.frame @ contact.world_force, parts, atol=1e-9)
        total += contact.world_force
    # Limits of joints do not push the root.
    np.testing.assert_allclose(total, data.tau_constraint[:3], rtol=1e-9, atol=1e-6)
    assert total[2] > 100 and data.contact_force(0).pos.shape == (3,)


def test_mocap_bodies_are_told_where_to_be(native):
    data = native.data()
    data.set_mocap_pose("target", [1, 2, 3])
    data.forward()
    assert data.body_pose("target").p.tolist() == [1, 2, 3]
    assert data.tendon_length("coupling") == pytest.approx(0.0)
    with pytest.raises(ValueError, match="'cart' is no mocap body"):
        data.mocap_pose("cart")


# Every method that answers with results, and one call of it.
RESULTS = {
    "sensor": lambda data: data.sensor("gyro"),
    "body_pose": lambda data: data.body_pose("torso"),
    "geom_pose": lambda data: data.geom_pose("floor"),
    "site_pose": lambda data: data.site_pose("imu"),
    "camera_pose": lambda data: data.camera_pose("side"),
    "center_of_mass": lambda data: data.center_of_mass("torso"),
    "body_velocity": lambda data: data.body_velocity("torso"),
    "site_velocity": lambda data: data.site_velocity("imu"),
    "joint_a": lambda data: data.joint_a("left_knee"),
    "actuator_length": lambda data: data.actuator_length("left_knee"),
    "actuator_velocity": lambda data: data.actuator_velocity("left_knee"),
    "actuator_force": lambda data: data.actuator_force("left_knee"),
    "contact_force": lambda data: data.contact_force(0),
    "contact_forces": lambda data: data.contact_forces(),
    "M": lambda data: data.M,
    "solve_M": lambda data: data.solve_M(data.v),
    "jacobian": lambda data: data.jacobian("left_foot"),
    "energy": lambda data: data.energy(),
}
# The humanoid has no tendons. The others are about the state, simulate, or compute what they need themselves.
NO_RESULTS = {
    *(
        "tendon_length",
        "tendon_velocity",
        "copy",
        "reset",
        "forward",
        "step",
        "inverse",
        "linearize",
        "save",
        "restore",
    ),
    *("control", "set_control", "joint_q", "set_joint_q", "joint_v", "set_joint_v", "joint_force", "set_joint_force"),
    *("set_body_force", "mocap_pose", "set_mocap_pose"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_no_method_reads_results_of_another_state(data, name):
    ask = RESULTS[name]
    for change in (lambda: data.q.__setitem__(2, data.q[2] + 0.01), data.step, lambda: data.reset("squat")):
        data.q[2] = 0.6  # the feet touch the ground
        data.forward()
        ask(data)
        change()
        with pytest.raises(saltus.StaleError):
            ask(data)


def test_every_method_is_known_to_that_test():
    methods = {name for name in dir(saltus.Data) if not name.startswith("_") and callable(getattr(saltus.Data, name))}
    assert methods - set(RESULTS) - NO_RESULTS == set()
