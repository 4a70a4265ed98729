"""The package's own interface."""

import copy
import pathlib
import pickle
import re
from importlib import metadata

import numpy as np
import pytest
import saltus
from conftest import MODELS, XML


def test_the_version_is_that_of_the_package():
    manifest = pathlib.Path(__file__).resolve().parents[2] / "Cargo.toml"
    written = re.search(r'^version = "(.+)"$', manifest.read_text(), re.MULTILINE)
    assert written
    assert saltus.__version__ == metadata.version("saltus") == written[1]


def test_model_tells_its_sizes_and_names(native):
    assert (native.name, native.nq, native.nv, native.nu, native.na, native.nbody) == ("thing", 13, 11, 3, 1, 6)
    assert native.names("joint") == ["root", "shoulder", "elbow", "rail"]
    assert native.id("joint", "rail") == 3
    assert repr(native) == "<Model 'thing': nq 13, nv 11, nu 3, 6 bodies>"
    with pytest.raises(KeyError, match="there is no joint .*knee.*; there are .*elbow"):
        native.id("joint", "knee")
    with pytest.raises(ValueError, match="unknown kind 'bone'; expected one of body, joint"):
        native.names("bone")


def test_load_reads_files():
    model = saltus.Model.load(MODELS / "humanoid.xml")
    assert model.nv > 20
    with pytest.raises(ValueError, match="nowhere.xml"):
        saltus.Model.load("nowhere.xml")


def test_assets_are_looked_up_in_the_mapping_only():
    part = b"<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    xml = "<mujoco><include file='part.xml'/></mujoco>"
    assert saltus.Model.from_xml(xml, {"part.xml": part}).nv == 1
    with pytest.raises(ValueError, match="part.xml"):
        saltus.Model.from_xml(xml)


def test_urdf_bases_float_on_demand_and_warnings_are_kept(tmp_path):
    inertia = '<inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/>'
    urdf = f'<robot name="r"><link name="base"><inertial><mass value="1"/>{inertia}</inertial></link></robot>'
    (tmp_path / "r.urdf").write_text(urdf)
    fixed = saltus.Model.load(tmp_path / "r.urdf")
    floating = saltus.Model.load(tmp_path / "r.urdf", floating_base=True)
    assert (fixed.nv, floating.nv, saltus.Model.from_xml(urdf, floating_base=True).nv) == (0, 6, 6)
    assert floating.names("joint") == ["floating_base"]
    assert 'link "base"' in floating.warnings[0] and "triangle inequality" in floating.warnings[0]
    assert copy.copy(floating).warnings == floating.warnings
    with pytest.raises(ValueError, match="no base to make floating"):
        saltus.Model.load(MODELS / "finger.xml", floating_base=True)


def test_errors_name_the_place():
    with pytest.raises(ValueError, match="3.*spheer"):
        saltus.Model.from_xml("<mujoco><worldbody>\n<body>\n<geom type='spheer' size='1'/></body></worldbody></mujoco>")
    with pytest.raises(ValueError):
        saltus.Model.from_xml("<mujoco><worldbody>")
    with pytest.raises(ValueError, match="binary|magic|model"):
        saltus.Model.from_bytes(b"nonsense")


def test_forward_obeys_newton(native):
    data = native.data()
    data.q = native.q0
    data.v[:] = np.random.default_rng(0).normal(size=native.nv)
    data.ctrl = [1, 2, 3]
    data.forward()
    np.testing.assert_allclose(data.M @ data.a, data.passive - data.bias + data.tau_actuator, atol=1e-10)
    np.testing.assert_allclose(data.solve_M(data.M @ data.a), data.a, atol=1e-10)
    np.testing.assert_allclose(data.solve_M(data.M), np.eye(native.nv), atol=1e-9)
    assert np.array_equal(data.a, data.a_smooth)


def test_jacobian_gives_velocities(native):
    data = native.data()
    data.v[:] = np.random.default_rng(1).normal(size=native.nv)
    data.forward()
    before = data.p_WB[3].copy()
    jac_p, jac_r = data.jacobian("hand")
    assert jac_p.shape == jac_r.shape == (3, native.nv)
    data.q = native.integrate(data.q, data.v, 1e-7)
    data.forward()
    np.testing.assert_allclose((data.p_WB[3] - before) / 1e-7, jac_p @ data.v, atol=1e-5)
    with pytest.raises(IndexError, match="no body 9"):
        data.jacobian(9)
    with pytest.raises(KeyError, match='no body "foot"'):
        data.jacobian("foot")


def test_difference_undoes_integrate(native):
    v = np.random.default_rng(2).normal(size=native.nv)
    q = native.integrate(native.q0, v, 0.3)
    np.testing.assert_allclose(native.difference(native.q0, q, 0.3), v, atol=1e-12)
    with pytest.raises(TypeError, match="should have 13 numbers, not 2"):
        native.integrate([1, 2], v)


def test_energy_is_potential_and_kinetic(native):
    data = native.data()
    data.v[-1] = 2.0
    data.forward()
    potential, kinetic = data.energy()
    assert kinetic == pytest.approx(4.0)
    data.q[2] += 1.0
    data.forward()
    mass = sum(native._core.field("body_mass")[1:4])
    assert data.energy()[0] - potential == pytest.approx(9.81 * mass)


def test_reset_to_keyframe(native):
    data = native.data()
    data.reset("raised")
    assert (data.time, data.q[2], data.q[-1], list(data.ctrl)) == (2.0, 2.0, 0.1, [1, 2, 3])
    data.reset()
    assert data.time == 0.0 and data.q[2] == 1.0 and not data.ctrl.any()
    data.reset(0)
    assert data.time == 2.0
    with pytest.raises(ValueError, match="no keyframe 5: the model has 1"):
        data.reset(5)
    with pytest.raises(KeyError, match='no keyframe "lowered"; there is only "raised"'):
        data.reset("lowered")


def test_binary_round_trip(native, tmp_path):
    native.save(tmp_path / "thing.smb")
    again = saltus.Model.load(tmp_path / "thing.smb")
    assert again.to_bytes() == native.to_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["thing.smb"]
    with pytest.raises(ValueError):
        saltus.Model.from_bytes(native.to_bytes()[:-5])
    broken = bytearray(native.to_bytes())
    broken[len(broken) // 2] ^= 0xFF
    with pytest.raises(ValueError, match="checksum|damaged|corrupt"):
        saltus.Model.from_bytes(bytes(broken))


def test_a_model_cannot_be_changed(native):
    native.q0[0] = 7.0
    assert native.q0[0] == 0.0
    with pytest.raises(AttributeError):
        native.nq = 3
    with pytest.raises(AttributeError):
        native.anything = 3
    with pytest.raises(AttributeError):
        native.data().anything = 3


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_independent(native, clone):
    assert clone(native).to_bytes() == native.to_bytes()
    data = native.data()
    data.v[:] = 1.0
    data.time = 3.0
    data.forward()
    other = clone(data)
    assert type(other) is saltus.Data and other.time == 3.0
    assert np.array_equal(other.a, data.a)
    other.v[0] = 5.0
    assert data.v[0] == 1.0
    other.forward()
    assert not np.array_equal(other.a, data.a)


def test_data_belongs_to_a_model():
    with pytest.raises(TypeError, match="not for str"):
        saltus.Data("model")
    model = saltus.Model.from_xml(XML)
    assert model.data().model is model
    assert repr(model.data()) == "<Data of 'thing' at time 0>"


def test_submodules_come_with_the_package():
    import subprocess
    import sys

    program = "import saltus; saltus.contact.invertible_forward; saltus.derivatives.transition; saltus.Spec"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
